#include "tools/ptcvm/trace/trace_input.h"

#include <algorithm>

#include "tools/ptcvm/process/files.h"
#include "tools/ptcvm/process/terminal.h"
#include "tools/ptcvm/text/json_problem.h"
#include "tools/ptcvm/text/raw_members.h"
#include "tools/ptcvm/text/text_place.h"

namespace ptcvm::cli {
namespace {

// Returns "column 9: " for the value of a member, or "" when the line lacks the member.
std::string place_of(std::string_view line, const std::string& member) {
  const auto members = raw_members(line);
  if (!members || !members->contains(member)) return "";
  const auto offset = static_cast<std::size_t>(members->at(member).data() - line.data());
  return "column " + std::to_string(text_column(line, offset)) + ": ";
}

// Says what is wrong with a line, and in which column.
std::string problem_of(std::string_view line, const ptc::TraceRefusal& refusal) {
  if (const std::string problem = json_line_problem(line); !problem.empty()) {
    return refusal.message.starts_with("no JSON") ? "no JSON: " + problem : refusal.message + ": " + problem;
  }
  return place_of(line, refusal.member) + refusal.message;
}

}  // namespace

bool read_trace(const std::string& path, const std::vector<std::string>& runs, std::vector<ptc::TraceEvent>& out,
                std::string& message) {
  const auto text = read_file(path, message);
  if (!text) return false;
  const std::string shown = path == "-" ? "<stdin>" : path;
  std::size_t number = 0;
  for (std::size_t at = 0; at < text->size();) {
    ++number;
    const std::size_t end = text->find('\n', at);
    const bool is_cut = end == std::string::npos;
    const std::string_view line = std::string_view(*text).substr(at, is_cut ? end : end - at);
    at = is_cut ? text->size() : end + 1;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    auto read = ptc::read_trace_line(line);
    const std::string place = shown + ':' + std::to_string(number) + ": ";
    if (auto* event = std::get_if<ptc::TraceEvent>(&read)) {
      const bool is_wanted = runs.empty() || std::count(runs.begin(), runs.end(), event->run) != 0;
      if (is_wanted) out.push_back(std::move(*event));
    } else if (is_cut) {
      const std::string column = std::to_string(text_column(line, line.size()));
      complain("warning: " + place + "the last line is cut off at column " + column);
    } else {
      message = place + problem_of(line, std::get<ptc::TraceRefusal>(read));
      return false;
    }
  }
  return true;
}

}  // namespace ptcvm::cli
