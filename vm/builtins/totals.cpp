// Sums, averages and extremes of a sequence, and pluck. nil elements are left out. The prelude's …-by
// functions compute the keys first and hand them to the hidden halves here.
#include <string>

#include "vm/builtins/complaint.h"
#include "vm/builtins/lookup.h"
#include "vm/builtins/seqable.h"
#include "vm/value/map.h"
#include "vm/value/numeric.h"
#include "vm/value/order.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

struct Total {
  Value sum;                // owned; Absent when a fault was parked
  std::uint32_t count = 0;  // numbers added
};

Total total_of(Call& call, std::string_view function, Value items) {
  const std::uint32_t count = vector_count(items);
  call.charge(count);
  Total total{Value::integer(0)};
  for (std::uint32_t i = 0; i < count; ++i) {
    const Value item = vector_at(items, i);
    if (item.is_nil()) continue;
    const Owned sum(call.heap, total.sum);
    work_done(1);
    if (!item.is_number()) {
      total.sum = wrong_kind(call, function, "element " + std::to_string(i), "number", item);
      return total;
    }
    const NumericResult next = num_add(call.heap, sum.get(), item, call.env.limits.integer_bits);
    if (next.error != NumericError::None) {
      total.sum = call.fail(FaultKind::IntegerLimitExceeded,
                            std::string(function) + ": integer wider than the limit");
      return total;
    }
    total.sum = next.value;
    ++total.count;
  }
  return total;
}

Value average_of(Call& call, std::string_view function, Value items) {
  const Total total = total_of(call, function, items);
  if (total.sum.is_absent()) return total.sum;
  const Owned sum(call.heap, total.sum);
  if (total.count == 0) return Value::nil();
  return num_div(call.heap, total.sum, Value::integer(total.count)).value;
}

// Finds the index of the item whose key is least (or greatest), the first of equals, nil keys left out; count when
// there is no such item. Returns false when a fault was parked.
bool extreme_index(Call& call, std::string_view function, bool greatest, Value keys, std::uint32_t& best) {
  const std::uint32_t count = vector_count(keys);
  call.charge(count);
  best = count;
  for (std::uint32_t i = 0; i < count; ++i) {
    work_done(1);
    const Value key = vector_at(keys, i);
    if (key.is_nil()) continue;
    if (best == count) {
      best = i;
      continue;
    }
    const Value rival = vector_at(keys, best);
    const Comparison order = guest_compare(key, rival);
    if (order.status == Comparison::Status::Nan) {
      call.fail(FaultKind::TypeError, std::string(function) + ": unordered comparison with NaN");
      return false;
    }
    if (order.status == Comparison::Status::Incomparable) {
      wrong_kind(call, function, "key " + shown(call, key), "value comparable with " + shown(call, rival),
                 key);
      return false;
    }
    if (greatest ? order.order > 0 : order.order < 0) best = i;
  }
  return true;
}

// Decides between numeric keys as Clojure does: the second of the first two, unless the first is strictly better;
// later items win ties, and NaN never wins.
bool replaces(bool second, bool greatest, Value best, Value key) {
  const Ordering order = greatest ? num_compare(best, key) : num_compare(key, best);
  if (second) return !(greatest ? order == Ordering::Greater : num_compare(best, key) == Ordering::Less);
  return order == Ordering::Less || order == Ordering::Equal;
}

}  // namespace

Value builtin_sum(Call& call) {
  const Value items = take_seq(call, 0);
  if (items.is_absent()) return items;
  const Owned source(call.heap, items);
  return total_of(call, "sum", items).sum;
}

// A lone number is its own average.
Value builtin_avg(Call& call) {
  if (call.arg(0).is_number()) return call.take(0);
  const Value items = take_seq(call, 0);
  if (items.is_absent()) return items;
  const Owned source(call.heap, items);
  return average_of(call, "avg", items);
}

// (%sum "sum-by" keys)
Value builtin_h_sum(Call& call) { return total_of(call, string_view_of(call.arg(0)), call.arg(1)).sum; }

// (%avg "avg-by" keys)
Value builtin_h_avg(Call& call) { return average_of(call, string_view_of(call.arg(0)), call.arg(1)); }

// (%extreme "max-by" greatest? keys items)
Value builtin_h_extreme(Call& call) {
  std::uint32_t best = 0;
  if (!extreme_index(call, string_view_of(call.arg(0)), call.arg(1).truthy(), call.arg(2), best)) {
    return Value::absent();
  }
  const Value items = call.arg(3);
  return best < vector_count(items) ? vector_get(items, best) : Value::nil();
}

// (%extreme-number "max-key" greatest? keys items); at least one item
Value builtin_h_extreme_number(Call& call) {
  const bool greatest = call.arg(1).truthy();
  const Value keys = call.arg(2), items = call.arg(3);
  const std::uint32_t count = vector_count(items);
  call.charge(count);
  std::uint32_t best = 0;
  for (std::uint32_t i = 0; count > 1 && i < count; ++i) {
    work_done(1);
    const Value key = vector_at(keys, i);
    if (!key.is_number()) return wrong_kind(call, string_view_of(call.arg(0)), "key", "number", key);
    if (i > 0 && replaces(i == 1, greatest, vector_at(keys, best), key)) best = i;
  }
  return vector_get(items, best);
}

Value builtin_pluck(Call& call) {
  const Value key = call.arg(0);
  if (!key.is_keyword() && !key.is_string() && !key.is_vector()) {
    return call.type_error(1, "keyword, string or path", "use (map f coll) to call a function on every item");
  }
  if (call.arg(1).is_map()) {
    return call.fail_about(call.arg(1), FaultKind::TypeError,
                           "pluck: arg 2 expected a sequence of maps, got a single map",
                           "use (:k m) or (get m :k) for one map");
  }
  const Value items = take_seq(call, 1);
  if (items.is_absent()) return items;
  const Owned source(call.heap, items);
  const std::uint32_t count = vector_count(items);
  if (!call.reserve(vector_bytes(count))) return Value::absent();
  call.charge(count);
  VectorBuilder fields(call.heap);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Value item = vector_at(items, i);
    if (!item.is_map() && !item.is_nil() && !item.is(Tag::Pending)) {
      return wrong_kind(call, "pluck", "element " + std::to_string(i), "map", item);
    }
    const Value field = key.is_vector() ? lookup_path(call.env, item, key) : lookup(call.env, item, key);
    fields.push(field.is_absent() ? Value::nil() : field);
  }
  return fields.finish();
}

}  // namespace ptc
