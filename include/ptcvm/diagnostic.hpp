// What is wrong with a program, with its place in the source. Texts only: valid for ever, on any thread.
#pragma once
#include <cstdint>
#include <string>

#include "ptcvm/config.hpp"

namespace ptcvm {

// One finding.
struct Diagnostic {
  std::string kind;                  // a stable name: "type_error", "unbound_var", "fuel_exhausted", …
  std::string message, hint;         // what is wrong; what would help, or ""
  std::string source_name;           // as given when it was compiled
  std::uint32_t line = 0, column = 0;      // from 1; column in code points; 0: no place
  std::uint32_t begin = 0, end = 0;        // the stretch of source, in bytes
  bool is_limit = false;             // a budget was used up, the program itself may be right
  bool is_incomplete = false;        // the source ends inside of a form: a reader of lines asks for more
  std::string text;                  // all of it for people: message, place, line with caret, hint
};

}  // namespace ptcvm
