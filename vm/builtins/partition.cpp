// Builtins that cut a sequence into groups of equal size. The size of all groups together is known before the
// first is made, so overlapping windows cannot pass the memory limit.
#include <algorithm>

#include "vm/builtins/complaint.h"
#include "vm/builtins/seqable.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

// Argument i as a group size or step: at least 1; larger than any vector is all the same.
bool positive_argument(Call& call, std::uint32_t i, std::string_view what, std::uint32_t& out) {
  std::int64_t n = 0;
  const bool numeric = position_of(call.arg(i), n);
  if (numeric && n > 0) {
    out = static_cast<std::uint32_t>(std::min<std::int64_t>(n, UINT32_MAX));
    return true;
  }
  if (call.arg(i).is(Tag::Pending)) {
    call.type_error(i + 1, "positive integer");
  } else {
    call.fail(FaultKind::TypeError, std::string(call.name()) + ": " + std::string(what) +
                                        " must be a positive integer, got " + shown(call, call.arg(i)));
  }
  return false;
}

struct Plan {
  std::uint32_t size = 0, step = 0;
  bool keep_short = false;   // partition-all: every short group at the end stays
  Value pad = Value::nil();  // owned vector that fills one short group, or nil
};

bool reserve_groups(Call& call, const Plan& plan, std::uint32_t count) {
  const std::uint64_t groups = (std::uint64_t{count} + plan.step - 1) / plan.step;
  const std::uint64_t slots = groups * std::min(plan.size, count);
  call.charge(slots);
  return call.reserve(groups * kGroupBytes + slots * kSlotBytes);
}

// The short last group [from, count), filled from the pad.
Value padded_group(Heap& heap, Value items, std::uint32_t from, const Plan& plan) {
  const std::uint32_t count = vector_count(items);
  const Value group = vector_slice(heap, retained(items), from, count);
  const std::uint32_t missing = plan.size - (count - from);
  const Owned fill(heap,
                   vector_slice(heap, retained(plan.pad), 0, std::min(missing, vector_count(plan.pad))));
  return vector_concat(heap, group, fill.get());
}

// Takes the items; plan.pad stays the caller's.
Value groups_of(Call& call, Value taken_items, const Plan& plan) {
  const Owned items(call.heap, taken_items);
  const std::uint32_t count = vector_count(taken_items);
  if (!reserve_groups(call, plan, count)) return Value::absent();
  VectorBuilder groups(call.heap);
  for (std::uint64_t from = 0; from < count; from += plan.step) {
    const std::uint32_t at = static_cast<std::uint32_t>(from);
    const bool whole = count - at >= plan.size;
    if (whole || plan.keep_short) {
      const std::uint32_t to = whole ? at + plan.size : count;
      groups.push(vector_slice(call.heap, retained(taken_items), at, to));
      if (!call.within_memory()) return Value::absent();
      continue;
    }
    if (!plan.pad.is_nil()) groups.push(padded_group(call.heap, taken_items, at, plan));
    break;
  }
  return groups.finish();
}

Value partition(Call& call, bool keep_short) {
  Plan plan;
  plan.keep_short = keep_short;
  if (!positive_argument(call, 0, "n", plan.size)) return Value::absent();
  plan.step = plan.size;
  if (call.count() > 2 && !positive_argument(call, 1, "step", plan.step)) return Value::absent();
  const bool padded = call.count() == 4;
  const std::uint32_t coll = call.count() - 1;
  if (!is_seqable(call.arg(coll))) return call.type_error(coll + 1, "seqable");
  Owned pad(call.heap, padded ? take_seq(call, 2) : Value::nil());
  if (pad.get().is_absent()) return Value::absent();
  plan.pad = pad.get();
  const Value items = take_seq(call, coll);
  return items.is_absent() ? items : groups_of(call, items, plan);
}

}  // namespace

Value builtin_partition(Call& call) { return partition(call, false); }
Value builtin_partitionv(Call& call) { return partition(call, false); }
Value builtin_partition_all(Call& call) { return partition(call, true); }
Value builtin_partitionv_all(Call& call) { return partition(call, true); }

}  // namespace ptc
