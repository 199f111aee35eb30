// Holds the literal arguments of a call of a tool against the signature of the tool, before anything runs.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "compiler/read/finding.h"
#include "runtime/session/outcome.h"
#include "runtime/signature/signature.h"

namespace ptcvm {

// Returns a fault for each argument that does not fit, as the call would have, at the place of the argument. Arguments
// that the program computes may fit. `source` is the text in which the call is.
std::vector<ptc::OutcomeFault> wrong_arguments(const ptc::ToolUse& use, const std::string& tool,
                                               const ptc::Signature& contract, std::string_view source);

}  // namespace ptcvm
