#include "api/crash_kit/run_folder.h"

#include <filesystem>

namespace ptcvm::crash {

void RunFolder::clear() const {
  std::error_code ignored;
  std::filesystem::remove_all(path_ + "/run", ignored);
  std::filesystem::create_directory(path_ + "/run", ignored);   // a store that lacks its folder says so
}

Result<Store> RunFolder::open() const {
  Points never(ledger_, 0);
  return open(never);
}

Result<Store> RunFolder::open_at(const std::string& folder, Points& points) const {
  const std::string file = folder + "/facts.db";
  if (options_.open) return options_.open(file, points);
  SqliteOptions wanted;
  wanted.durability = options_.durability;
  return open_sqlite(file, wanted);
}

Result<std::vector<Fact>> RunFolder::read_log() const {
  const std::string copy = path_ + "/copy";
  std::error_code error;
  std::filesystem::remove_all(copy, error);
  std::filesystem::copy(path_ + "/run", copy, std::filesystem::copy_options::recursive, error);
  if (error) return Error{Errc::store_failed, "the store cannot be copied: " + error.message(), {}};
  Points never(ledger_, 0);
  auto store = open_at(copy, never);
  if (!store) return std::move(store).error();
  const auto log = store->log_json(options_.run.id);
  if (!log) return log.error();
  return read_facts(*log);
}

}  // namespace ptcvm::crash
