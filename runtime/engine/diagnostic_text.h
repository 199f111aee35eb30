// A fault as people read it:
//
//   error[type_error]: +: arg 2 expected number, got nil
//     --> orders.ptc:3:14
//      |
//    3 | (reduce + 0 (map :total rows))
//      |         ^
//   hint: …
//
// The caret stands under the right character also after tabs and wide code points. Long source lines are cut around it.
#pragma once
#include <string>
#include <string_view>

#include "schema/source_span.h"

namespace ptc {

struct DiagnosticText {
  std::string_view kind;
  std::string_view message;
  std::string_view hint;          // may be empty
  std::string_view source_name;   // "" prints as <program>
  std::string_view source;        // the program text; empty: no excerpt
  SourceSpan span;                // line 0: no position
};

// Ends with a newline.
std::string render_diagnostic(const DiagnosticText& diagnostic, bool colour = false);

// The source line of the span and the line with the caret, both with a newline; empty when there is no position.
std::string source_excerpt(std::string_view source, SourceSpan span);

}  // namespace ptc
