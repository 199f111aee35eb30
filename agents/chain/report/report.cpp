#include "agents/chain/report/report.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <set>
#include <utility>

#include "agents/chain/text/ascii_text.h"

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

constexpr std::string_view kUnknownFailure = "Unknown failure";

void note_result(TaskReport& report, const StepResult& result) {
  if (result.status == StepStatus::Failed) {
    report.verification_notes.push_back("Failure at " + result.step_id + ": " +
                                        (result.error.empty() ? std::string(kUnknownFailure) : result.error));
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
  const bool is_pending = result.was_refused || (!is_failed && !result.pending_checks.empty());
  object["verificationStatus"] = is_pending ? "pending" : is_failed ? "failed" : "passed";
  if (!result.verdict.empty()) object["verdict"] = result.verdict;
  return object;
}

json::array texts(const std::vector<std::string>& list) { return json::array(list.begin(), list.end()); }

json::object failure_json(const StepFailure& failure) {
  return {{"stepId", failure.step_id}, {"reason", failure.reason}};
}

}  // namespace

ExecutionSummary make_summary(std::string_view task_id, const std::vector<StepResult>& results) {
  ExecutionSummary summary;
  summary.task_id = task_id;
  summary.steps_total = results.size();
  std::set<std::string_view> paths;
  for (const StepResult& result : results) {
    summary.steps_completed += result.status == StepStatus::Completed;
    if (result.status == StepStatus::Failed) {
      ++summary.steps_failed;
      summary.failures.push_back({result.step_id, result.error.empty() ? std::string(kUnknownFailure) : result.error});
    }
    if (const std::string_view output = trimmed(result.output); !output.empty()) summary.outputs.emplace_back(output);
    for (const Artifact& artifact : result.artifacts) {
      if (paths.insert(artifact.path).second) summary.artifacts.push_back(artifact);
    }
  }
  return summary;
}

json::object summary_json(const ExecutionSummary& summary) {
  json::array failures;
  for (const StepFailure& failure : summary.failures) failures.push_back(failure_json(failure));
  return {{"taskId", summary.task_id},
          {"stepsTotal", summary.steps_total},
          {"stepsCompleted", summary.steps_completed},
          {"stepsFailed", summary.steps_failed},
          {"outputs", texts(summary.outputs)},
          {"failures", std::move(failures)},
          {"artifacts", artifacts_json(summary.artifacts)}};
}

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
  ExecutionSummary summary = make_summary(task.id, results);
  const std::size_t completed = summary.steps_completed, failed = summary.steps_failed;
  const bool is_checked = std::none_of(results.begin(), results.end(),
                                       [](const StepResult& result) { return result.has_failed_check; });
  report.error = task.error;
  report.success = !task.error && is_checked && completed == results.size();
  if (report.success || (failed == 0 && !task.error)) {
    report.summary = "Completed " + std::to_string(completed) + '/' + std::to_string(results.size()) + " steps.";
  } else {
    report.summary = "Task failed with " + std::to_string(failed) + " failed step(s).";
  }
  if (!report.success) report.follow_ups.emplace_back("Review failed steps and retry after fixing errors.");
  report.outputs = std::move(summary.outputs);
  if (report.outputs.empty()) {
    report.follow_ups.emplace_back("No outputs captured. Consider adding explicit verification steps.");
  }
  report.artifacts = std::move(summary.artifacts);
  if (!summary.failures.empty()) report.root_cause = summary.failures.front();
  if (task.error && !report.root_cause) report.root_cause = {"", *task.error};
  for (const StepResult& result : results) report.duration_ms += result.duration_ms;
  report.steps = std::move(results);
  return report;
}

json::object report_json(const TaskReport& report) {
  json::array steps;
  for (const StepResult& result : report.steps) steps.push_back(result_json(result));
  json::object out{{"taskId", report.task_id},
          {"intentSummary", report.intent_summary},
          {"success", report.success},
          {"summary", report.summary},
          {"outputs", texts(report.outputs)},
          {"followUps", texts(report.follow_ups)},
          {"verificationNotes", texts(report.verification_notes)},
          {"steps", std::move(steps)},
          {"artifacts", artifacts_json(report.artifacts)},
          {"rootCause", report.root_cause ? json::value(failure_json(*report.root_cause)) : json::value()},
          {"durationMs", report.duration_ms},
          {"revision", report.revision},
          {"task", report.error ? "failed" : "completed"},
          {"error", report.error ? json::value(*report.error) : json::value()},
          {"cost",
           {{"modelCalls", report.cost.model_calls},
            {"toolCalls", report.cost.tool_calls},
            {"inputTokens", report.cost.input_tokens},
            {"outputTokens", report.cost.output_tokens}}}};
  if (report.created_ms) out["createdAt"] = *report.created_ms;
  out["wantsFeedback"] = report.wants_feedback;
  return out;
}

}  // namespace ptcvm::chain
