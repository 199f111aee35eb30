// Converts one scalar to another kind when the conversion loses nothing. coercion.h has the table.
#pragma once
#include "runtime/signature/signature.h"

namespace ptc {

// Returns the integer as a float of the same value, or Absent when no float has the value. Borrows the integer.
Value integer_as_float(Value integer);
// Returns an owned value of that kind, or Absent. Borrows the value, which has another kind.
Value converted_scalar(Heap& heap, SignatureType::Kind kind, Value value);

}  // namespace ptc
