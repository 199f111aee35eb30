#include "runtime/session/capabilities.h"

#include "vm/snapshot/state_fields.h"

namespace ptc {
namespace {

// Returns what a snapshot says about this class: nothing about unsafe tools, which are most of them.
std::string effect_text(EffectClass of) {
  return of == EffectClass::Unsafe ? std::string() : std::string(effect_class_name(of));
}

// Returns the class that a snapshot means by `text`, or nullopt when the text names no class.
std::optional<EffectClass> effect_in(const std::string& text) {
  return text.empty() ? EffectClass::Unsafe : find_effect_class(text);
}

std::string quoted(const std::string& text) { return text.empty() ? "none" : '"' + text + '"'; }

std::string mode_text(std::uint8_t mode) {
  return mode < kToolModeNames.size() ? std::string(kToolModeNames[mode]) : "of an unknown mode";
}

}  // namespace

HostTool host_tool(const Tool& tool) {
  return {tool.definition.name, signature_hash(tool.definition.signature), effect_text(tool.definition.effect),
          static_cast<std::uint8_t>(tool.definition.async)};
}

std::string missing_capabilities(const HostState& state, const ToolRegistry& tools) {
  std::string report;
  const auto add = [&report](const std::string& line) { report += (report.empty() ? "" : "; ") + line; };
  for (const HostTool& wanted : state.tools) {
    const Tool* tool = tools.find(wanted.name);
    if (tool == nullptr) {
      add("tool " + wanted.name + " is missing");
      continue;
    }
    const HostTool now = host_tool(*tool);
    if (now.signature != wanted.signature) {
      add("tool " + wanted.name + ": its signature has changed, now it is " + quoted(tool->definition.signature));
    }
    if (effect_in(wanted.effect) != tool->definition.effect) {
      add("tool " + wanted.name + ": its effect was " + quoted(wanted.effect) + ", now " + quoted(now.effect));
    }
    if (now.mode != wanted.mode) {
      add("tool " + wanted.name + " was " + mode_text(wanted.mode) + ", now it is " + mode_text(now.mode));
    }
  }
  return report;
}

}  // namespace ptc
