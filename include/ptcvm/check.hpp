// What a check of a program finds before the program runs (Session::check()), and what the text of a program defines.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptcvm/config.hpp"
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

// Describes one definition in the text of a program: (def …), (defonce …) or (defn …). It owns its texts.
struct SourceDefinition {
  std::string name;                      // the name that the program defines
  bool is_function = false;              // defn, or the value is written as (fn …) or #(…)
  std::string parameters;                // as the text has them: "[x & more]"; "" for values and for #(…)
  std::optional<std::uint32_t> arity;    // the least number of arguments; nullopt for values and for #(…)
  std::string doc;                       // the docstring, or ""
  std::uint32_t line = 0, column = 0;    // where the name begins, both from 1
};

// Returns the definitions in the order of the text, also those inside of other forms. Compiles nothing. A text that
// cannot be read has none, and the library without a compiler finds none.
PTCVM_API std::vector<SourceDefinition> definitions_in(std::string_view source);

}  // namespace ptcvm
