#include "tools/ptcvm/program/snapshot_tools.h"

#include <initializer_list>
#include <optional>
#include <utility>

#include "ptcvm/host_log.hpp"
#include "tools/ptcvm/program/snapshot_file.h"

namespace ptcvm::cli {
namespace {

// Returns what a store has parked of a run, or nullopt.
std::optional<SnapshotView> parked_snapshot(const Engine& engine, const Store& store, const std::string& run) {
  const auto parked = HostLog::of(store, run).parked();
  if (!parked || !*parked) return std::nullopt;
  auto snapshot = SnapshotView::open(engine, (*parked)->snapshot, kMostSnapshotBytes);
  return snapshot ? std::optional(std::move(*snapshot)) : std::nullopt;
}

// Adds the tools of the snapshot that are not there, start operations or not, and have no signature.
std::vector<std::string> add_tools_of(const SnapshotView& snapshot, const ToolMode mode, CommandTools& tools) {
  const std::string_view wanted_mode = mode == ToolMode::Async ? "async" : "sync";
  std::vector<std::string> added;
  for (const SnapshotView::Tool& wanted : snapshot.tools()) {
    if (wanted.mode != wanted_mode || wanted.has_signature || tools.tools.find(wanted.name)) continue;
    ToolOptions options;
    options.mode = mode;
    options.effect = find_effect(wanted.effect).value_or(Effect::Unsafe);
    if (tools.tools.defer(wanted.name, "", std::move(options))) added.push_back(wanted.name);
  }
  return added;
}

ParkedTools add_to(CommandTools& tools, const std::optional<SnapshotView>& snapshot,
                   std::initializer_list<ToolMode> modes) {
  if (!snapshot) return {};
  bool is_any_added = false;
  for (const ToolMode mode : modes) is_any_added |= !add_tools_of(*snapshot, mode, tools).empty();
  return {is_any_added, missing_tool_options(*snapshot, tools)};
}

}  // namespace

std::vector<std::string> add_async_tools_of(const SnapshotView& snapshot, CommandTools& tools) {
  return add_tools_of(snapshot, ToolMode::Async, tools);
}

std::string missing_tool_options(const SnapshotView& snapshot, const CommandTools& tools) {
  std::string text;
  for (const SnapshotView::Tool& wanted : snapshot.tools()) {
    if (const auto known = tools.tools.find(wanted.name)) {
      if (effect_name(known->effect) != wanted.effect) text += " --tool-effect " + wanted.name + "=" + wanted.effect;
      continue;
    }
    text += (wanted.mode == "sync" ? " --tool " : " --async-tool ") + wanted.name + "=COMMAND";
    if (wanted.effect != effect_name(Effect::Unsafe)) text += " --tool-effect " + wanted.name + "=" + wanted.effect;
    if (wanted.has_signature) text += " (with its signature)";
  }
  return text.empty() ? "" : "; add" + text;
}

bool may_lack_tools(const Error& error) {
  return error.code == Errc::refused && error.detail != "run_moved" && error.detail != "run_is_copy";
}

std::string missing_tools_of_parked(const Engine& engine, const Store& store, const std::string& run,
                                    const CommandTools& tools) {
  const auto snapshot = parked_snapshot(engine, store, run);
  return snapshot ? missing_tool_options(*snapshot, tools) : "";
}

ParkedTools add_parked_tools(const Engine& engine, const Store& store, const std::string& run, CommandTools& tools) {
  return add_to(tools, parked_snapshot(engine, store, run), {ToolMode::Async});
}

ParkedTools add_recorded_tools(const Engine& engine, const Store& store, const std::string& run, CommandTools& tools) {
  return add_to(tools, parked_snapshot(engine, store, run), {ToolMode::Sync, ToolMode::Async});
}

}  // namespace ptcvm::cli
