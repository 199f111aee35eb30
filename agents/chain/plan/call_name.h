// The name of one call with all of its arguments, for approvals: nobody finds another call of the same name.
#pragma once
#include <string>
#include <string_view>

namespace ptcvm::chain {

// Returns the first 128 bits of the SHA-256 of the text, in 32 hexadecimal digits.
std::string call_name(std::string_view call);

}  // namespace ptcvm::chain
