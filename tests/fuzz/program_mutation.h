// Breaks compiled programs in reproducible ways, by their parts: most mutants are well formed on the outside.
#pragma once
#include "fuzz/byte_mutation.h"

namespace ptc::test {

// Some instructions, constants, functions or lists of names changed; `other` is a program that gives parts, or
// anything. Bytes that are no program come back as they are.
Octets mutated_program(const Octets& bytes, const Octets& other, Random& random);

}  // namespace ptc::test
