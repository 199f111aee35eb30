#include "agents/chain/json_member.h"

#include <limits>

namespace ptcvm::chain {

std::string member_text(const boost::json::object& object, std::string_view name) {
  const boost::json::value* const member = object.if_contains(name);
  return member == nullptr || !member->is_string() ? std::string() : std::string(member->get_string());
}

std::uint32_t member_number(const boost::json::object& object, std::string_view name) {
  const boost::json::value* const member = object.if_contains(name);
  if (member == nullptr || !member->is_int64()) return 1;
  const std::int64_t number = member->get_int64();
  return number < 1 || number > std::numeric_limits<std::uint32_t>::max() ? 1 : static_cast<std::uint32_t>(number);
}

}  // namespace ptcvm::chain
