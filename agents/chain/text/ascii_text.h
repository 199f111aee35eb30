// Text of models and people, as far as the rules of a task look at it.
#pragma once
#include <string>
#include <string_view>

namespace ptcvm::chain {

// Returns the text without blanks and line ends around it.
std::string_view trimmed(std::string_view text);

// Returns the text with the letters A to Z as a to z.
std::string lowercase(std::string_view text);

}  // namespace ptcvm::chain
