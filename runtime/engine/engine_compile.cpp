#include "compiler/compile.h"
#include "compiler/program_check.h"
#include "runtime/engine/compiling.h"
#include "vm/builtins/regex.h"
#include "vm/value/calendar.h"

namespace ptc {
namespace {

std::vector<std::string_view> copy_of(std::span<const std::string_view> names) { return {names.begin(), names.end()}; }

CompileOptions options_of(const CompileRequest& request) {
  CompileOptions options;
  options.max_symbols = request.max_symbols;
  options.memory_names = copy_of(request.memory_names);
  options.tool_names = copy_of(request.tool_names);
  options.sync_tool_names = copy_of(request.sync_tool_names);
  options.check_tools = request.check_tools;
  options.strict_task_ids = request.strict_task_ids;
  options.optimize = request.optimize;
  options.check_regex = regex_check;
  options.check_moment = is_temporal_text;
  options.most_bytes = request.memory_bytes;
  options.is_over = request.is_over;
  return options;
}

}  // namespace

bool has_compiler() { return true; }

ProgramFindings check_source(const CompileRequest& request) {
  return check_program_text(request.source, options_of(request));
}

std::vector<SourceDefinition> definitions_in_source(std::string_view source) { return source_definitions(source); }

CompileAnswer compile_program(const CompileRequest& request) {
  const CompileOptions options = options_of(request);
  CompileResult compiled = compile(request.source, options);
  CompileAnswer answer;
  answer.incomplete = compiled.incomplete;
  if (compiled.program == nullptr) {
    answer.error = std::move(compiled.error);
    return answer;
  }
  compiled.program->source_name = std::string(request.source_name);
  auto loaded = Program::from_compiler(*compiled.program);
  if (auto* program = std::get_if<std::shared_ptr<const Program>>(&loaded)) {
    answer.program = std::move(*program);
  } else {
    answer.error.kind = FaultKind::InvalidForm;     // a regular expression literal that the engine refuses
    answer.error.message = std::get<ProgramError>(loaded).message;
  }
  return answer;
}

}  // namespace ptc
