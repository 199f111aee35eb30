// Holds the parameters of a callable against the parameters of a signature.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "ptcvm/value_shape.hpp"
#include "runtime/signature/signature.h"

namespace ptcvm {

// Returns what does not fit, with its place, or "" when everything may fit. The lists are equally long. A value that
// may or may not fit, such as an :any for an int, is left to the call.
std::string misfit_of(const std::vector<ptc::SignatureField>& params, std::span<const ValueShape> shapes);

}  // namespace ptcvm
