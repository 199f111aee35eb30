// One program as a durable run, opened again whenever it waits: from what was parked (the fast path) or from the top,
// against its log (the slow path). Both must leave the same facts: what is parked is only a cache
// (docs/decisions/0007-facts-and-stores.md).
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runtime/engine/engine.h"
#include "support/program_file.h"

namespace ptc::test {

enum class Path : std::uint8_t { Fast, Slow };

struct PathResult {
  std::string complaint;                // not empty: it could not be run
  std::string end;                      // status, value, fault
  // As JSON, without what notes how it was run, times, tokens and numbers; sorted when the program has branches, whose
  // order among each other depends on which of their calls are hits.
  std::vector<std::string> facts;
  std::vector<std::string> prints;      // prints of the last opening
  std::map<std::string, std::string, std::less<>> operations;   // the call of each, by id; stands for the id above
  std::uint32_t openings = 0, tool_calls = 0;
};

// waits_at_calls: each sync tool answers late, so that every call is a suspension.
PathResult run_on_path(const Engine& engine, const ProgramFile& file, Path path, bool waits_at_calls);

// Returns "" when both are the same, except for the number of openings, the ids of operations, and prints of tasks that
// the slow path does not evaluate again.
std::string difference_of_paths(const PathResult& fast, const PathResult& slow);

}  // namespace ptc::test
