// The mission log: what a model is told of the tasks that are done.
#pragma once
#include <cstdint>
#include <span>
#include <string>

namespace ptc {

// A task that was committed: its id and its value as EDN.
struct LoggedTask {
  std::string id, value_edn;
  std::string source;            // who put it there, when it was not the program
  std::uint64_t seq = 0;         // of the fact that says it
};

// "## Mission Log (Completed Tasks)" and a line for each, in the order given; "" when there is none. Values longer than
// `most` characters (code points) are cut and end in "...".
std::string render_mission_log(std::span<const LoggedTask> tasks, std::size_t most = 200);

}  // namespace ptc
