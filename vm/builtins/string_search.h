// Finds one string in another, counted in grapheme clusters. A match is a match of bytes; its index is the index of the
// cluster in which it begins.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "vm/value/value.h"

namespace ptc {

// Returns the first match that begins at cluster `from` or later. An empty needle matches at once. from <= count of
// clusters.
std::optional<std::uint32_t> first_index_of(Value text, std::string_view needle, std::uint32_t from);
// Returns the last match that begins at cluster `from` or earlier.
std::optional<std::uint32_t> last_index_of(Value text, std::string_view needle, std::uint32_t from);

}  // namespace ptc
