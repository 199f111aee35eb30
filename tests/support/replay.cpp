#include "support/replay.h"

#include <algorithm>

#include "runtime/text/edn.h"
#include "runtime/text/json_value.h"
#include "vm/value/equality.h"
#include "vm/value/print.h"
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

// Reads in a heap of its own: the text of an error is no value of the run, which may have no memory left.
ToolReply error_reply(const std::string& edn) {
  Heap heap;
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
  std::string edn;
  append_edn(edn, call.args, call.heap);
  const auto read = read_edn(heap_, edn);
  if (const auto* args = std::get_if<Value>(&read)) {
    const Owned owner(heap_, *args);
    if (Entry* exact = pick([&](const Entry& entry) { return equal(entry.args, *args); })) return exact;
  }
  const std::string text = boundary_text(call.heap, call.args);
  return pick([&](const Entry& entry) { return boundary_text(heap_, entry.args) == text; });
}

ToolReply ToolReplay::answer(const ToolCall& call) {
  Entry* entry = find(call);
  if (entry == nullptr) return ToolReply::error("no recorded answer for these arguments");
  entry->used = true;
  return entry->call.error_edn ? error_reply(*entry->call.error_edn)
                               : value_reply(call.heap, entry->call.result_edn.value_or("nil"));
}

std::vector<Resolution> ToolReplay::answers_to_waiting(Session& session) {
  std::vector<Resolution> answers;
  for (const Operation& operation : session.run().operations().all()) {
    const bool waits = operation.status == Operation::Status::Waiting;
    if (!waits || operation.kind != Operation::Kind::Tool) continue;
    const Tool* tool = session.tools().find(operation.tool);
    const std::string_view name = tool == nullptr ? std::string_view(operation.tool) : tool->definition.name;
    ToolReply reply = answer({name, operation.args, session.heap(), std::nullopt, nullptr, {}});
    if (auto complaint = reply.failed ? std::nullopt : plain_data_complaint(session.heap(), reply.result)) {
      session.heap().release(reply.result);
      reply = ToolReply::error(std::move(*complaint));
    }
    answers.push_back(reply.failed ? Resolution::error(operation.id, std::move(reply.message))
                                   : Resolution::ok(operation.id, reply.result));
  }
  return answers;
}

std::string ToolReplay::state() const {
  std::string state;
  for (const Entry& entry : entries_) state += entry.used ? '1' : '0';
  return state;
}

void ToolReplay::set_state(std::string_view state) {
  for (std::size_t k = 0; k < entries_.size() && k < state.size(); ++k) entries_[k].used = state[k] == '1';
}

std::optional<Outcome> resume_from_replay(Session& session, ToolReplay& replay, ResolveOrder& order,
                                          const Outcome& suspended) {
  std::vector<Resolution> answers = replay.answers_to_waiting(session);
  if (answers.empty() && !suspended.next_deadline_ms) return std::nullopt;
  order.arrange(answers);
  std::int64_t now = session.run().clock();
  if (answers.empty()) now = std::max(now, *suspended.next_deadline_ms);
  return session.resume(std::move(answers), now);
}

Outcome finish_from_replay(Session& session, ToolReplay& replay, ResolveOrder& order, Outcome outcome) {
  while (outcome.status == OutcomeStatus::Suspended) {
    std::optional<Outcome> next = resume_from_replay(session, replay, order, outcome);
    if (!next) break;
    outcome = std::move(*next);
  }
  return outcome;
}

}  // namespace ptc
