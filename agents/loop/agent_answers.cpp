// What an agent waits for, and the answers.
#include <algorithm>
#include <utility>

#include "agents/loop/agent_node.h"
#include "agents/loop/doubt_names.h"
#include "agents/loop/result_json.h"

namespace ptcvm::loop {

using state::Phase;

namespace {

constexpr std::string_view kApprove = "approve:";

std::uint64_t digest_of(std::string_view text) {   // FNV-1a
  std::uint64_t hash = 14'695'981'039'346'656'037u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1'099'511'628'211u;
  return hash;
}

constexpr std::string_view kSignal = "await-signal";

bool is_signal(const PendingOperation& operation) { return operation.tool == kSignal; }

// A signal that a program waits for is an operation without a call. Its key is the id that the run of the program has
// for it.
bool is_signal(const state::OperationT& operation) { return operation.tool == kSignal && operation.call == 0; }

// Whether the tool has answered the call, perhaps with the word that the result comes later.
bool is_answered(const state::OperationT& call) { return call.is_pending && !call.is_begun; }

OperationKind public_kind(const state::OperationT& operation) {
  if (is_signal(operation)) return OperationKind::Input;
  switch (operation.kind) {
    case state::OperationKind::Approval: return OperationKind::Approval;
    case state::OperationKind::Doubt: return OperationKind::Doubt;
    default: return is_answered(operation) ? OperationKind::Pending : OperationKind::Tool;
  }
}

std::string public_name(const state::OperationT& operation) {
  switch (operation.kind) {
    case state::OperationKind::Approval: return std::string(kApprove) + operation.name;
    case state::OperationKind::Doubt: return doubt_name(operation.name, operation.doubts);
    default: return operation.name;
  }
}

}  // namespace

void AgentNode::list(std::vector<Operation>& out) {
  const auto add = [&](OperationKind kind, std::string name) -> Operation& {
    Operation operation;
    operation.kind = kind;
    operation.path = path_of(name);
    operation.agent = path_;
    out.push_back(std::move(operation));
    return out.back();
  };
  if (node_.phase == Phase::Exhausted) {
    const std::string why = node_.end_message;
    add(OperationKind::Budget, "budget").args_json = result_json(Value::of(why));
  }
  if (node_.phase == Phase::Pausing) add(OperationKind::Timer, "timer").due_ms = node_.wake_ms;
  if (node_.phase == Phase::Held) {
    const std::string question = node_.held_question;
    add(OperationKind::Approval, std::string(kApprove) + node_.held_at).args_json = result_json(Value::of(question));
  }
  if (node_.phase == Phase::Awaiting) {
    Operation& asked = add(OperationKind::Model, "model");
    asked.key = run_id() + "/model#" + std::to_string(node_.requests);
    asked.attempt = node_.attempt;
    asked.deadline_ms = node_.deadline_at_ms;
    asked.model = asked_model();
    if (body_ == nullptr) body_ = request_body();
    asked.body_owner = body_;
    asked.body = *body_;
    if (has_tools()) asked.callable = agent_.callable;
  }
  if (node_.phase == Phase::Ended) return;
  if (!node_.operations.empty() || node_.phase == Phase::Running) list_calls(out);
  for (const auto& child : children_) child->list(out);
}

// The engine begins the key of a call in a task with the task; the host puts the run before it.
std::string AgentNode::public_key(const state::OperationT& call) const {
  return call.task.empty() || !tree_.keys_name_run ? call.key : run_id() + "/" + call.key;
}

// Adds what the program that runs waits for, and what earlier programs began.
void AgentNode::list_calls(std::vector<Operation>& out) {
  const auto add = [&](OperationKind kind, std::string_view name) -> Operation& {
    Operation operation;
    operation.kind = kind;
    operation.path = path_of(name);
    operation.agent = path_;
    out.push_back(std::move(operation));
    return out.back();
  };
  Run& run = session().run();
  const auto calls = run.calls();
  const auto questions = run.questions();
  const auto pending = run.pending();
  for (const auto& waiting : node_.operations) {
    if (waiting->kind == state::OperationKind::Child) continue;
    Operation& operation = add(public_kind(*waiting), public_name(*waiting));
    const bool is_input = is_signal(*waiting);
    if (!is_input) {
      operation.key = public_key(*waiting);
      operation.tool = waiting->tool;
      operation.is_begun = waiting->is_begun;
    }
    if (const auto tool = agent_.host_tools.find(waiting->tool); tool != agent_.host_tools.end()) {
      operation.definition = tool->second;
    }
    for (const auto* const list : {&calls, &questions}) {
      for (const WaitingCall& call : *list) {
        if (call.id == waiting->call) operation.args_json = call.args.to_json();
      }
    }
    if (operation.args_json.empty()) operation.args_json = waiting->args;
    for (const PendingOperation& one : pending) {
      if (!waiting->is_pending || one.id != (is_input ? waiting->key : waiting->name)) continue;
      operation.args_json = one.args.to_json();
      operation.due_ms = one.deadline_ms;
    }
    const std::int64_t end = node_.deadline_at_ms;
    const bool is_tool = operation.kind == OperationKind::Tool;
    const bool is_doubt = operation.kind == OperationKind::Doubt;
    operation.is_left = (is_tool || is_doubt) && is_left(*waiting);
    if (is_doubt || operation.is_left) {
      operation.due_ms = 0;                      // nothing ends before somebody has said it
    } else if (end != 0 && !is_past_deadline()) {
      if (operation.due_ms == 0 || operation.due_ms > end) operation.due_ms = end;
      if (is_tool) operation.deadline_ms = end;
    }
  }
  const auto wake = run.is_over() || node_.phase == Phase::Settling ? std::nullopt : run.wake_time_ms();
  if (wake && std::any_of(pending.begin(), pending.end(), [](const auto& one) {
        return one.is_sleep;
      })) {
    add(OperationKind::Timer, "timer").due_ms = *wake;
  }
}

void AgentNode::list_paths(std::vector<std::string>& out) const {
  if (node_.phase == Phase::Exhausted) out.push_back(path_of("budget"));
  if (node_.phase == Phase::Held) out.push_back(path_of(std::string(kApprove) + node_.held_at));
  if (node_.phase == Phase::Pausing) out.push_back(path_of("timer"));
  if (node_.phase == Phase::Awaiting) out.push_back(path_of("model"));
  if (node_.phase == Phase::Ended) return;
  for (const auto& waiting : node_.operations) {
    if (waiting->kind != state::OperationKind::Child) out.push_back(path_of(public_name(*waiting)));
  }
  if (session_ && node_.phase == Phase::Running && !session_->run().is_over()) {
    bool sleeps = false;
    for (const PendingOperation& one : session_->run().pending()) {
      sleeps = sleeps || one.is_sleep;
    }
    if (sleeps) out.push_back(path_of("timer"));
  }
  for (const auto& child : children_) child->list_paths(out);
}

// Keeps the first answer of an operation.
void AgentNode::keep_settled(std::string name, std::uint64_t digest) {
  auto settled = std::make_unique<state::SettledT>();
  settled->name = std::move(name);
  settled->digest = digest;
  settled_.emplace(settled->name, digest);
  node_.settled.push_back(std::move(settled));
}

void AgentNode::forget_settled(std::string_view name) {
  if (settled_.erase(name) == 0) return;
  std::erase_if(node_.settled, [&](const auto& settled) { return settled->name == name; });
}

// Answers once: the same answer again changes nothing, and another one is refused.
Result<void> AgentNode::settle(std::string_view name, const std::string& answer,
                               const std::function<Result<void>()>& apply) {
  const std::uint64_t digest = digest_of(answer);
  if (const auto known = settled_.find(name); known != settled_.end()) {
    if (known->second == digest) return {};
    return loop_error(Errc::already_resolved, path_of(name) + ": the operation has another answer already");
  }
  if (auto applied = apply(); !applied) {
    Error error = applied.error();
    error.message = path_of(name) + ": " + error.message;
    return error;
  }
  keep_settled(std::string(name), digest);
  return {};
}

state::OperationT* AgentNode::find_operation(std::string_view name, state::OperationKind kind) {
  for (const auto& operation : node_.operations) {
    if (operation->name == name && operation->kind == kind) return operation.get();
  }
  return nullptr;
}

// Returns what is wrong with a value that a person gives as the answer of a tool, or nullopt when it fits.
std::optional<std::string> AgentNode::misfit(const state::OperationT& called, ValueView value) const {
  const auto tool = agent_.host_tools.find(called.tool);
  if (tool == agent_.host_tools.end() || tool->second->signature.empty()) return std::nullopt;
  const auto signature = Signature::parse(tool->second->signature);
  return signature ? signature->check_result(value, "answer") : std::nullopt;
}

Result<void> AgentNode::unknown(std::string_view name) const {
  return loop_error(Errc::unknown_operation, path_of(name) + ": no such operation waits");
}

Result<void> AgentNode::resolve(std::string_view name, ValueView value) {
  if (name == "budget" && node_.phase == Phase::Exhausted && value.kind() == ValueKind::Map) {
    std::vector<std::pair<std::string, std::uint64_t>> raises;   // all are known before one is done
    for (const auto& [key, by] : value.entries()) {
      const auto limit = key.as_string() ? key.as_string() : key.as_keyword();
      const std::int64_t number = by.as_int().value_or(-1);
      if (!limit || number < 0 || !budget_.raise(*limit, 0)) {
        return loop_error(Errc::invalid_value, path_of(name) + ": a budget is raised with {\"turns\": 1} or the like");
      }
      raises.emplace_back(*limit, static_cast<std::uint64_t>(number));
    }
    for (const auto& [limit, number] : raises) budget_.raise(limit, number);
    raised();
    return {};
  }
  return settle(name, "ok:" + value.to_edn(), [&]() -> Result<void> {
    if (node_.phase == Phase::Ended) return loop_error(Errc::unknown_operation, "no such operation waits");
    if (is_held_at(name)) {
      const auto allowed = value.as_bool();
      if (!allowed) return loop_error(Errc::invalid_value, "an approval is true or false");
      decide_held(*allowed, "a person refused it");
      return {};
    }
    if (name.starts_with(kApprove)) {
      if (find_operation(name.substr(kApprove.size()), state::OperationKind::Approval) == nullptr) {
        return loop_error(Errc::unknown_operation, "no such operation waits");
      }
      const auto allowed = value.as_bool();
      if (!allowed) return loop_error(Errc::invalid_value, "an approval is true or false");
      return decide_call(name.substr(kApprove.size()), *allowed, "a person refused the call");
    }
    const bool is_doubt = name.starts_with(kDoubtName);
    const auto* const called = is_doubt ? find_doubt(name) : find_operation(name, state::OperationKind::Tool);
    if (called == nullptr) {
      if (is_doubt || !is_signal_waiting(name)) return loop_error(Errc::unknown_operation, "no such operation waits");
      return session().run().resolve(name, value);
    }
    if (const auto wrong = is_doubt ? misfit(*called, value) : std::nullopt) {
      return loop_error(Errc::invalid_value, "the value does not fit the signature of the tool: " + *wrong);
    }
    const auto other = is_doubt || is_signal(*called) ? Result<std::optional<Value>>(std::optional<Value>())
                                                      : judge_answer(*called, value);
    auto told = !other   ? tell_error(*called, other.error().message)
                : *other ? tell_answer(*called, (*other)->view())
                         : tell_answer(*called, value);
    if (!told) return told;
    if (other && !is_answered(*called)) note_effect(*called);
    remove_operation(std::string(called->name));
    return {};
  });
}

Result<void> AgentNode::reject(std::string_view name, std::string_view why) {
  if (name == "budget" && node_.phase == Phase::Exhausted) {
    const std::string reason = node_.end_reason;
    end_error(reason, node_.end_message + (why.empty() ? "" : "; " + std::string(why)));
    return {};
  }
  return settle(name, "err:" + std::string(why), [&]() -> Result<void> {
    if (node_.phase == Phase::Ended) return loop_error(Errc::unknown_operation, "no such operation waits");
    if (is_held_at(name)) return decide_held(false, why), Result<void>();
    if (name.starts_with(kApprove)) return decide_call(name.substr(kApprove.size()), false, why);
    if (name.starts_with(kDoubtName)) {   // the call did not happen, and is made
      auto* const called = find_doubt(name);
      if (called == nullptr) return loop_error(Errc::unknown_operation, "no such operation waits");
      called->kind = state::OperationKind::Tool;
      if (is_left(*called)) remove_operation(std::string(called->name));   // nobody makes it any more
      return {};
    }
    const auto* const called = find_operation(name, state::OperationKind::Tool);
    if (called == nullptr) {
      if (!is_signal_waiting(name)) return loop_error(Errc::unknown_operation, "no such operation waits");
      return session().run().resolve_error(name, std::string(why));
    }
    auto told = tell_error(*called, std::string(why));
    if (!told) return told;
    remove_operation(std::string(called->name));
    return {};
  });
}

// Names the signals that the program waits for: "input", "input#2" and so on. Forgets those that it does not wait for.
void AgentNode::take_signals() {
  const auto pending = session().run().pending();
  const auto waits_for = [&](const state::OperationT& signal) {
    return std::any_of(pending.begin(), pending.end(), [&](const auto& one) { return one.id == signal.key; });
  };
  std::erase_if(node_.operations, [&](const auto& one) { return is_signal(*one) && !waits_for(*one); });
  for (const PendingOperation& one : pending) {
    const bool is_known = std::any_of(node_.operations.begin(), node_.operations.end(), [&](const auto& known) {
      return is_signal(*known) && known->key == one.id;
    });
    if (is_known || !is_signal(one) || !one.is_awaited) continue;
    auto operation = std::make_unique<state::OperationT>();
    operation->name = new_name("input");
    operation->tool = kSignal;
    operation->key = one.id;
    operation->is_pending = true;
    node_.operations.push_back(std::move(operation));
  }
}

// Earlier versions named signals by the ids that the program's run has for them; logs have such answers.
bool AgentNode::is_signal_waiting(std::string_view name) {
  if (node_.phase != Phase::Running) return false;
  const auto pending = session().run().pending();
  return std::any_of(pending.begin(), pending.end(), [&](const auto& one) { return is_signal(one) && one.id == name; });
}

Result<void> AgentNode::pend(std::string_view name) {
  auto* const called = has_program() ? find_operation(name, state::OperationKind::Tool) : nullptr;
  if (called == nullptr || is_answered(*called)) return unknown(name);
  if (is_left(*called)) {
    note_effect(*called);
    remove_operation(std::string(called->name));
    return {};
  }
  if (!called->is_begun) {
    if (auto told = session().run().answer_pending(called->call, std::string(name)); !told) return told;
  }
  called->is_pending = true;
  called->is_begun = false;
  note_effect(*called);
  return {};
}

// Gives the program the handle of a call whose answer comes when the tool has done its work. All else is as if the call
// had no answer yet: nobody knows the effect, and a process that takes the run over makes the call again or doubts it.
Result<void> AgentNode::begin_call(std::string_view name) {
  auto* const called = node_.phase == Phase::Running ? find_operation(name, state::OperationKind::Tool) : nullptr;
  if (called == nullptr || is_answered(*called)) return unknown(name);
  const auto tool = agent_.host_tools.find(called->tool);
  if (tool == agent_.host_tools.end() || tool->second->mode != ToolMode::Async) {
    return loop_error(Errc::wrong_state, path_of(name) + ": the program waits for the answer; the tool is not async");
  }
  if (called->is_begun) return {};
  if (auto told = session().run().answer_pending(called->call, std::string(name)); !told) return told;
  called->is_pending = true;
  called->is_begun = true;
  return {};
}

// Gives the program the answer of a call, or what became of the operation that the call has started. An answer that the
// program has a handle for and cannot be given is an error of the call.
Result<void> AgentNode::tell_answer(const state::OperationT& called, ValueView value) {
  Run& run = session().run();
  if (is_left(called)) return {};
  if (!called.is_pending) return run.answer(called.call, value);
  // Before the run takes it: a large value that is refused counts for its peak of memory otherwise.
  const auto wrong = called.is_begun || is_signal(called) ? std::nullopt : misfit(called, value);
  if (wrong) return loop_error(Errc::invalid_value, "the value does not fit the signature of the tool: " + *wrong);
  auto told = run.resolve(is_signal(called) ? called.key : called.name, value);
  if (told || !called.is_begun) return told;
  return run.resolve_error(called.name, told.error().message);
}

Result<void> AgentNode::tell_error(const state::OperationT& called, const std::string& why) {
  Run& run = session().run();
  if (is_left(called)) return {};
  if (!called.is_pending) return run.answer_error(called.call, why);
  return run.resolve_error(is_signal(called) ? called.key : called.name, why);
}

}  // namespace ptcvm::loop
