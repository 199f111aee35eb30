#include "tools/ptcvm/agent_driver.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "tools/ptcvm/moments.h"

namespace ptcvm::cli {
namespace {

using loop::AgentRun;
using loop::AgentState;
using loop::Operation;
using loop::OperationKind;

constexpr int kLookMs = 20;
constexpr std::size_t kCommandsAtOnce = 8;
constexpr std::uint64_t kMostAnswerBytes = 16u << 20;
constexpr std::int64_t kLongestWaitMs = 10 * 60 * 1000;   // for the next attempt, before the run is suspended instead

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text.append(word).append(1, '\0');
  return text;
}

// A call whose outcome nobody knows is made again only when the tool allows it.
bool may_be_repeated(const Operation& operation) {
  return operation.definition != nullptr && operation.definition->effect != Effect::Unsafe;
}

}  // namespace

AgentDriver::AgentDriver(Parts parts)
    : parts_(std::move(parts)), calls_(tools_, kCommandsAtOnce, &parts_.interrupted),
      virtual_ms_(now_millis()) {}

std::int64_t AgentDriver::now_ms() const {
  return parts_.model.has_virtual_time() ? virtual_ms_ : now_millis();
}

void AgentDriver::tell(AgentMoment::Kind kind, const Operation& operation, std::string text) const {
  if (parts_.on_moment) parts_.on_moment({kind, &operation, std::move(text), now_ms()});
}

AgentDriver::End AgentDriver::drive(AgentRun& run) {
  for (;;) {
    if (parts_.interrupted.load()) return {End::Kind::Interrupted, {}, {}};
    run.advance(now_ms());
    if (run.step() == AgentState::Ended) return {End::Kind::Ended, {}, {}};
    const std::vector<Operation> operations = run.operations();
    const Progress progress = begin(run, operations);
    if (progress == Progress::Again) continue;
    if (progress == Progress::Stuck) {
      if (wait_for_timer(operations)) continue;
      return {parts_.interrupted.load() ? End::Kind::Interrupted : End::Kind::Suspended, {}, {}};
    }
    if (auto end = take_answers(run, operations)) return *std::move(end);
  }
}

AgentDriver::Progress AgentDriver::begin(AgentRun& run, const std::vector<Operation>& operations) {
  bool has_changed = false;
  for (const Operation& operation : operations) {
    if (operation.kind == OperationKind::Model) {
      if (!asked_.insert(operation.key + "\n" + std::to_string(operation.attempt)).second) continue;
      tell(AgentMoment::Kind::ModelStart, operation);
      ++models_in_flight_;
      parts_.model.ask(operation);
    } else if (operation.kind == OperationKind::Tool) {
      has_changed = begin_tool(run, operation) || has_changed;
    }
  }
  if (has_changed) return Progress::Again;
  return models_in_flight_ > 0 || !held_.empty() || !started_.empty() ? Progress::Waits : Progress::Stuck;
}

// Returns whether the run has changed: a tool without a command starts something that somebody resolves.
bool AgentDriver::begin_tool(AgentRun& run, const Operation& operation) {
  if (call_of_path_.contains(operation.path)) return false;
  const auto given = parts_.commands.find(operation.tool);
  const std::vector<std::string>* command = nullptr;
  if (given != parts_.commands.end()) command = &given->second;
  if (command == nullptr && operation.definition != nullptr && !operation.definition->command.empty()) {
    command = &operation.definition->command;
  }
  if (command == nullptr) {
    // Somebody answers the call of a sync tool; the others have begun something, and the program goes on.
    const bool is_sync = operation.definition == nullptr || operation.definition->mode == ToolMode::Sync;
    return !is_sync && static_cast<bool>(run.pend(operation.path));
  }
  const bool is_async = operation.definition != nullptr && operation.definition->mode == ToolMode::Async;
  WaitingCall call;
  call.id = last_call_ + 1;
  call.tool = (is_async ? "async " : "sync ") + joined(*command);
  call.key = operation.key;
  if (!calls_.can_begin(call)) return false;   // later, when another command has ended
  tools_.commands.try_emplace(call.tool, CommandTool({operation.tool, *command}, is_async));
  ++last_call_;
  started_[call.id] = operation;
  call_of_path_[operation.path] = call.id;
  calls_.begin(call, operation.args_json);
  tell(AgentMoment::Kind::ToolStart, operation);
  return false;
}

std::optional<AgentDriver::End> AgentDriver::take_answers(AgentRun& run, const std::vector<Operation>& operations) {
  const bool has_commands = calls_.is_waiting();
  if (has_commands) {
    for (CommandCalls::Ended& ended : calls_.wait(kMostAnswerBytes)) give_tool_answer(run, std::move(ended));
  }
  if (models_in_flight_ > 0) {
    for (ModelAnswer& answer : parts_.model.take(has_commands ? 1 : kLookMs)) {
      --models_in_flight_;
      held_.push_back(std::move(answer));
    }
  }
  if (held_.empty()) return std::nullopt;
  // The answer that comes first in virtual time is given; the others wait for their turn.
  const auto first = std::min_element(held_.begin(), held_.end(), [](const ModelAnswer& a, const ModelAnswer& b) {
    return a.delay_ms < b.delay_ms;
  });
  ModelAnswer answer = std::move(*first);
  held_.erase(first);
  virtual_ms_ += answer.delay_ms;
  for (ModelAnswer& other : held_) other.delay_ms -= answer.delay_ms;
  run.advance(now_ms());
  return give_model_answer(run, operations, std::move(answer));
}

void AgentDriver::give_tool_answer(AgentRun& run, CommandCalls::Ended ended) {
  const auto found = started_.find(ended.call);
  const Operation operation = std::move(found->second);
  started_.erase(found);
  call_of_path_.erase(operation.path);
  // A run that does not wait for the answer any more refuses it, which is no fault.
  switch (ended.reply.kind) {
    case CommandReply::Kind::Json: give_json(run, operation, ended.reply); break;
    case CommandReply::Kind::Error:
    case CommandReply::Kind::TooLarge: (void)run.reject(operation.path, ended.reply.text); break;
    case CommandReply::Kind::Pending: (void)run.pend(operation.path); break;
    case CommandReply::Kind::Unknown: give_unknown(run, operation, ended.reply.text); break;
  }
  tell(AgentMoment::Kind::ToolEnd, operation, ended.reply.text);
}

// An answer that is no JSON came from a command that may have done its work.
void AgentDriver::give_json(AgentRun& run, const Operation& operation, const CommandReply& reply) {
  const auto value = Value::from_json(reply.text.empty() ? "null" : reply.text);
  if (!value) return give_unknown(run, operation, "its output is no JSON: " + value.error().message);
  const bool starts = reply.announces && value->view().kind() == ValueKind::Map &&
                      value->view()["pending"].as_string().has_value();
  if (starts) {
    (void)run.pend(operation.path);
  } else {
    (void)run.resolve(operation.path, *value);
  }
}

void AgentDriver::give_unknown(AgentRun& run, const Operation& operation, const std::string& why) {
  if (may_be_repeated(operation)) {
    (void)run.reject(operation.path, why);
  } else {
    (void)run.doubt(operation.path);
  }
}

std::optional<AgentDriver::End> AgentDriver::give_model_answer(AgentRun& run, const std::vector<Operation>& operations,
                                                               ModelAnswer answer) {
  if (answer.failure) return End{End::Kind::ModelFailed, answer.failure->name, answer.failure->message};
  const auto asked = std::find_if(operations.begin(), operations.end(),
                                  [&](const Operation& operation) { return operation.path == answer.path; });
  if (asked != operations.end()) {
    std::string status = std::to_string(answer.reply.status);
    tell(AgentMoment::Kind::ModelEnd, *asked, answer.reply.is_cut ? status + " cut" : std::move(status));
  }
  const auto given = run.resolve_model(answer.path, answer.reply);
  if (given) return std::nullopt;
  return End{End::Kind::Refused, errc_name(given.error().code), given.error().message};
}

// Returns whether the time of a request's next attempt has come; false when there is none to wait for.
bool AgentDriver::wait_for_timer(const std::vector<Operation>& operations) {
  std::optional<std::int64_t> due;
  for (const Operation& operation : operations) {
    if (operation.kind == OperationKind::Timer) due = std::min(due.value_or(operation.due_ms), operation.due_ms);
  }
  if (!due) return false;
  if (parts_.model.has_virtual_time()) {
    virtual_ms_ = std::max(virtual_ms_, *due);
    return true;
  }
  if (*due - now_ms() > kLongestWaitMs) return false;
  while (now_ms() < *due && !parts_.interrupted.load()) std::this_thread::sleep_for(std::chrono::milliseconds(kLookMs));
  return !parts_.interrupted.load();
}

}  // namespace ptcvm::cli
