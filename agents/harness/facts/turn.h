// Whose turn it is. Each message asks for a next state; what both sides see of the task follows from the last message.
#pragma once
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <string_view>

namespace ptcvm::harness {

// The states of the task, as each of the two sides sees it.
struct TurnStates {
  std::string sender, other;
};

// Returns the states after a message that asks for `next`. Anything that cannot be asked for counts as "working".
TurnStates turn_after(std::string_view next);

// Returns the state that a message asks for. What the message says wins over what its parts say; null: it says nothing.
std::string asked_next_state(const boost::json::value& of_message, const boost::json::value& of_part);

// Returns the state that a whole message asks for: metadata.nextState of the message, or the first one of a part.
std::string next_state_of(const boost::json::object& message);

}  // namespace ptcvm::harness
