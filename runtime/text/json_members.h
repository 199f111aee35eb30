// Members that are written twice in JSON. Readers of JSON keep one of the two, and which one is theirs to choose, so a
// file that protects somebody may have each member once.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace ptc {

// Returns the path of the first member that its object has already, as /constraints/deniedTools, or "". In a list the
// path has the number of the item, from 0: /tools/0/ask. The text is JSON; a text that is not is looked at up to its
// mistake. What lies inside of the members `open` of the top is not looked at.
std::string doubled_member(std::string_view json, std::span<const std::string_view> open = {});

}  // namespace ptc
