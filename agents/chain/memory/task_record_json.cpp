#include "agents/chain/memory/task_record_json.h"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "agents/chain/text/json_member.h"

namespace ptcvm::chain {

namespace {

namespace json = boost::json;

constexpr std::int64_t kVersion = 1;

json::value parsed(const std::string& text) {
  boost::system::error_code error;
  json::value value = json::parse(text.empty() ? "null" : text, error);
  return error ? json::value() : value;
}

json::object trace_json(const TaskTrace& trace) {
  return {{"stepId", trace.step_id},   {"tool", trace.tool},
          {"args", parsed(trace.args)}, {"output", trace.output},
          {"durationMs", trace.duration_ms}, {"status", trace.is_success ? "success" : "failed"}};
}

std::int64_t number_in(const json::object& object, std::string_view name) {
  const json::value* const found = object.if_contains(name);
  return found != nullptr && found->is_int64() ? found->get_int64() : 0;
}

constexpr std::array<std::string_view, 12> kMembers = {
    "kind", "version", "taskId",     "input",           "reports",   "feedback",
    "plan", "result",  "strategyId", "strategyVersion", "createdAt", "traces"};
constexpr std::array<std::string_view, 6> kTraceMembers = {"stepId", "tool", "args", "output", "durationMs", "status"};

template <class Names>
std::string unknown_in(const json::object& object, const Names& known) {
  for (const auto& member : object) {
    if (std::ranges::find(known, std::string_view(member.key())) != known.end()) continue;
    std::string names;
    for (const std::string_view name : known) names.append(names.empty() ? "" : ", ").append(name);
    return "there is no member \"" + std::string(member.key()) + "\"; the members are " + names;
  }
  return {};
}

// Returns the first thing that is wrong, or "".
std::string fault_of(const json::object& object) {
  for (const char* const name : {"taskId", "input", "result", "strategyId", "strategyVersion"}) {
    const json::value* const found = object.if_contains(name);
    if (found == nullptr || !found->is_string()) return "\"" + std::string(name) + "\" is no text";
  }
  if (member_text(object, "taskId").empty()) return "\"taskId\" is empty";
  if (const std::string fault = unknown_in(object, kMembers); !fault.empty()) return fault;
  for (const char* const name : {"reports", "traces"}) {
    const json::value* const found = object.if_contains(name);
    if (found == nullptr || !found->is_array()) return "\"" + std::string(name) + "\" is no list";
  }
  for (const json::value& report : object.at("reports").get_array()) {
    if (const auto fault = document_fault(DocumentType::Report, report)) return fault->name + ": " + fault->message;
  }
  for (const json::value& trace : object.at("traces").get_array()) {
    if (!trace.is_object()) return "a trace is no object";
    const std::string fault = unknown_in(trace.get_object(), kTraceMembers);
    if (!fault.empty()) return "a trace: " + fault;
  }
  const json::value* const feedback = object.if_contains("feedback");
  if (feedback == nullptr || feedback->is_null()) return {};
  const auto fault = document_fault(DocumentType::Feedback, *feedback);
  return fault ? fault->name + ": " + fault->message : std::string();
}

}  // namespace

json::object record_json(const TaskRecord& record) {
  json::array reports, traces;
  for (const json::object& report : record.reports) reports.push_back(report);
  for (const TaskTrace& trace : record.traces) traces.push_back(trace_json(trace));
  return {{"kind", "task"},
          {"version", kVersion},
          {"taskId", record.task_id},
          {"input", record.input},
          {"reports", std::move(reports)},
          {"feedback", record.feedback ? json::value(*record.feedback) : json::value()},
          {"plan", parsed(record.plan)},
          {"result", record.result},
          {"strategyId", record.strategy_id},
          {"strategyVersion", record.strategy_version},
          {"createdAt", record.created_ms},
          {"traces", std::move(traces)}};
}

std::variant<TaskRecord, DocumentFault> read_record(const json::value& document) {
  const auto invalid = [](std::string why) { return DocumentFault{"RECORD_INVALID", std::move(why)}; };
  if (!document.is_object()) return invalid("a record is an object");
  const json::object& object = document.get_object();
  if (member_text(object, "kind") != "task" || number_in(object, "version") != kVersion) {
    return invalid("it is no record of a task in version " + std::to_string(kVersion));
  }
  if (std::string fault = fault_of(object); !fault.empty()) return invalid(std::move(fault));
  TaskRecord record;
  record.task_id = member_text(object, "taskId");
  record.input = member_text(object, "input");
  for (const json::value& report : object.at("reports").get_array()) record.reports.push_back(report.as_object());
  const json::value* const feedback = object.if_contains("feedback");
  if (feedback != nullptr && feedback->is_object()) record.feedback = feedback->get_object();
  const json::value* const plan = object.if_contains("plan");
  if (plan != nullptr && !plan->is_null()) record.plan = json::serialize(*plan);
  record.result = member_text(object, "result");
  record.strategy_id = member_text(object, "strategyId");
  record.strategy_version = member_text(object, "strategyVersion");
  record.created_ms = number_in(object, "createdAt");
  for (const json::value& value : object.at("traces").get_array()) {
    const json::object& one = value.get_object();
    const json::value* const args = one.if_contains("args");
    record.traces.push_back({member_text(one, "stepId"), member_text(one, "tool"),
                             args == nullptr ? std::string("{}") : json::serialize(*args), member_text(one, "output"),
                             number_in(one, "durationMs"), member_text(one, "status") == "success"});
  }
  return record;
}

}  // namespace ptcvm::chain
