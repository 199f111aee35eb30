// Says what is wrong with a program, and where. A diagnostic owns its texts, so any thread may keep and use it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include <string_view>

#include "ptcvm/config.hpp"

namespace ptcvm {

// A call that the program was in when it failed:
// what was called, and where.
struct CallFrame {
  // "function", "builtin" (line and column say where it was called), "tool" (the same; the program waited for it),
  // "task" (around the frames before it), "branch" of pmap or pcalls, or "omitted" (name: how many frames are left out
  // here).
  std::string kind;
  std::string name;                  // "program" for the top level, "fn" for a function without a name
  std::string source_name;           // the name that the source had when it was compiled
  std::uint32_t line = 0, column = 0;      // count from 1; 0 when there is no place
};
// Describes one finding.
struct Diagnostic {
  std::string kind;                  // a stable name: "type_error", "unbound_var", "fuel_exhausted", …
  std::string message, hint;         // says what is wrong; says what would help, or is ""
  std::string source_name;           // the name that the source had when it was compiled
  std::uint32_t line = 0, column = 0;      // count from 1; columns count code points; 0 when there is no place
  std::uint32_t begin = 0, end = 0;        // the place in the source, as offsets in bytes
  bool is_limit = false;             // true when a budget was used up; the program itself may be right
  bool is_incomplete = false;        // true when the source ends inside of a form; a prompt can ask for more lines
  std::string text;                  // everything in one text for people: message, place, line with caret, value, hint
  // The line of the source, and below it the line with the caret, each with a line feed; "" when there is no place.
  std::string excerpt = {};
  // The calls around the place, innermost first, at most 26; the place of the fault is in the first. Empty for mistakes
  // that are found before a program runs, and for limits of the host.
  std::vector<CallFrame> stack = {};
  // The value that did not fit, as text of at most 80 characters: type errors have it, and mismatches with signatures,
  // which have the first value. "" when there is none, and for nil.
  std::string found = {};
};

// Returns Diagnostic::text made anew from the other members; with colours for a terminal when `colour` is true.
PTCVM_API std::string diagnostic_text(const Diagnostic& diagnostic, bool colour = false);
// Returns the calls of a stack in one line, "total 3:14 < mapv 7:3 < program 7:3", or "" when there is
// only one, which says no more than the place does.
PTCVM_API std::string call_line(const std::vector<CallFrame>& stack);
// Returns Diagnostic::excerpt for the place of the diagnostic (line, begin, end) in a source that the caller has.
PTCVM_API std::string source_excerpt(const Diagnostic& diagnostic, std::string_view source);

}  // namespace ptcvm
