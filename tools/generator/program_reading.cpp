// Reads programs with the answers of their tools above them, in comments.
#include <algorithm>

#include "tools/generator/generator.h"

namespace ptc::generator {
namespace {

constexpr std::string_view kResult = "} => ", kError = "} =! \"", kJournal = ";; journal-in ";

// Takes the text off the front of the line. Returns whether it was there.
bool take(std::string_view& line, std::string_view front) {
  if (!line.starts_with(front)) return false;
  line.remove_prefix(front.size());
  return true;
}

// Reads "NAME ARGUMENTS => RESULT" or "NAME ARGUMENTS =! "ERROR"". Returns nullopt for anything else.
std::optional<GeneratedAnswer> answer_of(std::string_view line) {
  const std::size_t blank = line.find(' ');
  if (blank == std::string_view::npos || line.substr(blank + 1, 1) != "{") return std::nullopt;
  GeneratedAnswer out;
  out.tool = line.substr(0, blank);
  line.remove_prefix(blank + 1);
  const std::size_t result = line.find(kResult), error = line.find(kError);
  const std::size_t end = std::min(result, error);
  if (end == std::string_view::npos) return std::nullopt;
  out.args_edn = line.substr(0, end + 1);
  if (result < error) {
    out.result_edn = line.substr(result + kResult.size());
  } else if (line.ends_with('"') && line.size() > error + kError.size()) {
    line.remove_suffix(1);
    out.error = line.substr(error + kError.size());
  } else {
    return std::nullopt;
  }
  return out;
}

void add_tool(GeneratedProgram& program, const std::string& name, ToolMode mode) {
  const auto is_same = [&name](const GeneratedTool& tool) { return tool.name == name; };
  if (!std::ranges::any_of(program.tools, is_same)) program.tools.push_back({name, mode});
}

// Reads a line above the program. Returns false for one that belongs to the program.
bool read_line(std::string_view line, GeneratedProgram& program) {
  if (take(line, kJournal)) {
    program.journal_edn = line;
    return true;
  }
  const bool is_async = take(line, ";; async-tool "), is_auto = !is_async && take(line, ";; auto-tool ");
  if (!is_async && !is_auto && !take(line, ";; tool ")) return false;
  auto answer = answer_of(line);
  if (!answer) return false;
  add_tool(program, answer->tool, is_async ? ToolMode::Async : is_auto ? ToolMode::Auto : ToolMode::Sync);
  program.answers.push_back(std::move(*answer));
  return true;
}

}  // namespace

GeneratedProgram program_of_text(std::string_view text) {
  GeneratedProgram out;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    if (!read_line(text.substr(0, end), out)) break;
    text.remove_prefix(end + 1);
  }
  out.source = text;
  return out;
}

}  // namespace ptc::generator
