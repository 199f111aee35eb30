#include "runtime/calls/tools.h"

#include <algorithm>

#include "runtime/signature/signature.h"
#include "vm/value/map.h"
#include "vm/value/map_shape.h"
#include "vm/value/print.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

bool is_plain_leaf(Value v) {
  switch (v.tag) {
    case Tag::Nil:
    case Tag::False:
    case Tag::True:
    case Tag::Int:
    case Tag::Float:
    case Tag::BigInt:
    case Tag::String:
    case Tag::Keyword: return true;
    default: return false;
  }
}

// Returns whether all parts of a value are plain, without naming a part that is not: answers mostly are plain, and
// lists of records.
class PlainCheck {
 public:
  explicit PlainCheck(Heap& heap) : heap_(heap) {}

  bool holds(Value value) {
    if (!passes(value)) return false;
    while (!open_.empty()) {
      const Value v = open_.back();
      open_.pop_back();
      if (!(v.is_vector() ? elements_pass(v) : entries_pass(v))) return false;
    }
    return true;
  }

 private:
  bool passes(Value v) {
    if (is_plain_leaf(v)) return true;
    if (!v.is_vector() && !v.is_map() && !v.is_set()) return false;
    open_.push_back(v);
    return true;
  }
  bool values_pass(Value map, const KeyArray* names) {
    const Value* const values = static_cast<SmallMap*>(map.object)->values();
    return std::all_of(values, values + names->extra, [this](Value v) { return passes(v); });
  }
  bool elements_pass(Value vector) {
    Value scratch = Value::nil();
    std::uint32_t i = 0;
    for (auto chunk = vector_chunk(vector, i, scratch); !chunk.empty(); chunk = vector_chunk(vector, i, scratch)) {
      i += static_cast<std::uint32_t>(chunk.size());
      for (const Value item : chunk) {
        const KeyArray* const names = item.is_map() ? shared_keys(item) : nullptr;
        if (!(names != nullptr ? values_pass(item, names) : passes(item))) return false;
      }
    }
    return true;
  }
  bool entries_pass(Value v) {
    const KeyArray* const names = v.is_map() ? shared_keys(v) : nullptr;
    if (names != nullptr) return values_pass(v, names);
    for (MapCursor entry(heap_, v); entry.next();) {
      if (!passes(entry.key()) || (v.is_map() && !passes(entry.value()))) return false;
    }
    return true;
  }

  Heap& heap_;
  std::vector<Value> open_;            // collections, borrowed from the value
};

}  // namespace

void refuse_too_large(Heap& heap, std::string_view tool, ToolReply& reply) {
  if (!heap.has_failed() || (reply.failed && reply.fault != FaultKind::ToolError)) return;
  heap.release(reply.result);
  reply = ToolReply::too_large(tool);
}

void ToolRegistry::add(ToolDefinition definition, ToolHandler handler, ReconcileHandler reconcile) {
  const auto at =
      std::lower_bound(tools_.begin(), tools_.end(), definition.name,
                       [](const Tool& tool, const std::string& name) { return tool.definition.name < name; });
  if (at != tools_.end() && at->definition.name == definition.name) {
    *at = {std::move(definition), std::move(handler), std::move(reconcile)};
  } else {
    tools_.insert(at, {std::move(definition), std::move(handler), std::move(reconcile)});
  }
}

const Tool* ToolRegistry::find(std::string_view name) const {
  const auto at = std::lower_bound(tools_.begin(), tools_.end(), name,
                                   [](const Tool& tool, std::string_view n) { return tool.definition.name < n; });
  if (at != tools_.end() && at->definition.name == name) return &*at;
  for (const Tool& tool : tools_) {
    if (same_field_name(tool.definition.name, name)) return &tool;
  }
  return nullptr;
}

std::vector<std::string_view> ToolRegistry::names() const {
  std::vector<std::string_view> names;
  names.reserve(tools_.size());
  for (const Tool& tool : tools_) names.push_back(tool.definition.name);
  return names;
}

std::vector<std::string_view> ToolRegistry::sync_names() const {
  std::vector<std::string_view> names;
  for (const Tool& tool : tools_) {
    if (tool.definition.async == AsyncMode::No) names.push_back(tool.definition.name);
  }
  return names;
}

std::string unknown_tool_message(std::string_view name, const ToolRegistry& tools) {
  std::string text = "Unknown tool: " + std::string(name) + ". ";
  if (tools.empty()) return text + "No tools available.";
  text += "Available tools: ";
  bool first = true;
  for (const std::string_view known : tools.names()) {
    if (!first) text += ", ";
    text += known;
    first = false;
  }
  return text;
}

bool is_plain_data(Heap& heap, Value value, Value* offender) {
  if (PlainCheck(heap).holds(value)) return true;
  std::vector<Value> open{value};     // borrowed from `value`
  while (!open.empty()) {
    const Value v = open.back();
    open.pop_back();
    if (v.is_vector()) {
      for (std::uint32_t i = 0, n = vector_count(v); i < n; ++i) {
        const Value item = vector_at(v, i);
        if (!item.is_int()) open.push_back(item);
      }
    } else if (v.is_map() || v.is_set()) {
      for (MapCursor entry(heap, v); entry.next();) {
        open.push_back(entry.key());
        if (v.is_map()) open.push_back(entry.value());
      }
    } else if (!is_plain_leaf(v)) {
      if (offender != nullptr) *offender = v;
      return false;
    }
  }
  return true;
}

std::optional<std::string> plain_data_complaint(Heap& heap, Value answer) {
  Value offender = Value::nil();
  if (is_plain_data(heap, answer, &offender)) return std::nullopt;
  return "its answer holds a " + std::string(kind_text(offender)) + ", which is not plain data";
}

}  // namespace ptc
