// What the account of a heap counts for the summaries of steps, which are not in the heap.
#pragma once
#include <cstdint>

#include "vm/builtins/environment.h"

namespace ptc {

// Returns the bytes of a long summary, and 0 for a short one.
inline std::int64_t counted_bytes(const StepSummary& summary) {
  constexpr std::size_t kShort = 16'384;
  const std::size_t bytes = summary.id.size() + summary.summary.size();
  return bytes <= kShort ? 0 : static_cast<std::int64_t>(bytes);
}

}  // namespace ptc
