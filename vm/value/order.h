// canonical_order: the total order over all values in which maps and sets iterate and print. Iterative.
//   nil < false < true < numbers (by value, int before float when equal, NaN last) < strings (UTF-16 code units) <
//   keywords (by name) < dates < instants < durations < vectors (length, then elements) < maps (size, then keys, then
//   values) < sets (size, then members) < everything else (kind, then stable id: builtin name, closure serial,
//   regex source, var name, pending id).
// guest_compare: what `compare`, `sort` and friends accept (semantics 4.4): nil first; numbers; strings by UTF-16 code
// units, as Clojure;
//   keywords by name; booleans; vectors by length then elements; dates, instants, durations among themselves.
#pragma once
#include <cstdint>

#include "vm/value/numeric.h"
#include "vm/value/value.h"

namespace ptc {

int canonical_order(Value a, Value b);   // negative, 0, positive; 0 iff same_key
// Does the same, and adds the parts that a comparison may look at without charge, and what a walk costs before its
// first part. A caller that compares many pairs charges the sum.
int canonical_order(Value a, Value b, std::uint64_t& free_parts);

struct Comparison {
  enum class Status : std::uint8_t { Ordered, Incomparable, Nan };
  Status status = Status::Ordered;
  int order = 0;        // -1, 0, 1 when Ordered
  Value a{}, b{};       // the pair that could not be compared, borrowed
};
Comparison guest_compare(Value a, Value b);

// Dates and instants, which < and its kin order as they order numbers.
inline bool is_point_of_time(Value v) { return v.is(Tag::Date) || v.is(Tag::Instant); }
// Compares two numbers, two dates or two instants.
inline Ordering scalar_compare(Value a, Value b) {
  return is_point_of_time(a) ? static_cast<Ordering>(guest_compare(a, b).order) : num_compare(a, b);
}

}  // namespace ptc
