// Signatures on the command line.
#pragma once
#include <optional>
#include <string>

#include "ptcvm/signature.hpp"

namespace ptcvm::cli {

// Returns nullopt when the text cannot be read, and says on standard error what is wrong and where. `name` is the name
// of the option.
std::optional<Signature> read_signature_option(const std::string& name, const std::string& text);

}  // namespace ptcvm::cli
