// The tools of a run as its store keeps them: what the files of tools said when a process last stepped the run. The log
// "RUN/tools" beside the log of the run has them.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ptcvm/store.hpp"

namespace ptcvm::cli {

// What files say about tools: EDN, by the name of the tool.
using ToolTexts = std::map<std::string, std::string, std::less<>>;

// Keeps the tools of a run when they are others than those that the store has. Returns a line for each tool that is
// another one now, is new or is missing; none for a run whose tools were not kept before.
Result<std::vector<std::string>> keep_tools(const Store& store, const std::string& run, const ToolTexts& tools);

// Returns the tools that the store keeps for a run; none when it keeps none.
Result<ToolTexts> kept_tools(const Store& store, const std::string& run);

// Returns whether a log holds the tools of a run.
bool is_log_of_tools(const Store& store, std::string_view log);

}  // namespace ptcvm::cli
