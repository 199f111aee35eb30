#include "tools/ptcvm/agent/agent_driver.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "agents/loop/json_number.h"
#include "ptcvm/effects.hpp"
#include "tools/ptcvm/agent/rate_wait.h"
#include "tools/ptcvm/text/moments.h"

namespace ptcvm::cli {
namespace {

using loop::AgentState;
using loop::Operation;
using loop::OperationKind;

constexpr int kLookMs = 20;
constexpr std::size_t kCommandsAtOnce = 8;
constexpr std::uint64_t kMostAnswerBytes = 16u << 20;

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text.append(word).append(1, '\0');
  return text;
}

}  // namespace

AgentDriver::AgentDriver(Parts parts)
    : parts_(std::move(parts)), calls_(tools_, kCommandsAtOnce, &parts_.interrupted),
      virtual_ms_(wall_ms()) {
  calls_.retry_failed_calls();
}

std::int64_t AgentDriver::wall_ms() const { return parts_.clock ? parts_.clock() : now_millis(); }

std::int64_t AgentDriver::now_ms() const { return parts_.model.has_virtual_time() ? virtual_ms_ : wall_ms(); }

void AgentDriver::tell(AgentMoment::Kind kind, const Operation& operation, std::string text) const {
  if (parts_.on_moment) parts_.on_moment({kind, &operation, std::move(text), now_ms(), nullptr});
}

// A run refuses an answer that it does not wait for any more, and goes on. A store that fails ends the drive.
std::optional<AgentDriver::End> AgentDriver::failure_of(const Error& error) {
  if (error.code != Errc::store_failed) return std::nullopt;
  return End{End::Kind::StoreFailed, error.detail.empty() ? errc_name(error.code) : std::string(error.detail),
             error.message};
}

AgentDriver::End AgentDriver::drive(AgentHandle& agent) {
  const auto refused = [](const Error& error) {
    return failure_of(error).value_or(End{End::Kind::StoreFailed, errc_name(error.code), error.message});
  };
  if (auto advanced = agent.advance(); !advanced) return refused(advanced.error());
  for (;;) {
    if (parts_.interrupted.load()) return {End::Kind::Interrupted, {}, {}};
    const bool drains = failed_ || (parts_.draining != nullptr && parts_.draining->load());
    if (!drains) {
      const auto state = agent.step();
      if (!state) return refused(state.error());
      if (*state == AgentState::Ended) return {End::Kind::Ended, {}, {}};
    }
    const std::vector<Operation> operations = operations_of(agent, drains);
    const auto progress = begin(agent, operations);
    if (!progress) return refused(progress.error());
    if (*progress == Progress::Again) continue;
    if (*progress == Progress::Waits) {
      auto end = take_answers(agent, operations);
      if (end && end->kind != End::Kind::ModelFailed) return *std::move(end);
      if (end && !failed_) failed_ = std::move(end);
      if (failed_ && started_.empty()) return *std::exchange(failed_, std::nullopt);
      const bool is_due = is_timer_due(operations) && !has_overdue_call();
      const auto advanced = is_due ? agent.advance() : Result<void>();
      if (!advanced) return refused(advanced.error());
    } else if (failed_) {
      return *std::exchange(failed_, std::nullopt);
    } else if (drains) {
      return {End::Kind::Interrupted, {}, {}};
    } else if (!wait_for_timer(operations)) {
      for (const Operation& operation : operations) tell(AgentMoment::Kind::Wait, operation);
      return {parts_.interrupted.load() ? End::Kind::Interrupted : End::Kind::Suspended, {}, {}};
    } else if (auto advanced = agent.advance(); !advanced) {
      return refused(advanced.error());
    }
  }
}

// Returns what the run waits for. While the driver drains, orders that are not in the log are left out.
std::vector<Operation> AgentDriver::operations_of(const AgentHandle& agent, bool drains) {
  std::vector<Operation> operations = agent.run().operations();
  const auto name = [](const Operation& operation) {
    return operation.path + '\n' + operation.key + '\n' + std::to_string(operation.attempt);
  };
  if (drains) {
    std::erase_if(operations, [&](const Operation& operation) { return !stepped_.contains(name(operation)); });
    return operations;
  }
  stepped_.clear();
  for (const Operation& operation : operations) stepped_.insert(name(operation));
  return operations;
}

Result<AgentDriver::Progress> AgentDriver::begin(AgentHandle& agent, const std::vector<Operation>& operations) {
  bool has_changed = false;
  for (const Operation& operation : operations) {
    if (operation.kind == OperationKind::Model) {
      const auto changed = begin_model(agent, operation);
      if (!changed) return changed.error();
      has_changed = *changed || has_changed;
    } else if (operation.kind == OperationKind::Tool) {
      const auto changed = begin_tool(agent, operation);
      if (!changed) return changed.error();
      has_changed = *changed || has_changed;
    }
  }
  if (has_changed) return Progress::Again;
  return models_in_flight_ > 0 || !held_.empty() || !started_.empty() ? Progress::Waits : Progress::Stuck;
}

// Returns whether the run has changed: a request that its server takes later waits as a timer.
Result<bool> AgentDriver::begin_model(AgentHandle& agent, const Operation& operation) {
  const std::string asked = operation.key + "\n" + std::to_string(operation.attempt);
  if (asked_.contains(asked)) return false;
  const auto due =
      take_rate(parts_.rates, operation.model.provider, [this] { return now_ms(); }, parts_.interrupted);
  if (!due) return due.error();
  if (*due != 0) {
    const auto deferred = agent.defer_model(operation.path, *due);
    return deferred ? Result<bool>(true) : Result<bool>(deferred.error());
  }
  asked_.insert(asked);
  tell(AgentMoment::Kind::ModelStart, operation);
  ++models_in_flight_;
  parts_.model.ask(operation);
  return false;
}

// Returns the name in tools_ of the command behind a call, or "" when the tool has none.
std::string AgentDriver::command_of(const Operation& operation) {
  const auto given = parts_.commands.find(operation.tool);
  const bool is_given = given != parts_.commands.end(), has_definition = operation.definition != nullptr;
  if (!is_given && (!has_definition || operation.definition->command.empty())) return {};
  const bool is_async = has_definition && operation.definition->mode != ToolMode::Sync;
  std::string name = is_async ? "async " : "sync ";
  name += is_given ? operation.tool : joined(operation.definition->command);   // joined() ends with a zero
  if (tools_.commands.contains(name)) return name;
  ExternalTool tool{operation.tool, {}};
  if (is_given) {
    tool = given->second;
  } else {
    tool.command = operation.definition->command;
  }
  add_command(tools_, name, CommandTool(std::move(tool), is_async));
  return name;
}

// Returns when the time of the run is over for a call. Virtual time does not pass during the call, so the call may take
// as much time as the run has left.
std::optional<std::chrono::steady_clock::time_point> AgentDriver::deadline_of(const Operation& operation) const {
  if (operation.due_ms == 0) return std::nullopt;
  const std::int64_t left_ms = std::max<std::int64_t>(operation.due_ms - now_ms(), 0);
  return std::chrono::steady_clock::now() + std::chrono::milliseconds(left_ms);
}

// Returns whether the run has changed: a tool without a command starts something that somebody resolves, and the
// program does not wait for the command of an async tool.
Result<bool> AgentDriver::begin_tool(AgentHandle& agent, const Operation& operation) {
  if (call_of_path_.contains(operation.path)) return false;
  const bool is_late = operation.deadline_ms != 0 && now_ms() >= operation.deadline_ms;
  if (operation.is_left || is_late) {
    const auto told = is_late ? agent.advance() : agent.reject(operation.path, loop::kNotBegun);
    return told ? Result<bool>(true) : Result<bool>(told.error());
  }
  const std::string command = command_of(operation);
  if (command.empty()) {
    // Somebody answers the call of a sync tool; the others have begun something, and the program goes on.
    if (operation.definition == nullptr || operation.definition->mode == ToolMode::Sync) return false;
    if (auto pended = agent.pend(operation.path); !pended) return pended.error();
    return true;
  }
  WaitingCall call;
  call.id = last_call_ + 1;
  call.tool = command;
  call.key = operation.key;
  call.fencing_token = agent.fencing_token();
  call.deadline = deadline_of(operation);
  if (!calls_.can_begin(call)) return false;   // later, when another command has ended
  ++last_call_;
  started_[call.id] = {operation, call.deadline};
  call_of_path_[operation.path] = call.id;
  calls_.begin(call, operation.args_json);
  tell(AgentMoment::Kind::ToolStart, operation);
  const bool is_async = operation.definition != nullptr && operation.definition->mode == ToolMode::Async;
  if (!is_async || operation.is_begun) return false;
  if (auto begun = agent.begin_call(operation.path); !begun) return begun.error();
  return true;
}

// Returns whether a command is about to be killed at the deadline of the run. What it leaves in doubt must be said
// before the run learns that its time is over.
bool AgentDriver::has_overdue_call(const std::vector<CommandCalls::Ended>& ended) const {
  const auto now = std::chrono::steady_clock::now();
  return std::ranges::any_of(started_, [&](const auto& started) {
    const auto& [number, call] = started;
    const bool is_over = std::ranges::find(ended, number, &CommandCalls::Ended::call) != ended.end();
    return !is_over && call.deadline && *call.deadline <= now;
  });
}

// Waits for a moment, and returns the calls that have ended: at the deadline of the run all of them, those in doubt
// first.
std::vector<CommandCalls::Ended> AgentDriver::ended_calls() {
  std::vector<CommandCalls::Ended> ended = calls_.wait(kMostAnswerBytes);
  while (!ended.empty() && has_overdue_call(ended) && !parts_.interrupted.load()) {
    for (CommandCalls::Ended& more : calls_.wait(kMostAnswerBytes)) ended.push_back(std::move(more));
  }
  std::ranges::stable_partition(ended, [this](const CommandCalls::Ended& call) {
    return call.reply.kind == CommandReply::Kind::Unknown && !may_be_repeated(started_.at(call.call).operation);
  });
  return ended;
}

std::optional<AgentDriver::End> AgentDriver::take_answers(AgentHandle& agent,
                                                           const std::vector<Operation>& operations) {
  const bool has_commands = calls_.is_waiting();
  if (has_commands) {
    for (CommandCalls::Ended& ended : ended_calls()) {
      if (auto end = give_tool_answer(agent, std::move(ended))) return end;
    }
  }
  if (models_in_flight_ > 0) {
    for (ModelAnswer& answer : parts_.model.take(has_commands ? 1 : kLookMs)) {
      --models_in_flight_;
      held_.push_back(std::move(answer));
    }
  }
  if (held_.empty() || has_overdue_call()) return std::nullopt;
  // The answer that comes first in virtual time is given; the others wait for their turn.
  const auto first = std::min_element(held_.begin(), held_.end(), [](const ModelAnswer& a, const ModelAnswer& b) {
    return a.delay_ms < b.delay_ms;
  });
  ModelAnswer answer = std::move(*first);
  held_.erase(first);
  virtual_ms_ += answer.delay_ms;
  for (ModelAnswer& other : held_) other.delay_ms -= answer.delay_ms;
  return give_model_answer(agent, operations, std::move(answer));
}

std::optional<AgentDriver::End> AgentDriver::give_tool_answer(AgentHandle& agent, CommandCalls::Ended ended) {
  const auto found = started_.find(ended.call);
  const auto [operation, deadline] = std::move(found->second);
  started_.erase(found);
  if (deadline && std::chrono::steady_clock::now() >= *deadline) virtual_ms_ = std::max(virtual_ms_, operation.due_ms);
  call_of_path_.erase(operation.path);
  tell(AgentMoment::Kind::ToolEnd, operation, ended.reply.text);
  Result<void> given;
  switch (ended.reply.kind) {
    case CommandReply::Kind::Json: given = give_json(agent, operation, ended.reply); break;
    case CommandReply::Kind::Error:
    case CommandReply::Kind::TooLarge: given = agent.reject(operation.path, ended.reply.text); break;
    case CommandReply::Kind::Pending: given = agent.pend(operation.path); break;
    case CommandReply::Kind::Unknown: given = give_unknown(agent, operation, ended.reply.text); break;
  }
  return given ? std::nullopt : failure_of(given.error());
}

// An answer that is no JSON came from a command that may have done its work.
Result<void> AgentDriver::give_json(AgentHandle& agent, const Operation& operation, const CommandReply& reply) const {
  const auto value = Value::from_json(reply.text);
  const std::string fault = value ? loop::json_number_fault(reply.text) : value.error().message;
  if (!fault.empty()) return give_unknown(agent, operation, "its output is no JSON: " + fault);
  const bool starts = reply.announces && value->view().kind() == ValueKind::Map &&
                      value->view()["pending"].as_string().has_value();
  return starts ? agent.pend(operation.path) : agent.resolve(operation.path, *value);
}

// A call whose outcome nobody knows is made again only when the tool allows it.
bool AgentDriver::may_be_repeated(const Operation& operation) const {
  if (operation.definition == nullptr) return false;
  Effect effect = operation.definition->effect;
  if (parts_.effect_of) effect = parts_.effect_of(operation.tool).value_or(effect);
  return is_called_again(effect);
}

Result<void> AgentDriver::give_unknown(AgentHandle& agent, const Operation& operation, const std::string& why) const {
  // A process that is stopped kills its commands: the run is left as it is, and the next process decides.
  if (parts_.interrupted.load()) return {};
  return may_be_repeated(operation) ? agent.reject(operation.path, why) : agent.doubt(operation.path);
}

std::optional<AgentDriver::End> AgentDriver::give_model_answer(AgentHandle& agent,
                                                                const std::vector<Operation>& operations,
                                                                ModelAnswer answer) {
  const auto asked = std::find_if(operations.begin(), operations.end(),
                                  [&](const Operation& operation) { return operation.path == answer.path; });
  if (answer.failure) {   // no model was sent anything, except a mailbox, which keeps the request
    const bool is_taken_back = asked != operations.end() && !parts_.model.keeps_requests(asked->agent);
    const auto told = is_taken_back ? agent.unsend_model(answer.path) : Result<void>();
    auto failed = told ? std::nullopt : failure_of(told.error());
    return failed ? failed : End{End::Kind::ModelFailed, answer.failure->name, answer.failure->message};
  }
  if (asked != operations.end()) {
    const std::string status = std::to_string(answer.reply.status);
    const auto noted = parts_.rates.take_note(asked->model.provider, asked->model, answer.reply, now_ms());
    if (!noted && noted.error().code != Errc::busy) {   // busy: the next answer of the server says it again
      if (auto end = failure_of(noted.error())) return end;
    }
    if (parts_.on_moment) {
      const std::string text = answer.reply.is_cut ? status + " cut" : status;
      parts_.on_moment({AgentMoment::Kind::ModelEnd, &*asked, text, now_ms(), &answer.reply});
    }
  }
  const auto given = agent.resolve_model(answer.path, answer.reply);
  return given ? std::nullopt : failure_of(given.error());
}

bool AgentDriver::is_timer_due(const std::vector<Operation>& operations) const {
  return std::any_of(operations.begin(), operations.end(), [this](const Operation& operation) {
    return operation.kind == OperationKind::Timer && operation.due_ms <= now_ms();
  });
}

// Returns whether the time of a request's next attempt has come; false when there is none to wait for.
bool AgentDriver::wait_for_timer(const std::vector<Operation>& operations) {
  const Operation* first = nullptr;
  for (const Operation& operation : operations) {
    if (operation.kind != OperationKind::Timer) continue;
    if (first == nullptr || operation.due_ms < first->due_ms) first = &operation;
  }
  if (first == nullptr) return false;
  if (parts_.model.has_virtual_time()) {
    virtual_ms_ = std::max(virtual_ms_, first->due_ms);
    return true;
  }
  if (first->due_ms - now_ms() > parts_.longest_wait_ms) return false;
  if (now_ms() < first->due_ms) tell(AgentMoment::Kind::Wait, *first);
  while (now_ms() < first->due_ms && !parts_.interrupted.load()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(kLookMs));
  }
  return !parts_.interrupted.load();
}

}  // namespace ptcvm::cli
