// Breaks bytes in reproducible ways: the same random numbers give the same mutants everywhere.
#pragma once
#include <cstdint>
#include <vector>

#include "support/random.h"

namespace ptc::test {

using Octets = std::vector<std::uint8_t>;

// One to eight changes of bytes: bits flipped, bytes set to telling values, stretches removed, doubled or taken from
// `other`, the end cut off.
Octets mutated_bytes(Octets bytes, const Octets& other, Random& random);

}  // namespace ptc::test
