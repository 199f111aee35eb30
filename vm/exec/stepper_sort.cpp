#include "vm/exec/stepper_sort.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <vector>

#include "vm/builtins/call.h"
#include "vm/exec/known_order.h"
#include "vm/exec/stepper_frames.h"
#include "vm/exec/stepper_slots.h"
#include "vm/value/map.h"
#include "vm/value/order.h"
#include "vm/value/order_word.h"
#include "vm/value/print.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

// Where the run that begins at `low` meets its neighbour, and where that one ends.
struct Runs {
  std::int64_t middle, high;
};
Runs runs_at(std::int64_t low, std::int64_t width, std::int64_t count) {
  return {std::min(low + width, count), std::min(low + 2 * width, count)};
}

constexpr std::uint64_t kSortBytes = 64;   // of scratch for one element

bool is_key_name(Value v) { return v.is_keyword() || v.is_string() || v.is_vector(); }

// Asks the host now and then, so it belongs into patiently().
std::vector<Value> borrowed_elements(Value vector) {
  constexpr std::uint32_t kWorkOfChunk = 4;
  std::vector<Value> elements;
  elements.reserve(vector_count(vector));
  Value scratch;
  for (std::uint32_t i = 0, count = vector_count(vector); i < count;) {
    const std::span<const Value> chunk = vector_chunk(vector, i, scratch);
    work_done(kWorkOfChunk);
    elements.insert(elements.end(), chunk.begin(), chunk.end());
    i += static_cast<std::uint32_t>(chunk.size());
  }
  return elements;
}

// The stable order of any keys by asking guest_compare; the first failure of it, if there was one.
Comparison compared_order(std::span<const Value> keys, bool descending, std::vector<std::uint32_t>& order) {
  Comparison failed;
  order.resize(keys.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto less = [&](Value a, Value b) {
    work_done(1);
    const Comparison comparison = guest_compare(a, b);
    if (comparison.status == Comparison::Status::Ordered) return comparison.order < 0;
    if (failed.status == Comparison::Status::Ordered) failed = comparison;
    return false;
  };
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return descending ? less(keys[b], keys[a]) : less(keys[a], keys[b]);
  });
  return failed;
}

std::string incomparable_text(const Comparison& comparison) {
  if (comparison.status == Comparison::Status::Nan) return "compare: unordered comparison with NaN";
  return "compare: values are not comparable: " + std::string(kind_text(comparison.a)) + ", " +
         std::string(kind_text(comparison.b));
}

}  // namespace

// Validates the arguments and puts items (and natively computed keys) into place.
bool Sorting::start(Fiber& fiber, Value* slots, std::uint32_t arg_count) {
  const BuiltinId id = fiber.frames.back().builtin;
  const std::string_view name = builtin_info(id).name;
  Value* own = slots + arg_count;
  const Value collection = slots[arg_count - 1];
  const bool has_comparator = arg_count == (id == BuiltinId::sort ? 2u : 3u);
  if (has_comparator && collection.is_function()) {
    return core_.raise(FaultKind::TypeError, std::string(name) + ": arg " + std::to_string(arg_count) +
                                           " expected seqable, got function",
                 id == BuiltinId::sort ? "the order is (sort comparator coll)"
                                       : "the order is (sort-by key comparator coll)");
  }
  const Value items = core_.sequence_of(name, arg_count, retained(collection));
  if (items.is_absent()) return false;
  own[kSortItems] = items;
  core_.charge(vector_count(own[kSortItems]));
  if (id == BuiltinId::sort) {
    own[kSortKeys] = retained(own[kSortItems]);
    return true;
  }
  own[kSortKeys] = vector_empty(heap());
  if (!is_key_name(slots[0])) return true;
  const std::uint32_t count = vector_count(own[kSortItems]);
  if (!heap().can_allocate(vector_bytes(count))) return core_.raise_memory();
  const BuiltinId getter = slots[0].is_vector() ? BuiltinId::get_in : BuiltinId::get;
  const auto key_of = [&](Value item) {
    Value get_args[2] = {item, retained(slots[0])};
    if (item.is_map() || item.is(Tag::Pending) || slots[0].is_vector()) return core_.call_plain(getter, get_args);
    heap().release(item);
    heap().release(get_args[1]);
    return Value::nil();
  };
  bool found = true;
  const bool in_time = core_.patiently([&] {
    for (std::uint32_t k = 0; k < count && found; ++k) {
      work_done(1);
      const Value key = key_of(vector_get(own[kSortItems], k));
      found = !key.is_absent();
      if (found) own[kSortKeys] = vector_push(heap(), own[kSortKeys], key);
    }
  });
  return in_time && found;
}

// Sorts by kSortKeys in the default order; the result replaces kSortItems.
bool Sorting::order_natively(Value* own, bool descending) {
  const std::uint32_t count = vector_count(own[kSortItems]);
  if (!heap().can_allocate(std::uint64_t{count} * kSortBytes)) return core_.raise_memory();
  std::vector<std::uint32_t> order;
  Comparison failed;
  const bool in_time = core_.patiently([&] {
    const std::vector<Value> keys = borrowed_elements(own[kSortKeys]);
    if (!plain_order(keys, descending, order)) failed = compared_order(keys, descending, order);
  });
  if (!in_time) return false;
  if (failed.status != Comparison::Status::Ordered) return core_.raise(FaultKind::TypeError, incomparable_text(failed));
  return put_items_in_order(own, order);
}

bool Sorting::put_items_in_order(Value* own, std::span<const std::uint32_t> order) {
  const std::int64_t count = static_cast<std::int64_t>(order.size());
  std::int64_t levels = 1;
  for (std::int64_t n = count; n > 1; n /= 2) ++levels;
  core_.charge(levels * count / 8);
  const auto replace = [&](Value taken) {
    heap().release(own[kSortItems]);
    own[kSortItems] = taken;
  };
  if (order.size() <= kFlatVectorMax) {   // in a block of just that size
    const std::vector<Value> items = borrowed_elements(own[kSortItems]);
    std::array<Value, kFlatVectorMax> sorted;
    for (std::size_t i = 0; i < order.size(); ++i) sorted[i] = retained(items[order[i]]);
    replace(vector_of(heap(), {sorted.data(), order.size()}));
    return true;
  }
  return core_.patiently([&] {
    const std::vector<Value> items = borrowed_elements(own[kSortItems]);
    VectorBuilder sorted(heap());
    for (const std::uint32_t index : order) sorted.push(retained(items[index]));
    replace(sorted.finish());
  });
}

// Does the same for a comparator that need not be called. Returns false when the comparator must be called.
bool Sorting::order_as_known(Value* own, Value comparator) {
  const std::optional<KnownOrder> known = known_order(comparator);
  const std::uint32_t count = vector_count(own[kSortItems]);
  if (!known || !heap().can_allocate(std::uint64_t{count} * kSortBytes)) return false;
  std::vector<Value> keys = borrowed_elements(own[kSortKeys]);
  const bool has_field = !known->field.is_nil();
  if (has_field) {
    for (Value& key : keys) core_.get_keyword(&key, &key, known->field, false);
  }
  std::vector<std::uint32_t> order;
  bool sorted = !known->numbers_only || are_plain_numbers(keys);
  if (sorted && !core_.patiently([&] { sorted = plain_order(keys, known->descending, order); })) sorted = false;
  if (has_field) {
    for (const Value key : keys) heap().release(key);
  }
  return sorted && put_items_in_order(own, order);
}

CallResult Sorting::step(Fiber& fiber) {
  const BuiltinId id = fiber.frames.back().builtin;
  const std::uint32_t arg_count = fiber.frames.back().slot_count - kStepperSlots;
  const bool has_comparator = arg_count == (id == BuiltinId::sort ? 2u : 3u);
  const auto slots = [&] { return fiber.frames.back().base; };
  const auto own = [&] { return slots() + arg_count; };
  const auto set_stage = [&](SortStage stage) { fiber.frames.back().stage = static_cast<std::uint8_t>(stage); };
  const auto comparator = [&] { return has_comparator ? slots()[arg_count - 2] : Value::nil(); };

  // The next element of one run goes to the merged order.
  const auto take = [&](SortSlot side) {
    const Value position = vector_at(own()[kSortOrder], static_cast<std::uint32_t>(own()[side].i));
    own()[kSortMerged] = vector_push(heap(), own()[kSortMerged], position);
    own()[side] = Value::integer(own()[side].i + 1);
  };

  switch (fiber.frames.back().stage) {
    case kSortStart: {
      if (!start(fiber, slots(), arg_count)) return CallResult::Faulted;
      goto next_key;
    }
    case kSortNextKey: goto next_key;
    case kSortAwaitKey:
      own()[kSortKeys] = vector_push(heap(), own()[kSortKeys], take_stepper_result(fiber));
      goto next_key;
    case kSortMerge: goto merge;
    case kSortAwaitAnswer: {
      const Value answer = take_stepper_result(fiber);
      if (answer.is_number()) {
        const bool after = answer.is_int() ? answer.i > 0
                                           : guest_compare(answer, Value::integer(0)).order > 0;
        heap().release(answer);
        take(after ? kSortRight : kSortLeft);
        goto merge;
      }
      const bool before = answer.truthy();
      heap().release(answer);
      if (before) {
        take(kSortLeft);
        goto merge;
      }
      const std::uint32_t left =
          static_cast<std::uint32_t>(vector_at(own()[kSortOrder], static_cast<std::uint32_t>(own()[kSortLeft].i)).i);
      const std::uint32_t right =
          static_cast<std::uint32_t>(vector_at(own()[kSortOrder], static_cast<std::uint32_t>(own()[kSortRight].i)).i);
      const Value pair[2] = {vector_at(own()[kSortKeys], right), vector_at(own()[kSortKeys], left)};
      set_stage(kSortAwaitReverse);
      const CallResult called = calls_.call_from_stepper(fiber, comparator(), pair);
      if (called != CallResult::Done) return called;
      [[fallthrough]];
    }
    case kSortAwaitReverse: {
      const Value answer = take_stepper_result(fiber);
      const bool after = answer.truthy() && !answer.is_number();
      heap().release(answer);
      take(after ? kSortRight : kSortLeft);
      goto merge;
    }
    default: core_.raise(FaultKind::BadProgram, "unknown stage of sort"); return CallResult::Faulted;
  }

next_key:
  for (;;) {
    const std::uint32_t done = vector_count(own()[kSortKeys]);
    if (done == vector_count(own()[kSortItems])) break;
    if (heap().over_limit()) {
      core_.raise_memory();
      return CallResult::Faulted;
    }
    core_.charge_work();
    if (core_.fuel_left() <= 0) {
      set_stage(kSortNextKey);
      return CallResult::Parked;   // the fiber stays ready: the next slice goes on here
    }
    core_.charge(1);
    set_stage(kSortAwaitKey);
    const Value item = vector_get(own()[kSortItems], done);
    const Value args[1] = {item};
    const CallResult called = calls_.call_from_stepper(fiber, slots()[0], args);
    heap().release(item);
    if (called != CallResult::Done) return called;
    own()[kSortKeys] = vector_push(heap(), own()[kSortKeys], take_stepper_result(fiber));
  }
  {
    const Value by = comparator();
    const bool is_asc = by.is_keyword() && by.keyword->name() == "asc";
    const bool is_desc = by.is_keyword() && by.keyword->name() == "desc";
    const bool is_compare = by.is(Tag::Builtin) && by.builtin() == BuiltinId::compare;
    if (by.is_nil() || is_asc || is_desc || is_compare) {
      if (!order_natively(own(), is_desc)) return CallResult::Faulted;
      return finish_stepper(heap(), fiber, retained(own()[kSortItems]));
    }
    if (order_as_known(own(), by)) return finish_stepper(heap(), fiber, retained(own()[kSortItems]));
    const bool callable = by.is_function() || by.is_map() || by.is_set();
    if (!callable) {
      std::string text;
      append_readable(text, by, heap(), {60, nullptr});
      core_.raise(FaultKind::TypeError, std::string(builtin_info(id).name) + ": invalid comparator " + text,
            "a comparator is :asc, :desc or a function of two arguments");
      return CallResult::Faulted;
    }
    // While two runs are merged there is the order before and, growing, the one after.
    if (!heap().can_allocate(2 * vector_bytes(vector_count(own()[kSortItems])))) {
      core_.raise_memory();
      return CallResult::Faulted;
    }
    own()[kSortOrder] = vector_range(heap(), 0, 1, vector_count(own()[kSortItems]));
    own()[kSortMerged] = vector_empty(heap());
    own()[kSortWidth] = Value::integer(1);
    own()[kSortLow] = Value::integer(0);
    own()[kSortLeft] = Value::integer(0);
    own()[kSortRight] = Value::integer(1);
    set_stage(kSortMerge);
  }

merge:
  for (;;) {
    if (heap().over_limit()) {   // the orders may be shorter than they should be
      core_.raise_memory();
      return CallResult::Faulted;
    }
    const std::int64_t count = vector_count(own()[kSortItems]);
    const std::int64_t width = own()[kSortWidth].i;
    if (width >= count) {
      VectorBuilder sorted(heap());
      for (std::uint32_t k = 0; k < count; ++k) {
        sorted.push(vector_get(own()[kSortItems], static_cast<std::uint32_t>(vector_at(own()[kSortOrder], k).i)));
      }
      return finish_stepper(heap(), fiber, sorted.finish());
    }
    const Runs runs = runs_at(own()[kSortLow].i, width, count);
    const std::int64_t left = own()[kSortLeft].i, right = own()[kSortRight].i;
    if (left >= runs.middle || right >= runs.high) {   // one run is used up: the rest of the other follows
      for (std::int64_t k = left; k < runs.middle; ++k) {
        own()[kSortMerged] =
            vector_push(heap(), own()[kSortMerged], vector_at(own()[kSortOrder], static_cast<std::uint32_t>(k)));
      }
      for (std::int64_t k = right; k < runs.high; ++k) {
        own()[kSortMerged] =
            vector_push(heap(), own()[kSortMerged], vector_at(own()[kSortOrder], static_cast<std::uint32_t>(k)));
      }
      if (runs.high < count) {
        own()[kSortLow] = Value::integer(runs.high);
      } else {
        heap().release(own()[kSortOrder]);
        own()[kSortOrder] = own()[kSortMerged];
        own()[kSortMerged] = vector_empty(heap());
        own()[kSortWidth] = Value::integer(width * 2);
        own()[kSortLow] = Value::integer(0);
      }
      own()[kSortLeft] = own()[kSortLow];
      own()[kSortRight] = Value::integer(std::min(own()[kSortLow].i + own()[kSortWidth].i, count));
      continue;
    }
    core_.charge_work();
    if (core_.fuel_left() <= 0) {
      set_stage(kSortMerge);
      return CallResult::Parked;   // the fiber stays ready: the next slice goes on here
    }
    core_.charge(1);
    const auto key_at = [&](std::int64_t position) {
      return vector_at(own()[kSortKeys], static_cast<std::uint32_t>(
                                         vector_at(own()[kSortOrder], static_cast<std::uint32_t>(position)).i));
    };
    const Value pair[2] = {key_at(left), key_at(right)};
    set_stage(kSortAwaitAnswer);
    CallResult called = calls_.call_from_stepper(fiber, comparator(), pair);
    if (called != CallResult::Done) return called;
    Value answer = take_stepper_result(fiber);
    bool right_first = false;
    if (answer.is_number()) {
      right_first = answer.is_int() ? answer.i > 0 : guest_compare(answer, Value::integer(0)).order > 0;
    } else if (!answer.truthy()) {
      const Value reversed[2] = {pair[1], pair[0]};
      set_stage(kSortAwaitReverse);
      called = calls_.call_from_stepper(fiber, comparator(), reversed);
      if (called != CallResult::Done) return called;
      answer = take_stepper_result(fiber);
      right_first = answer.truthy() && !answer.is_number();
    }
    heap().release(answer);
    take(right_first ? kSortRight : kSortLeft);
  }
}

}  // namespace ptc
