// What a task came to: the results of its steps, told to people and to programs. A report is a pure function of the
// task, its intent and its results.
#pragma once
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "agents/chain/plan/intent.h"
#include "agents/chain/report/artifact.h"
#include "agents/chain/report/document.h"

namespace ptcvm::chain {

enum class StepStatus { Completed, Failed, Skipped };
std::string_view step_status_name(StepStatus status);   // "completed", "failed", "skipped"

struct StepResult {
  std::string step_id;
  StepStatus status = StepStatus::Completed;
  std::string output, error;
  std::int64_t duration_ms = 0;
  std::vector<std::string> pending_checks;   // criteria that nobody decided
  bool has_failed_check = false;             // a completed step whose output did not pass: the task is no success
  bool was_refused = false;                  // its call was never made, so no check has judged it
  boost::json::array verdict = {};           // what a model judged: {"criterion" text, "passes" bool or null} each
  std::vector<Artifact> artifacts = {};      // what the step has made
};

struct TaskEnd {
  std::string id, description;
  std::optional<std::string> error;          // nullopt: the task ended by itself
  std::string result;                        // what the task said at its end
};

struct StepFailure {
  std::string step_id, reason;
};
// What the results of a revision come to, as numbers and lists.
struct ExecutionSummary {
  std::string task_id;
  std::size_t steps_total = 0, steps_completed = 0, steps_failed = 0;
  std::vector<std::string> outputs;       // not blank, without the blanks around them
  std::vector<StepFailure> failures;      // in plan order: the first one is the root cause
  std::vector<Artifact> artifacts;        // each path once
};
ExecutionSummary make_summary(std::string_view task_id, const std::vector<StepResult>& results);
boost::json::object summary_json(const ExecutionSummary& summary);

// What a task has cost. Tokens are those that servers counted.
struct TaskCost {
  std::int64_t model_calls = 0, tool_calls = 0, input_tokens = 0, output_tokens = 0;
};

struct TaskReport {
  std::string task_id, intent_summary;
  bool success = false;
  std::string summary;
  std::vector<std::string> outputs, follow_ups, verification_notes;
  std::vector<StepResult> steps;
  std::vector<Artifact> artifacts;
  std::optional<StepFailure> root_cause;     // step_id "": no step, the task itself
  std::int64_t duration_ms = 0;              // sums up the steps
  std::uint32_t revision = 1;                // the last one that was executed
  std::optional<std::string> error;          // why the task failed; nullopt when it ended by itself
  TaskCost cost = {};
  bool wants_feedback = false;
  std::optional<std::int64_t> created_ms;    // ms since 1970; nullopt: there is no clock
};

// Makes the report. `results` belong to the last revision, in plan order; `notes` tell what happened in earlier
// revisions. The task succeeds when it ended by itself and every step is completed.
TaskReport make_report(const TaskEnd& task, const IntentProfile& intent, std::vector<StepResult> results,
                       const std::vector<std::string>& notes = {});

boost::json::object report_json(const TaskReport& report);

// Read what report_json() and summary_json() write, and a step in a report.
std::variant<TaskReport, DocumentFault> read_report(const boost::json::value& document);
std::variant<ExecutionSummary, DocumentFault> read_summary(const boost::json::value& document);
std::variant<StepResult, DocumentFault> read_result(const boost::json::value& document);

}  // namespace ptcvm::chain
