#include "tools/ptcvm/trace/trace_input.h"

#include <algorithm>

#include "tools/ptcvm/process/files.h"
#include "tools/ptcvm/process/terminal.h"
#include "tools/ptcvm/text/json_problem.h"

namespace ptcvm::cli {

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
      complain("warning: " + place + "the last line is cut off");
    } else {
      const std::string& why = std::get<ptc::TraceRefusal>(read).message;
      const std::string problem = why.starts_with("no JSON") ? json_line_problem(line) : "";
      message = place + (problem.empty() ? why : "no JSON: " + problem);
      return false;
    }
  }
  return true;
}

}  // namespace ptcvm::cli
