// Calls of hooks from which nothing may be thrown.
#pragma once
#include <functional>

#include "ptcvm/diagnostic.hpp"

namespace ptcvm {

// Tells a hook of a fault. What the hook throws is dropped: the turn has ended with this fault.
inline void tell_of_fault(const std::function<void(const Diagnostic&)>& on_error, const Diagnostic& fault) {
  try {
    on_error(fault);
  } catch (...) {
    return;
  }
}

}  // namespace ptcvm
