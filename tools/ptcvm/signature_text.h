// Signatures on the command line.
#pragma once
#include <optional>
#include <string>

#include "runtime/signature/signature.h"

namespace ptcvm::cli {

// Nothing when it cannot be read; what is wrong and where then stands on standard error. `name` is the option.
std::optional<ptc::Signature> read_signature_option(const std::string& name, const std::string& text);

}  // namespace ptcvm::cli
