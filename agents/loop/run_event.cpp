#include "agents/loop/run_event.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "agents/loop/document_text.h"

namespace ptcvm::loop {

namespace json = boost::json;

namespace {

json::value value_of(std::string_view text) {
  boost::system::error_code error;
  json::value value = json::parse(text, error);
  return error ? json::value(text) : value;
}

std::string_view kind_word(OperationKind kind) {
  switch (kind) {
    case OperationKind::Model: return "model";
    case OperationKind::Tool: return "tool";
    case OperationKind::Pending: return "answer";
    case OperationKind::Approval: return "approval";
    case OperationKind::Doubt: return "doubt";
    case OperationKind::Input: return "input";
    case OperationKind::Timer: return "timer";
    case OperationKind::Budget: return "budget";
  }
  return {};
}

json::object waiting_entry(const Operation& operation) {
  json::object entry{{"path", operation.path}, {"kind", kind_word(operation.kind)}};
  if (!operation.tool.empty()) {
    entry["tool"] = operation.tool;
    entry["args"] = value_of(operation.args_json);
  }
  if (operation.due_ms != 0) entry["due_ms"] = operation.due_ms;
  return entry;
}

}  // namespace

std::string_view event_name(RunEventKind kind) {
  switch (kind) {
    case RunEventKind::Started: return "started";
    case RunEventKind::Said: return "said";
    case RunEventKind::ModelStart: return "model_start";
    case RunEventKind::Token: return "token";
    case RunEventKind::ModelEnd: return "model_end";
    case RunEventKind::ToolStart: return "tool_start";
    case RunEventKind::ToolEnd: return "tool_end";
    case RunEventKind::Answered: return "answered";
    case RunEventKind::TurnEnd: return "turn_end";
    case RunEventKind::Waiting: return "waiting";
    case RunEventKind::Ended: return "ended";
  }
  return {};
}

std::size_t event_bytes(const RunEvent& event) {
  return sizeof event + event.path.size() + event.text.size() + event.json.size();
}

std::string event_json(const RunEvent& event) {
  json::object out{{"event", event_name(event.kind)}};
  if (!event.path.empty()) out["path"] = event.path;
  if (!event.text.empty()) out["text"] = event.text;
  if (!event.is_ok) out["ok"] = false;
  if (!event.json.empty()) out["data"] = value_of(event.json);
  return json::serialize(out);
}

std::string server_sent_event(const RunEvent& event) {
  std::string out = "event: " + std::string(event_name(event.kind)) + "\n";
  if (event.number != 0) out += "id: " + std::to_string(event.number) + "\n";
  return out + "data: " + event_json(event) + "\n\n";   // JSON writes line ends as \n, so one line is enough
}

RunEvent model_start(const Operation& request) { return {RunEventKind::ModelStart, request.path, {}, {}}; }

RunEvent tool_start(const Operation& call) {
  return {RunEventKind::ToolStart, call.path, {}, call.args_json};
}

RunEvent tool_end(std::string_view path, bool is_ok, std::string_view answer) {
  RunEvent event{RunEventKind::ToolEnd, std::string(path), {}, {}, is_ok};
  std::string& part = is_ok ? event.json : event.text;
  part = answer;
  mend_text(part);   // tools may say anything
  return event;
}

RunEvent turn_end(const AgentRun& run, std::uint32_t turn) {
  return {RunEventKind::TurnEnd, {}, {}, json::serialize(json::object{{"turn", turn}, {"kind", run.turn_kind(turn)}})};
}

RunEvent waiting(const AgentRun& run) {
  json::array entries;
  bool is_suspended = true;
  for (const Operation& operation : run.operations()) {
    if (operation.kind == OperationKind::Model || operation.kind == OperationKind::Tool) {
      is_suspended = false;
    } else {
      entries.push_back(waiting_entry(operation));
    }
  }
  for (json::value& entry : entries) entry.as_object()["suspended"] = is_suspended;
  return {RunEventKind::Waiting, {}, {}, json::serialize(entries)};
}

RunEvent ended(const AgentRun& run) {
  AgentOutcome outcome = run.outcome();
  RunEvent event{RunEventKind::Ended, {}, std::move(outcome.message), std::move(outcome.result_json), outcome.is_ok};
  if (!outcome.is_ok) event.json = json::serialize(json::object{{"reason", outcome.reason}});
  return event;
}

}  // namespace ptcvm::loop
