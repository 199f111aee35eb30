// What one agent and its model have said, as the items and as the bytes of the next request. Turns that newer ones
// follow do not change any more: their text is made once, so a turn costs what is new, and the copying of the text.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent_state_generated.h"
#include "agents/loop/agent_impl.h"
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
  // Returns the same request as bytes of its protocol. `frame` has what is around the conversation.
  std::string body(const std::string& notes, const wire::RequestFrame& frame);

 private:
  struct TurnText {
    std::uint64_t bytes = 0, said_bytes = 0;
    wire::ConversationPiece piece;   // empty until a request needs it
  };
  using Items = std::vector<wire::ConversationItem>;
  const std::string& first_message() const;
  void take_turns();
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
  std::vector<TurnText> texts_;      // for all turns except the newest
  bool has_opaque_ = true;           // the pieces have what the provider signed
};

}  // namespace ptcvm::loop
