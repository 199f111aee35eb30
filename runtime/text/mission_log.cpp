#include "runtime/text/mission_log.h"

#include <string_view>

#include "runtime/text/one_line.h"

namespace ptc {
namespace {

// At most that many code points.
std::string cut(std::string_view text, std::size_t most) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool begins = (static_cast<unsigned char>(text[at]) & 0xc0u) != 0x80u;
    if (begins && count++ == most) return std::string(text.substr(0, at)) + "...";
  }
  return std::string(text);
}

}  // namespace

std::string render_mission_log(std::span<const LoggedTask> tasks, std::size_t most) {
  if (tasks.empty()) return {};
  std::string out = "## Mission Log (Completed Tasks)";
  for (const LoggedTask& task : tasks) {
    out.append("\n- [done] ").append(one_line(task.id)).append(": ").append(cut(one_line(task.value_edn), most));
    if (!task.source.empty()) out.append(" (from ").append(one_line(task.source)).append(")");
  }
  return out;
}

}  // namespace ptc
