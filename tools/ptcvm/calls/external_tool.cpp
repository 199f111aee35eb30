#include "tools/ptcvm/calls/external_tool.h"

#include <algorithm>
#include <cstring>

#include "drivers/stdio/child_spawn.h"
#include "ptcvm/convert.hpp"
#include "tools/ptcvm/calls/child_process.h"
#include "tools/ptcvm/process/terminal.h"
#include "tools/ptcvm/text/shell_arguments.h"
#include "tools/ptcvm/text/text_table.h"

namespace ptcvm::cli {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::string trimmed(std::string text) {
  const std::size_t last = text.find_last_not_of(kBlanks);
  text.resize(last == std::string::npos ? 0 : last + 1);
  return text;
}

// Returns the signal that an exit status of a shell names: the status is 128 and the signal that ended a command of the
// shell. 0: the status names none.
int signal_of_status(const ChildResult& child) {
  constexpr int kBase = 128, kMostSignals = 64;
  const bool names_one = child.end == ChildResult::End::Exited && child.code > kBase &&
                         child.code <= kBase + kMostSignals && strsignal(child.code - kBase) != nullptr;
  return names_one ? child.code - kBase : 0;
}

std::string failure_of(const ExternalTool& tool, const ChildResult& child) {
  switch (child.end) {
    case ChildResult::End::NotStarted:
      return stdio::start_failure_text(tool.command, tool.folder, child.code);
    case ChildResult::End::TimedOut: return timeout_text(tool);
    case ChildResult::End::Cancelled: return "stopped";
    case ChildResult::End::TooMuchOutput: return "its output is too large";
    case ChildResult::End::TooManyErrors: return "its standard error is too large";
    case ChildResult::End::Signalled:
      return "ended by signal " + std::to_string(child.code) + " (" + strsignal(child.code) + ')';
    case ChildResult::End::Exited: break;
  }
  if (const int signal = signal_of_status(child); signal != 0) {
    return "exit status " + std::to_string(child.code) + ": a command of it was ended by signal " +
           std::to_string(signal) + " (" + strsignal(signal) + ')';
  }
  std::string text = trimmed(child.error);
  return text.empty() ? "exit status " + std::to_string(child.code) : text;
}

// Whether the command may have done its work all the same. One that says that it failed did not.
bool may_have_happened(const ChildResult& child) {
  if (signal_of_status(child) != 0) return true;
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

ChildLimits limits_of(const ExternalTool& tool, std::string_view key, std::uint64_t fencing_token,
                      std::optional<std::chrono::steady_clock::time_point> deadline) {
  ChildLimits limits;
  limits.deadline = deadline_of(tool, deadline);
  limits.environment = tool.environment;
  limits.environment.emplace_back("PTCVM_IDEMPOTENCY_KEY", key_text(key));
  if (fencing_token != 0) limits.environment.emplace_back("PTCVM_FENCING_TOKEN", std::to_string(fencing_token));
  limits.folder = tool.folder;
  return limits;
}

}  // namespace

std::optional<std::chrono::steady_clock::time_point> deadline_of(
    const ExternalTool& tool, std::optional<std::chrono::steady_clock::time_point> deadline) {
  if (tool.deadline.count() == 0) return deadline;
  const auto own = std::chrono::steady_clock::now() + tool.deadline;
  return deadline ? std::min(own, *deadline) : own;
}

std::string timeout_text(const ExternalTool& tool) {
  if (tool.deadline.count() == 0) return "no answer before the deadline of the run";
  return "no answer within " + std::to_string(tool.deadline.count()) + " ms (the deadline of the tool), or before the "
         "deadline of the run";
}

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

std::unique_ptr<ChildProcess> CommandTool::start(const WaitingCall& call, std::string args_json,
                                                 const std::atomic<bool>* cancelled) const {
  ChildLimits limits = limits_of(tool_, call.key, call.fencing_token, call.deadline);
  limits.cancelled = cancelled;
  args_json += '\n';
  return std::make_unique<ChildProcess>(tool_.command, args_json, std::move(limits));
}

CommandReply CommandTool::read(ChildResult child) const {
  const bool is_within_own_limit = child.output.size() <= ChildLimits().max_output_bytes;
  if (child.end == ChildResult::End::TooMuchOutput && is_within_own_limit) return {CommandReply::Kind::TooLarge, {}};
  if (may_have_happened(child)) {
    return {CommandReply::Kind::Unknown, failure_of(tool_, child), false, std::move(child.error)};
  }
  if (child.end != ChildResult::End::Exited || child.code != 0) {
    return {CommandReply::Kind::Error, failure_of(tool_, child)};
  }
  const bool is_blank = child.output.find_first_not_of(kBlanks) == std::string::npos;
  return {CommandReply::Kind::Json, is_blank ? "null" : std::move(child.output), is_async_, std::move(child.error)};
}

namespace {

// Reads what a command says of a call.
Reconciled knowledge_in(const ExternalTool& command, const ChildResult& result) {
  Reconciled said;
  if (result.end != ChildResult::End::Exited || result.code != 0) {
    said.reason = failure_of(command, result);
    const std::string errors = trimmed(result.error);
    if (!errors.empty() && errors != said.reason) said.reason += "; " + errors;
    return said;
  }
  const auto answer = Value::from_json(result.output);
  const bool is_map = answer && answer->view().kind() == ValueKind::Map;
  const auto happened = is_map ? answer->view()["happened"].as_bool() : std::nullopt;
  if (!answer) {
    said.reason = "its output is no JSON: " + answer.error().message;
  } else if (!is_map || !happened) {
    said.reason = "its output has no member \"happened\" that is true or false: " + trimmed(result.output);
  } else {
    said.state = *happened ? Reconciled::State::Happened : Reconciled::State::DidNot;
    said.result = Value::copy_of(answer->view()["value"]);
  }
  return said;
}

}  // namespace

std::function<Reconciled(ToolCall&)> reconciler_of(ExternalTool command) {
  if (command.deadline.count() == 0) command.deadline = std::chrono::minutes(1);   // a run waits for it
  return [command = std::move(command)](ToolCall& call) {
    constexpr int kWaitMillis = 20;
    const std::string input = "{\"tool\":" + json_string(call.name()) + ",\"args\":" + call.args().to_json() +
                              ",\"key\":" + json_string(call.idempotency_key()) + "}\n";
    ChildLimits limits = limits_of(command, call.idempotency_key(), call.fencing_token(), call.deadline());
    ChildProcess child(command.command, input, std::move(limits));
    bool is_expired = false;
    while (!is_expired && !child.look(kWaitMillis)) is_expired = call.expired();
    Reconciled said;
    if (is_expired) {
      said.reason = timeout_text(command);
    } else {
      said = knowledge_in(command, child.take_result());
    }
    if (said.state == Reconciled::State::Unknown) {
      constexpr std::size_t kMostText = 1000;
      said.reason = "the command that says whether " + std::string(call.name()) +
                    " happened (reconcile) gave nothing: " + cut_text(said.reason, kMostText);
      complain(one_line(said.reason));
    }
    return said;
  };
}

}  // namespace ptcvm::cli
