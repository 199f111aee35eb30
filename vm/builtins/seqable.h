// Reads what every sequence function accepts: vectors, maps (as [key value] pairs in key order), sets (in order),
// strings (as grapheme clusters) and nil (as empty). A pending handle is not accepted.
#pragma once
#include <cstdint>

#include "vm/builtins/call.h"

namespace ptc {

bool is_seqable(Value v);
std::uint32_t seqable_count(Value seqable);
// Returns element i < count, which the caller owns. Costs O(n) for maps, sets and non-ASCII text.
Value seqable_element(Call& call, Value borrowed_seqable, std::uint32_t i);
// Takes the value and returns all elements as a vector. A vector stays itself. Returns Absent after parking
// memory_exceeded.
Value seqable_vector(Call& call, Value taken_seqable);

// Moves argument i (from 0) out as a vector, or returns Absent after parking a type error.
Value take_seq(Call& call, std::uint32_t i);

// Reads argument i (from 0) as a count or position: an integer, or a float without a fraction, cut to the range of
// int64. Returns false after parking a type error.
[[nodiscard]] bool position_argument(Call& call, std::uint32_t i, std::int64_t& out);
// Returns whether a value is a position, and which.
bool position_of(Value v, std::int64_t& out);

// Returns whether guest code can call the value: functions, keywords, maps, sets, vectors.
bool is_callable(Value v);

}  // namespace ptc
