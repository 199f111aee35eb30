// What is behind the door of compiling.h in the lean library.
#include "runtime/engine/compiling.h"
#include "runtime/engine/function_text.h"

namespace ptc {

bool has_compiler() { return false; }

CompileAnswer compile_program(const CompileRequest& request) {
  CompileAnswer answer;
  answer.error.kind = FaultKind::InvalidForm;
  answer.error.message = "this library has no compiler: " +
                         (request.source_name.empty() ? std::string("the program") : std::string(request.source_name)) +
                         " is source text";
  answer.error.hint = "load bytes that `ptcvm compile` wrote, or link the library with the compiler";
  return answer;
}

ProgramFindings check_source(const CompileRequest&) { return {}; }

std::vector<SourceDefinition> definitions_in_source(std::string_view) { return {}; }

// Functions in stored memory are text, too: nothing here can read them.
std::optional<std::string> function_program(std::string_view, std::span<const std::string_view>) {
  return std::nullopt;
}

}  // namespace ptc
