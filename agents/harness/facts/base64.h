// Files in facts are texts in base64.
#pragma once
#include <cstddef>
#include <string_view>

namespace ptcvm::harness {

// Returns the number of bytes that a text in base64 stands for.
std::size_t decoded_size(std::string_view base64);

// Returns whether a text is base64 as RFC 4648 has it: the usual letters, with its padding.
bool is_base64(std::string_view text);

}  // namespace ptcvm::harness
