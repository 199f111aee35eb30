// Texts that say nothing.
#pragma once
#include <string_view>

namespace ptcvm::harness {

// Returns whether nobody sees anything of the text (UTF-8): it is empty, or has only spaces of any kind, control
// characters, characters without a width and fillers.
bool is_blank_text(std::string_view text);

}  // namespace ptcvm::harness
