// Elements that can be taken out of a vector which nobody else sees, a stretch at a time: whoever is done with an
// element lets go of it while it is still in the cache.
#pragma once
#include <span>

#include "vm/value/vector.h"

namespace ptc {

// The contiguous stretch of elements that begins at i, when the vector and all above them have one owner; else empty.
// What is taken out must be replaced by nil.
std::span<Value> vector_unshared_chunk(Value vector, std::uint32_t i);

}  // namespace ptc
