// Renders the mission log, which tells a model which tasks are done.
#pragma once
#include <cstdint>
#include <span>
#include <string>

namespace ptc {

// A committed task: its id and its value as EDN.
struct LoggedTask {
  std::string id, value_edn;
  std::string source;            // who put the value there; "" for the program
  std::uint64_t seq = 0;         // the fact that has the commit
  bool is_let_go = false;        // value_edn is "": the value is only in the store (RunLog::let_go)
};

// Returns "## Mission Log (Completed Tasks)" and a line for each task, in the order given, or "" when there is no task.
// Values of more than `most` characters (code points) are cut and end in "...".
std::string render_mission_log(std::span<const LoggedTask> tasks, std::size_t most = 200);

}  // namespace ptc
