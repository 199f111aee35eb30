#include "tools/ptcvm/loading.h"

#include <span>

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

std::optional<LoadedProgram> load_program(const Engine& engine, const std::string& path, std::string& message) {
  auto text = read_file(path, message);
  if (!text) return std::nullopt;
  if (!is_compiled(*text)) return LoadedProgram{std::move(*text), std::nullopt};
  auto loaded = engine.load(std::as_bytes(std::span(*text)));
  if (loaded) return LoadedProgram{{}, std::move(*loaded)};
  message = path + ": " + loaded.error().diagnostic->text;
  return std::nullopt;
}

bool shelve_program(const Engine& engine, const std::string& path, const Tools& tools, std::string& message) {
  if (path.empty()) return true;
  auto loaded = load_program(engine, path, message);
  if (!loaded) return false;
  if (loaded->program) return true;              // loading keeps it
  const auto compiled = engine.compile(loaded->source, {.name = path, .tools = &tools, .check_tools = false});
  if (!compiled) {
    message = path + ": " + compiled.error().message;
    return false;
  }
  return engine.load(compiled->bytecode()).has_value();
}

std::string restore_complaint(const std::string& path, const Error& error, const std::string& program) {
  std::string text = path + ": " + std::string(error.detail) + ": " + error.message;
  if (error.detail != "snapshot_missing_program") return text;
  if (program.empty()) return text + "; give it with --program FILE";
  return text + "; " + program + " is another one (source text must have the path that it was run by)";
}

}  // namespace ptcvm::cli
