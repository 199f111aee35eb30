#include "agents/loop/conversation.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <memory>
#include <utility>

#include "agents/loop/definition_notes.h"
#include "agents/loop/prompt.h"
#include "agents/wire/reply_fold.h"

namespace ptcvm::loop {

std::vector<wire::ToolCall> calls_of(const state::ReplyT& kept) {
  std::vector<wire::ToolCall> calls;
  for (const auto& call : kept.calls) {
    wire::ToolCall& made = calls.emplace_back();
    made.id = call->id;
    made.name = call->name;
    made.arguments_text = call->arguments;
    made.arguments = wire::read_arguments(call->arguments);
  }
  return calls;
}

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
  turn.tool_calls = calls_of(reply);
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

bool has_failed(const state::TurnT& turn) {
  return turn.kind == state::TurnKind::Fault || turn.kind == state::TurnKind::NotRun;
}

// Tells turns as the reference does: those that went well, and the last one with its program when it failed.
std::string told_turns(const std::vector<TurnSummary>& turns) {
  std::string text = "# Turns so far\n";
  std::size_t failed = 0;
  for (const TurnSummary& turn : turns) {
    const bool is_last = turn.number == turns.back().number;
    const bool is_good = turn.status != "fault" && turn.status != "not_run";
    if (!is_good && !is_last) {
      ++failed;
      continue;
    }
    text.append("Turn ").append(std::to_string(turn.number)).append(": ").append(turn.status).append("\n");
    if (!turn.program.empty()) text.append("```clojure\n").append(turn.program).append("\n```\n");
    text.append(turn.output).append("\n");
  }
  if (failed > 0) text.append(std::to_string(failed)).append(" earlier turns have failed and left nothing.\n");
  return text;
}

}  // namespace

std::string_view turn_status(state::TurnKind kind) {
  switch (kind) {
    case state::TurnKind::Value: return "value";
    case state::TurnKind::Returned: return "returned";
    case state::TurnKind::Failed: return "failed";
    case state::TurnKind::Fault: return "fault";
    case state::TurnKind::NotRun: return "not_run";
  }
  return {};
}

const std::string& Conversation::first_message() const {
  if (!first_message_.empty()) return first_message_;
  boost::system::error_code error;
  const boost::json::value data = boost::json::parse(node_.data, error);
  first_message_ = loop::first_message(agent_, data.is_object() ? data.get_object() : boost::json::object());
  return first_message_;
}

void Conversation::count_turns() {
  for (std::size_t i = bytes_.size(); i < settled_turns(); ++i) {
    const state::TurnT& turn = *node_.turns[i];
    bytes_.push_back(bytes_of(turn));
    sum_bytes_ += bytes_.back() + bytes_of(turn.said);
  }
  for (; uncounted_ < std::min<std::size_t>(node_.left_turns, bytes_.size()); ++uncounted_) {
    sum_bytes_ -= bytes_[uncounted_];
  }
}

std::uint32_t Conversation::turns_to_leave(std::uint64_t most, std::uint64_t& bytes) {
  count_turns();
  bytes = first_message().size() + bytes_of(node_.opening_said) + sum_bytes_;
  if (!node_.turns.empty()) bytes += bytes_of(*node_.turns.back()) + bytes_of(node_.turns.back()->said);
  auto left = static_cast<std::uint32_t>(std::min<std::size_t>(node_.left_turns, node_.turns.size()));
  for (; bytes > most && left < settled_turns(); ++left) bytes -= bytes_[left];
  return left;
}

void Conversation::add_opening(Items& items) const {
  items.emplace_back(wire::UserText{first_message()});
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

// One message of the user: the task, what became of the turns, what was said meanwhile, and the notes.
Conversation::Items Conversation::one_message(const std::string& notes) const {
  std::string text = first_message(), said;
  for (const std::string& one : node_.opening_said) said.append("\n\n").append(one);
  std::vector<TurnSummary> turns;
  for (std::size_t i = 0; i < node_.turns.size(); ++i) {
    const state::TurnT& turn = *node_.turns[i];
    for (const std::string& one : turn.said) said.append("\n\n").append(one);
    if (i < node_.left_turns) continue;
    TurnSummary& summary = turns.emplace_back();
    summary.number = static_cast<std::uint32_t>(i + 1);
    summary.status = turn_status(turn.kind);
    summary.output = turn.feedback;
    for (const auto& reply : turn.replies) {
      for (const auto& call : reply->calls) summary.output += call->result;
    }
    if (options_.compact) summary.definitions = definitions_of(turn);
    if (i + 1 == node_.turns.size() && has_failed(turn)) summary.program = turn.program;
  }
  if (!turns.empty()) text.append("\n\n").append(options_.compact ? options_.compact(turns) : told_turns(turns));
  text += said;
  Items items;
  items.emplace_back(wire::UserText{std::move(text)});
  add_turn(items, *node_.current);
  if (notes.empty()) return items;
  if (std::string* const newest = text_of(items.back())) {
    newest->append("\n\n").append(notes);
  } else {
    items.emplace_back(wire::UserText{notes});
  }
  return items;
}

wire::Request Conversation::request(const std::string& notes) const {
  wire::Request out = request_settings(agent_);
  if (is_one_message()) {
    out.items = one_message(notes);
    return out;
  }
  if (!node_.turns.empty()) add_opening(out.items);
  for (std::size_t i = 0; i < settled_turns(); ++i) add_kept(out.items, i);
  add_newest(out.items, notes);
  return out;
}

wire::ConversationPiece Conversation::piece_of(const Items& items) const {
  return wire::conversation_piece(agent_.model.protocol, agent_.model.provider, items);
}

// Takes the turns that have left out of the text, except what the host said in them.
void Conversation::settle_left() {
  std::vector<wire::ConversationPiece> said;
  std::size_t gone = 0;
  for (; left_ < std::min<std::size_t>(node_.left_turns, settled_turns()); ++left_) {
    if (left_ < turns_) {
      ++gone;
    } else {
      ++turns_;
    }
    if (node_.turns[left_]->said.empty()) continue;
    Items items;
    add_kept(items, left_);
    said.push_back(piece_of(items));
  }
  if (gone == 0 && said.empty()) return;
  settled_.replace(front_, gone, said);
  front_ += said.size();
}

void Conversation::settle_piece(std::size_t number, const Items& items) {
  const wire::ConversationPiece piece = piece_of(items);
  settled_.replace(number, 0, {&piece, 1});
}

// Writes what does not change any more.
void Conversation::settle() {
  if (front_ == 0 || has_opaque_ == node_.is_without_opaque) {
    settled_.begin(agent_.frame);
    has_opaque_ = !node_.is_without_opaque;
    front_ = turns_ = left_ = 0;
    if (node_.turns.empty()) return;   // the opening is the newest message
    Items items;
    add_opening(items);
    settle_piece(0, items);
    front_ = 1;
  }
  settle_left();
  for (; turns_ < settled_turns(); ++turns_) {
    Items items;
    add_kept(items, turns_);
    settle_piece(front_ + turns_ - left_, items);
  }
}

wire::GrowingBody::Body Conversation::body(const std::string& notes, const wire::RequestFrame* other) {
  if (is_one_message()) {
    const wire::ConversationPiece all = piece_of(one_message(notes));
    const wire::ConversationPiece* const pieces[] = {&all};
    return std::make_shared<const std::string>(wire::write_body(other == nullptr ? agent_.frame : *other, pieces));
  }
  settle();
  Items items;
  add_newest(items, notes);
  const wire::ConversationPiece newest = piece_of(items);
  return other == nullptr ? settled_.with(newest) : settled_.with(newest, *other);
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
