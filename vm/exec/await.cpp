#include "vm/exec/await.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "vm/builtins/pending.h"
#include "vm/builtins/task_ids.h"
#include "vm/exec/stepper_frames.h"
#include "vm/value/map.h"
#include "vm/value/print.h"
#include "vm/value/string.h"

namespace ptc {
namespace {

constexpr std::uint64_t kAwaitedBytes = 36;    // two vectors of what is awaited: before and after
constexpr std::uint64_t kSettledBytes = 128;   // and a map for each
constexpr std::size_t kMostSignalBytes = 65'536;   // how long the name of a signal may be

std::string_view expected_collection(BuiltinId form) {
  switch (form) {
    case BuiltinId::await_any: return "a vector of handles";
    case BuiltinId::await_settled: return "a handle, or a vector or map of handles";
    default: return "a vector or map of handles";
  }
}

// Returns a whole number as it is written, and the kind of another value.
std::string number_or_kind(Value value) {
  return value.is_int() ? std::to_string(value.i) : std::string(kind_text(value));
}

bool any_waits(const Fiber& fiber) {
  if (fiber.state == Fiber::State::WaitsForOperations) return true;
  if (fiber.state == Fiber::State::WaitsForTask) return false;   // a probe waits for what others wait for
  return std::any_of(fiber.children.begin(), fiber.children.end(),
                     [](const auto& child) { return any_waits(*child); });
}

}  // namespace

// The handle of a known operation.
Value Waits::handle_for(Value borrowed, BuiltinId form) {
  if (!names_operation(borrowed)) {
    core_.raise_about(borrowed, FaultKind::TypeError,
          std::string(builtin_info(form).name) + ": expected a pending handle or id, got " +
              std::string(kind_text(borrowed)),
          "only a call of an async tool gives a handle; any other value is used directly");
    return Value::absent();
  }
  if (operations().find(operation_name(borrowed)) == nullptr) {
    unknown_pending(env(), operation_name(borrowed));
    core_.raise_parked();
    return Value::absent();
  }
  return borrowed.is_string() ? pending_of(heap(), retained(borrowed)) : retained(borrowed);
}

// One handle, or the elements as a vector in which the ids of known operations have become handles.
Value Waits::handles_for(Value borrowed, BuiltinId form) {
  const bool single = form == BuiltinId::await || (form == BuiltinId::await_settled && names_operation(borrowed));
  if (single) return handle_for(borrowed, form);
  const bool fits = borrowed.is_nil() || borrowed.is_vector() || borrowed.is_set() ||
                    (borrowed.is_map() && form != BuiltinId::await_any);
  if (!fits) {
    core_.raise_about(borrowed, FaultKind::TypeError,
                      std::string(builtin_info(form).name) + ": expected " + std::string(expected_collection(form)) +
                          ", got " + std::string(kind_text(borrowed)));
    return Value::absent();
  }
  const std::uint64_t most = borrowed.is_vector() ? vector_count(borrowed)
                             : borrowed.is_map()  ? map_count(borrowed)
                             : borrowed.is_set()  ? set_count(borrowed)
                                                  : 0;
  // Pays for each target and for what becomes of it.
  const std::uint64_t bytes = form == BuiltinId::await_settled ? kSettledBytes : kAwaitedBytes;
  if (!heap().can_allocate(most * bytes)) {
    core_.raise_memory();
    return Value::absent();
  }
  VectorBuilder targets(heap());
  std::int64_t values = 0;   // which are there already; each after the first costs a unit
  const auto add = [&](Value item) {
    const bool is_id = item.is_string() && operations().find(string_view_of(item)) != nullptr;
    const bool is_handle = is_id || item.is(Tag::Pending);
    const Value target = is_handle ? handle_for(item, form) : retained(item);
    values += is_handle ? 0 : 1;
    if (target.is_absent()) return false;
    targets.push(target);
    return true;
  };
  if (borrowed.is_vector()) {
    for (std::uint32_t k = 0, count = vector_count(borrowed); k < count; ++k) {
      if (!add(vector_at(borrowed, k))) return Value::absent();
    }
  } else if (!borrowed.is_nil()) {
    for (MapCursor entry(heap(), borrowed); entry.next();) {
      if (!add(entry.value())) return Value::absent();
    }
  }
  if (targets.count() == 0 && form == BuiltinId::await_any) {
    core_.raise(FaultKind::TypeError, "await-any: there is nothing to wait for");
    return Value::absent();
  }
  core_.charge(std::int64_t{targets.count() / 8} * (form == BuiltinId::await_settled ? 4 : 1));
  if (form == BuiltinId::await_settled && values > 1) core_.charge(values - 1);
  return targets.finish();
}

// {:timeout-ms n :default v}: the time limit goes into its slot; the default stays in the map.
bool Waits::read_options(Fiber& fiber) {
  const AwaitSlots slots = await_slots(fiber);
  const std::string name(builtin_info(fiber.frames.back().builtin).name);
  if (core_.limits().await_timeout_ms > 0) slots.own(kAwaitTimeout) = Value::integer(core_.limits().await_timeout_ms);
  if (slots.arg_count < 2 || slots.args[1].is_nil()) return true;
  const Value options = slots.args[1];
  if (!options.is_map()) {
    return core_.raise_about(options, FaultKind::TypeError,
                             name + ": arg 2 expected map of options, got " + std::string(kind_text(options)));
  }
  const bool has_default = fiber.frames.back().builtin != BuiltinId::await_settled;
  for (MapCursor entry(heap(), options); entry.next();) {
    const Value key = entry.key(), value = entry.value();
    const std::string_view text = key.is_keyword() ? key.keyword->name() : key.is_string() ? string_view_of(key) : "";
    if (text == "default" && has_default) continue;
    if (text != "timeout-ms" && text != "timeout_ms") {
      std::string shown;
      append_readable(shown, key, heap(), {60, nullptr});
      return core_.raise(FaultKind::TypeError, name + ": unknown option " + shown,
                   has_default ? "the options are :timeout-ms and :default"
                               : "the option is :timeout-ms; what is late gives {:status :timeout}");
    }
    if (value.is_nil()) continue;
    if (!value.is_int() || value.i < 0) {
      return core_.raise_about(value, FaultKind::TypeError,
                               name + ": :timeout-ms expected a whole number of milliseconds, got " +
                                   number_or_kind(value));
    }
    slots.own(kAwaitTimeout) = value;
  }
  return true;
}

Value Waits::start_sleep(Fiber& fiber, Value milliseconds) {
  if (!milliseconds.is_int() || milliseconds.i < 0) {
    core_.raise_about(milliseconds, FaultKind::TypeError,
                      "sleep: arg 1 expected a whole number of milliseconds, got " +
                          number_or_kind(milliseconds));
    return Value::absent();
  }
  Operation operation;
  operation.kind = Operation::Kind::Sleep;
  operation.tool = "sleep";
  operation.args = map_assoc(heap(), map_empty(heap()), string_of(heap(), "ms"), milliseconds);
  if (__builtin_add_overflow(core_.now(), milliseconds.i, &operation.due_ms)) operation.due_ms = INT64_MAX;
  if (operation.due_ms == 0) operation.due_ms = 1;   // 0 is never
  return run_operations_.open(fiber, std::move(operation));
}

// The name is the key under which somebody answers: facts, their keys and what a run waits for repeat it.
bool Waits::is_short_enough(std::string_view signal) {
  if (signal.size() > kMostSignalBytes) {
    return core_.raise(FaultKind::StringLimitExceeded,
                       "await-signal: the name of a signal has at most " + std::to_string(kMostSignalBytes) +
                           " bytes, this one has " + std::to_string(signal.size()));
  }
  return heap().can_allocate(bytes_in_store(core_.env(), signal)) || core_.raise_memory();
}

Value Waits::start_signal(Fiber& fiber, Value name) {
  if (!name.is_string() && !name.is_keyword()) {
    core_.raise_about(name, FaultKind::TypeError,
          "await-signal: arg 1 expected the name of a signal, got " + std::string(kind_text(name)));
    return Value::absent();
  }
  const std::string_view spelling = name.is_string() ? string_view_of(name) : name.keyword->name();
  if (!is_short_enough(spelling)) return Value::absent();
  const Value text = name.is_string() ? retained(name) : string_of(heap(), spelling);
  Operation operation;
  operation.kind = Operation::Kind::Signal;
  operation.tool = "await-signal";
  operation.args = map_assoc(heap(), map_empty(heap()), string_of(heap(), "name"), text);
  return run_operations_.open(fiber, std::move(operation));
}

bool Waits::start(Fiber& fiber) {
  const AwaitSlots slots = await_slots(fiber);
  const BuiltinId form = fiber.frames.back().builtin;
  const bool waits_at_call = form == BuiltinId::h_await_call;
  if (form != BuiltinId::sleep && !waits_at_call && !read_options(fiber)) return false;
  Value targets = Value::absent();
  switch (form) {
    case BuiltinId::sleep: targets = start_sleep(fiber, slots.args[0]); break;
    case BuiltinId::await_signal: targets = start_signal(fiber, slots.args[0]); break;
    case BuiltinId::h_await_call: targets = handle_for(slots.args[0], form); break;
    default: targets = handles_for(slots.args[0], form);
  }
  if (targets.is_absent()) return false;
  slots.own(kAwaitTargets) = targets;
  return true;
}

bool Waits::holds(const Fiber& fiber) const {
  const Value targets = await_slots(fiber).own(kAwaitTargets);
  const BuiltinId form = fiber.frames.back().builtin;
  bool all = true, any = false, failed = false;
  each_target(operations(), targets, [&](std::uint32_t, Value, const Operation* operation) {
    const bool settled = operation == nullptr || operation->delivered;
    all &= settled;
    any |= settled;
    failed |= operation != nullptr && settled && has_failed(*operation);
  });
  switch (form) {
    case BuiltinId::await_any: return any;
    case BuiltinId::await_all: return all || failed;
    default: return all;
  }
}

CallResult Waits::step(Fiber& fiber) {
  if (fiber.frames.back().stage == kAwaitStart) {
    if (!start(fiber)) return CallResult::Faulted;
    if (probe_around(fiber) == nullptr) deliver();
  }
  if (holds(fiber)) return finish(fiber);
  if (fiber.frames.back().stage == kAwaitTimedOut) return finish_late(fiber);
  if (suspensions_ >= core_.limits().suspensions) {
    core_.raise(FaultKind::SuspensionLimitExceeded,
          "the program waited " + std::to_string(core_.limits().suspensions) + " times, which is the limit",
          "start several operations and wait for them together with (await-all …)");
    return CallResult::Faulted;
  }
  const AwaitSlots slots = await_slots(fiber);
  if (slots.own(kAwaitDeadline).is_nil() && slots.own(kAwaitTimeout).is_int()) {
    std::int64_t deadline = 0;
    if (__builtin_add_overflow(core_.now(), slots.own(kAwaitTimeout).i, &deadline)) deadline = INT64_MAX;
    slots.own(kAwaitDeadline) = Value::integer(deadline);
  }
  fiber.frames.back().stage = kAwaitWait;
  fiber.state = Fiber::State::WaitsForOperations;
  return CallResult::Parked;
}

CallResult Waits::finish(Fiber& fiber) {
  const Value value = result(fiber);
  return value.is_absent() ? CallResult::Faulted : finish_stepper(heap(), fiber, value);
}

bool Waits::deliver() {
  if (!operations().deliver_all()) return false;
  if (fibers_.in_turn()) wake(*fibers_.main(), false);
  return true;
}

void Waits::resume() {
  operations().settle_due(core_.now());
  operations().deliver_all();
  wake(*fibers_.main(), true);
}

void Waits::wake(Fiber& fiber, bool time_passed) {
  if (fiber.state == Fiber::State::WaitsForOperations) {
    const Value deadline = await_slots(fiber).own(kAwaitDeadline);
    if (holds(fiber)) {
      fiber.state = Fiber::State::Ready;
    } else if (time_passed && deadline.is_int() && deadline.i <= core_.now()) {
      fiber.frames.back().stage = kAwaitTimedOut;
      fiber.state = Fiber::State::Ready;
    }
  }
  for (const auto& child : fiber.children) wake(*child, time_passed);
}

bool Waits::any() const { return any_waits(*std::as_const(fibers_).main()); }

void Waits::collect(const Fiber& fiber, std::vector<AwaitedOperation>& out) const {
  if (fiber.state == Fiber::State::WaitsForOperations) {
    const AwaitSlots slots = await_slots(fiber);
    const Value limit = slots.own(kAwaitDeadline);
    each_target(operations(), slots.own(kAwaitTargets),
                [&](std::uint32_t, Value, const Operation* operation) {
                  if (operation == nullptr || operation->delivered) return;
                  const bool is_sleep = operation->kind == Operation::Kind::Sleep;
                  out.push_back({operation->id, is_sleep ? operation->due_ms : limit.is_int() ? limit.i : 0});
                });
  }
  if (fiber.state == Fiber::State::WaitsForTask) return;
  for (const auto& child : fiber.children) collect(*child, out);
}

std::vector<AwaitedOperation> Waits::awaited() const {
  std::vector<AwaitedOperation> all;
  if (fibers_.in_turn()) collect(*std::as_const(fibers_).main(), all);
  std::vector<AwaitedOperation> once;
  std::unordered_map<std::string_view, std::size_t> place;
  for (const AwaitedOperation& awaited : all) {
    const auto [at, is_new] = place.emplace(awaited.id, once.size());
    if (is_new) {
      once.push_back(awaited);
    } else if (awaited.deadline_ms != 0) {
      std::int64_t& known = once[at->second].deadline_ms;
      known = known == 0 ? awaited.deadline_ms : std::min(known, awaited.deadline_ms);
    }
  }
  return once;
}

std::optional<std::int64_t> Waits::next_deadline() const {
  std::optional<std::int64_t> earliest;
  for (const AwaitedOperation& operation : awaited()) {
    if (operation.deadline_ms != 0) earliest = std::min(earliest.value_or(INT64_MAX), operation.deadline_ms);
  }
  return earliest;
}

}  // namespace ptc
