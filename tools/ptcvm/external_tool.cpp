#include "tools/ptcvm/external_tool.h"

#include <cstring>

#include "ptcvm/convert.hpp"
#include "tools/ptcvm/child_process.h"
#include "tools/ptcvm/shell_arguments.h"

namespace ptcvm::cli {
namespace {

std::string trimmed(std::string text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  text.resize(last == std::string::npos ? 0 : last + 1);
  return text;
}

std::string failure_of(const ExternalTool& tool, const ChildResult& child) {
  switch (child.end) {
    case ChildResult::End::NotStarted:
      return "cannot start " + tool.command[0] + ": " + std::strerror(child.code);
    case ChildResult::End::TimedOut: return "no answer before the deadline of the run";
    case ChildResult::End::Cancelled: return "stopped";
    case ChildResult::End::TooMuchOutput: return "its output is too large";
    case ChildResult::End::Signalled: return "ended by signal " + std::to_string(child.code);
    case ChildResult::End::Exited: break;
  }
  std::string text = trimmed(child.error);
  return text.empty() ? "exit status " + std::to_string(child.code) : text;
}

// Whether the command may have done its work all the same. One that says that it failed did not.
bool may_have_happened(const ChildResult& child) {
  return child.end != ChildResult::End::NotStarted && child.end != ChildResult::End::Exited;
}

// As text for an environment: no byte of it ends the text.
std::string key_text(std::string_view key) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : key) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f && c != '%') {
      out += c;
    } else {
      out.append("%").append(1, kDigits[byte >> 4]).append(1, kDigits[byte & 15]);
    }
  }
  return out;
}

std::string json_string(std::string_view text) { return Value::of(std::string(text)).to_json(); }

ChildLimits limits_of(std::string_view key, std::optional<std::chrono::steady_clock::time_point> deadline) {
  ChildLimits limits;
  limits.deadline = deadline;
  limits.environment = {{"PTCVM_IDEMPOTENCY_KEY", key_text(key)}};
  return limits;
}

CommandReply failed(CommandReply::Kind kind, std::string why) {
  CommandReply reply;
  reply.kind = kind;
  reply.text = std::move(why);
  return reply;
}

CommandReply answer_of(const std::string& output) {
  CommandReply reply;
  if (trimmed(output).empty()) return reply;
  auto parsed = Value::from_json(output);
  if (!parsed) {
    return failed(CommandReply::Kind::Unknown, "its output is no JSON: " + parsed.error().diagnostic->message);
  }
  reply.value = std::move(*parsed);
  return reply;
}

// The operation that an answer announces, or the answer as it is. "pending" must be a string, and nothing else than
// "immediate" and "ttl_ms" may be beside it: other maps are data.
CommandReply announced(CommandReply reply) {
  if (reply.kind != CommandReply::Kind::Value || reply.value.view().kind() != ValueKind::Map) return reply;
  ValueView id, immediate, ttl;
  for (const ValueEntry& entry : reply.value.view().entries()) {
    const std::string_view key = entry.key.as_string().value_or("");
    ValueView* const field = key == "pending"     ? &id
                             : key == "immediate" ? &immediate
                             : key == "ttl_ms"    ? &ttl
                                                  : nullptr;
    if (field == nullptr) return reply;
    *field = entry.value;
  }
  if (!id.as_string() || !(ttl.is_nil() || ttl.as_int())) return reply;
  CommandReply operation;
  operation.kind = CommandReply::Kind::Pending;
  operation.text = *id.as_string();
  operation.value = Value::copy_of(immediate);
  operation.ttl = std::chrono::milliseconds(ttl.as_int().value_or(0));
  return operation;
}

}  // namespace

std::optional<ExternalTool> parse_external_tool(std::string_view text, bool with_shell, std::string& message) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    message = "a tool is written NAME=COMMAND, got " + std::string(text);
    return std::nullopt;
  }
  ExternalTool tool;
  tool.name = text.substr(0, equals);
  const std::string_view command = text.substr(equals + 1);
  if (with_shell) {
    tool.command = {"sh", "-c", std::string(command)};
    return tool;
  }
  auto arguments = split_shell_arguments(command);
  if (!arguments || arguments->empty()) {
    message = "the command of tool " + tool.name + (arguments ? " is empty" : " has an open quote");
    return std::nullopt;
  }
  tool.command = std::move(*arguments);
  return tool;
}

std::unique_ptr<ChildProcess> CommandTool::start(const WaitingCall& call, const std::atomic<bool>* cancelled) const {
  ChildLimits limits = limits_of(call.key, call.deadline);
  limits.cancelled = cancelled;
  return std::make_unique<ChildProcess>(tool_.command, call.args.to_json() + '\n', std::move(limits));
}

CommandReply CommandTool::read(const ChildResult& child) const {
  if (may_have_happened(child)) return failed(CommandReply::Kind::Unknown, failure_of(tool_, child));
  if (child.end != ChildResult::End::Exited || child.code != 0) {
    return failed(CommandReply::Kind::Error, failure_of(tool_, child));
  }
  CommandReply reply = answer_of(child.output);
  return is_async_ ? announced(std::move(reply)) : std::move(reply);
}

std::function<Reconciled(ToolCall&)> reconciler_of(ExternalTool command) {
  return [command = std::move(command)](ToolCall& call) {
    constexpr int kWaitMillis = 20;
    const std::string input = "{\"tool\":" + json_string(call.name()) + ",\"args\":" + call.args().to_json() +
                              ",\"key\":" + json_string(call.idempotency_key()) + "}\n";
    ChildProcess child(command.command, input, limits_of(call.idempotency_key(), call.deadline()));
    Reconciled said;
    while (!child.look(kWaitMillis)) {
      if (call.expired()) return said;
    }
    const ChildResult result = child.take_result();
    if (result.end != ChildResult::End::Exited || result.code != 0) return said;
    const auto answer = Value::from_json(result.output);
    if (!answer || answer->view().kind() != ValueKind::Map) return said;
    const auto happened = answer->view()["happened"].as_bool();
    if (happened) said.state = *happened ? Reconciled::State::Happened : Reconciled::State::DidNot;
    said.result = Value::copy_of(answer->view()["value"]);
    return said;
  };
}

}  // namespace ptcvm::cli
