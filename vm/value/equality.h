// The two equalities of the language and their hash. All walks are iterative.
//   equal(a, b)      `=`: numbers by value across int and float at any depth of vectors and map values; map keys and
//                    set members by strict identity; NaN differs from everything (also inside collections, unless both
//                    sides are the same object).
//   same_key(a, b)   identity of map keys and set members: as equal, but kinds are strict (1 is not 1.0), NaN is NaN,
//                    0.0 is -0.0.
//   hash_key(v)      agrees with same_key; constant seed, never an address. Cached for strings.
#pragma once
#include <cstdint>

#include "vm/value/value.h"

namespace ptc {

bool equal(Value a, Value b);
bool same_key(Value a, Value b);
std::uint64_t hash_key(Value v);

}  // namespace ptc
