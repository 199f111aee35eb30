// What one agent and its model have said, as the items and as the bytes of the next request. Turns that newer ones
// follow do not change any more: their text is made once, so a request costs what is new in it.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent_state_generated.h"
#include "agents/loop/agent_impl.h"
#include "agents/wire/growing_body.h"
#include "agents/wire/request.h"

namespace ptcvm::loop {

// Returns the tool calls of a reply that the document of the agent keeps.
std::vector<wire::ToolCall> calls_of(const state::ReplyT& kept);

// Returns a request without a conversation.
wire::Request request_settings(const CompiledAgent& agent);

// Returns TurnView::kind of a turn.
std::string_view turn_status(state::TurnKind kind);

class Conversation {
 public:
  // The agent and the state outlive the conversation.
  Conversation(const CompiledAgent& agent, const AgentOptions& options, const state::NodeT& node)
      : agent_(agent), options_(options), node_(node) {}

  // Returns how many of the oldest turns leave the request, at least node.left_turns, so that the rest has at most
  // `most` bytes. The newest turn stays. Sets `bytes` to the size of the rest.
  std::uint32_t turns_to_leave(std::uint64_t most, std::uint64_t& bytes);
  // Returns the request without the turns that have left it. `notes` end the newest message.
  wire::Request request(const std::string& notes) const;
  // Returns the same request as bytes of its protocol. `other` takes the place of the frame of the agent, when it is
  // not null.
  wire::GrowingBody::Body body(const std::string& notes, const wire::RequestFrame* other = nullptr);

 private:
  using Items = std::vector<wire::ConversationItem>;
  const std::string& first_message() const;
  void count_turns();
  void settle();
  void settle_left();
  void settle_piece(std::size_t number, const Items& items);
  void add_opening(Items& items) const;
  void add_turn(Items& items, const state::TurnT& turn) const;
  void add_kept(Items& items, std::size_t turn) const;
  void add_newest(Items& items, const std::string& notes) const;
  std::size_t settled_turns() const { return node_.turns.empty() ? 0 : node_.turns.size() - 1; }
  wire::ConversationPiece piece_of(const Items& items) const;

  bool is_one_message() const { return agent_.definition->compaction == Compaction::OneMessage; }
  Items one_message(const std::string& notes) const;

  const CompiledAgent& agent_;
  const AgentOptions& options_;
  const state::NodeT& node_;
  mutable std::string first_message_;   // "" until a request needs it

  // All turns except the newest: the bytes of each, and the sum without the turns that have left.
  std::vector<std::uint64_t> bytes_;
  std::uint64_t sum_bytes_ = 0;         // also of what was said in all of them
  std::size_t uncounted_ = 0;           // turns that have left, and are not in the sum any more

  // The same turns as text: first `front_` pieces of the opening and of what was said in turns that have left, then a
  // piece for each turn. 0 until a request needs it.
  wire::GrowingBody settled_;
  std::size_t front_ = 0, turns_ = 0, left_ = 0;   // how many turns the text knows, and how many of them have left
  bool has_opaque_ = true;              // the text has what the provider signed
};

}  // namespace ptcvm::loop
