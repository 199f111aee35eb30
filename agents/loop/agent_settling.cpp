// Programs that have ended, or whose time is over, while calls of theirs are under way. The turn waits until each call
// that may have happened and may not be repeated has an answer, or a person has said what became of it (decision 0053).
#include <algorithm>
#include <utility>

#include "agents/loop/agent_node.h"
#include "ptcvm/effects.hpp"

namespace ptcvm::loop {

using state::AfterProgram;
using state::Phase;
using state::TurnKind;

namespace {

bool is_waiting_signal(const state::OperationT& operation) { return operation.call == 0; }

}  // namespace

// Returns whether a call of the tool may not be repeated, so that it matters also when its program is gone.
bool AgentNode::outlives_program(std::string_view tool) const {
  const auto found = agent_.host_tools.find(tool);
  return found != agent_.host_tools.end() && !is_called_again(found->second->effect);
}

// Returns whether a call may have happened, may not be repeated, and has no answer.
bool AgentNode::is_without_word(const state::OperationT& call) const {
  if (call.kind == state::OperationKind::Doubt) return true;
  if (call.kind != state::OperationKind::Tool || call.call == 0 || (call.is_pending && !call.is_begun)) return false;
  return outlives_program(call.tool);
}

bool AgentNode::has_calls_without_word() const {
  return std::ranges::any_of(node_.operations, [this](const auto& call) { return is_without_word(*call); }) ||
         std::ranges::any_of(children_, [](const auto& child) { return child->has_calls_without_word(); });
}

// Returns whether the turn of a program that has ended waits for this call.
bool AgentNode::is_waited_for(const state::OperationT& call) const {
  const bool is_asked = call.kind == state::OperationKind::Approval && call.is_pending;
  return call.is_begun || is_asked || (tree_.waits_for_words() && is_without_word(call));
}

bool AgentNode::waits_for_calls() const {
  const auto is_awaited = [this](const auto& call) { return is_waited_for(*call); };
  return std::ranges::any_of(node_.operations, is_awaited) || (tree_.waits_for_words() && has_calls_without_word());
}

// Returns whether nobody needs the call any more. A program that has ended still has the handles of its begun calls,
// until the time of the run is over.
bool AgentNode::is_left(const state::OperationT& call) const {
  if (node_.phase != Phase::Settling) return false;
  if (tree_.waits_for_words() && is_past_deadline()) return true;
  const AfterProgram after = node_.program_end->after;
  return !call.is_begun || after == AfterProgram::Deadline || after == AfterProgram::Nothing;
}

void AgentNode::end_program(TurnKind kind, std::string feedback, AfterProgram after, std::string result_or_reason,
                            std::string message) {
  node_.program_end = std::make_unique<state::ProgramEndT>();
  state::ProgramEndT& end = *node_.program_end;
  end.kind = kind;
  end.feedback = std::move(feedback);
  end.after = after;
  (after == AfterProgram::Result ? end.result : end.reason) = std::move(result_or_reason);
  end.message = std::move(message);
  node_.phase = Phase::Settling;
  if (!waits_for_calls()) settle_program();
}

// Does what follows when the calls of a program that has ended have their answers.
void AgentNode::settle_program() {
  const auto end = std::exchange(node_.program_end, nullptr);
  switch (end->after) {
    case AfterProgram::Turn: return end_turn(end->kind, std::move(end->feedback));
    case AfterProgram::NativeCall:
      if (!start_native_call()) end_turn(TurnKind::Value, {});
      return;
    case AfterProgram::Result:
      end_turn(end->kind, std::move(end->feedback));
      return end_ok(std::move(end->result), false);
    case AfterProgram::Error:
      end_turn(end->kind, std::move(end->feedback));
      return end_error(std::move(end->reason), std::move(end->message));
    case AfterProgram::Deadline: return end_past_deadline();
    case AfterProgram::Nothing: return end_error({}, "the program that called the agent has ended");
  }
}

// Goes on when all calls have their answers. Returns whether it did.
bool AgentNode::settle_calls() {
  if (waits_for_calls()) return false;
  forget_operations(node_.program_end->kind == TurnKind::Fault);
  settle_program();
  return true;
}

Result<void> AgentNode::check_program_end() {
  const state::ProgramEndT* const end = node_.program_end.get();
  const bool is_behind_call = end != nullptr && end->after == AfterProgram::NativeCall;
  if (is_behind_call && (agent_.mode != ReplyMode::Native || node_.current->replies.empty())) {
    return loop_error(Errc::invalid_snapshot, "the call that has ended is not in the reply");
  }
  if (node_.phase != Phase::Running || !session_->run().is_over()) return {};
  Error lost = loop_error(Errc::invalid_snapshot,
                          "the document of the agent does not say how its program ended: an earlier version wrote it "
                          "while calls of the program had no answer");
  lost.detail = kEndIsLost;
  return lost;
}

// Ends the run whose time is over. A call that may have happened keeps the run: a person must hear of it.
void AgentNode::reach_deadline() {
  if (!tree_.waits_for_words()) {
    if (is_in_doubt()) return;
    node_.program_end.reset();
    return end_past_deadline();
  }
  if (node_.phase == Phase::Settling) return leave();
  if (!has_calls_without_word()) return end_past_deadline();
  leave();
  end_program(TurnKind::NotRun, {}, AfterProgram::Deadline);
}

// Forgets what the program waits for, except calls without a word.
void AgentNode::leave() {
  std::erase_if(node_.operations, [this](const auto& operation) {
    return operation->kind != state::OperationKind::Child && !is_without_word(*operation);
  });
  for (std::size_t i = children_.size(); i-- > 0;) leave_child(i);
}

// Stops a child whose caller has ended. The child stays while a call of it, or below it, has no word.
void AgentNode::leave_child(std::size_t index) {
  AgentNode& child = *children_[index];
  if (tree_.waits_for_words()) child.leave();
  if (tree_.waits_for_words() && child.has_calls_without_word()) {
    child.node_.phase = Phase::Settling;
    child.node_.program_end = std::make_unique<state::ProgramEndT>();
    child.node_.program_end->after = AfterProgram::Nothing;
    return;
  }
  const std::string name = child.node_.name;
  drop_child(index);
  remove_operation(name);
}

// Forgets calls that nothing will answer, and their children. What the program began goes on: a later program can wait
// for it by its handle, which a fault takes away unless a task has it.
void AgentNode::forget_operations(bool is_fault) {
  std::erase_if(node_.operations, [&](const auto& operation) {
    const bool is_asked = operation->kind == state::OperationKind::Approval;
    if (operation->kind == state::OperationKind::Child) return false;
    if (is_waited_for(*operation) && !(is_asked && is_fault)) return false;   // behind a fault nobody is asked
    return !operation->is_pending || is_waiting_signal(*operation) || (is_fault && operation->task.empty());
  });
  // Nothing can wait for a child outside of a task: its call has no handle.
  for (std::size_t i = children_.size(); i-- > 0;) {
    const auto* const call = find_operation(children_[i]->state().name, state::OperationKind::Child);
    if (call == nullptr || call->task.empty()) leave_child(i);
  }
}

}  // namespace ptcvm::loop
