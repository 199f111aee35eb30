// Requests of an agent: what the model reads, and what leaves the conversation when it becomes too long.
#include <algorithm>
#include <boost/json/parse.hpp>
#include <map>
#include <utility>

#include "agents/loop/agent_node.h"
#include "agents/wire/reply_fold.h"

namespace ptcvm::loop {

using state::Phase;

namespace {

wire::ModelTurn model_turn(const state::ReplyT& reply, bool is_without_opaque) {
  wire::ModelTurn turn;
  turn.provider = reply.provider;
  turn.protocol = static_cast<wire::Protocol>(reply.protocol);
  turn.text = reply.text;
  if (!is_without_opaque) {
    boost::system::error_code error;
    boost::json::value content = boost::json::parse(reply.content, error);
    if (!error && content.is_array()) turn.content = std::move(content.get_array());
  }
  for (const auto& call : reply.calls) {
    wire::ToolCall made;
    made.id = call->id;
    made.name = call->name;
    made.arguments_text = call->arguments;
    made.arguments = wire::read_arguments(call->arguments);
    turn.tool_calls.push_back(std::move(made));
  }
  return turn;
}

void add_turn(std::vector<wire::ConversationItem>& items, const state::TurnT& turn, bool is_without_opaque) {
  for (const auto& reply : turn.replies) {
    items.emplace_back(model_turn(*reply, is_without_opaque));
    for (const auto& call : reply->calls) items.emplace_back(wire::ToolResult{call->id, call->result, call->is_error});
  }
  if (!turn.feedback.empty()) items.emplace_back(wire::UserText{turn.feedback});
}

std::size_t bytes_of(const state::TurnT& turn) {
  std::size_t bytes = turn.feedback.size();
  for (const auto& reply : turn.replies) {
    std::size_t said = reply->text.size();
    for (const auto& call : reply->calls) {
      said += call->arguments.size() + call->name.size();
      bytes += call->result.size();
    }
    bytes += std::max(said, reply->content.size());
  }
  return bytes;
}

std::string* text_of(wire::ConversationItem& item) {
  if (auto* const user = std::get_if<wire::UserText>(&item)) return &user->text;
  if (auto* const result = std::get_if<wire::ToolResult>(&item)) return &result->text;
  return nullptr;
}

}  // namespace

std::string AgentNode::notes() {
  TurnNotes notes;
  notes.type = turn_type();
  notes.turn = static_cast<std::uint32_t>(node_.turns.size() + 1);
  notes.turns_left = node_.limits->max_turns - std::min(node_.limits->max_turns, node_.work_turns + 1);
  notes.retry = node_.retry_turns + 1;
  notes.retries = node_.limits->retry_turns;
  const AgentDefinition& definition = *agent_.definition;
  if (definition.has_journal) {
    for (const auto& task : node_.journal) notes.journal.push_back({task->name, task->text});
  }
  std::vector<std::pair<std::string, std::string>> summaries;
  for (const auto& summary : node_.summaries) summaries.emplace_back(summary->name, summary->text);
  if (tree_.agent.options.progress) {
    notes.progress = tree_.agent.options.progress({definition.plan, summaries, notes.turn});
  } else if (!definition.plan.empty() || !summaries.empty()) {
    notes.progress = checklist(definition.plan, summaries);
  }
  std::map<std::string_view, std::string_view> defined;
  for (std::size_t i = 0; i < node_.left_turns && i < node_.turns.size(); ++i) {
    for (const auto& made : node_.turns[i]->definitions) defined[made->name] = made->text;
  }
  for (const auto& [name, edn] : defined) notes.definitions.push_back({name, edn});
  return turn_notes(agent_, notes);
}

wire::Request AgentNode::request(std::uint32_t left_turns) {
  wire::Request out;
  out.model = agent_.model.name;
  out.system = agent_.static_prompt;
  out.tools = agent_.native_tools;
  out.most_output_tokens = agent_.model.most_output_tokens;
  out.temperature = agent_.model.temperature;
  out.is_stream = agent_.model.is_stream;
  out.items.emplace_back(wire::UserText{first_message_});
  for (const std::string& text : node_.opening_said) out.items.emplace_back(wire::UserText{text});
  for (std::size_t i = 0; i < node_.turns.size(); ++i) {
    const state::TurnT& turn = *node_.turns[i];
    if (i >= left_turns) add_turn(out.items, turn, node_.is_without_opaque);
    for (const std::string& text : turn.said) out.items.emplace_back(wire::UserText{text});
  }
  add_turn(out.items, *node_.current, node_.is_without_opaque);
  const std::string tail = notes();
  if (tail.empty()) return out;
  std::string* const newest = text_of(out.items.back());
  if (newest == nullptr) {
    out.items.emplace_back(wire::UserText{tail});
  } else {
    newest->append("\n\n").append(tail);
  }
  return out;
}

// Lets the oldest turns leave the request, until the rest fits. The newest turn stays. Returns the size of the rest.
std::size_t AgentNode::compact() {
  std::size_t bytes = first_message_.size();
  for (const std::string& text : node_.opening_said) bytes += text.size();
  for (const auto& turn : node_.turns) {
    bytes += bytes_of(*turn);
    for (const std::string& text : turn->said) bytes += text.size();
  }
  auto left = std::uint32_t{0};
  for (; left < node_.left_turns && left < node_.turns.size(); ++left) bytes -= bytes_of(*node_.turns[left]);
  while (bytes > node_.limits->transcript_bytes && left + 1 < node_.turns.size()) {
    bytes -= bytes_of(*node_.turns[left++]);
  }
  node_.left_turns = left;
  return bytes;
}

void AgentNode::ask() {
  if (const auto refusal = budget_.model_refusal()) return exhaust(refusal->reason, refusal->message);
  const AgentHooks& hooks = tree_.agent.options.hooks;
  if (const std::size_t bytes = compact(); bytes > node_.limits->transcript_bytes) {
    return exhaust("budget_exhausted", "the prompt is too long: it has " + std::to_string(bytes) +
                                           " bytes without the turns that can leave it, and the limit "
                                           "transcript_bytes is " + std::to_string(node_.limits->transcript_bytes));
  }
  if (hooks.before_model) {
    const HookVerdict verdict = hooks.before_model(path_, request(node_.left_turns));
    if (verdict.kind == HookVerdict::Kind::Deny) return end_error("denied", verdict.text);
  }
  budget_.count_model_call();
  ++node_.requests;
  node_.phase = Phase::Awaiting;
}

}  // namespace ptcvm::loop
