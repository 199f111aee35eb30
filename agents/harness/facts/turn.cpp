#include "agents/harness/facts/turn.h"

#include <boost/json/array.hpp>

#include "agents/harness/facts/fact.h"
#include "agents/harness/facts/json_members.h"

namespace ptcvm::harness {

TurnStates turn_after(std::string_view next) {
  if (!is_next_state(next) || next == "working") return {"working", "input-required"};
  if (next == "input-required") return {"input-required", "working"};
  return {std::string(next), std::string(next)};
}

std::string asked_next_state(const boost::json::value& of_message, const boost::json::value& of_part) {
  const boost::json::value& asked = of_message.is_null() ? of_part : of_message;
  if (!asked.is_string() || !is_next_state(asked.get_string())) return "working";
  return std::string(asked.get_string());
}

std::string next_state_of(const boost::json::object& message) {
  const auto asked_in = [](const boost::json::object& object) -> boost::json::value {
    const boost::json::object* const metadata = object_at(object, "metadata");
    const boost::json::value* const next = metadata == nullptr ? nullptr : metadata->if_contains("nextState");
    return next == nullptr ? boost::json::value() : *next;
  };
  boost::json::value of_part;
  if (const boost::json::array* const parts = array_at(message, "parts")) {
    for (const boost::json::value& part : *parts) {
      if (of_part.is_null() && part.is_object()) of_part = asked_in(part.get_object());
    }
  }
  return asked_next_state(asked_in(message), of_part);
}

}  // namespace ptcvm::harness
