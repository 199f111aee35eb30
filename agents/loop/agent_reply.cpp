// Replies of models: which ones are tried again, and what the others say.
#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "agents/loop/agent_node.h"
#include "agents/loop/json_number.h"
#include "agents/loop/model_retry.h"
#include "agents/loop/reply_program.h"
#include "agents/loop/result_json.h"

namespace ptcvm::loop {

using state::Phase;
using state::TurnKind;

namespace {

std::unique_ptr<state::ReplyT> kept_reply(const wire::Reply& reply, const ModelChoice& model) {
  auto kept = std::make_unique<state::ReplyT>();
  kept->provider = model.provider;
  kept->protocol = static_cast<std::uint8_t>(model.protocol);
  kept->text = reply.text;
  kept->content = boost::json::serialize(reply.content);
  for (const wire::ToolCall& call : reply.tool_calls) {
    auto made = std::make_unique<state::ReplyCallT>();
    made->id = call.id;
    made->name = call.name;
    if (call.arguments_text) {
      made->arguments = *call.arguments_text;
    } else if (call.arguments) {
      made->arguments = boost::json::serialize(*call.arguments);
    }
    kept->calls.push_back(std::move(made));
  }
  return kept;
}

wire::Reply whole_reply(const ModelReply& came, const ModelChoice& model, std::int64_t now_ms) {
  wire::ReplyReader reader({model.protocol, model.is_stream, came.status, came.headers});
  reader.feed(came.body);
  return reader.finish(came.is_cut ? wire::ReplyReader::End::Cut : wire::ReplyReader::End::Proper, now_ms);
}

ModelChoice choice_of(const state::GivenUpT& request) {
  ModelChoice choice;
  choice.protocol = static_cast<wire::Protocol>(request.protocol);
  choice.name = request.model;
  choice.is_stream = request.is_stream;
  return choice;
}

}  // namespace

Result<void> AgentNode::lose_model() {
  if (node_.phase != Phase::Awaiting) {
    return loop_error(Errc::unknown_operation, path_of("model") + ": no request waits for its reply");
  }
  ++node_.lost_requests;
  node_.phase = Phase::Asking;
  return {};
}

// Counts what a reply used and what it cost. `lost` requests before it whose reply was lost cost the same: they are the
// same request. A whole reply that does not say what it used, or has no price, has a cost that nobody knows.
void AgentNode::charge(const ModelChoice& model, std::uint32_t& lost, const wire::Reply& reply,
                       const ModelReply& came) {
  if (reply.usage) budget_.count_tokens(even_usage(*reply.usage, model.protocol));
  if (reply.error && !reply.usage) {
    if (came.is_cut) ++lost;
    return;
  }
  const TokenPrices* const prices = find_prices(tree_.agent.options.prices, model.name);
  std::optional<std::uint64_t> money = came.money;
  const bool can_know = !money && !came.has_unknown_cost && reply.usage && prices != nullptr;
  if (can_know) money = money_of(*reply.usage, model.protocol, *prices);
  for (; lost > 0 && money; --lost) budget_.count_money(money);
  budget_.count_money(money);
}

Result<void> AgentNode::resolve_model(const ModelReply& came) {
  if (node_.phase != Phase::Awaiting) {
    return loop_error(Errc::unknown_operation, path_of("model") + ": no request waits for its reply");
  }
  stream_.reset();
  body_.reset();
  if (came.status == 0) {
    const std::string why = came.body.empty() ? "there was no connection" : came.body;
    take_failure({wire::ReplyError::Kind::Cut, 0, nullptr, why, true, {}});
    return {};
  }
  if (came.is_of_program) budget_.take_back_model_call();
  const ModelChoice model = asked_model();
  wire::Reply reply = whole_reply(came, model, tree_.time_ms);
  charge(model, node_.lost_requests, reply, came);
  if (reply.error) {
    take_failure(*reply.error);
  } else if (is_past_deadline()) {
    end_past_deadline();   // what was used is counted
  } else {
    take_reply(std::move(reply));
    settle_turn_end();
  }
  return {};
}

Result<void> AgentNode::charge_given_up(std::string_view path, const ModelReply& came) {
  const auto found = std::ranges::find(node_.given_up, path, [](const auto& request) { return request->path; });
  if (found == node_.given_up.end()) return unknown(path);
  if (came.is_of_program) budget_.take_back_model_call();
  const ModelChoice model = choice_of(**found);
  if (came.status != 0) charge(model, (*found)->lost_requests, whole_reply(came, model, tree_.time_ms), came);
  node_.given_up.erase(found);
  return {};
}

std::optional<ModelChoice> AgentNode::model_of(std::string_view path) const {
  if (path == "model") return node_.phase == Phase::Awaiting ? std::optional(asked_model()) : std::nullopt;
  const auto found = std::ranges::find(node_.given_up, path, [](const auto& request) { return request->path; });
  return found == node_.given_up.end() ? std::nullopt : std::optional(choice_of(**found));
}

// The request was not sent, so it is not charged. The next one has a key of its own.
Result<void> AgentNode::defer_model(std::int64_t due_ms) {
  if (node_.phase != Phase::Awaiting) {
    return loop_error(Errc::unknown_operation, path_of("model") + ": no request waits for its reply");
  }
  budget_.take_back_model_call();
  body_.reset();
  pause_until(due_ms);
  return {};
}

void AgentNode::chunk(std::string_view bytes) {
  const auto& on_token = tree_.agent.options.on_token;
  if (node_.phase != Phase::Awaiting || !agent_.model.is_stream || !on_token) return;
  if (stream_ == nullptr) {
    stream_ = std::make_unique<wire::ReplyReader>(wire::ReplyReader::Answer{agent_.model.protocol, true});
  }
  stream_->feed(bytes);
  if (const std::string_view text = stream_->new_text(); !text.empty()) on_token(path_, text);
}

bool AgentNode::is_in_stream() const {
  return stream_ != nullptr ||
         std::any_of(children_.begin(), children_.end(), [](const auto& child) { return child->is_in_stream(); });
}

void AgentNode::take_failure(const wire::ReplyError& error) {
  const FailureRemedy remedy = remedy_of(error, node_.attempt);
  if (remedy == FailureRemedy::LeaveOpaqueOut && !node_.is_without_opaque) {
    node_.is_without_opaque = true;
    node_.phase = Phase::Asking;
    return;
  }
  if (remedy == FailureRemedy::Shorten && node_.left_turns + 1 < node_.turns.size()) {
    // The provider's limit is not known: half of the turns leave.
    const auto present = static_cast<std::uint32_t>(node_.turns.size()) - node_.left_turns;
    node_.left_turns += std::max(present / 2, 1u);
    node_.phase = Phase::Asking;
    return;
  }
  if (remedy == FailureRemedy::TryAgain) {
    pause_until(tree_.time_ms + pause_ms(error, node_.attempt, tree_.id + "/" + path_));
    ++node_.attempt;
    return;
  }
  const std::string status = error.status == 0 ? std::string() : std::to_string(error.status);
  std::string message = status.empty() ? std::string() : "HTTP " + status + ": ";
  // Official clients put the status before the words of the provider.
  message += error.message.substr(error.message.starts_with(status + " ") ? status.size() + 1 : 0);
  if (node_.attempt > 1) message += " (attempt " + std::to_string(node_.attempt) + ")";
  end_error("llm_error", std::move(message));
}

void AgentNode::take_reply(wire::Reply reply) {
  const bool is_whole = reply.stop != "pause_turn";
  const std::optional<HookVerdict> verdict = is_whole ? judge_reply(reply) : std::nullopt;
  node_.current->replies.push_back(kept_reply(reply, agent_.model));
  node_.attempt = 1;
  if (!is_whole) {
    node_.phase = Phase::Asking;
  } else if (!verdict || obey_about_reply(*verdict)) {
    read_reply(reply);
  }
}

void AgentNode::read_reply(const wire::Reply& reply) {
  switch (agent_.mode) {
    case ReplyMode::Program: return read_program(reply);
    case ReplyMode::Text:
    case ReplyMode::Json: return read_text(reply);
    case ReplyMode::Native: return read_native(reply);
  }
}

void AgentNode::read_program(const wire::Reply& reply) {
  for (auto& call : node_.current->replies.back()->calls) {
    if (call->name == kRunProgram) continue;
    call->result = "There is no tool \"" + call->name + "\" here. Call run_program; programs call (tool/NAME {…}).";
    call->is_error = true;
  }
  ReplyProgram found = find_program(reply);
  if (!found.is_found) return end_turn(TurnKind::NotRun, std::move(found.problem));
  start_program(found.program);
}

void AgentNode::read_text(const wire::Reply& reply) {
  for (auto& call : node_.current->replies.back()->calls) {
    call->result = "There are no tools here.";
    call->is_error = true;
  }
  if (reply.text.find_first_not_of(" \t\r\n") == std::string::npos) {
    return end_turn(TurnKind::NotRun, "Your reply was empty. Reply with the answer.");
  }
  if (!agent_.is_text_result) return read_json(reply.text);
  const std::string text = reply.text;
  end_turn(TurnKind::Returned, {});
  end_ok(result_json(Value::of(text)), false);
}

void AgentNode::read_json(std::string_view text) {
  const std::string_view found = find_json_text(text);
  if (found.empty()) {
    return end_turn(TurnKind::NotRun, "There was no JSON in your reply that can be read. Reply with JSON only.");
  }
  auto value = Value::from_json(found);
  if (!value) return end_turn(TurnKind::NotRun, "The JSON cannot be read: " + value.error().message);
  const std::string fault = tree_.refuses_infinite() ? json_number_fault(found) : std::string();
  if (!fault.empty()) return end_turn(TurnKind::NotRun, "The JSON cannot be read: " + fault + ".");
  if (const auto wrong = agent_.signature ? agent_.signature->check_result(*value, "answer") : std::nullopt) {
    return end_turn(TurnKind::NotRun, "The JSON does not fit: " + *wrong + ". Reply with JSON that fits.");
  }
  end_turn(TurnKind::Returned, {});
  end_ok(result_json(*value), false);
}

void AgentNode::read_native(const wire::Reply& reply) {
  if (reply.tool_calls.empty()) return read_text(reply);
  node_.native_calls = 0;
  if (!start_native_call()) end_turn(TurnKind::Value, {});
}

}  // namespace ptcvm::loop
