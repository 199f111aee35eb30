#include "tools/ptcvm/program/snapshot_tools.h"

namespace ptcvm::cli {

std::vector<std::string> add_async_tools_of(const SnapshotView& snapshot, CommandTools& tools) {
  std::vector<std::string> added;
  for (const SnapshotView::Tool& wanted : snapshot.tools()) {
    if (wanted.mode != "async" || wanted.has_signature || tools.tools.find(wanted.name)) continue;
    ToolOptions options;
    options.mode = ToolMode::Async;
    options.effect = find_effect(wanted.effect).value_or(Effect::Unsafe);
    if (tools.tools.defer(wanted.name, "", std::move(options))) added.push_back(wanted.name);
  }
  return added;
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

}  // namespace ptcvm::cli
