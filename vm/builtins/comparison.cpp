// = and < with their kin, and compare.
#include <algorithm>

#include "vm/builtins/number_call.h"
#include "vm/value/equality.h"
#include "vm/value/map.h"
#include "vm/value/order.h"
#include "vm/value/print.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc {

namespace {

// Elements that a comparison of v may look at, on the first level.
std::uint64_t width(Value v) {
  if (v.is_vector()) return vector_count(v);
  if (v.is_map()) return map_count(v);
  if (v.is_set()) return set_count(v);
  if (v.is_string()) return as_string(v)->size_bytes / 64;
  return 0;
}

bool all_equal(Call& call) {
  for (std::uint32_t i = 1; i < call.count(); ++i) {
    call.charge(std::min(width(call.arg(i - 1)), width(call.arg(i))));
    if (!equal(call.arg(i - 1), call.arg(i))) return false;
  }
  return true;
}

// Dates and instants are ordered among themselves. Everything else must be a number.
bool require_one_order(Call& call) {
  const Value first = call.arg(0);
  if (!is_point_of_time(first)) return require_numbers(call);
  for (std::uint32_t i = 1; i < call.count(); ++i) {
    if (call.arg(i).tag == first.tag) continue;
    call.type_error(i + 1, kind_text(first));
    return false;
  }
  return true;
}

// Every argument is checked, also those after the pair that decides.
template <class Accept>
Value chained(Call& call, Accept accept) {
  if (!require_one_order(call)) return Value::absent();
  bool holds = true;
  for (std::uint32_t i = 1; holds && i < call.count(); ++i) {
    holds = accept(scalar_compare(call.arg(i - 1), call.arg(i)));
  }
  return Value::boolean(holds);
}

}  // namespace

Value builtin_eq(Call& call) { return Value::boolean(all_equal(call)); }
Value builtin_eq_eq(Call& call) { return Value::boolean(all_equal(call)); }
Value builtin_not_equal(Call& call) { return Value::boolean(!all_equal(call)); }

Value builtin_lt(Call& call) {
  return chained(call, [](Ordering order) { return order == Ordering::Less; });
}
Value builtin_gt(Call& call) {
  return chained(call, [](Ordering order) { return order == Ordering::Greater; });
}
Value builtin_le(Call& call) {
  return chained(call, [](Ordering order) { return order == Ordering::Less || order == Ordering::Equal; });
}
Value builtin_ge(Call& call) {
  return chained(call, [](Ordering order) { return order == Ordering::Greater || order == Ordering::Equal; });
}

Value builtin_compare(Call& call) {
  const Value a = call.arg(0);
  const Value b = call.arg(1);
  if (a.is(Tag::Pending)) return call.type_error(1, "comparable value");
  if (b.is(Tag::Pending)) return call.type_error(2, "comparable value");
  call.charge(std::min(width(a), width(b)));
  const Comparison comparison = guest_compare(a, b);
  switch (comparison.status) {
    case Comparison::Status::Ordered: return Value::integer(comparison.order);
    case Comparison::Status::Nan:
      return call.fail(FaultKind::TypeError, "compare: unordered comparison with NaN");
    case Comparison::Status::Incomparable: break;
  }
  std::string text = "compare: values are not comparable: ";
  text += kind_text(comparison.a);
  text += ", ";
  text += kind_text(comparison.b);
  return call.fail(FaultKind::TypeError, std::move(text));
}

}  // namespace ptc
