// What stays of a task, as a fold of its logs: reports, feedback, an episode (what was wanted, the plan, what came of
// it) and traces of its calls. A record can be made again from the logs at any time.
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

// A call of a tool in a step, as it ended.
struct TaskTrace {
  std::string step_id, tool, args, output;   // args: JSON as the plan has it; output: the output, or why there is none
  std::int64_t duration_ms = 0;
  bool is_success = false;
};

struct TaskRecord {
  std::string task_id, input;
  std::vector<boost::json::object> reports;           // as final_report() made them, in the order of their revisions
  std::optional<boost::json::object> feedback;        // feedback.h
  std::string plan, result;   // the last plan that was carried out, as JSON; the summary of the last report, or ""
  std::string strategy_id, strategy_version;          // as the context of the task has them, or ""
  std::int64_t created_ms = 0;                        // when the task was begun, ms since 1970
  std::vector<TaskTrace> traces;                      // in the order of the log
};

// Reads the logs of a task. `input` is what the person wanted. store_failed.
Result<TaskRecord> read_task_record(const Store& store, std::string_view task_id, std::string input);

// Returns a text that changes when the logs of the task do.
Result<std::string> task_mark(const Store& store, std::string_view task_id);

}  // namespace ptcvm::chain
