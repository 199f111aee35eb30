// Approvals as EDN text, as snapshots keep them.
#include <algorithm>
#include <array>

#include "runtime/calls/tools.h"
#include "runtime/text/edn.h"
#include "vm/value/map.h"
#include "vm/value/print.h"
#include "vm/value/string.h"

namespace ptc {
namespace {

using State = Approval::State;

constexpr std::array<std::string_view, 4> kStateNames = {"open", "allowed", "changed", "denied"};

void append_entry(std::string& text, std::string_view name, std::string_view value) {
  append_quoted(text, name);
  text += ' ';
  append_quoted(text, value);
}

std::string text_at(Heap& heap, Value map, std::string_view name) {
  const Owned key(heap, string_of(heap, name));
  const Value found = map_find(map, key.get());
  return found.is_string() ? std::string(string_view_of(found)) : std::string();
}

}  // namespace

std::string_view approval_state_name(State state) { return kStateNames[static_cast<std::size_t>(state)]; }

std::optional<State> find_approval_state(std::string_view name) {
  const auto known = std::find(kStateNames.begin(), kStateNames.end(), name);
  if (known == kStateNames.end()) return std::nullopt;
  return static_cast<State>(known - kStateNames.begin());
}

std::string approval_edn(const Approval& approval) {
  std::string text = "{";
  append_entry(text, "args", approval.args_edn);
  text += ' ';
  append_entry(text, "state", approval_state_name(approval.state));
  text += ' ';
  append_entry(text, "text", approval.text);
  text += ' ';
  append_entry(text, "tool", approval.tool);
  return text + '}';
}

std::optional<Approval> read_approval(std::string_view edn) {
  Heap heap;
  auto read = read_edn(heap, edn);
  if (!std::holds_alternative<Value>(read) || !std::get<Value>(read).is_map()) return std::nullopt;
  const Value map = std::get<Value>(read);
  const auto state = find_approval_state(text_at(heap, map, "state"));
  if (!state) return std::nullopt;
  return Approval{*state, text_at(heap, map, "tool"), text_at(heap, map, "args"), text_at(heap, map, "text")};
}

}  // namespace ptc
