#include "runtime/log/sqlite/sqlite_store.h"

#include "runtime/log/memory_store.h"
#include "tests/store/conformance.h"
#include "tests/store/queue_conformance.h"
#include "tests/store/store_file.h"

namespace ptc {
namespace {

std::unique_ptr<FactStore> fresh_store(SqliteMode mode) {
  static std::unique_ptr<StoreFile> file;   // the last test's goes when the next one begins
  file.reset();
  file = std::make_unique<StoreFile>();
  SqliteOptions options;
  options.mode = mode;
  auto store = SqliteStore::open(file->path(), options);
  if (auto* good = std::get_if<std::unique_ptr<SqliteStore>>(&store)) return std::move(*good);
  ADD_FAILURE() << std::get<StoreError>(store).message;
  return nullptr;
}

[[maybe_unused]] const bool kSync = store_conformance("SqliteSync", [] { return fresh_store(SqliteMode::Sync); });
[[maybe_unused]] const bool kGroup = store_conformance("SqliteGroup", [] { return fresh_store(SqliteMode::Group); });
[[maybe_unused]] const bool kMemory = store_conformance("SqliteMemory", [] { return fresh_store(SqliteMode::Memory); });
[[maybe_unused]] const bool kQueue = queue_conformance("SqliteQueue", [] { return fresh_store(SqliteMode::Sync); });
[[maybe_unused]] const bool kGroupQueue =
    queue_conformance("SqliteGroupQueue", [] { return fresh_store(SqliteMode::Group); });

TEST(SqliteQueues, AnswerAsTheStoreInMemoryDoes) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    MemoryStore memory;
    compare_queues(memory, *fresh_store(SqliteMode::Memory), seed, 300);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace ptc
