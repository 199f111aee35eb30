// Where a text is no JSON, for messages about files that people write.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace ptcvm::replay {

// Returns "line 4, column 7: syntax error" for a text that Boost.JSON refuses; its first line has that number.
std::string json_problem(std::string_view text, std::size_t first_line);

}  // namespace ptcvm::replay
