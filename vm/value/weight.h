// Estimates how much text a value is when it is written out, to charge who causes the writing.
#pragma once
#include <cstdint>

#include "vm/value/heap.h"

namespace ptc {

// Returns about the bytes of the readable form of v. Looks at no more than some thousand parts of v, and counts the
// texts, the elements and the sources of closures that these parts have.
std::uint64_t written_bytes(Heap& heap, Value v);

}  // namespace ptc
