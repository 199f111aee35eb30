// Values from one heap into another.
#pragma once
#include "vm/value/heap.h"

namespace ptc {

// Plain data (is_plain_data) and dates, borrowed from any heap, as a value of this one, owned by the caller. Anything
// else in it becomes nil. Iterative; what the source shares is copied once for each place.
Value copied_into(Heap& heap, Heap& source, Value borrowed);

}  // namespace ptc
