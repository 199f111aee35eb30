#include "agents/loop/conversation.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <deque>
#include <utility>

#include "agents/wire/reply_fold.h"

namespace ptcvm::loop {

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

std::uint64_t bytes_of(const state::TurnT& turn) {
  std::uint64_t bytes = turn.feedback.size();
  for (const auto& reply : turn.replies) {
    std::uint64_t said = reply->text.size();
    for (const auto& call : reply->calls) {
      said += call->arguments.size() + call->name.size();
      bytes += call->result.size();
    }
    bytes += std::max<std::uint64_t>(said, reply->content.size());
  }
  return bytes;
}

std::uint64_t bytes_of(const std::vector<std::string>& texts) {
  std::uint64_t bytes = 0;
  for (const std::string& text : texts) bytes += text.size();
  return bytes;
}

std::string* text_of(wire::ConversationItem& item) {
  if (auto* const user = std::get_if<wire::UserText>(&item)) return &user->text;
  if (auto* const result = std::get_if<wire::ToolResult>(&item)) return &result->text;
  return nullptr;
}

}  // namespace

void Conversation::take_turns() {
  if (has_opaque_ == node_.is_without_opaque) {
    texts_.clear();
    has_opaque_ = !node_.is_without_opaque;
  }
  for (std::size_t i = texts_.size(); i < settled_turns(); ++i) {
    texts_.push_back({bytes_of(*node_.turns[i]), bytes_of(node_.turns[i]->said), {}});
  }
}

std::uint32_t Conversation::turns_to_leave(std::uint64_t most, std::uint64_t& bytes) {
  take_turns();
  bytes = first_message_.size() + bytes_of(node_.opening_said);
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    bytes += texts_[i].said_bytes + (i < node_.left_turns ? 0 : texts_[i].bytes);
  }
  if (!node_.turns.empty()) bytes += bytes_of(*node_.turns.back()) + bytes_of(node_.turns.back()->said);
  auto left = static_cast<std::uint32_t>(std::min<std::size_t>(node_.left_turns, node_.turns.size()));
  for (; bytes > most && left < settled_turns(); ++left) bytes -= texts_[left].bytes;
  return left;
}

void Conversation::add_opening(Items& items) const {
  items.emplace_back(wire::UserText{first_message_});
  for (const std::string& text : node_.opening_said) items.emplace_back(wire::UserText{text});
}

void Conversation::add_turn(Items& items, const state::TurnT& turn) const {
  for (const auto& reply : turn.replies) {
    items.emplace_back(model_turn(*reply, node_.is_without_opaque));
    for (const auto& call : reply->calls) items.emplace_back(wire::ToolResult{call->id, call->result, call->is_error});
  }
  if (!turn.feedback.empty()) items.emplace_back(wire::UserText{turn.feedback});
}

// Adds what the request keeps from a turn. From a turn that has left the request it keeps what the host said.
void Conversation::add_kept(Items& items, std::size_t turn) const {
  if (turn >= node_.left_turns) add_turn(items, *node_.turns[turn]);
  for (const std::string& text : node_.turns[turn]->said) items.emplace_back(wire::UserText{text});
}

// Adds the part of the conversation that can still change.
void Conversation::add_newest(Items& items, const std::string& notes) const {
  if (node_.turns.empty()) {
    add_opening(items);
  } else {
    add_kept(items, node_.turns.size() - 1);
  }
  add_turn(items, *node_.current);
  if (notes.empty()) return;
  std::string* const newest = items.empty() ? nullptr : text_of(items.back());
  if (newest == nullptr) {
    items.emplace_back(wire::UserText{notes});
  } else {
    newest->append("\n\n").append(notes);
  }
}

wire::Request Conversation::request(const std::string& notes) const {
  wire::Request out = request_settings(agent_);
  if (!node_.turns.empty()) add_opening(out.items);
  for (std::size_t i = 0; i < settled_turns(); ++i) add_kept(out.items, i);
  add_newest(out.items, notes);
  return out;
}

wire::ConversationPiece Conversation::piece_of(const Items& items) const {
  return wire::conversation_piece(agent_.model.protocol, agent_.model.provider, items);
}

std::string Conversation::body(const std::string& notes) {
  take_turns();
  std::deque<wire::ConversationPiece> made;   // for this request only
  std::vector<const wire::ConversationPiece*> pieces;
  const auto add = [&](const Items& items) { pieces.push_back(&made.emplace_back(piece_of(items))); };
  pieces.reserve(texts_.size() + 2);
  Items items;
  if (!node_.turns.empty()) {
    add_opening(items);
    add(items);
  }
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    const bool has_left = i < node_.left_turns;
    if (has_left && texts_[i].said_bytes == 0) continue;
    wire::ConversationPiece& piece = texts_[i].piece;
    if (has_left || piece.text.empty()) {
      items.clear();
      add_kept(items, i);
    }
    if (has_left) {
      add(items);
      continue;
    }
    if (piece.text.empty()) piece = piece_of(items);
    pieces.push_back(&piece);
  }
  items.clear();
  add_newest(items, notes);
  add(items);
  return wire::write_body(agent_.frame, pieces);
}

wire::Request request_settings(const CompiledAgent& agent) {
  wire::Request out;
  out.model = agent.model.name;
  out.system = agent.static_prompt;
  out.tools = agent.native_tools;
  out.most_output_tokens = agent.model.most_output_tokens;
  out.temperature = agent.model.temperature;
  out.is_stream = agent.model.is_stream;
  return out;
}

}  // namespace ptcvm::loop
