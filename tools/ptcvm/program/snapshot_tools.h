// The tools that a snapshot wants, for commands that go on from it.
#pragma once
#include <string>
#include <vector>

#include "ptcvm/snapshot_view.hpp"
#include "ptcvm/store.hpp"
#include "tools/ptcvm/calls/external_tool.h"

namespace ptcvm::cli {

// Adds the asynchronous tools of the snapshot that are not there: they need no command, because somebody gives their
// answers. Returns their names.
std::vector<std::string> add_async_tools_of(const SnapshotView& snapshot, CommandTools& tools);
// Returns "; add --tool pay=COMMAND --tool-effect pay=keyed": the options for tools that are still missing or have
// another effect; or "".
std::string missing_tool_options(const SnapshotView& snapshot, const CommandTools& tools);

// Returns whether other tools may mend what was refused: false for a run that is not here.
bool may_lack_tools(const Error& error);
// Returns missing_tool_options() for what a store has parked of a run, or "".
std::string missing_tools_of_parked(const Engine& engine, const Store& store, const std::string& run,
                                    const CommandTools& tools);

// Does both for what a store has parked of a run.
struct ParkedTools {
  bool is_any_added = false;
  std::string missing;               // missing_tool_options()
};
ParkedTools add_parked_tools(const Engine& engine, const Store& store, const std::string& run, CommandTools& tools);
// The same for a run whose calls get their recorded answers: a tool that is not there and has no signature needs no
// command.
ParkedTools add_recorded_tools(const Engine& engine, const Store& store, const std::string& run, CommandTools& tools);

}  // namespace ptcvm::cli
