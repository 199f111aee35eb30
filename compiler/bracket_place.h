// Where a bracket is missing or too much, by the indentation of the lines.
#pragma once
#include <string>
#include <string_view>

#include "compiler/read/diagnostic.h"

namespace ptc {

// Returns a hint for an error of the reader about a bracket: the line at whose end the bracket belongs, if with it the
// whole text can be read. "" when the error is about something else, or indentation does not say.
std::string bracket_hint(std::string_view source, const CompileError& error);

}  // namespace ptc
