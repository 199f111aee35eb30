#include "tools/ptcvm/program/recorded_steps.h"

#include <optional>

namespace ptcvm::cli {
namespace {

// Returns the error of the first call that would need a tool.
std::optional<Error> missing_answer(const StoredRun& run, const Tools& tools, const CommandCalls& commands) {
  for (const WaitingCall& call : run.calls()) {
    const std::optional<ToolInfo> tool = tools.find(call.tool);
    const bool is_pure = tool && tool->effect == Effect::Pure, is_sync = tool && tool->mode == ToolMode::Sync;
    if (commands.has_command(call) ? is_pure : !is_sync) continue;   // it is made; its answer is an operation's
    return Error{Errc::refused,
                 "no_recorded_answer: the log of " + std::string(run.id()) + " has no answer for (tool/" +
                     std::string(call.tool) + ' ' + call.args.to_edn() + ")" +
                     (call.task_id.empty() ? "" : " in the task " + std::string(call.task_id)),
                 std::nullopt, "no_recorded_answer"};
  }
  return std::nullopt;
}

}  // namespace

Tools without_reconcilers(const Tools& tools) {
  Tools out;
  for (const ToolInfo& tool : tools.list()) {
    ToolOptions options;
    options.effect = tool.effect;
    options.mode = tool.mode;
    options.description = tool.description;
    (void)out.defer(tool.name, tool.signature, options);   // as it was taken before
  }
  return out;
}

Result<StoredOutcome> run_recorded(StoredRun& run, const Tools& tools, CommandCalls& commands) {
  for (;;) {
    const Result<StoredStep> step = run.step();
    if (!step) return step.error();
    if (*step == StoredStep::Done) return run.take_outcome();
    if (*step != StoredStep::Waits) continue;
    if (auto missing = missing_answer(run, tools, commands)) return std::move(*missing);
    look_at_calls(run, commands);
  }
}

}  // namespace ptcvm::cli
