// What the names of errors mean, from the table schema/explanations.def.
#include <algorithm>
#include <array>

#include "ptcvm/reference.hpp"
#include "schema/closest_name.h"
#include "schema/fault_kind.h"

namespace ptcvm {
namespace {

constexpr std::size_t kErrorColumn = 32;   // where the texts of the index begin

// The table of faults says when a fault comes.
constexpr std::string_view when_of(std::string_view name, std::string_view when) {
  const auto fault = ptc::find_fault(name);
  return when.empty() && fault ? ptc::fault_info(*fault).when : when;
}

constexpr auto kExplanations = std::to_array<Explanation>({
#define EXPLAIN(name, when, advice, example, cure) {name, when_of(name, when), advice, example, cure, ""},
#define UNSEEN(name, when, advice, why) {name, when_of(name, when), advice, "", "", why},
#include "schema/explanations.def"
#include "schema/explanations/agents.def"
#include "schema/explanations/chains.def"
#include "schema/explanations/command_line.def"
#include "schema/explanations/conversations.def"
#include "schema/explanations/mcp.def"
#include "schema/explanations/stores.def"
#undef UNSEEN
#undef EXPLAIN
});

// Appends the commands, each line indented.
void append_commands(std::string& text, std::string_view title, std::string_view commands) {
  text.append("\n  ").append(title).append(":\n");
  while (!commands.empty()) {
    const std::size_t end = commands.find('\n');
    text.append("    ").append(commands.substr(0, end)).append("\n");
    commands.remove_prefix(end == std::string_view::npos ? commands.size() : end + 1);
  }
}

}  // namespace

std::span<const Explanation> explanations() { return kExplanations; }

std::string explanation_text(std::string_view name) {
  const auto found = std::ranges::find(kExplanations, name, &Explanation::name);
  if (found == kExplanations.end()) return "";
  std::string text(name);
  text.append(ptc::find_fault(name) ? "  (fault)\n  " : "  (error)\n  ");
  text.append(found->when).append("\n  ").append(found->advice).append("\n");
  if (found->example.empty()) return text.append("\n  No command shows it: ").append(found->unseen).append(".\n");
  append_commands(text, "Example", found->example);
  append_commands(text, "Cure", found->cure);
  return text;
}

std::string explanation_index_text() {
  std::string text;
  for (const Explanation& known : kExplanations) {
    std::string line(known.name);
    line.resize(std::max(kErrorColumn, line.size() + 1), ' ');
    text.append(line).append(known.when).append("\n");
  }
  return text.append("\n`ptcvm explain NAME` shows an example and its cure.\n");
}

std::string unknown_error_text(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Explanation& known : kExplanations) names.push_back(known.name);
  const std::string_view closest = ptc::closest_name(name, names);
  std::string text = "no error is named " + std::string(name);
  if (!closest.empty()) return text.append(". Did you mean: ").append(closest);
  return text.append("; `ptcvm explain` lists them");
}

}  // namespace ptcvm
