#include "agents/loop/agent_node.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "agents/loop/program_text.h"
#include "agents/loop/result_json.h"

namespace ptcvm::loop {

namespace json = boost::json;
using state::Phase;
using state::TurnKind;

Error loop_error(Errc code, std::string message) { return {code, std::move(message), std::nullopt, {}}; }

namespace {

json::object object_in(std::string_view text) {
  boost::system::error_code error;
  json::value value = json::parse(text, error);
  return value.is_object() ? std::move(value.get_object()) : json::object();
}

}  // namespace

AgentNode::AgentNode(AgentTree& tree, const CompiledAgent& agent, state::NodeT& node, AgentNode* above,
                     std::unique_ptr<const QueryAgent> query)
    : tree_(tree), query_(std::move(query)), agent_(agent), node_(node), above_(above),
      path_(above == nullptr ? std::string() : path_below(above->path_, node.name)),
      budget_(node, above == nullptr ? nullptr : &above->budget_,
              query_ == nullptr ? TreeBudget::Turns::Counted : TreeBudget::Turns::Own),
      conversation_(agent, tree.agent.options, node),
      plan_(agent.definition->plan) {
  for (const auto& known : node.settled) settled_.emplace(known->name, known->digest);
  const std::string& from = agent.definition->plan_from;
  if (from.empty()) return;
  const json::object data = object_in(node.data);
  const json::value* const made = data.if_contains(from);
  plan_ = read_plan(made == nullptr ? json::value() : *made);
}

AgentNode::~AgentNode() = default;

void AgentNode::begin_state(state::NodeT& node, const CompiledAgent& agent, const json::object& data) {
  const AgentLimits& limits = agent.definition->limits;
  node.data = json::serialize(data);
  node.usage = std::make_unique<state::UsageT>();
  node.limits = std::make_unique<state::LimitsT>();
  node.limits->max_turns = limits.max_turns;
  node.limits->retry_turns = limits.retry_turns;
  node.limits->turns = limits.turns;
  node.limits->model_calls = limits.model_calls;
  node.limits->tool_calls = limits.tool_calls;
  node.limits->tokens = limits.tokens;
  node.limits->depth = limits.depth;
  node.limits->fan_out = limits.fan_out;
  node.limits->transcript_bytes = limits.transcript_bytes;
  node.limits->program_bytes = limits.program_bytes;
  node.limits->deadline_ms = limits.deadline_ms;
  node.limits->money = limits.money;
  node.limits->observation_bytes = limits.observation_bytes;
  node.current = std::make_unique<state::TurnT>();
}

void AgentNode::go() {
  for (;;) {
    if (is_at_work() && is_past_deadline()) reach_deadline();
    switch (node_.phase) {
      case Phase::Beginning: begin_turn(); break;
      case Phase::Asking: ask(); break;
      case Phase::Running:
        if (!run_program()) return;
        break;
      case Phase::Settling:
        if (!settle_calls()) return;
        break;
      case Phase::Pausing:
        if (tree_.time_ms < node_.wake_ms) return;
        node_.phase = Phase::Asking;
        break;
      case Phase::Ended:
        if (!has_unanswered_words()) return;
        go_on_behind_end();
        break;
      case Phase::Awaiting:
      case Phase::Exhausted:
      case Phase::Held: return;
    }
    settle_turn_end();
  }
}

TurnType AgentNode::turn_type() const {
  if (node_.is_closing) return TurnType::Closing;
  if (node_.work_turns >= node_.limits->max_turns) return TurnType::Retry;
  return node_.work_turns + 1 == node_.limits->max_turns ? TurnType::Last : TurnType::Work;
}

void AgentNode::take_staged() {
  std::vector<std::string>& said = node_.turns.empty() ? node_.opening_said : node_.turns.back()->said;
  for (std::string& text : node_.staged) said.push_back(std::move(text));
  node_.staged.clear();
}

// Returns whether the agent goes on without an answer.
bool AgentNode::is_at_work() const {
  return node_.phase == Phase::Beginning || node_.phase == Phase::Asking || node_.phase == Phase::Running ||
         node_.phase == Phase::Pausing || node_.phase == Phase::Settling;
}

bool AgentNode::is_past_deadline() const {
  return node_.deadline_at_ms != 0 && tree_.time_ms >= node_.deadline_at_ms;
}

void AgentNode::end_past_deadline() {
  end_error("mission_timeout", "the deadline of " + std::to_string(node_.limits->deadline_ms) + " ms is over");
}

// Lets the agent ask again at this time. The deadline of the agent ends the pause.
void AgentNode::pause_until(std::int64_t due_ms) {
  node_.wake_ms = node_.deadline_at_ms == 0 ? due_ms : std::min(due_ms, node_.deadline_at_ms);
  node_.phase = Phase::Pausing;
}

void AgentNode::begin_turn() {
  const bool has_work = node_.work_turns < node_.limits->max_turns;
  const bool has_retry = node_.retry_turns < node_.limits->retry_turns;
  if (!has_work && !has_retry) {
    const bool had_retries = node_.limits->retry_turns > 0;
    if (fall_back()) return;
    return exhaust(had_retries ? "budget_exhausted" : "max_turns_exceeded",
                   "the limits max_turns (" + std::to_string(node_.limits->max_turns) + ") and retry_turns (" +
                       std::to_string(node_.limits->retry_turns) + ") are used up");
  }
  if (const auto refusal = budget_.turn_refusal()) return exhaust(refusal->reason, refusal->message);
  if (!plan_) return end_error("plan_invalid", plan_.error().message);
  if (judge_turn() == Goes::On) open_turn();
}

void AgentNode::open_turn() {
  budget_.count_turn();
  take_staged();
  node_.current = std::make_unique<state::TurnT>();
  if (!render_progress()) return;
  node_.attempt = 1;
  node_.native_calls = 0;
  node_.is_turn_open = true;
  node_.phase = Phase::Asking;
}

// Cuts what the model is shown of one turn.
void AgentNode::cut_observation(std::string& text) const {
  const std::uint64_t most = node_.limits->observation_bytes;
  if (most == 0 || text.size() <= most) return;
  const std::size_t all = text.size();
  text.resize(whole_characters(text, most));
  text += "… (" + std::to_string(all - text.size()) + " more bytes; the limit observation_bytes is " +
          std::to_string(most) + ")";
}

void AgentNode::end_turn(TurnKind kind, std::string feedback) {
  cut_observation(feedback);
  judge_turn_end(feedback);
  state::TurnT& turn = *node_.current;
  turn.kind = kind;
  if (!feedback.empty() || agent_.mode != ReplyMode::Native) give_result(std::move(feedback), kind == TurnKind::Fault);
  turn.usage = std::make_unique<state::UsageT>(*node_.usage);
  if (turn_type() == TurnType::Retry) {
    ++node_.retry_turns;
  } else {
    ++node_.work_turns;
  }
  const bool was_closing = node_.is_closing;
  node_.is_closing = kind == TurnKind::Fault && has_lasting_unsafe_effect();
  node_.unsafe_effects.clear();
  node_.is_turn_open = false;
  node_.turns.push_back(std::move(node_.current));
  node_.current = std::make_unique<state::TurnT>();
  node_.phase = Phase::Beginning;
  if (was_closing && kind != TurnKind::Returned && kind != TurnKind::Failed) {
    end_error("closing_turn_failed",
              "the turn behind an effect that cannot be repeated gave neither (return) nor (fail)");
  }
}

// The text that the calls of the last reply get, or that follows a reply without calls.
void AgentNode::give_result(std::string text, bool is_error) {
  state::TurnT& turn = *node_.current;
  if (turn.replies.empty() || turn.replies.back()->calls.empty()) {
    turn.feedback = std::move(text);
    return;
  }
  bool is_given = false;
  for (auto& call : turn.replies.back()->calls) {
    if (!call->result.empty()) continue;
    const bool is_first = !is_given;
    call->result = is_first ? std::move(text) : std::string("Not run; see the result of the other call.");
    call->is_error = is_error && is_first;
    is_given = true;
  }
  if (!is_given) turn.feedback = std::move(text);
}

void AgentNode::exhaust(const std::string& reason, const std::string& message) {
  if (agent_.definition->on_exhausted == OnExhausted::End) return end_error(reason, message);
  node_.phase = Phase::Exhausted;
  node_.end_reason = reason;
  node_.end_message = message;
}

std::string AgentNode::run_id() const {
  std::string id;
  for (const char c : tree_.id) {
    if (c == '~') id += "~0";
    else if (c == '/') id += "~1";
    else id += c;
  }
  return path_.empty() ? id : id + "/" + path_;
}

void AgentNode::raised() {
  if (node_.phase == Phase::Exhausted) {
    node_.end_reason.clear();
    node_.end_message.clear();
    node_.phase = node_.is_turn_open ? Phase::Asking : Phase::Beginning;
  }
}

// Returns the last value of a turn since the last input, when it fits.
bool AgentNode::fall_back() {
  for (auto turn = node_.turns.rbegin(); turn != node_.turns.rend(); ++turn) {
    if (!(*turn)->said.empty() && turn != node_.turns.rbegin()) return false;
    if ((*turn)->kind != TurnKind::Value || (*turn)->value.empty() || (*turn)->value == "nil") continue;
    const auto value = Value::from_edn((*turn)->value);
    if (!value || value->view().is_nil()) return false;
    if (agent_.signature && agent_.signature->check_result(*value)) return false;
    end_ok(result_json(*value), true);
    return true;
  }
  return false;
}

void AgentNode::end_ok(std::string result, bool is_fallback) {
  node_.phase = Phase::Ended;
  node_.result = std::move(result);
  node_.is_fallback = is_fallback;
  node_.end_reason.clear();
  node_.end_message.clear();
  budget_.give_back();
}

void AgentNode::end_error(std::string reason, std::string message) {
  node_.phase = Phase::Ended;
  node_.result.clear();
  node_.is_fallback = false;
  node_.end_reason = reason.empty() ? "failed" : std::move(reason);
  node_.end_message = std::move(message);
  budget_.give_back();
}

// Returns whether a turn has ended the agent to which somebody had said more meanwhile. What no turn could be begun for
// waits for the next words.
bool AgentNode::has_unanswered_words() const {
  const bool is_stopped = node_.end_reason == kDenied || node_.end_reason == kHookFailed;
  const bool has_ended_turn = !node_.is_turn_open && node_.work_turns + node_.retry_turns > 0;
  return tree_.answers_all_words() && path_.empty() && !node_.staged.empty() && has_ended_turn && !is_stopped;
}

void AgentNode::say(std::string_view text) {
  node_.staged.emplace_back(text);
  if (node_.phase == Phase::Ended) go_on_behind_end();
}

void AgentNode::go_on_behind_end() {
  node_.work_turns = 0;
  node_.retry_turns = 0;
  node_.is_closing = false;
  node_.end_reason.clear();
  node_.end_message.clear();
  node_.result.clear();
  node_.is_fallback = false;
  // A turn that broke off, for example because a request was refused for good, goes on.
  node_.attempt = 1;
  if (node_.is_turn_open) take_staged();
  node_.phase = node_.is_turn_open ? Phase::Asking : Phase::Beginning;
}

AgentNode* AgentNode::child(std::string_view name) {
  for (const auto& child : children_) {
    if (child->node_.name == name) return child.get();
  }
  return nullptr;
}

void AgentNode::save(Face face) {
  if (session_ && face == Face::Bytes) {
    const auto bytes = session_->snapshot();
    const auto* const first = reinterpret_cast<const std::uint8_t*>(bytes.data());
    node_.session.assign(first, first + bytes.size());
  } else if (session_) {
    const std::string text = session_->run().snapshot_json();
    node_.session.assign(text.begin(), text.end());
  }
  for (const auto& child : children_) child->save(face);
}

// The first program makes a session of the data, and a document may say anything.
Result<void> AgentNode::check_data() const {
  if (query_ != nullptr) return {};                 // it runs no program
  const auto data = Value::from_json(node_.data);
  if (data && data->view().kind() == ValueKind::Map) return {};
  const std::string whose = path_.empty() ? std::string() : path_ + ": ";
  return loop_error(Errc::invalid_snapshot, whose + "the data of the agent is no JSON object");
}

Result<void> AgentNode::restore() {
  if (node_.phase == Phase::Held && !is_held_well()) {
    return loop_error(Errc::invalid_snapshot, "the document of the agent has a question about nothing");
  }
  if (node_.phase == Phase::Running && node_.current->replies.empty() && !has_own_program()) {
    return loop_error(Errc::invalid_snapshot,
                      "the document of the agent has a program without the reply that it came from");
  }
  const bool is_in_calls = agent_.mode == ReplyMode::Native && node_.phase == Phase::Running;
  if (is_in_calls && node_.native_calls >= node_.current->replies.back()->calls.size()) {
    return loop_error(Errc::invalid_snapshot, "the call that runs is not in the reply");
  }
  if (!node_.session.empty()) {
    if (auto opened = open_session(); !opened) return opened.error();
  } else if (auto readable = check_data(); !readable) {
    return readable;
  }
  if (auto known = check_program_end(); !known) return known;
  for (const auto& child : node_.children) {
    const auto found = agent_.children.find(child->definition);
    if (is_query(child->definition)) {
      auto query = QueryAgent::make(tree_.agent, agent_, object_in(child->data));
      if (!query) return loop_error(Errc::invalid_snapshot, path_of(child->name) + ": " + query.error().message);
      const CompiledAgent& agent = (*query)->agent();
      children_.push_back(std::make_unique<AgentNode>(tree_, agent, *child, this, *std::move(query)));
    } else if (found != agent_.children.end()) {
      children_.push_back(std::make_unique<AgentNode>(tree_, *found->second, *child, this));
    } else {
      return loop_error(Errc::invalid_snapshot, path_of(child->name) + ": the definition has no such child");
    }
    if (auto restored = children_.back()->restore(); !restored) return restored.error();
  }
  return {};
}

}  // namespace ptcvm::loop
