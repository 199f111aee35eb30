#include "ptcvm/engine.hpp"

#include <algorithm>

#include "api/engine_access.h"
#include "api/errors.h"
#include "api/octets.h"
#include "api/tools_access.h"
#include "runtime/engine/compiling.h"
#include "schema/ascii.h"
#include "vm/exec/disassembler.h"

namespace ptcvm {
namespace {

// Bytecode has no source: the text of the diagnostic names the instruction.
Error unverified(const ptc::ProgramError& error) {
  Error out = host_error(Errc::invalid_program, error.message);
  out.diagnostic.emplace();
  out.diagnostic->kind = "bad_program";
  out.diagnostic->message = error.message;
  out.diagnostic->text = "bad_program: " + error.message + " (function " + std::to_string(error.function) +
                         ", instruction " + std::to_string(error.pc) + ")";
  return out;
}

}  // namespace

Engine::Engine(const EngineOptions& options)
    : impl_(std::make_shared<const Impl>(
          ptc::EngineOptions{.cached_programs = options.cached_programs,
                             .shelved_programs = options.shelved_programs,
                             .cached_source_bytes = options.cached_source_bytes,
                             .kept_memory_bytes = options.kept_memory_bytes,
                             .regex_cache_bytes = options.regex_cache_bytes})) {}

Result<Program> Engine::compile(std::string_view source, const CompileOptions& options) const {
  std::vector<std::string_view> tools, sync_tools;
  if (options.tools != nullptr) {
    const ptc::ToolRegistry& registry = *ToolAccess::registry(*options.tools);
    tools = registry.names();
    sync_tools = registry.sync_names();
  }
  ptc::CompileRequest request;
  request.source = source;
  request.source_name = options.name;
  request.memory_names = options.defined;
  request.tool_names = tools;
  request.sync_tool_names = sync_tools;
  request.check_tools = options.tools != nullptr && options.check_tools;
  request.strict_task_ids = options.strict_task_ids;
  request.optimize = options.optimize;
  request.max_symbols = options.max_symbols;
  ptc::CompileAnswer answer = impl_->engine.compile(request);
  if (answer.program != nullptr) return EngineAccess::made(std::move(answer.program));
  if (!ptc::has_compiler()) return host_error(Errc::not_available, std::move(answer.error.message));
  return program_error({answer.error.kind, std::move(answer.error.message), std::move(answer.error.hint),
                        answer.error.span, std::string(options.name), std::string(source), answer.incomplete});
}

Result<Program> Engine::load(std::span<const std::byte> bytecode) const {
  if (auto known = impl_->engine.programs()->find_bytes(octets(bytecode))) return EngineAccess::made(std::move(known));
  auto loaded = ptc::Program::from_bytes(octets(bytecode));
  if (const auto* error = std::get_if<ptc::ProgramError>(&loaded)) {
    return unverified(*error);
  }
  auto program = std::get<std::shared_ptr<const ptc::Program>>(std::move(loaded));
  impl_->engine.programs()->keep(program);
  return EngineAccess::made(std::move(program));
}

EngineStatistics Engine::statistics() const {
  const ptc::EngineStatistics now = impl_->engine.statistics();
  return {now.compiled, now.cache_hits, now.cached_programs};
}

std::string_view Program::source() const { return impl_->program->source; }
std::string_view Program::source_name() const { return impl_->program->source_name; }

std::string Program::sha256() const {
  std::string text;
  for (const std::uint8_t byte : impl_->program->encoded().sha256) {
    text += ptc::kHexDigits[byte >> 4];
    text += ptc::kHexDigits[byte & 15];
  }
  return text;
}

std::vector<std::byte> Program::bytecode() const {
  const std::vector<std::uint8_t>& bytes = impl_->program->encoded().bytes;
  const auto* const begin = reinterpret_cast<const std::byte*>(bytes.data());
  return {begin, begin + bytes.size()};
}

std::string Program::disassembly() const { return ptc::disassemble(*impl_->program); }

std::vector<std::string> Program::tool_names() const {
  std::vector<std::string> names = impl_->program->tools;
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace ptcvm
