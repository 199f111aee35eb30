#include "tools/ptcvm/external_tool.h"

#include <cstring>

#include "runtime/text/json_text.h"
#include "runtime/text/json_value.h"
#include "tools/ptcvm/child_process.h"
#include "tools/ptcvm/shell_arguments.h"
#include "vm/value/map.h"
#include "vm/value/string.h"

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

std::unique_ptr<ChildProcess> start_command(const ExternalTool& tool, const ptc::ToolCall& call, std::string input) {
  ChildLimits limits;
  limits.deadline = call.deadline;
  limits.cancelled = call.cancelled;
  limits.environment = {{"PTCVM_IDEMPOTENCY_KEY", key_text(call.meta.idempotency_key)}};
  return std::make_unique<ChildProcess>(tool.command, std::move(input), std::move(limits));
}

ChildResult ended(const std::unique_ptr<ChildProcess>& child) {
  constexpr int kWaitMillis = 20;
  while (!child->look(kWaitMillis)) {
  }
  return child->take_result();
}

ptc::ToolReply answer_of(ptc::Heap& heap, const std::string& output) {
  if (trimmed(output).empty()) return ptc::ToolReply::value(ptc::Value::nil());
  auto parsed = ptc::read_json(heap, output);
  if (auto* value = std::get_if<ptc::Value>(&parsed)) return ptc::ToolReply::value(*value);
  return ptc::ToolReply::unknown("its output is no JSON: " + std::get<ptc::JsonError>(parsed).message);
}

// The operation that an answer announces, or the answer as it is. "pending" must be a string, and nothing else than
// "immediate" and "ttl_ms" may be beside it: other maps are data.
ptc::ToolReply announced(ptc::Heap& heap, ptc::ToolReply reply) {
  if (reply.failed || !reply.result.is_map()) return reply;
  ptc::Value id = ptc::Value::nil(), immediate = ptc::Value::nil(), ttl = ptc::Value::nil();
  for (ptc::MapCursor entry(heap, reply.result); entry.next();) {
    const std::string_view key = ptc::string_view_of(entry.key());
    ptc::Value* const field = key == "pending"     ? &id
                              : key == "immediate" ? &immediate
                              : key == "ttl_ms"    ? &ttl
                                                   : nullptr;
    if (field == nullptr) return reply;
    *field = entry.value();
  }
  if (!id.is_string() || !(ttl.is_nil() || ttl.is_int())) return reply;
  const ptc::Owned answer(heap, reply.result);
  std::optional<std::int64_t> ttl_ms;
  if (ttl.is_int()) ttl_ms = ttl.i;
  return ptc::ToolReply::pending(std::string(ptc::string_view_of(id)), ptc::retained(immediate), ttl_ms);
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

std::unique_ptr<ChildProcess> CommandTool::start(const ptc::ToolCall& call) const {
  std::string input;
  ptc::append_json(input, call.args, call.heap);
  input += '\n';
  return start_command(tool_, call, std::move(input));
}

ptc::ToolReply CommandTool::read(ptc::Heap& heap, const ChildResult& child) const {
  if (may_have_happened(child)) return ptc::ToolReply::unknown(failure_of(tool_, child));
  if (child.end != ChildResult::End::Exited || child.code != 0) return ptc::ToolReply::error(failure_of(tool_, child));
  ptc::ToolReply reply = answer_of(heap, child.output);
  return is_async_ ? announced(heap, std::move(reply)) : std::move(reply);
}

ptc::ToolReply CommandTool::operator()(const ptc::ToolCall& call) const {
  return read(call.heap, ended(start(call)));
}

ptc::ReconcileHandler external_reconcile_handler(ExternalTool command) {
  return [command = std::move(command)](const ptc::ToolCall& call) {
    std::string input = "{\"tool\":";
    ptc::append_json_string(input, call.name);
    input += ",\"args\":";
    ptc::append_json(input, call.args, call.heap);
    input += ",\"key\":";
    ptc::append_json_string(input, call.meta.idempotency_key);
    const ChildResult child = ended(start_command(command, call, input + "}\n"));
    ptc::Reconciled said;
    if (child.end != ChildResult::End::Exited || child.code != 0) return said;
    auto parsed = ptc::read_json(call.heap, child.output);
    const auto* const value = std::get_if<ptc::Value>(&parsed);
    if (value == nullptr) return said;
    const ptc::Owned answer(call.heap, *value);
    if (!answer.get().is_map()) return said;
    for (ptc::MapCursor entry(call.heap, answer.get()); entry.next();) {
      const std::string_view name = ptc::string_view_of(entry.key());
      if (name == "happened" && entry.value().is(ptc::Tag::True)) said.state = ptc::Reconciled::State::Happened;
      if (name == "happened" && entry.value().is(ptc::Tag::False)) said.state = ptc::Reconciled::State::DidNot;
      if (name == "value") said.result = ptc::retained(entry.value());
    }
    return said;
  };
}

}  // namespace ptcvm::cli
