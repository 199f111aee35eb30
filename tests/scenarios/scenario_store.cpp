#include "tests/scenarios/scenario_store.h"

#include <unistd.h>

#include <atomic>
#include <filesystem>

#include "ptcvm/sqlite.hpp"

namespace ptcvm::scenarios {

ScenarioStore::ScenarioStore(StoreType type) : memory_(Store::in_memory()) {
  static std::atomic<int> count = 0;
  if (type == StoreType::Memory) return;
  const std::string name = "ptc_scenario_" + std::to_string(getpid()) + '_' + std::to_string(++count) + ".db";
  path_ = (std::filesystem::temp_directory_path() / name).string();
}

ScenarioStore::~ScenarioStore() {
  if (path_.empty()) return;
  std::error_code ignored;
  for (const char* const end : {"", "-wal", "-shm"}) std::filesystem::remove(path_ + end, ignored);
}

Store ScenarioStore::open() const {
  if (path_.empty()) return memory_;
  return open_sqlite(path_, {.durability = Durability::Group}).value();
}

}  // namespace ptcvm::scenarios
