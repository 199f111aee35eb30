// Names of the runs in which agents do the steps of a task of `ptcvm chain`.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace ptcvm::cli {

// Returns the task whose step the run is for, by its name alone, or nullopt when runs of steps have other names. The
// runs of a task on a worker have names of their own, "ID/agents/…".
std::optional<std::string> task_of_step_agent(std::string_view run);
// Says that `ptcvm agent run` has not begun the run, and whose it is.
std::string no_agent_text(const std::string& run);

}  // namespace ptcvm::cli
