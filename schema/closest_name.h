// Names that look like one that does not exist: for "did you mean" in messages of the compiler and of the runtime.
#pragma once
#include <string_view>
#include <vector>

namespace ptc {

// Returns the Jaro similarity of two ASCII names, 0 to 1.
double jaro_similarity(std::string_view a, std::string_view b);

// Returns the candidate that `name` is most likely a slip of, or "" when none is close.
std::string_view closest_name(std::string_view name, const std::vector<std::string_view>& candidates);

}  // namespace ptc
