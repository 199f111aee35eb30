// What every sequence function accepts: vectors, maps (as [key value] pairs in key order), sets (in order),
// strings (as grapheme clusters) and nil (as empty). A pending handle is none of them.
#pragma once
#include <cstdint>

#include "vm/builtins/call.h"

namespace ptc {

bool is_seqable(Value v);
std::uint32_t seqable_count(Value seqable);
// Element i < count; returns it with a reference of the caller's own. Costs O(n) for maps, sets and non-ASCII
// text.
Value seqable_element(Call& call, Value borrowed_seqable, std::uint32_t i);
// All elements as a vector; takes. A vector stays itself. Absent: memory_exceeded was parked.
Value seqable_vector(Call& call, Value taken_seqable);

// Argument i (0-based) moved out as a vector, or Absent after a type error was parked.
Value take_seq(Call& call, std::uint32_t i);

// Argument i (0-based) as a count or position: an integer or a float without a fraction, cut to the int64
// range. False: a type error was parked.
[[nodiscard]] bool position_argument(Call& call, std::uint32_t i, std::int64_t& out);
// Whether a value can serve as a position, and which.
bool position_of(Value v, std::int64_t& out);

// Whether guest code can call the value: functions, keywords, maps, sets, vectors.
bool is_callable(Value v);

}  // namespace ptc
