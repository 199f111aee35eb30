#include "compiler/compile.h"

#include "compiler/analyze/captures.h"
#include "compiler/lower/code_generator.h"
#include "compiler/lower/liveness.h"
#include "compiler/read/reader.h"
#include "schema/version.h"

namespace ptc {

CompileResult compile(std::string_view source, const CompileOptions& options) {
  CompileResult result;
  FormArena arena;
  ReadResult read = read_forms(source, arena);
  if (read.failed) {
    result.error = std::move(read.error);
    result.incomplete = read.incomplete;
    return result;
  }
  Ast ast;
  AnalyzeResult analyzed = analyze(read.forms, source, arena, options, ast);
  if (analyzed.failed) {
    result.error = std::move(analyzed.error);
    return result;
  }
  const Captures captures = find_captures(ast);
  const Liveness liveness = find_last_uses(ast, captures);

  auto program = std::make_unique<schema::ProgramT>();
  program->format = kProgramFormat;
  program->engine = kEngineVersion;
  program->source = std::string(source);
  ProgramTables tables(*program, ast);
  GeneratorContext context{ast, captures, liveness, source, options.prelude, *program, tables, false, {}};
  FunctionGenerator(context, *captures.scopes[0]).generate();
  if (context.failed) {
    result.error = std::move(context.error);
    return result;
  }
  result.program = std::move(program);
  return result;
}

}  // namespace ptc
