// The version of the library that a program runs with, which need not be the one that it was compiled with.
#pragma once
#include <string_view>

#include "ptcvm/config.hpp"

namespace ptcvm {

// "MAJOR.MINOR.PATCH". The text lives as long as the process. Any thread.
PTCVM_API std::string_view version() noexcept;

}  // namespace ptcvm
