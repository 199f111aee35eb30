#include "agents/chain/report/step_results.h"

#include <algorithm>
#include <boost/json/object.hpp>

#include "agents/chain/check/verification.h"
#include "agents/chain/plan/plan_program.h"
#include "agents/chain/plan/step_values.h"
#include "agents/chain/text/ascii_text.h"
#include "agents/chain/text/json_member.h"

namespace ptcvm::chain {

namespace {

namespace json = boost::json;

constexpr std::string_view kMayHaveCalled = "nobody knows whether the agent of the step has called ";
constexpr std::string_view kHasCalled = "behind calls of ", kNotTwice = ", which may not be called twice: ";

StepStatus status_of(const json::object& row) {
  const json::value* const status = row.if_contains("status");
  if (status != nullptr && *status == "completed") return StepStatus::Completed;
  return status != nullptr && *status == "skipped" ? StepStatus::Skipped : StepStatus::Failed;
}

void read_row(const PlanStep& step, const json::object& row, Verifier verifier, StepResult& result) {
  result.status = status_of(row);
  result.error = member_text(row, "error");
  // A call that was made has a time. Without one, the gate has refused it.
  result.was_refused = result.status == StepStatus::Failed && step.type == StepType::Action && !row.contains("ms");
  if (const json::value* const ms = row.if_contains("ms"); ms != nullptr && ms->is_int64()) {
    result.duration_ms = ms->get_int64();
  }
  if (const json::value* const verdict = row.if_contains("verdict"); verdict != nullptr && verdict->is_array()) {
    result.verdict = verdict->get_array();
  }
  if (result.status != StepStatus::Completed) return;
  if (const json::value* const value = row.if_contains("value")) {
    result.output = output_text(*value);
    result.artifacts = artifacts_of(step.tool, step.args, *value, step.description);
  }
  if (!is_checked(step, verifier)) {
    for (const std::string& criterion : step.verification) {
      if (!trimmed(criterion).empty()) result.pending_checks.push_back(criterion);
    }
  } else if (const json::value* const pending = row.if_contains("pending"); pending != nullptr && pending->is_array()) {
    for (const json::value& criterion : pending->get_array()) {
      if (criterion.is_string()) result.pending_checks.emplace_back(criterion.get_string());
    }
  }
}

}  // namespace

std::vector<StepResult> step_results(const Plan& plan, const json::array& rows, Verifier verifier) {
  std::map<std::string_view, const json::object*> row_of;
  for (const json::value& row : rows) {
    const json::object* const object = row.if_object();
    const json::value* const id = object == nullptr ? nullptr : object->if_contains("id");
    if (id != nullptr && id->is_string()) row_of[std::string_view(id->get_string())] = object;
  }
  // A plan without steps has only the check that every plan ends with: there is nothing to check.
  const bool is_empty = plan.steps.size() == 1 && plan.steps[0].type == StepType::System &&
                        plan.steps[0].depends_on.empty() && plan.steps[0].verification.empty();
  std::vector<StepResult> results;
  for (const PlanStep& step : plan.steps) {
    StepResult& result = results.emplace_back();
    result.step_id = step.id;
    const auto row = row_of.find(step.id);
    if (row != row_of.end() && !is_empty) {
      read_row(step, *row->second, verifier, result);
    } else {
      result.status = StepStatus::Skipped;
      result.error = "not attempted";
    }
  }
  return results;
}

std::map<std::string, std::string, std::less<>> completed_steps(const json::array& rows) {
  std::map<std::string, std::string, std::less<>> completed;
  for (const json::value& row : rows) {
    const json::object* const object = row.if_object();
    if (object != nullptr && member_text(*object, "status") == "completed") {
      completed[member_text(*object, "id")] = member_text(*object, "task");
    }
  }
  return completed;
}

std::map<std::string, bool, std::less<>> made_calls(const json::array& rows) {
  std::map<std::string, bool, std::less<>> calls;
  for (const json::value& row : rows) {
    const json::object* const object = row.if_object();
    if (object != nullptr && object->contains("ms")) calls[member_text(*object, "id")] = object->contains("broken");
  }
  return calls;
}

std::vector<std::string> failure_notes(const Plan& plan, const json::array& rows) {
  std::map<std::string_view, const json::object*> failed;
  for (const json::value& row : rows) {
    const json::object* const object = row.if_object();
    const json::value* const id = object == nullptr ? nullptr : object->if_contains("id");
    if (id == nullptr || !id->is_string() || status_of(*object) != StepStatus::Failed) continue;
    failed[std::string_view(id->get_string())] = object;
  }
  std::vector<std::string> notes;
  if (failed.empty()) return notes;
  for (const PlanStep& step : plan.steps) {
    const auto row = failed.find(step.id);
    if (row == failed.end()) continue;
    const std::string error = member_text(*row->second, "error");
    notes.push_back("Failure at " + step.id + ": " + (error.empty() ? "Unknown failure" : error));
  }
  return notes;
}

namespace {

std::string list_of(const std::set<std::string>& tools) {
  std::string list;
  for (const std::string& tool : tools) list += (tool == *tools.begin() ? "" : ", ") + tool;
  return list;
}

void add_list(std::string_view list, std::set<std::string>& tools) {
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(", ", at), list.size());
    tools.emplace(list.substr(at, end - at));
    at = end + 2;
  }
}

}  // namespace

std::string doubt_error(const std::set<std::string>& tools) {
  return std::string(kInDoubt).append(kMayHaveCalled) + list_of(tools);
}

std::string called_message(const std::set<std::string>& tools, std::string_view message) {
  if (tools.empty()) return std::string(message);
  return std::string(kHasCalled).append(list_of(tools)).append(kNotTwice).append(message);
}

// What a model wrote into an error may look like such a message: then more tools are confirmed, and never fewer.
std::set<std::string> called_tools(const json::array& rows) {
  std::set<std::string> tools;
  for (const json::value& row : rows) {
    const json::object* const object = row.if_object();
    const std::string error = object == nullptr ? std::string() : member_text(*object, "error");
    for (std::size_t at = error.find(kHasCalled); at != std::string::npos; at = error.find(kHasCalled, at + 1)) {
      const std::size_t begin = at + kHasCalled.size(), end = error.find(kNotTwice, begin);
      if (end != std::string::npos) add_list(std::string_view(error).substr(begin, end - begin), tools);
    }
  }
  return tools;
}

std::set<std::string> doubted_tools(const json::array& rows) {
  const std::string begin = doubt_error({});
  std::set<std::string> tools;
  for (const json::value& row : rows) {
    const json::object* const object = row.if_object();
    const std::string error = object == nullptr ? std::string() : member_text(*object, "error");
    if (error.starts_with(begin)) add_list(std::string_view(error).substr(begin.size()), tools);
  }
  return tools;
}

bool has_doubt(const json::array& rows) {
  return std::any_of(rows.begin(), rows.end(), [](const json::value& row) {
    const json::object* const object = row.if_object();
    return object != nullptr && member_text(*object, "error").starts_with(kInDoubt);
  });
}

// A call that went wrong is "broken", whatever its error says.
bool has_failed_check(const json::array& rows) {
  return std::any_of(rows.begin(), rows.end(), [](const json::value& row) {
    const json::object* const object = row.if_object();
    return object != nullptr && status_of(*object) == StepStatus::Failed && !object->contains("broken") &&
           is_verification_message(member_text(*object, "error"));
  });
}

}  // namespace ptcvm::chain
