// Shows the beginning of a value in a message about it.
#pragma once
#include <string>

#include "vm/value/heap.h"

namespace ptc {

inline constexpr std::size_t kMostShownCharacters = 80;

// Returns the readable form of a borrowed value, cut to kMostShownCharacters code points, or "" for nil, which says no
// more than its kind. A value whose beginning takes much work to find, such as a large map, is named by its kind and
// size: "map of 4000 entries". The text depends only on the value, and making it costs no fuel.
std::string shown_value(Heap& heap, Value borrowed);

}  // namespace ptc
