#include "tools/ptcvm/text/loading.h"

#include <cstdint>
#include <span>
#include <utility>

#include "compiler/read/reader.h"
#include "tools/ptcvm/process/bounded_file.h"
#include "tools/ptcvm/process/files.h"
#include "tools/ptcvm/text/json_problem.h"

namespace ptcvm::cli {
namespace {

constexpr std::string_view kIdentifier = "PTCP";
constexpr std::size_t kIdentifierOffset = 4;
constexpr std::size_t kMostCompiledBytes = std::size_t{256} << 20;   // a text of calls becomes 12 times as long

bool is_compiled(std::string_view bytes) {
  return bytes.size() >= kIdentifierOffset + kIdentifier.size() &&
         bytes.substr(kIdentifierOffset, kIdentifier.size()) == kIdentifier;
}

}  // namespace

std::optional<std::string> read_program(const std::string& path, std::string& message) {
  auto text = read_bounded(path, message, [](std::string_view so_far) -> std::uint64_t {
    return is_compiled(so_far) ? kMostCompiledBytes : ptc::kMaxSourceBytes;
  });
  if (!text) return std::nullopt;
  if (!text->is_longer) return std::move(text->bytes);
  if (!is_compiled(text->bytes)) return text->bytes.substr(0, ptc::kMaxSourceBytes + 1);
  message = path + ": a compiled program has at most " + std::to_string(kMostCompiledBytes) + " bytes";
  return std::nullopt;
}

std::optional<LoadedProgram> load_program(const Engine& engine, const std::string& path, std::string& message) {
  auto text = read_program(path, message);
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

std::string restore_complaint(const std::string& path, const Error& error, const std::string& program,
                              std::string_view bytes) {
  constexpr std::size_t kMostEdited = std::size_t{1} << 20;   // bytes; nobody looks for a place in larger ones
  std::string text = path + ": " + std::string(error.detail) + ": " + error.message;
  const bool may_be_json = error.detail == "not_a_snapshot" || error.detail == "snapshot_damaged";
  if (may_be_json && bytes.size() <= kMostEdited && bytes.starts_with('{')) {
    const std::string problem = json_problem(bytes);
    if (!problem.empty()) text += "; " + problem;
  }
  if (error.detail != "snapshot_missing_program") return text;
  if (program.empty()) return text + "; give it with --program FILE";
  return text + "; " + program + " is another one (source text must have the path that it was run by)";
}

}  // namespace ptcvm::cli
