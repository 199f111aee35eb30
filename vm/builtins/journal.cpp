// Task ids, and the forms that change the records of a run: task-reset, step-done, budget/remaining. The
// records live in the environment, outside of the program's values, so that no way of ending can lose them.
#include <string>

#include "vm/builtins/complaint.h"
#include "vm/builtins/record_bytes.h"
#include "vm/builtins/task_ids.h"
#include "vm/value/account.h"
#include "vm/value/map.h"
#include "vm/value/numeric.h"
#include "vm/value/scratch.h"
#include "vm/value/string.h"

namespace ptc {
namespace {

// Writes strings as they are, keywords by name, numbers as text. Returns false when the value has no such text.
bool plain_text(Value v, std::string& out) {
  switch (v.tag) {
    case Tag::String: out = string_view_of(v); return true;
    case Tag::Keyword: out = v.keyword->name(); return true;
    case Tag::Int:
    case Tag::BigInt: append_integer(out, v); return true;
    case Tag::Float: append_float(out, v.d, true); return true;
    default: return false;
  }
}

Value not_text(Call& call, std::string_view form, std::string_view what, Value got) {
  if (got.is(Tag::Pending)) return wrong_kind(call, form, what, "string", got);
  return call.fail(FaultKind::TypeError, "(" + std::string(form) + ") " + std::string(what) +
                                             " must be a string, got " + shown(call, got));
}

constexpr std::uint64_t kSmallRecord = 4096;   // bytes of text that need no question for memory

bool refused_in_parallel(Call& call) {
  if (!call.env.in_parallel_branch) return false;
  call.fail(FaultKind::PmapError, std::string(call.name()) + " is not allowed inside pmap or pcalls",
            "record it after the parallel form, from its results");
  return true;
}

// Summaries are not in the heap, but they count toward its limit. Returns false when a fault is parked.
bool record_summary(Call& call, std::string id, std::string summary) {
  std::vector<StepSummary>& summaries = call.env.summaries;
  call.charge(summaries.size() / 8);
  std::uint64_t bytes = sizeof(StepSummary) + id.size() + summary.size();
  StepSummary* known = nullptr;
  for (StepSummary& record : summaries) {
    if (counted_bytes(record) == 0) bytes += sizeof(StepSummary) + record.id.size() + record.summary.size();
    if (record.id == id) known = &record;
  }
  if (!call.reserve(bytes)) return false;
  if (known != nullptr) {
    call.heap.account(-counted_bytes(*known));
    known->summary = std::move(summary);
  } else {
    summaries.push_back({std::move(id), std::move(summary)});
    known = &summaries.back();
  }
  call.heap.account(counted_bytes(*known));
  return true;
}

// How often a reset copies or hashes an id: for itself, the journal, the operations of the task and the change.
constexpr std::uint64_t kCopiesOfId = 4;

// Charges the texts among the arguments, which become records of the run. Returns false after parking a fault.
bool has_room_for_texts(Call& call, std::uint64_t copies) {
  std::uint64_t bytes = 0;
  for (const Value v : call.args()) {
    if (v.is_string()) bytes += as_string(v)->size_bytes;
  }
  account::text(copies * bytes);
  return bytes < kSmallRecord || call.reserve(copies * bytes);
}

// As task ids, and booleans by name.
bool step_text(Value v, std::string& out) {
  if (v.is(Tag::True) || v.is(Tag::False)) {
    out = v.truthy() ? "true" : "false";
    return true;
  }
  return plain_text(v, out);
}

}  // namespace

Value builtin_h_task_id(Call& call) {
  if (call.arg(0).is_string()) return call.take(0);
  std::string id;
  if (!plain_text(call.arg(0), id)) return not_text(call, "task", "id", call.arg(0));
  return string_of(call.heap, id);
}

Value builtin_task_reset(Call& call) {
  if (!has_room_for_texts(call, kCopiesOfId)) return Value::absent();
  std::string id, reason;
  if (!plain_text(call.arg(0), id)) return not_text(call, "task-reset", "id", call.arg(0));
  if (call.count() > 1 && !plain_text(call.arg(1), reason)) {
    return not_text(call, "task-reset", "reason", call.arg(1));
  }
  if (refused_in_parallel(call)) return Value::absent();
  const std::uint64_t in_store = bytes_in_store(call.env, id);
  if (!call.reserve(in_store)) return Value::absent();
  const HeldBytes held(in_store);   // so that the engine keeps less of what the run gave back
  if (reason.empty() && call.env.reset_needs_reason && call.env.reset_needs_reason(id)) {
    return call.fail(FaultKind::ResetNeedsReason, "(task-reset) the calls of task \"" + id + "\" had effects: say why",
                     "(task-reset \"" + id + "\" \"why it has to be done again\")");
  }
  call.charge(call.env.journal.entries().size() / 8);   // those behind it move up
  call.env.journal.reset(id, std::move(reason), call.env.operations.all().size());
  call.env.operations.reset_task(id);
  return Value::nil();
}

Value builtin_step_done(Call& call) {
  if (!has_room_for_texts(call, 1)) return Value::absent();
  std::string id, summary;
  if (!step_text(call.arg(0), id)) return not_text(call, "step-done", "id", call.arg(0));
  if (!step_text(call.arg(1), summary)) return not_text(call, "step-done", "summary", call.arg(1));
  if (refused_in_parallel(call)) return Value::absent();
  const Value result = call.arg(1).is_string() ? call.take(1) : string_of(call.heap, summary);
  if (record_summary(call, std::move(id), std::move(summary))) return result;
  call.heap.release(result);
  return Value::absent();
}

Value builtin_budget_remaining(Call& call) {
  return call.env.budget.is_nil() ? map_empty(call.heap) : retained(call.env.budget);
}

}  // namespace ptc
