// Reads reports, summaries and results from JSON.
#include <boost/json/array.hpp>

#include "agents/chain/report/report.h"
#include "agents/chain/text/json_member.h"

namespace ptcvm::chain {

namespace {

namespace json = boost::json;

std::vector<std::string> texts_in(const json::object& object, std::string_view name) {
  std::vector<std::string> texts;
  for (const json::value& text : object.at(name).as_array()) texts.emplace_back(text.as_string());
  return texts;
}

std::int64_t number_in(const json::object& object, std::string_view name) {
  const json::value* const found = object.if_contains(name);
  boost::system::error_code error;
  const auto number = found == nullptr ? 0 : found->to_number<std::int64_t>(error);
  return error ? 0 : number;
}

std::vector<Artifact> artifacts_in(const json::object& object) {
  std::vector<Artifact> artifacts;
  for (const json::value& one : object.at("artifacts").as_array()) {
    artifacts.push_back({member_text(one.as_object(), "path"), member_text(one.as_object(), "description")});
  }
  return artifacts;
}

StepFailure failure_in(const json::object& object) {
  return {member_text(object, "stepId"), member_text(object, "reason")};
}

StepResult result_in(const json::object& object) {
  StepResult result;
  result.step_id = member_text(object, "stepId");
  const std::string status = member_text(object, "status");
  for (const StepStatus one : {StepStatus::Completed, StepStatus::Failed, StepStatus::Skipped}) {
    if (status == step_status_name(one)) result.status = one;
  }
  result.output = member_text(object, "output");
  result.error = member_text(object, "error");
  result.duration_ms = number_in(object, "durationMs");
  const std::string checks = member_text(object, "verificationStatus");
  const bool is_completed = result.status == StepStatus::Completed;
  result.has_failed_check = is_completed && checks == "failed";
  result.was_refused = !is_completed && checks == "pending";
  // A report has the criteria that nobody decided as notes; that there are some is in the step.
  if (is_completed && checks == "pending") result.pending_checks.emplace_back();
  if (const json::value* const verdict = object.if_contains("verdict")) result.verdict = verdict->as_array();
  return result;
}

}  // namespace

std::variant<StepResult, DocumentFault> read_result(const json::value& document) {
  if (auto fault = document_fault(DocumentType::Result, document)) return *std::move(fault);
  return result_in(document.get_object());
}

std::variant<ExecutionSummary, DocumentFault> read_summary(const json::value& document) {
  if (auto fault = document_fault(DocumentType::Summary, document)) return *std::move(fault);
  const json::object& object = document.get_object();
  ExecutionSummary summary;
  summary.task_id = member_text(object, "taskId");
  summary.steps_total = static_cast<std::size_t>(number_in(object, "stepsTotal"));
  summary.steps_completed = static_cast<std::size_t>(number_in(object, "stepsCompleted"));
  summary.steps_failed = static_cast<std::size_t>(number_in(object, "stepsFailed"));
  summary.outputs = texts_in(object, "outputs");
  for (const json::value& one : object.at("failures").as_array()) {
    summary.failures.push_back(failure_in(one.as_object()));
  }
  summary.artifacts = artifacts_in(object);
  return summary;
}

std::variant<TaskReport, DocumentFault> read_report(const json::value& document) {
  if (auto fault = document_fault(DocumentType::Report, document)) return *std::move(fault);
  const json::object& object = document.get_object();
  TaskReport report;
  report.task_id = member_text(object, "taskId");
  report.intent_summary = member_text(object, "intentSummary");
  report.success = object.at("success").as_bool();
  report.summary = member_text(object, "summary");
  report.outputs = texts_in(object, "outputs");
  report.follow_ups = texts_in(object, "followUps");
  report.verification_notes = texts_in(object, "verificationNotes");
  for (const json::value& step : object.at("steps").as_array()) report.steps.push_back(result_in(step.as_object()));
  report.artifacts = artifacts_in(object);
  if (object.at("rootCause").is_object()) report.root_cause = failure_in(object.at("rootCause").get_object());
  report.duration_ms = number_in(object, "durationMs");
  report.revision = member_number(object, "revision");
  if (object.at("error").is_string()) report.error = member_text(object, "error");
  const json::object& cost = object.at("cost").as_object();
  report.cost = {number_in(cost, "modelCalls"), number_in(cost, "toolCalls"), number_in(cost, "inputTokens"),
                 number_in(cost, "outputTokens")};
  report.wants_feedback = object.at("wantsFeedback").as_bool();
  if (object.contains("createdAt")) report.created_ms = number_in(object, "createdAt");
  return report;
}

}  // namespace ptcvm::chain
