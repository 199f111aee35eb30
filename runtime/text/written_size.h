// Measures how much text a value is when it is written out as EDN, without writing the text. Shared parts count every
// time, because they are written every time.
#pragma once
#include <cstdint>

#include "vm/value/value.h"

namespace ptc {

// The longest text of one value, of all definitions or of one argument map, in parts.
inline constexpr std::uint64_t kMaxWrittenSize = 8u << 20;

struct WrittenSize {
  std::uint64_t parts = 0;    // values that are visited; text counts a part for 16 bytes
  std::uint64_t digits = 0;   // what decimal digits of wide integers take besides, in parts: the square of their limbs
  std::uint64_t least_bytes = 0;   // the text has no fewer bytes
};

// Stops counting when there are `limit` parts.
WrittenSize measure_written(Value borrowed, std::uint64_t limit);

inline std::uint64_t written_size(Value borrowed, std::uint64_t limit) {
  return measure_written(borrowed, limit).parts;
}
inline bool can_be_written(Value borrowed) { return written_size(borrowed, kMaxWrittenSize) < kMaxWrittenSize; }

}  // namespace ptc
