// Breaks snapshots in JSON by what their members mean to the reader.
#pragma once
#include "fuzz/byte_mutation.h"

namespace ptc::test {

// Values of every tag are put in, whole or nearly so; members get names of other members; numbers become texts and
// texts numbers; the layout says things about values that are there; objects are declared and referred to; a member
// comes twice. In one of three cases the parts are changed as in any JSON (json_mutation.h). Bytes that are no JSON
// come back as they are.
Octets mutated_snapshot_json(const Octets& text, const Octets& other, Random& random);

}  // namespace ptc::test
