#include "compiler/compile.h"

#include "compiler/analyze/captures.h"
#include "compiler/bracket_place.h"
#include "compiler/lower/code_generator.h"
#include "compiler/lower/liveness.h"
#include "compiler/read/compile_meter.h"
#include "compiler/read/reader.h"
#include "schema/version.h"

namespace ptc {

namespace {

std::unique_ptr<schema::InlinedCallT> inlined_call(const InlinedNote& note) {
  auto call = std::make_unique<schema::InlinedCallT>();
  const SourceSpan& at = note.call;
  call->builtin = note.builtin;
  call->call = std::make_unique<schema::SourceStretch>(at.begin, at.end, at.line, at.column);
  call->function_begin = note.function.begin;
  call->function_end = note.function.end;
  return call;
}

CompileResult compile_metered(std::string_view source, const CompileOptions& options, CompileMeter& meter) {
  CompileResult result;
  FormArena arena(&meter);
  ReadResult read = read_forms(source, arena);
  if (read.failed) {
    result.error = std::move(read.error);
    if (std::string hint = bracket_hint(source, result.error); !hint.empty()) result.error.hint = std::move(hint);
    result.incomplete = read.incomplete;
    return result;
  }
  Ast ast(&meter);
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
  for (const InlinedNote& note : ast.inlined) program->inlined.push_back(inlined_call(note));
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

}  // namespace

CompileError error_of(const CompileStopped& stopped, const CompileOptions& options) {
  if (stopped.kind != FaultKind::MemoryExceeded) {
    return {stopped.kind, "the host stopped the compiler", {}, stopped.span};
  }
  return {stopped.kind,
          "memory limit of " + std::to_string(options.most_bytes) + " bytes exceeded by compiling the text up to here",
          "Split the program, or read data from the context instead of writing it as code", stopped.span};
}

CompileResult compile(std::string_view source, const CompileOptions& options) {
  CompileMeter meter(options.most_bytes, options.is_over);
  try {
    return compile_metered(source, options, meter);
  } catch (const CompileStopped& stopped) {
    CompileResult result;
    result.error = error_of(stopped, options);
    return result;
  }
}

}  // namespace ptc
