#include "tools/ptcvm/text/json_problem.h"

#include <algorithm>

#include "ptcvm/value.hpp"

namespace ptcvm::cli {
namespace {

// Says what is wrong with the text; its first line has that number, and 0 leaves the line out.
std::string problem_in(std::string_view text, std::size_t first_line) {
  const auto value = Value::from_json(text);
  if (value) return "";
  const Error error = value.error();
  if (!error.diagnostic) return error.message;
  const std::string line = "line " + std::to_string(error.diagnostic->line + first_line - 1) + ", ";
  return (first_line == 0 ? "" : line) + "column " + std::to_string(error.diagnostic->column) + ": " +
         error.diagnostic->message;
}

}  // namespace

std::string json_problem(std::string_view text, const std::string& otherwise) {
  const std::string problem = problem_in(text, 1);
  return problem.empty() ? otherwise : problem;
}

std::string json_line_problem(std::string_view line, const std::string& otherwise) {
  const std::string problem = problem_in(line, 0);
  return problem.empty() ? otherwise : problem;
}

std::string json_lines_problem(std::string_view text) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    if (std::string problem = problem_in(line, number); !problem.empty()) return problem;
  }
  return "";
}

}  // namespace ptcvm::cli
