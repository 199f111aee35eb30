// What prints and summaries of steps count in a heap, although they are not objects of it.
#pragma once
#include <cstdint>
#include <string_view>

#include "vm/builtins/environment.h"

namespace ptc {

// Returns the bytes of a long summary, and 0 for a short one.
inline std::int64_t counted_bytes(const StepSummary& summary) {
  constexpr std::size_t kShort = 16'384;
  const std::size_t bytes = summary.id.size() + summary.summary.size();
  return bytes <= kShort ? 0 : static_cast<std::int64_t>(bytes);
}

// Returns the bytes of an entry of the prints, which is a record of the heap: its text, and its place in a vector.
inline std::int64_t counted_print_bytes(std::string_view text) { return static_cast<std::int64_t>(48 + text.size()); }

}  // namespace ptc
