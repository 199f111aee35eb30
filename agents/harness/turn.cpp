#include "agents/harness/turn.h"

#include "agents/harness/fact.h"

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

}  // namespace ptcvm::harness
