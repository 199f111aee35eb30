// Implements float_precision: floats of a result are rounded to n decimals, half away from zero on the exact binary
// value, inside of vectors and map values. Map keys, sets and everything else stay as they are.
#pragma once
#include <cstdint>

#include "vm/value/heap.h"

namespace ptc {

double round_to_decimals(double x, int decimals);
Value round_result(Heap& heap, Value taken, int decimals);

}  // namespace ptc
