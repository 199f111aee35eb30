// A static error: what is wrong, where, and what to do about it.
#pragma once
#include <string>

#include "schema/fault_kind.h"
#include "schema/source_span.h"

namespace ptc {

struct CompileError {
  FaultKind kind{};
  std::string message;
  std::string hint;      // may be empty
  SourceSpan span;
};

}  // namespace ptc
