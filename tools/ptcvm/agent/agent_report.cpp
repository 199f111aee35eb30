#include "tools/ptcvm/agent/agent_report.h"

#include <algorithm>
#include <boost/json.hpp>

#include "agents/replay/canonical_request.h"
#include "tools/ptcvm/commands.h"

namespace ptcvm::cli {
namespace {

namespace json = boost::json;
using Kind = AgentMoment::Kind;
using EndKind = AgentDriver::End::Kind;

json::object usage_object(const loop::AgentUsage& usage) {
  json::object out{{"input", usage.input},
          {"cached", usage.cached},
          {"cache_written", usage.cache_written},
          {"output", usage.output},
          {"reasoning", usage.reasoning},
          {"model_calls", usage.model_calls},
          {"tool_calls", usage.tool_calls},
          {"tree_turns", usage.tree_turns},
          {"fuel", usage.fuel}};
  if (usage.money != 0) out["money"] = usage.money;
  return out;
}

json::value parsed(const std::string& text) {
  boost::system::error_code error;
  json::parse_options options;
  options.max_depth = 1024;
  json::value value = json::parse(text, error, {}, options);
  return error ? json::value(text) : value;
}

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::ModelStart: return "model_start";
    case Kind::ModelEnd: return "model_end";
    case Kind::ToolStart: return "tool_start";
    case Kind::ToolEnd: return "tool_end";
    case Kind::Wait: return "wait";
  }
  return "";
}

// Says who can end a wait.
std::string_view whom(loop::OperationKind kind) {
  switch (kind) {
    case loop::OperationKind::Approval:
    case loop::OperationKind::Doubt:
    case loop::OperationKind::Budget: return "a person who decides";
    case loop::OperationKind::Input: return "what the user says";
    case loop::OperationKind::Timer: return "the time at which the run goes on";
    case loop::OperationKind::Model: return "the model";
    case loop::OperationKind::Tool:
    case loop::OperationKind::Pending: break;
  }
  return "the answer of the tool";
}

// Says who can end a wait, and how long it is when that is known.
std::string awaited_text(const AgentMoment& moment) {
  std::string text(whom(moment.operation->kind));
  if (moment.operation->kind != loop::OperationKind::Timer) return text;
  const std::int64_t left_ms = std::max<std::int64_t>(moment.operation->due_ms - moment.time_ms, 0);
  return text + ", in " + std::to_string((left_ms + 999) / 1'000) + " s";
}

}  // namespace

std::string usage_json(const loop::AgentUsage& usage) { return json::serialize(usage_object(usage)); }

std::string agent_line(const loop::AgentRun& run, const AgentDriver::End& end, const LineParts& parts) {
  std::string status = "suspended", returned = "null";
  json::value fail;
  json::array pending;
  json::object rest;
  if (end.kind == EndKind::Ended) {
    const loop::AgentOutcome outcome = run.outcome();
    status = outcome.is_ok ? "ok" : "error";
    if (outcome.is_ok) returned = outcome.result_json;
    if (!outcome.is_ok) fail = {{"reason", outcome.reason}, {"message", outcome.message}};
    if (outcome.fallback_used) rest["fallback_used"] = true;
  } else if (end.kind == EndKind::ModelFailed || end.kind == EndKind::StoreFailed) {
    status = "error";
    fail = {{"reason", end.reason}, {"message", end.message}};
  } else {
    for (const loop::Operation& operation : run.operations()) pending.emplace_back(operation.path);
  }
  const loop::AgentUsage usage = run.usage();
  rest["turns"] = usage.turns;
  rest["usage"] = usage_object(usage);
  if (!parts.is_cost_known) rest["usage"].get_object()["money"] = nullptr;
  // The value stays as the run wrote it: numbers keep their form.
  std::string line = "{\"status\":\"" + status + "\",\"return\":" + returned + ",\"fail\":" + json::serialize(fail) +
                     ",\"pending\":" + json::serialize(pending) + "," + json::serialize(rest).substr(1);
  if (!parts.more.empty()) line.replace(line.size() - 1, 1, "," + parts.more.substr(1));
  return line;
}

int agent_status(const loop::AgentRun& run, const AgentDriver::End& end) {
  switch (end.kind) {
    case EndKind::Ended: return run.outcome().is_ok ? kSuccess : kProgramFailed;
    case EndKind::Suspended:
    case EndKind::Interrupted: return kSuspended;
    case EndKind::ModelFailed: return kProgramFailed;
    case EndKind::StoreFailed: return kStoreFailed;
  }
  return kProgramFailed;
}

std::string trace_line(const AgentMoment& moment) {
  const loop::Operation& operation = *moment.operation;
  json::object line{{"event", kind_name(moment.kind)}, {"time_ms", moment.time_ms}, {"path", operation.path}};
  if (moment.kind == Kind::ModelStart) {
    line["model"] = operation.model.name;
    line["attempt"] = operation.attempt;
    line["request_hash"] = replay::request_hash(replay::canonical_request(operation.body).value_or(""));
    line["request_bytes"] = operation.body.size();
  } else if (moment.kind == Kind::ModelEnd) {
    line["status"] = moment.text;
  } else if (moment.kind == Kind::ToolStart) {
    line["args"] = parsed(operation.args_json);
  } else if (moment.kind == Kind::ToolEnd) {
    line["answer"] = parsed(moment.text);
  }
  return json::serialize(line) + "\n";
}

std::string progress_line(const AgentMoment& moment, const loop::AgentUsage& usage, const std::string& spent) {
  const loop::Operation& operation = *moment.operation;
  std::string text = "turn " + std::to_string(usage.turns + 1) + ", " + std::to_string(usage.input + usage.output) +
                     " tokens, " + std::to_string(usage.model_calls) + " model calls";
  if (!spent.empty()) text += ", " + spent + " spent";
  switch (moment.kind) {
    case Kind::ModelStart: return text + ": asks " + operation.path + " (" + operation.model.name + ")";
    case Kind::ToolStart: return text + ": calls " + operation.path;
    case Kind::Wait: return text + ": waits for " + operation.path + ", " + awaited_text(moment);
    case Kind::ModelEnd:
    case Kind::ToolEnd: break;
  }
  return "";
}

}  // namespace ptcvm::cli
