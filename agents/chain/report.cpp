#include "agents/chain/report.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <utility>

#include "agents/chain/ascii_text.h"

namespace ptcvm::chain {

namespace {

namespace json = boost::json;

// A task without results is one step, which ended as the task did.
StepResult final_result(const TaskEnd& task) {
  StepResult result;
  result.step_id = "final";
  result.status = task.error ? StepStatus::Failed : StepStatus::Completed;
  result.output = task.error ? "" : task.result;
  result.error = task.error.value_or("");
  return result;
}

void note_result(TaskReport& report, const StepResult& result) {
  if (const std::string_view output = trimmed(result.output); !output.empty()) report.outputs.emplace_back(output);
  if (result.status == StepStatus::Failed) {
    report.verification_notes.push_back("Failure at " + result.step_id + ": " +
                                        (result.error.empty() ? "Unknown failure" : result.error));
  }
  for (const std::string& criterion : result.pending_checks) {
    report.verification_notes.push_back("Not checked at " + result.step_id + ": " + criterion);
  }
}

json::object result_json(const StepResult& result) {
  json::object object{{"stepId", result.step_id}, {"status", step_status_name(result.status)}};
  if (!result.output.empty()) object["output"] = result.output;
  if (!result.error.empty()) object["error"] = result.error;
  object["durationMs"] = result.duration_ms;
  const bool is_failed = result.status != StepStatus::Completed || result.has_failed_check;
  object["verificationStatus"] = is_failed ? "failed" : result.pending_checks.empty() ? "passed" : "pending";
  return object;
}

json::array texts(const std::vector<std::string>& list) { return json::array(list.begin(), list.end()); }

}  // namespace

std::string_view step_status_name(StepStatus status) {
  switch (status) {
    case StepStatus::Completed: return "completed";
    case StepStatus::Failed: return "failed";
    case StepStatus::Skipped: return "skipped";
  }
  return {};
}

TaskReport make_report(const TaskEnd& task, const IntentProfile& intent, std::vector<StepResult> results,
                       const std::vector<std::string>& notes) {
  if (results.empty()) results.push_back(final_result(task));
  TaskReport report;
  report.task_id = task.id;
  report.intent_summary = intent.summary.empty() ? intent.goal : intent.summary;
  if (report.intent_summary.empty()) report.intent_summary = task.description;
  report.verification_notes = notes;
  for (const StepResult& result : results) note_result(report, result);
  const auto count = [&](StepStatus status) {
    return std::count_if(results.begin(), results.end(), [&](const StepResult& r) { return r.status == status; });
  };
  const auto completed = count(StepStatus::Completed), failed = count(StepStatus::Failed);
  const bool is_checked = std::none_of(results.begin(), results.end(),
                                       [](const StepResult& result) { return result.has_failed_check; });
  report.success = !task.error && is_checked && completed == static_cast<std::ptrdiff_t>(results.size());
  if (report.success || (failed == 0 && !task.error)) {
    report.summary = "Completed " + std::to_string(completed) + '/' + std::to_string(results.size()) + " steps.";
  } else {
    report.summary = "Task failed with " + std::to_string(failed) + " failed step(s).";
  }
  if (!report.success) report.follow_ups.emplace_back("Review failed steps and retry after fixing errors.");
  if (report.outputs.empty()) {
    report.follow_ups.emplace_back("No outputs captured. Consider adding explicit verification steps.");
  }
  report.steps = std::move(results);
  return report;
}

json::object report_json(const TaskReport& report) {
  json::array steps;
  for (const StepResult& result : report.steps) steps.push_back(result_json(result));
  return {{"taskId", report.task_id},
          {"intentSummary", report.intent_summary},
          {"success", report.success},
          {"summary", report.summary},
          {"outputs", texts(report.outputs)},
          {"followUps", texts(report.follow_ups)},
          {"verificationNotes", texts(report.verification_notes)},
          {"steps", std::move(steps)}};
}

}  // namespace ptcvm::chain
