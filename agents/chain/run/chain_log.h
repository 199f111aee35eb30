// What the log of a task says, read without going on with the task.
#pragma once
#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptcvm/result.hpp"
#include "ptcvm/store.hpp"

namespace ptcvm::chain {

// How a step was settled in the last revision that settled it.
struct LoggedStep {
  std::string id, status, error;   // status: "completed", "failed" or "skipped"
  std::int64_t duration_ms = 0;
  std::uint32_t revision = 1;      // the revision that settled the step
};

struct ChainLog {
  bool is_begun = false;                           // false: the store has no such task
  std::uint32_t revision = 0;                      // the last revision that was planned; 0: none yet
  std::uint32_t reported_revision = 0;             // the one of the last report; 0: there is none
  bool is_replanned = false;                       // a person asked for a revision that has no report yet
  std::vector<LoggedStep> steps;                   // in the order of the log
  std::optional<boost::json::object> report;       // the last one, as final_report() made it
  std::optional<boost::json::object> feedback;     // what a person said about the task
};

// Reads the logs of a task. store_failed.
Result<ChainLog> read_chain_log(const Store& store, std::string_view task_id);

// Returns whether the task has written down what its planner knows of earlier tasks. store_failed.
Result<bool> has_context(const Store& store, std::string_view task_id);

// Reads the replies of planners, as chain_check of the driver (driver_program.h) gets them: {"revision" "attempt"
// "reply"}, in their order.
Result<std::vector<boost::json::object>> read_plan_replies(const Store& store, std::string_view task_id);

// Reads the last report of a task, or nullopt when there is none yet. store_failed.
Result<std::optional<boost::json::object>> read_last_report(const Store& store, std::string_view task_id);

}  // namespace ptcvm::chain
