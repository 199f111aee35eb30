// What a check of a program finds before the program runs (Session::check()).
#pragma once
#include <vector>

#include "ptcvm/diagnostic.hpp"

namespace ptcvm {

// Describes one finding. The kind of its diagnostic is the name of a fault for errors: arguments of tools that are
// literals are checked against the signatures of the tools, as "invalid_tool_args". The kinds of warnings are
// "unused_name", "unused_definition", "defined_twice" and "missing_data". A check keeps about
// a thousand findings; a warning "more_findings" then says how many are left out.
struct Finding {
  bool is_error = false;       // true when the program cannot begin, or would fail where the place is reached
  Diagnostic diagnostic;       // says what is wrong, where, and what would help
};

// Holds what Session::check() found. It owns its texts.
struct ProgramFindings {
  std::vector<Finding> findings;   // in the order of the text
};

}  // namespace ptcvm
