#include "vm/exec/run_core.h"

#include <utility>

#include "vm/builtins/call.h"
#include "vm/builtins/record_bytes.h"
#include "vm/value/map.h"
#include "vm/value/pending.h"
#include "vm/value/shown_value.h"
#include "vm/value/string.h"

namespace ptc {

RunCore::RunCore(const RunLimits& limits, std::shared_ptr<MemorySource> memory)
    : limits_(limits), heap_(limits.memory_bytes, std::move(memory)), env_(heap_) {
  env_.limits = limits_;
  env_.clock_millis = &clock_millis_;
}

bool RunCore::raise(FaultKind kind, std::string message, std::string hint) {
  fault_.kind = kind;
  fault_.message = std::move(message);
  fault_.hint = std::move(hint);
  fault_.found.clear();
  fault_.stack.clear();
  return false;
}

bool RunCore::raise_about(Value got, FaultKind kind, std::string message, std::string hint) {
  raise(kind, std::move(message), std::move(hint));
  fault_.found = shown_value(heap_, got);
  return false;
}

bool RunCore::raise_parked() {
  raise(env_.fault.kind, std::move(env_.fault.message), std::move(env_.fault.hint));
  fault_.found = std::exchange(env_.fault.found, {});
  return false;
}

bool RunCore::raise_memory() {
  if (heap_.is_exhausted()) return raise(FaultKind::MemoryExceeded, "the machine has no more memory for this run");
  return raise(FaultKind::MemoryExceeded,
               "memory limit of " + std::to_string(limits_.memory_bytes) + " bytes exceeded");
}

bool RunCore::raise_depth() {
  return raise(FaultKind::RecursionLimitExceeded,
               "calls are nested more than " + std::to_string(limits_.depth) + " deep",
               "use loop/recur, reduce or map instead of deep recursion");
}

void RunCore::place_fault(SourceSpan span, std::shared_ptr<const Program> program, GuestStack stack) {
  fault_.stack = std::move(stack);
  fault_.span = span;
  fault_.program = std::move(program);
}

Value RunCore::call_taking(BuiltinId id, std::span<Value> taken_args) {
  Call call(env_, id, taken_args);
  const Value value = plain_builtin(id)(call);
  for (const Value& arg : taken_args) heap_.release(arg);
  if (value.is_absent()) raise_parked();
  return value;
}

Value RunCore::call_plain(BuiltinId id, std::span<Value> taken_args) {
  const Value value = call_taking(id, taken_args);
  charge_debt();
  return value;
}

Value RunCore::sequence_of(std::string_view function, std::uint32_t argument, Value taken) {
  Value args[3] = {string_of(heap_, function), Value::integer(argument), taken};
  return call_plain(BuiltinId::h_seq, args);
}

bool RunCore::get_keyword(Value* dst, Value* b, Value key, bool take) {
  const Value x = *b;
  Value found = Value::absent();
  if (x.is_map()) {
    found = map_find_flexible(heap_, x, key);
  } else if (x.is(Tag::Pending)) {
    const Value immediate = env_.operations.immediate_of(pending_id_of(x));
    if (immediate.is_map()) found = map_find_flexible(heap_, immediate, key);
  }
  if (found.is_absent()) found = Value::nil();
  retain(found);
  if (take) heap_.release(x);
  *dst = found;
  return true;
}

void RunCore::set_context(Value taken_map) {
  heap_.release(context_);
  context_ = taken_map;
}

void RunCore::set_history(std::vector<Value> taken_newest_first) {
  for (const Value& v : history_) heap_.release(v);
  history_ = std::move(taken_newest_first);
}

void RunCore::set_budget(Value taken_map) {
  heap_.release(env_.budget);
  env_.budget = taken_map;
}

void RunCore::set_result(Value taken) {
  heap_.release(result_);
  result_ = taken;
}

void RunCore::clear_records() {
  for (const std::string& text : env_.prints) heap_.account_records(-counted_print_bytes(text));
  env_.prints.clear();
  env_.print_bytes = 0;
  for (const StepSummary& summary : env_.summaries) heap_.account(-counted_bytes(summary));
  env_.summaries.clear();
  env_.warnings.clear();
  env_.fuel_debt = 0;
}

void RunCore::release_values() {
  set_result(Value::nil());
  set_history({});
  set_context(Value::nil());
  set_budget(Value::nil());
  env_.journal.clear();
  env_.operations.clear();
}

}  // namespace ptc
