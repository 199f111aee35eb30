// What a wait comes to: the results in the shape of the argument, or a fault.
#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "vm/exec/await.h"
#include "vm/exec/stepper_frames.h"
#include "vm/value/map.h"
#include "vm/value/string.h"

namespace ptc {
namespace {

using Status = Operation::Status;

// The one that was settled first among those that the program sees and that `wanted` accepts.
template <class Wanted>
const Operation* earliest(const Operations& operations, Value targets, const Wanted& wanted) {
  const Operation* first = nullptr;
  each_target(operations, targets, [&](std::uint32_t, Value, const Operation* operation) {
    if (operation == nullptr || !operation->delivered || !wanted(*operation)) return;
    if (first == nullptr || operation->sequence < first->sequence) first = operation;
  });
  return first;
}

// A map of at most three entries whose keys are keywords. The whole map is made at once.
class KeywordMap {
 public:
  explicit KeywordMap(Heap& heap) : heap_(heap) {}
  KeywordMap& with(std::string_view key, Value taken) {
    keys_[count_] = Value::of(heap_.intern(key));
    values_[count_++] = taken;
    return *this;
  }
  Value take() { return map_from(heap_, std::span(keys_).first(count_), std::span(values_).first(count_)); }

 private:
  Heap& heap_;
  std::array<Value, 3> keys_{}, values_{};
  std::size_t count_ = 0;
};

// Returns the entry for one target of await-settled.
Value settled_entry(Heap& heap, Value target, const Operation* operation) {
  KeywordMap entry(heap);
  const auto status = [&heap](std::string_view name) { return Value::of(heap.intern(name)); };
  if (operation == nullptr) return entry.with("status", status("ok")).with("value", retained(target)).take();
  if (!operation->delivered || operation->status == Status::Expired) {
    return entry.with("status", status("timeout")).take();
  }
  if (operation->status == Status::Ok) {
    return entry.with("status", status("ok")).with("value", retained(operation->result)).take();
  }
  std::string reason = operation->reason;
  if (operation->status == Status::Cancelled) reason = reason.empty() ? "cancelled" : "cancelled: " + reason;
  return entry.with("status", status("error")).with("reason", string_of(heap, reason)).take();
}

// As the argument was: a vector, or a map with its keys.
Value shaped(Heap& heap, Value argument, Value taken_items) {
  if (!argument.is_map()) return taken_items;
  const Owned items(heap, taken_items);
  Value map = map_empty(heap);
  std::uint32_t k = 0;
  for (MapCursor entry(heap, argument); entry.next() && k < vector_count(items.get());) {   // fewer: the memory ended
    map = map_assoc(heap, map, retained(entry.key()), vector_get(items.get(), k++));
  }
  return map;
}

// The given default, owned, or Absent.
Value given_default(Heap& heap, const AwaitSlots& slots) {
  if (slots.arg_count < 2 || !slots.args[1].is_map()) return Value::absent();
  const Value given = map_find_flexible(heap, slots.args[1], Value::of(heap.intern("default")));
  return given.is_absent() ? given : retained(given);
}

}  // namespace

bool Waits::raise_settlement(const Operation& operation) {
  const FaultKind kind = operation.status == Status::Error       ? FaultKind::ToolError
                         : operation.status == Status::Cancelled ? FaultKind::AwaitCancelled
                                                                 : FaultKind::AwaitTimeout;
  return core_.raise(kind, settlement_text(operation), "(await-settled …) gives failures as data");
}

// One operation, or all of them.
Value Waits::values(const AwaitSlots& slots) {
  const Value targets = slots.own(kAwaitTargets);
  if (!targets.is_vector()) return retained(operations().find(pending_id_of(targets))->result);
  VectorBuilder values(heap());
  each_target(operations(), targets, [&](std::uint32_t, Value target, const Operation* operation) {
    values.push(retained(operation == nullptr ? target : operation->result));
  });
  return shaped(heap(), slots.args[0], values.finish());
}

Value Waits::settled_values(const AwaitSlots& slots) {
  const Value targets = slots.own(kAwaitTargets);
  VectorBuilder entries(heap());
  Owned plain(heap(), Value::absent());   // the entry of a value that is there: such entries differ in :value alone
  each_target(operations(), targets, [&](std::uint32_t, Value target, const Operation* operation) {
    if (operation == nullptr && !plain.get().is_absent()) {
      const Value key = Value::of(heap().intern("value"));
      return entries.push(map_assoc(heap(), retained(plain.get()), key, retained(target)));
    }
    const Value entry = settled_entry(heap(), target, operation);
    if (operation == nullptr) plain.reset(retained(entry));
    entries.push(entry);
  });
  const Value all = entries.finish();
  if (targets.is_vector()) return shaped(heap(), slots.args[0], all);
  const Owned owner(heap(), all);
  return vector_get(all, 0);
}

// The operation that was settled first; a plain value was there before any of them.
Value Waits::winner(Fiber& fiber, const Operation* first) {
  const AwaitSlots slots = await_slots(fiber);
  const Value targets = slots.own(kAwaitTargets);
  Value plain = Value::absent();
  std::uint32_t index = UINT32_MAX;
  each_target(operations(), targets, [&](std::uint32_t k, Value target, const Operation* operation) {
    if (operation != nullptr || !plain.is_absent()) return;
    plain = target;
    index = k;
  });
  if (plain.is_absent()) {
    each_target(operations(), targets, [&](std::uint32_t k, Value, const Operation* operation) {
      if (operation == first) index = std::min(index, k);
    });
  }
  if (probe_around(fiber) == nullptr) cancel_losers(targets);
  KeywordMap winner(heap());
  winner.with("index", Value::integer(index));
  winner.with("id", plain.is_absent() ? string_of(heap(), first->id) : Value::nil());
  winner.with("value", retained(plain.is_absent() ? first->result : plain));
  return winner.take();
}

void Waits::cancel_losers(Value targets) {
  if (core_.limits().outstanding != Outstanding::Cancel) return;
  each_target(operations(), targets, [&](std::uint32_t, Value, const Operation* operation) {
    if (operation != nullptr) run_operations_.cancel(operation->id, "another operation of await-any was first");
  });
}

Value Waits::result(Fiber& fiber) {
  const AwaitSlots slots = await_slots(fiber);
  const BuiltinId form = fiber.frames.back().builtin;
  if (form == BuiltinId::await_settled) return settled_values(slots);
  const Value targets = slots.own(kAwaitTargets);
  bool has_plain = false;
  each_target(operations(), targets,
              [&](std::uint32_t, Value, const Operation* operation) { has_plain |= operation == nullptr; });
  const bool any = form == BuiltinId::await_any;
  const auto decides = [any](const Operation& operation) { return any || has_failed(operation); };
  const Operation* first = earliest(operations(), targets, decides);
  if (first != nullptr && has_failed(*first) && !(any && has_plain)) {
    if (first->status == Status::Expired) {
      if (const Value given = given_default(heap(), slots); !given.is_absent()) return given;
    }
    raise_settlement(*first);
    return Value::absent();
  }
  return any ? winner(fiber, first) : values(slots);
}

CallResult Waits::finish_late(Fiber& fiber) {
  const AwaitSlots slots = await_slots(fiber);
  if (fiber.frames.back().builtin == BuiltinId::await_settled) {
    return finish_stepper(heap(), fiber, settled_values(slots));
  }
  if (const Value given = given_default(heap(), slots); !given.is_absent()) return finish_stepper(heap(), fiber, given);
  std::string text;
  std::uint32_t late = 0;
  constexpr std::uint32_t kNamed = 5;
  each_target(operations(), slots.own(kAwaitTargets),
              [&](std::uint32_t, Value, const Operation* operation) {
                if (operation == nullptr || operation->delivered || ++late > kNamed) return;
                text += (text.empty() ? "" : ", ") + subject_of(*operation);
              });
  if (late > kNamed) text += " and " + std::to_string(late - kNamed) + " more";
  core_.raise(FaultKind::AwaitTimeout,
        text + " not resolved within " + std::to_string(slots.own(kAwaitTimeout).i) + "ms",
        "give a :default, or await it again later: the operation stays pending");
  return CallResult::Faulted;
}

}  // namespace ptc
