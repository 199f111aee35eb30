// Takes elements out of a vector that nobody else sees, a stretch at a time, so that an element is released while it is
// still in the cache.
#pragma once
#include <span>

#include "vm/value/vector.h"

namespace ptc {

// Returns the contiguous stretch of elements that begins at i, when the vector and everything above the elements have
// one owner; else an empty span. The caller must replace what it takes out with nil.
std::span<Value> vector_unshared_chunk(Value vector, std::uint32_t i);

}  // namespace ptc
