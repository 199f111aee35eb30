// Breaks snapshots in reproducible ways: the same random numbers give the same mutants everywhere.
#pragma once
#include "fuzz/byte_mutation.h"

namespace ptc::test {

// The snapshot with some of its fields, frames, fibers, operations or values changed to something else that is well
// formed on the outside. `other` gives parts. Bytes that are no snapshot come back as they are.
Octets mutated_parts(const Octets& bytes, const Octets& other, Random& random);

}  // namespace ptc::test
