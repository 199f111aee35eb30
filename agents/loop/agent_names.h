// Names of tools and children.
#pragma once
#include <string_view>

namespace ptcvm::loop {

// Returns whether a text is 1 to 64 letters, digits, - and _.
bool is_agent_name(std::string_view name);

}  // namespace ptcvm::loop
