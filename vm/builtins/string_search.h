// Where one string lies in another, counted in grapheme clusters. A match is a match of bytes; its index is that of the
// cluster in which it begins.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "vm/value/value.h"

namespace ptc {

// First match that begins at cluster `from` or later; an empty needle matches at once. from <= count of clusters.
std::optional<std::uint32_t> first_index_of(Value text, std::string_view needle, std::uint32_t from);
// Last match that begins at cluster `from` or earlier.
std::optional<std::uint32_t> last_index_of(Value text, std::string_view needle, std::uint32_t from);

}  // namespace ptc
