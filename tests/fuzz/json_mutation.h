// Breaks JSON so that it stays JSON: members and elements go, come twice, change places, become something else.
#pragma once
#include <string>

#include "fuzz/byte_mutation.h"

namespace ptc::test {

// The text with one to three of its parts changed; `other` gives parts, too. Text that is no JSON comes back as it is.
std::string mutated_json(const std::string& text, const std::string& other, Random& random);
// The same where other may be anything.
Octets mutated_json_bytes(const Octets& text, const Octets& other, Random& random);

}  // namespace ptc::test
