// One value that is no collection as another kind, when that loses nothing. coercion.h has the table.
#pragma once
#include "runtime/signature/signature.h"

namespace ptc {

// The integer as a float of the same value, or Absent when there is none. Borrows.
Value integer_as_float(Value integer);
// An owned value of that kind, or Absent. Borrows a value that is not of that kind.
Value converted_scalar(Heap& heap, SignatureType::Kind kind, Value value);

}  // namespace ptc
