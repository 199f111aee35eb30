#include "ptcvm/version.hpp"

#include "schema/version.h"

namespace ptcvm {

std::string_view version() noexcept { return ptc::kEngineVersion; }

}  // namespace ptcvm
