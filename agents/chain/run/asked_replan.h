// A person may ask that a task that has ended is planned again: the next revision goes on from what was done.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptcvm/result.hpp"
#include "ptcvm/store.hpp"

namespace ptcvm::chain {

struct AskedReplan {
  std::uint32_t revision = 0;   // the one to make
  std::string wish;             // what should be different, for the planner; may be ""
};

// Writes down that the task is planned again: the next ChainRun of the task makes a revision after the last one. Steps
// that are completed stay. wrong_state: the task has no report yet, or the last such wish is not carried out yet. The
// log of the task has the wish, so a process that dies does not forget it.
Result<AskedReplan> ask_replan(const Store& store, std::string_view task_id, std::string wish, std::string by,
                               std::int64_t time_ms);

// Returns all wishes, in their order.
Result<std::vector<AskedReplan>> all_replans(const Store& store, std::string_view task_id);

// Returns the last wish, or nullopt when nobody asked.
Result<std::optional<AskedReplan>> last_replan(const Store& store, std::string_view task_id);

}  // namespace ptcvm::chain
