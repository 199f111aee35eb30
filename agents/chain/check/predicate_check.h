// Decides a criterion by a program.
#pragma once
#include <string_view>

namespace ptcvm::chain {

// Returns whether the program in PTC-Lisp gives a value other than nil and false. It sees data/output, the output, and
// data/value, the JSON in it, or nil. A program that does not compile, fails, waits, or reaches a limit (10 million
// units of work, 64 MB) decides no.
bool holds_predicate(std::string_view program, std::string_view output);

}  // namespace ptcvm::chain
