// Implements float_precision: floats of a result are rounded to n decimals, half away from zero on the exact binary
// value, inside of vectors and map values. Map keys, sets and everything else stay as they are.
#pragma once
#include <cstdint>

#include "vm/value/heap.h"

namespace ptc {

double round_to_decimals(double x, int decimals);
Value round_result(Heap& heap, Value taken, int decimals);

// The longest text of one value, of all definitions or of one argument map, counted as written_size counts.
inline constexpr std::uint64_t kMaxWrittenSize = 8u << 20;

// Returns the number of values that are visited when the value is written out as EDN; text counts a value for 16 bytes.
// Stops counting at `limit`. Shared parts count every time, because they are written every time.
std::uint64_t written_size(Heap& heap, Value value, std::uint64_t limit);
inline bool can_be_written(Heap& heap, Value value) {
  return written_size(heap, value, kMaxWrittenSize) < kMaxWrittenSize;
}

}  // namespace ptc
