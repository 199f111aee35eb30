// Names the version of the library that is loaded. A program may have been compiled with another version.
#pragma once
#include <string_view>

#include "ptcvm/config.hpp"

namespace ptcvm {

// Returns "MAJOR.MINOR.PATCH". The text lives as long as the process. Any thread may call this function.
PTCVM_API std::string_view version() noexcept;

}  // namespace ptcvm
