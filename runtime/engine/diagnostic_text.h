// Renders a fault as text for people:
//
//   error[type_error]: +: arg 2 expected number, got map
//     --> orders.ptc:3:14
//      |
//    3 | (reduce + 0 (map :total rows))
//      |         ^
//   found: {:cents 5}
//   calls, innermost first:
//     total      orders.ptc:3:14
//     program    orders.ptc:7:3
//   hint: …
//
// The caret is under the right character also after tabs and wide code points. Long source lines are cut around the
// caret.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "schema/source_span.h"

namespace ptc {

// A call that the program was in, or what is between such calls. GuestFrame::Kind names the kinds.
struct CallFrame {
  std::string_view kind;
  std::string name, source_name;
  std::uint32_t line = 0, column = 0;   // 0 without a place
};

struct DiagnosticText {
  std::string_view kind;
  std::string_view message;
  std::string_view hint;          // "" when there is no hint
  std::string_view source_name;   // "" prints as <program>
  std::string_view source;        // the program text; "" leaves out the excerpt
  SourceSpan span;                // line 0 means that there is no position
  std::string_view excerpt = {};  // what source_excerpt() gave, for callers that no longer have the source
  std::span<const CallFrame> stack = {};   // innermost first; one frame says no more than the place does
  std::string_view found = {};    // the value that did not fit, or ""
};

// Returns the text, which ends with a newline.
std::string render_diagnostic(const DiagnosticText& diagnostic, bool colour = false);

// Returns the calls in one line, "total 3:14 < mapv 7:3 < program 7:3", or "" when there is
// only one, which says no more than the place does.
std::string call_line(std::span<const CallFrame> stack);

// Returns the source line of the span and the line with the caret, each with a newline, or "" when there is no
// position.
std::string source_excerpt(std::string_view source, SourceSpan span);

}  // namespace ptc
