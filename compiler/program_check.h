// Checks a program without making bytecode: every error instead of the first one, calls with a wrong number of
// arguments, names that nothing uses, and names that are defined twice.
#pragma once
#include <string_view>

#include "compiler/analyze/analyzer.h"
#include "compiler/read/finding.h"

namespace ptc {

// Returns what is wrong with the text. An error is found behind another one by putting something harmless of the same
// length in the place of the first, so all places are places of the text.
ProgramFindings check_program_text(std::string_view source, const CompileOptions& options);

}  // namespace ptc
