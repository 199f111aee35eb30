// How benches over the public headers end when something fails: they say why, and the exit status is 1.
#pragma once
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <utility>

#include "ptcvm/ptcvm.hpp"

[[noreturn]] inline void stop(const std::string& why) {
  std::fprintf(stderr, "%s: %s\n", program_invocation_short_name, why.c_str());
  std::exit(1);
}

// Returns the value, or ends the bench with the message of the error.
template <class T>
T taken(ptcvm::Result<T> result) {
  if (!result) stop(result.error().message);
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}
