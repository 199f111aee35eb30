#include "agents/chain/text/json_member.h"

#include <boost/json/value.hpp>

namespace ptcvm::chain {

std::string member_text(const boost::json::object& object, std::string_view name) {
  const boost::json::value* const member = object.if_contains(name);
  return member == nullptr || !member->is_string() ? std::string() : std::string(member->get_string());
}

std::uint32_t member_number(const boost::json::object& object, std::string_view name) {
  const boost::json::value* const member = object.if_contains(name);
  if (member == nullptr) return 1;
  boost::system::error_code error;
  const auto number = member->to_number<std::uint32_t>(error);   // refuses what is not exact
  return error || number < 1 ? 1 : number;
}

std::uint32_t member_count(const boost::json::object& object, std::string_view name, std::uint32_t otherwise) {
  const boost::json::value* const member = object.if_contains(name);
  boost::system::error_code error;
  const auto count = member == nullptr ? otherwise : member->to_number<std::uint32_t>(error);
  return error ? otherwise : count;
}

}  // namespace ptcvm::chain
