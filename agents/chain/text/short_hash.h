// A short name for a text: the same text has the same name, in every process and in every version.
#pragma once
#include <string>
#include <string_view>

namespace ptcvm::chain {

// Returns eight hexadecimal digits (FNV-1a of 64 bits, folded).
std::string short_hash(std::string_view text);

}  // namespace ptcvm::chain
