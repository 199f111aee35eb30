// What text of strangers could do to a terminal.
#pragma once
#include <cstddef>
#include <string_view>

namespace ptcvm::chain {

// Returns how many bytes at the beginning of the text could steer a terminal: a control character other than line end
// and tab, also U+0080 to U+009F, which some terminals obey, or a mark that changes the direction of writing. 0: none.
// The text must not be empty.
std::size_t terminal_harm(std::string_view text);

}  // namespace ptcvm::chain
