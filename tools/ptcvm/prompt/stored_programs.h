// The programs of a run that a store keeps, as its log has them. Programs of earlier processes are among them.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ptcvm/store.hpp"

namespace ptcvm::cli {

struct StoredProgram {
  std::string source;
  std::int64_t begun_ms = 0;      // when a process began it or went on with it last; ms since 1970
  bool has_ended_well = false;
};

// Returns them in the order of their turns. What is wrong with the store is no matter here: the list is shorter then.
std::vector<StoredProgram> stored_programs(const Store& store, const std::string& run);

}   // namespace ptcvm::cli
