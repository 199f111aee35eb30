// Text -> forms. Linear time, iterative (an explicit stack of open delimiters), text limited to kMaxSourceBytes and
// nesting to max_depth. The first error ends reading; every refused reader form has a message and hint of its own
// (semantics 2.13, 2.14).
#pragma once
#include <string_view>
#include <variant>
#include <vector>

#include "compiler/read/diagnostic.h"
#include "compiler/read/form.h"

namespace ptc {

inline constexpr std::uint32_t kMaxReadDepth = 512;
// What a program costs before it runs grows with its text: up to 300 bytes of memory for one of text.
inline constexpr std::size_t kMaxSourceBytes = std::size_t{1} << 20;

struct ReadResult {
  std::vector<const Form*> forms;        // top level, in order
  bool failed = false;
  CompileError error;                    // when failed
  bool incomplete = false;               // failed because the text ended inside of a form: a REPL asks for more
};

ReadResult read_forms(std::string_view text, FormArena& arena, std::uint32_t max_depth = kMaxReadDepth);

}  // namespace ptc
