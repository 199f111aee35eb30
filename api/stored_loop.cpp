// run_stored() and continue_stored(): stored runs whose tools are called in one thread, one after another.
#include "api/errors.h"
#include "ptcvm/stored_run.hpp"

namespace ptcvm {
namespace {

std::optional<Error> deferred_tool(const Tools& tools) {
  for (const ToolInfo& tool : tools.list()) {
    if (!tool.deferred) continue;
    return host_error(Errc::not_available, "tool " + tool.name +
                                               " is deferred: step the run yourself (StoredRun) and answer its calls, "
                                               "or use ToolMode::Async and resolve the operation");
  }
  return std::nullopt;
}

// An intent is in the log for no call but the one that is made: a process that dies leaves one call open at most.
StoredOptions one_by_one(StoredOptions options) {
  options.parallel_calls = 1;
  return options;
}

}  // namespace

Result<StoredOutcome> run_stored(const Engine& engine, Store& store, const Tools& tools, std::string_view source,
                                 const StoredOptions& options) {
  if (auto error = deferred_tool(tools)) return std::move(*error);
  auto run = StoredRun::start(engine, store, tools, source, one_by_one(options));
  if (!run) return std::move(run).error();
  return run->drive();
}

Result<StoredOutcome> continue_stored(const Engine& engine, Store& store, const Tools& tools,
                                      const StoredOptions& options) {
  if (auto error = deferred_tool(tools)) return std::move(*error);
  auto run = StoredRun::open(engine, store, tools, one_by_one(options));
  if (!run) return std::move(run).error();
  return run->drive();
}

}  // namespace ptcvm
