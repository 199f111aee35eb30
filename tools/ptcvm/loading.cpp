#include "tools/ptcvm/loading.h"

#include <span>
#include <variant>

#include "tools/ptcvm/files.h"

namespace ptcvm {
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

}  // namespace ptcvm
