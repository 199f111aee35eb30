// Breaks snapshots in reproducible ways: the same random numbers give the same mutants everywhere.
#pragma once
#include <cstdint>
#include <vector>

#include "support/random.h"

namespace ptc::test {

using Octets = std::vector<std::uint8_t>;

// One to eight changes of bytes: bits flipped, bytes set to telling values, stretches removed, doubled or taken from
// `other`, the end cut off. For any face of a snapshot.
Octets mutated_bytes(Octets bytes, const Octets& other, Random& random);

// The snapshot with some of its fields, frames, fibers, operations or values changed to something else that is well
// formed on the outside. `other` gives parts. Bytes that are no snapshot come back as they are.
Octets mutated_parts(const Octets& bytes, const Octets& other, Random& random);

}  // namespace ptc::test
