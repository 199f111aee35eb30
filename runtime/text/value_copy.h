// Copies values from one heap into another.
#pragma once
#include "vm/value/heap.h"

namespace ptc {

// Copies borrowed plain data (is_plain_data), dates, instants and durations from any heap into this one; the caller
// owns the copy. Anything else in the value becomes nil. The copy is iterative, and a part that the source shares is
// copied once for each place.
Value copied_into(Heap& heap, Heap& source, Value borrowed);

}  // namespace ptc
