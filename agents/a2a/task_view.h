// A conversation as the task of the client who talks to it: what the client says was received here, and the turn is the
// other way round.
#pragma once
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "agents/harness/conversation/conversation_view.h"

namespace ptcvm::a2a {

// Names the task: each time when a conversation begins again it is another one.
std::string task_id(std::string_view conversation, std::uint64_t epoch);

// Returns the state of the client when this is the state of the conversation; "" is "submitted".
std::string state_of_client(std::string_view own);

// Returns whether a stream ends with this state of the client: the client has the turn, or the task is over.
bool is_final(std::string_view client);

// Returns the task with the message that came last in its status and the others in its history.
boost::json::object task_json(const harness::ConversationView& view, std::string_view conversation);

// What a client of a stream has seen.
struct StreamPlace {
  std::uint64_t seq = 0, generation = 0;
};

// What a stream says next.
struct StreamNews {
  boost::json::array frames;      // updates of the status, in order
  bool is_final = false;          // the client has the turn, or the task is over: the stream ends
};

// Returns what came after the place, and moves the place.
StreamNews news_after(const harness::ConversationView& view, std::string_view conversation, StreamPlace& place);

}  // namespace ptcvm::a2a
