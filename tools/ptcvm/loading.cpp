#include "tools/ptcvm/loading.h"

#include <span>
#include <variant>

#include "tools/ptcvm/files.h"

namespace ptcvm::cli {
namespace {

constexpr std::string_view kIdentifier = "PTCP";
constexpr std::size_t kIdentifierOffset = 4;

bool is_compiled(std::string_view bytes) {
  return bytes.size() >= kIdentifierOffset + kIdentifier.size() &&
         bytes.substr(kIdentifierOffset, kIdentifier.size()) == kIdentifier;
}

}  // namespace

std::optional<LoadedProgram> load_program(const std::string& path, std::string& message) {
  auto text = read_file(path, message);
  if (!text) return std::nullopt;
  if (!is_compiled(*text)) return LoadedProgram{std::move(*text), nullptr};
  const std::span<const std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(text->data()), text->size());
  auto loaded = ptc::Program::from_bytes(bytes);
  if (auto* program = std::get_if<std::shared_ptr<const ptc::Program>>(&loaded)) return LoadedProgram{{}, *program};
  const ptc::ProgramError& error = std::get<ptc::ProgramError>(loaded);
  message = path + ": bad_program: " + error.message + " (function " + std::to_string(error.function) +
            ", instruction " + std::to_string(error.pc) + ")";
  return std::nullopt;
}

bool shelve_program(const ptc::Engine& engine, const std::string& path, const ptc::ToolRegistry& tools,
                    std::string& message) {
  if (path.empty()) return true;
  const auto loaded = load_program(path, message);
  if (!loaded) return false;
  auto program = loaded->program;
  if (program == nullptr) {
    const auto names = tools.names(), sync_names = tools.sync_names();
    ptc::CompileRequest compile;
    compile.source = loaded->source;
    compile.source_name = path;
    compile.tool_names = names;
    compile.sync_tool_names = sync_names;
    auto answer = engine.compile(compile);
    program = answer.program;
    message = path + ": " + answer.error.message;
  }
  if (program == nullptr) return false;
  engine.programs()->keep(program);
  return true;
}

std::string restore_complaint(const std::string& path, const ptc::RestoreError& error, const std::string& program) {
  std::string text = path + ": " + std::string(ptc::snapshot_error_name(error.kind)) + ": " + error.message;
  if (error.kind != ptc::SnapshotError::MissingProgram) return text;
  if (program.empty()) return text + "; give it with --program FILE";
  return text + "; " + program + " is another one (source text must have the path that it was run by)";
}

}  // namespace ptcvm::cli
