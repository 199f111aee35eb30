// Builtins that make sequences out of nothing: range, repeat, combinations. How long the result is is known
// before it is made.
#include <algorithm>
#include <cmath>
#include <vector>

#include "vm/builtins/complaint.h"
#include "vm/builtins/seqable.h"
#include "vm/value/numeric.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

// Ints of any distance, without overflow.
Value integer_range(Call& call, std::int64_t start, std::int64_t end, std::int64_t step) {
  const bool up = step > 0;
  if (up ? start >= end : start <= end) return vector_empty(call.heap);
  const std::uint64_t distance = up ? static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(start)
                                    : static_cast<std::uint64_t>(start) - static_cast<std::uint64_t>(end);
  const std::uint64_t width = up ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
  const std::uint64_t count = (distance - 1) / width + 1;
  if (count > UINT32_MAX) return call.memory_error();
  call.charge(count);  // although a range computes its elements: what a program may do must not hang on that
  return vector_range(call.heap, start, step, static_cast<std::uint32_t>(count));
}

Value number_fault(Call& call, NumericError error) {
  if (error == NumericError::TooWide) {
    return call.fail(FaultKind::IntegerLimitExceeded, "range: integer wider than the limit");
  }
  return call.fail(FaultKind::ArithmeticError, "range: the steps have no sum");
}

// Any numbers: each element is the one before plus step, so floats accumulate.
Value summed_range(Call& call, Value start, Value end, Value step) {
  const Ordering towards = num_compare(Value::integer(0), step);
  const double expected = (num_to_double(end) - num_to_double(start)) / num_to_double(step);
  if (std::isinf(expected) && expected > 0) return call.memory_error();
  if (expected > 0 &&
      (expected > UINT32_MAX || !call.reserve(vector_bytes(static_cast<std::uint64_t>(expected))))) {
    return call.memory_error();
  }
  VectorBuilder items(call.heap);
  Owned at(call.heap, retained(start));
  while (num_compare(at.get(), end) == towards) {
    if (!call.within_memory()) return Value::absent();
    items.push(retained(at.get()));
    const NumericResult next = num_add(call.heap, at.get(), step, call.env.limits.integer_bits);
    if (next.error != NumericError::None) return number_fault(call, next.error);
    at.reset(next.value);
  }
  call.charge(items.count());
  return items.finish();
}

// n over k, or nothing when it is too large for a vector.
std::uint64_t binomial(std::uint64_t n, std::uint64_t k) {
  std::uint64_t result = 1;
  for (std::uint64_t i = 1; i <= std::min(k, n - k); ++i) {
    result = result * (n - i + 1) / i;
    if (result > UINT32_MAX) return UINT64_MAX;
  }
  return result;
}

// The next choice of positions in lexicographic order; false after the last.
bool advance(std::vector<std::uint32_t>& chosen, std::uint32_t count) {
  const std::size_t size = chosen.size();
  for (std::size_t i = size; i-- > 0;) {
    if (chosen[i] == count - (size - i)) continue;
    ++chosen[i];
    for (std::size_t k = i + 1; k < size; ++k) chosen[k] = chosen[k - 1] + 1;
    return true;
  }
  return false;
}

}  // namespace

Value builtin_range(Call& call) {
  for (std::uint32_t i = 0; i < call.count(); ++i) {
    if (!call.arg(i).is_number()) return call.type_error(i + 1, "number");
  }
  const bool from_zero = call.count() == 1;
  const Value start = from_zero ? Value::integer(0) : call.arg(0);
  const Value end = call.arg(from_zero ? 0 : 1);
  const Value step = call.count() > 2 ? call.arg(2) : Value::integer(1);
  const Ordering sign = num_compare(step, Value::integer(0));
  if (sign == Ordering::Equal) {
    return call.fail(FaultKind::TypeError, "range: step must not be zero",
                     "use (repeat n x) for n equal elements");
  }
  if (start.is_int() && end.is_int() && step.is_int()) return integer_range(call, start.i, end.i, step.i);
  if (sign == Ordering::Unordered) return vector_empty(call.heap);
  return summed_range(call, start, end, step);
}

Value builtin_repeat(Call& call) {
  std::int64_t n = 0;
  if (!position_argument(call, 0, n)) return Value::absent();
  if (n <= 0) return vector_empty(call.heap);
  if (n > UINT32_MAX) return call.memory_error();
  const std::uint64_t count = static_cast<std::uint64_t>(n);
  if (!call.reserve(vector_bytes(count))) return Value::absent();
  call.charge(count);
  VectorBuilder items(call.heap);
  for (std::uint64_t i = 0; i < count; ++i) items.push(retained(call.arg(1)));
  return items.finish();
}

Value builtin_combinations(Call& call) {
  std::int64_t size = -1;
  if (call.arg(1).is(Tag::Pending)) return call.type_error(2, "integer");
  if (!position_of(call.arg(1), size)) size = -1;
  const Value items = take_seq(call, 0);
  if (items.is_absent()) return items;
  const Owned source(call.heap, items);
  const std::uint32_t count = vector_count(items);
  if (size < 0 || size > count) return vector_empty(call.heap);
  const std::uint64_t width = static_cast<std::uint64_t>(size);
  const std::uint64_t groups = binomial(count, width);
  if (groups == UINT64_MAX) return call.memory_error();
  if (!call.reserve(groups * (kGroupBytes + width * kSlotBytes))) return Value::absent();
  call.charge(groups * (width + 1));
  std::vector<std::uint32_t> chosen(width);
  for (std::uint32_t i = 0; i < width; ++i) chosen[i] = i;
  VectorBuilder all(call.heap);
  do {
    VectorBuilder group(call.heap);
    for (const std::uint32_t i : chosen) group.push(vector_get(items, i));
    all.push(group.finish());
    if (!call.within_memory()) return Value::absent();
  } while (advance(chosen, count));
  return all.finish();
}

}  // namespace ptc
