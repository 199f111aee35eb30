#include "runtime/replay.h"

#include "runtime/edn.h"
#include "runtime/json_value.h"
#include "vm/value/equality.h"
#include "vm/value/string.h"

namespace ptc {
namespace {

// What is left of arguments when they cross to a tool as JSON: keywords are strings, dates ISO text.
std::string boundary_text(Heap& heap, Value args) {
  std::string text;
  append_json(text, args, heap);
  return text;
}

ToolReply value_reply(Heap& heap, const std::string& edn) {
  const auto read = read_edn(heap, edn);
  if (const auto* value = std::get_if<Value>(&read)) return ToolReply::value(*value);
  return ToolReply::error("its recorded answer cannot be read: " + std::get<EdnError>(read).message);
}

ToolReply error_reply(Heap& heap, const std::string& edn) {
  const auto read = read_edn(heap, edn);
  const auto* value = std::get_if<Value>(&read);
  if (value == nullptr) return ToolReply::error(edn);
  const Owned owner(heap, *value);
  return ToolReply::error(value->is_string() ? std::string(string_view_of(*value)) : edn);
}

}  // namespace

ToolReplay::~ToolReplay() {
  for (const Entry& entry : entries_) heap_.release(entry.args);
}

std::optional<std::string> ToolReplay::add(RecordedCall call) {
  const auto read = read_edn(heap_, call.args_edn);
  if (const auto* error = std::get_if<EdnError>(&read)) return error->message;
  entries_.push_back({std::move(call), std::get<Value>(read), false});
  return std::nullopt;
}

ToolReplay::Entry* ToolReplay::find(const ToolCall& call) {
  const auto pick = [&](const auto& matches) {
    Entry* last = nullptr;
    for (Entry& entry : entries_) {
      if (entry.call.tool != call.name || !matches(entry)) continue;
      if (!entry.used) return &entry;
      last = &entry;
    }
    return last;
  };
  if (Entry* exact = pick([&](const Entry& entry) { return equal(entry.args, call.args); })) return exact;
  const std::string text = boundary_text(call.heap, call.args);
  return pick([&](const Entry& entry) { return boundary_text(call.heap, entry.args) == text; });
}

ToolReply ToolReplay::answer(const ToolCall& call) {
  Entry* entry = find(call);
  if (entry == nullptr) return ToolReply::error("no recorded answer for these arguments");
  entry->used = true;
  return entry->call.error_edn ? error_reply(heap_, *entry->call.error_edn)
                               : value_reply(heap_, entry->call.result_edn.value_or("nil"));
}

}  // namespace ptc
