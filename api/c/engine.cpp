#include "ptcvm/engine.hpp"

#include "api/c/tools.h"

namespace c = ptcvm::c;

namespace ptcvm::c {
namespace {

std::unique_ptr<ptcvm_program> program_of(Program program) {
  return std::unique_ptr<ptcvm_program>(new ptcvm_program{std::move(program)});
}

}  // namespace
}  // namespace ptcvm::c

ptcvm_status ptcvm_engine_new(const ptcvm_engine_options* options, ptcvm_engine** out, ptcvm_error** error) {
  return c::guarded(out, error, [&] {
    const ptcvm_engine_options given = c::options_in(options);
    ptcvm::EngineOptions wanted;
    if (given.has_sizes != 0) {
      wanted.cached_programs = given.cached_programs;
      wanted.cached_source_bytes = given.cached_source_bytes;
      wanted.shelved_programs = given.shelved_programs;
    }
    if (given.has_kept_memory != 0) wanted.kept_memory_bytes = given.kept_memory_bytes;
    return std::unique_ptr<ptcvm_engine>(new ptcvm_engine{ptcvm::Engine(wanted)});
  });
}
void ptcvm_engine_free(ptcvm_engine* engine) { delete engine; }

ptcvm_status ptcvm_engine_get_statistics(const ptcvm_engine* engine, ptcvm_engine_statistics* out) {
  return c::guarded(nullptr, [&] {
    const ptcvm::EngineStatistics now = c::the(engine).engine.statistics();
    ptcvm_engine_statistics filled = {};
    filled.compiled = now.compiled;
    filled.cache_hits = now.cache_hits;
    filled.cached_programs = now.cached_programs;
    c::struct_out(out, filled);
  });
}

ptcvm_status ptcvm_engine_compile(const ptcvm_engine* engine, ptcvm_text source, const ptcvm_compile_options* options,
                                  ptcvm_program** out, ptcvm_error** error) {
  return c::guarded(out, error, [&] {
    const ptcvm_compile_options given = c::options_in(options);
    c::require(given.defined != nullptr || given.defined_count == 0, "a list has a length and no data");
    std::vector<std::string_view> defined;
    for (std::size_t i = 0; i < given.defined_count; ++i) defined.push_back(c::text_in(given.defined[i]));
    ptcvm::CompileOptions wanted;
    wanted.name = c::text_in(given.name);
    wanted.tools = given.tools == nullptr ? nullptr : &given.tools->tools;
    wanted.defined = defined;
    wanted.strict_task_ids = given.strict_task_ids != 0;
    wanted.optimize = given.no_optimize == 0;
    if (given.max_symbols != 0) wanted.max_symbols = given.max_symbols;
    return c::program_of(c::taken(c::the(engine).engine.compile(c::text_in(source), wanted)));
  });
}

ptcvm_status ptcvm_engine_load(const ptcvm_engine* engine, ptcvm_text bytecode, ptcvm_program** out,
                               ptcvm_error** error) {
  return c::guarded(out, error,
                    [&] { return c::program_of(c::taken(c::the(engine).engine.load(c::bytes_in(bytecode)))); });
}

ptcvm_text ptcvm_program_source(const ptcvm_program* program) {
  return program == nullptr ? ptcvm_text{nullptr, 0} : c::text_out(program->program.source());
}
ptcvm_status ptcvm_program_sha256(const ptcvm_program* program, ptcvm_buffer** out, ptcvm_error** error) {
  return c::guarded(out, error, [&] { return c::buffer_of(c::the(program).program.sha256()); });
}
ptcvm_status ptcvm_program_bytecode(const ptcvm_program* program, ptcvm_buffer** out, ptcvm_error** error) {
  return c::guarded(out, error, [&] { return c::buffer_of(c::the(program).program.bytecode()); });
}
ptcvm_status ptcvm_program_tools(const ptcvm_program* program, ptcvm_texts** out, ptcvm_error** error) {
  return c::guarded(out, error, [&] { return c::texts_of(c::the(program).program.tool_names()); });
}
void ptcvm_program_free(ptcvm_program* program) { delete program; }
