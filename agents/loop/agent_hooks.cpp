// What hooks of the host say about turns, requests and replies. A point has a name in its agent: "turn:3", "model:5",
// "reply:5", "turn-end:3", "call:KEY", "answer:KEY". A verdict is told by the host, or comes from the log of
// another process.
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "agents/loop/agent_node.h"
#include "agents/loop/conversation.h"
#include "agents/loop/reply_program.h"
#include "agents/wire/reply_fold.h"

namespace ptcvm::loop {

using state::Phase;
using state::TurnKind;
using Kind = HookVerdict::Kind;

namespace {

constexpr std::string_view kApprovePrefix = "approve:";
constexpr std::string_view kTurnPoint = "turn:", kRequestPoint = "model:", kReplyPoint = "reply:",
                           kTurnEndPoint = "turn-end:", kCallPoint = "call:", kAnswerPoint = "answer:";

std::string point(std::string_view what, std::size_t number) { return std::string(what) + std::to_string(number); }

// Makes a reply again from what is kept of it: all that is needed to read it.
wire::Reply reply_of(const state::ReplyT& kept) {
  wire::Reply reply;
  reply.is_complete = true;
  reply.text = kept.text;
  reply.tool_calls = calls_of(kept);
  return reply;
}

// Puts other words into a reply. What the provider signed belongs to the old ones and leaves with them.
void change_reply(wire::Reply& reply, ValueView change) {
  const auto text = change["text"].as_string(), program = change["program"].as_string();
  if (!text && !program) return;
  if (text) reply.text = *text;
  if (program) {
    wire::ToolCall call;
    call.id = reply.tool_calls.empty() ? std::string("call_hook") : reply.tool_calls.front().id;
    call.name = kRunProgram;
    call.arguments = boost::json::object{{"program", std::string(*program)}};
    call.arguments_text = boost::json::serialize(*call.arguments);
    reply.tool_calls = {std::move(call)};
  } else {
    reply.tool_calls.clear();
  }
  reply.content.clear();
}

// Returns a function that asks the hook, or none when there is no hook. The arguments must outlive it.
template <class Hook, class... Arguments>
std::function<HookVerdict()> asked(const Hook& hook, const Arguments&... arguments) {
  if (!hook) return {};
  return [&] { return hook(arguments...); };
}

// A hook that throws has judged nothing: what it guards does not happen.
HookVerdict verdict_of(const std::function<HookVerdict()>& hook, const std::string& at) {
  try {
    return hook();
  } catch (const std::exception& thrown) {
    return failed_hook("the hook at " + at + " threw: " + thrown.what());
  } catch (...) {
    return failed_hook("the hook at " + at + " threw something that is no std::exception");
  }
}

}  // namespace

// Returns what is known about a point, or else what the hook says now, and remembers that. Without a hook everything
// is allowed.
HookVerdict AgentNode::judged(const std::string& at, const std::function<HookVerdict()>& hook) {
  HookVerdicts& verdicts = tree_.verdicts;
  if (const auto known = verdicts.known.lower_bound(path_of(at));
      known != verdicts.known.end() && known->first == path_of(at)) {
    HookVerdict verdict = std::move(known->second);
    verdicts.known.erase(known);
    return verdict;
  }
  if (!hook) return HookVerdict::allow();
  HookVerdict verdict = verdict_of(hook, at);
  verdicts.made.emplace_back(path_of(at), write_verdict(verdict));
  return verdict;
}

AgentNode::Goes AgentNode::obey(const HookVerdict& verdict, const std::string& at) {
  if (verdict.kind == Kind::Deny) {
    end_error(std::string(is_failed_hook(verdict) ? kHookFailed : kDenied), verdict.text);
    return Goes::Ended;
  }
  if (verdict.kind != Kind::Ask) return Goes::On;
  hold(at, verdict.text, node_.phase);
  return Goes::Held;
}

void AgentNode::hold(const std::string& at, std::string question, Phase behind) {
  node_.held_at = at;
  node_.held_question = std::move(question);
  node_.held_phase = behind;
  node_.phase = Phase::Held;
}

AgentNode::Goes AgentNode::judge_turn() {
  const auto& hook = tree_.agent.options.hooks.before_turn;
  if (!hook && tree_.verdicts.known.empty()) return Goes::On;
  const auto number = static_cast<std::uint32_t>(node_.turns.size() + 1);
  const std::string at = point(kTurnPoint, number);
  const HookVerdict verdict = judged(at, asked(hook, path_, number));
  if (verdict.kind == Kind::Change) {
    if (const auto text = verdict.args.view()["say"].as_string()) node_.staged.emplace_back(*text);
  }
  return obey(verdict, at);
}

AgentNode::Goes AgentNode::judge_request() {
  const auto& hook = tree_.agent.options.hooks.before_model;
  if (!hook && tree_.verdicts.known.empty()) return Goes::On;
  const std::string at = point(kRequestPoint, node_.requests + 1);
  std::function<HookVerdict()> ask;
  if (hook) ask = [&] { return hook(path_, conversation_.request(notes())); };
  const HookVerdict verdict = judged(at, ask);
  if (verdict.kind == Kind::Change) node_.request_change = verdict.args.to_edn();
  return obey(verdict, at);
}

std::optional<HookVerdict> AgentNode::judge_reply(wire::Reply& reply) {
  const auto& hook = tree_.agent.options.hooks.after_model;
  if (!hook && tree_.verdicts.known.empty()) return std::nullopt;
  HookVerdict verdict = judged(point(kReplyPoint, node_.requests), asked(hook, path_, reply));
  if (verdict.kind == Kind::Change) change_reply(reply, verdict.args);
  return verdict;
}

bool AgentNode::obey_about_reply(const HookVerdict& verdict) {
  if (verdict.kind == Kind::Ask) {
    hold(point(kReplyPoint, node_.requests), verdict.text, Phase::Awaiting);
    return false;
  }
  if (verdict.kind != Kind::Deny) return true;
  if (is_failed_hook(verdict)) return obey(verdict, {}) == Goes::On;
  end_turn(TurnKind::NotRun, "Your reply was refused, and nothing of it was run: " + verdict.text);
  return false;
}

void AgentNode::judge_turn_end(std::string& feedback) {
  const auto& hook = tree_.agent.options.hooks.after_turn;
  if (!hook && tree_.verdicts.known.empty()) return;
  const auto number = static_cast<std::uint32_t>(node_.turns.size() + 1);
  turn_end_ = judged(point(kTurnEndPoint, number), asked(hook, path_, number, feedback));
  if (turn_end_->kind != Kind::Change) return;
  if (const auto text = turn_end_->args.view()["feedback"].as_string()) feedback = *text;
}

// Does what a hook said about the turn that has ended. The run may have ended with it: then the end is what waits.
void AgentNode::settle_turn_end() {
  if (!turn_end_) return;
  const HookVerdict verdict = *std::exchange(turn_end_, std::nullopt);
  obey(verdict, point(kTurnEndPoint, node_.turns.size()));
}

bool AgentNode::is_held_at(std::string_view name) const {
  if (node_.phase != Phase::Held || !name.starts_with(kApprovePrefix)) return false;
  return name.substr(kApprovePrefix.size()) == node_.held_at;
}

bool AgentNode::is_held_well() const {
  const std::string& at = node_.held_at;
  if (at.starts_with(kReplyPoint)) return node_.held_phase == Phase::Awaiting && !node_.current->replies.empty();
  if (at.starts_with(kTurnPoint)) return node_.held_phase == Phase::Beginning;
  if (at.starts_with(kRequestPoint)) return node_.held_phase == Phase::Asking;
  return at.starts_with(kTurnEndPoint) && (node_.held_phase == Phase::Beginning || node_.held_phase == Phase::Ended);
}

void AgentNode::decide_held(bool is_allowed, std::string_view why) {
  const std::string at = std::exchange(node_.held_at, {});
  node_.held_question.clear();
  node_.phase = node_.held_phase;
  node_.held_phase = Phase::Beginning;
  if (at.starts_with(kReplyPoint)) {
    if (is_allowed) {
      read_reply(reply_of(*node_.current->replies.back()));
    } else {
      obey_about_reply(HookVerdict::deny(std::string(why)));
    }
    return settle_turn_end();
  }
  if (!is_allowed) return end_error(std::string(kDenied), std::string(why));
  if (at.starts_with(kTurnPoint)) return open_turn();
  if (at.starts_with(kRequestPoint)) send();
}

ModelChoice AgentNode::asked_model() const {
  ModelChoice model = agent_.model;
  if (node_.request_change.empty()) return model;
  const auto change = Value::from_edn(node_.request_change);
  if (!change) return model;
  if (const auto name = change->view()["model"].as_string()) model.name = *name;
  if (const auto most = change->view()["most_output_tokens"].as_int()) model.most_output_tokens = *most;
  const ValueView temperature = change->view()["temperature"];
  if (const auto number = temperature.as_double()) model.temperature = *number;
  return model;
}

// Returns the hook before calls of tools, as the session of the programs wants it. The session keeps verdicts other
// than allow in its own state, too.
Hooks AgentNode::session_hooks() {
  Hooks hooks;
  hooks.before_tool = [this](ToolCall& call) { return judge_call(call); };
  return hooks;
}

HookVerdict AgentNode::judge_call(ToolCall& call) {
  const auto tool = agent_.host_tools.find(call.name());
  if (tool == agent_.host_tools.end()) return HookVerdict::allow();
  const auto& hook = tree_.agent.options.hooks.before_tool;
  if (hook || !tree_.verdicts.known.empty()) {
    std::function<HookVerdict()> ask;
    if (hook) ask = [&] { return hook(path_, *tool->second, call); };
    HookVerdict verdict = judged(std::string(kCallPoint).append(call.idempotency_key()), ask);
    if (is_failed_hook(verdict)) verdict.text = std::string(kHookFailed) + ": " + verdict.text;
    if (verdict.kind != Kind::Allow) return verdict;
  }
  if (!tool->second->asks || !has_tools() || is_asked_behind_handle(tool->first)) return HookVerdict::allow();
  return HookVerdict::ask("May " + tool->first + " be called?");
}

// Returns what the program gets instead of the answer of a call, or nullopt. Error: the hook failed.
Result<std::optional<Value>> AgentNode::judge_answer(const state::OperationT& called, ValueView answer) {
  std::optional<Value> other;
  const auto& hook = tree_.agent.options.hooks.after_tool;
  const auto tool = agent_.host_tools.find(called.tool);
  if (tool == agent_.host_tools.end() || (!hook && tree_.verdicts.known.empty())) return other;
  std::function<HookVerdict()> ask;
  if (hook) {
    ask = [&] {
      const auto said = hook(path_, *tool->second, answer);
      if (!said) return HookVerdict::allow();
      auto change = Value::from_edn("{\"answer\" " + said->to_edn() + "}");
      return change ? HookVerdict::change(*std::move(change)) : HookVerdict::deny("the answer has no text as EDN");
    };
  }
  const HookVerdict verdict = judged(std::string(kAnswerPoint).append(called.key), ask);
  if (is_failed_hook(verdict)) return loop_error(Errc::refused, std::string(kHookFailed) + ": " + verdict.text);
  if (verdict.kind == Kind::Change) other = Value::copy_of(verdict.args.view()["answer"]);
  return other;
}

}  // namespace ptcvm::loop
