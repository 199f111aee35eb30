// The store of one case: memory, or a SQLite file that is removed afterwards.
#pragma once
#include <string>

#include "ptcvm/store.hpp"

namespace ptcvm::scenarios {

enum class StoreType { Memory, Sqlite };

class ScenarioStore {
 public:
  explicit ScenarioStore(StoreType type);
  ~ScenarioStore();
  ScenarioStore(const ScenarioStore&) = delete;
  ScenarioStore& operator=(const ScenarioStore&) = delete;

  // Returns a handle. Each handle to SQLite opens the file again, as a new process does.
  Store open() const;
  StoreType type() const { return path_.empty() ? StoreType::Memory : StoreType::Sqlite; }

 private:
  Store memory_;
  std::string path_;   // "" for memory
};

}  // namespace ptcvm::scenarios
