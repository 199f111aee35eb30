// + - * / and their kin. Accumulators are owned by the loop: every intermediate BigInt is released as soon as
// the next one is there.
#include "vm/builtins/number_call.h"

namespace ptc {

namespace {

using LimitedOperation = NumericResult (*)(Heap&, Value, Value, std::uint32_t);

// Folds the arguments from index `from` on into the accumulator.
Value fold(Call& call, Value taken_accumulator, std::uint32_t from, LimitedOperation operation) {
  Owned accumulator(call.heap, taken_accumulator);
  call.charge(call.count() / 4);
  for (std::uint32_t i = from; i < call.count(); ++i) {
    if (!require_number(call, i)) return Value::absent();
    const NumericResult next =
        operation(call.heap, accumulator.get(), call.arg(i), call.env.limits.integer_bits);
    if (next.error != NumericError::None) return number_or_fault(call, next);
    accumulator.reset(next.value);
  }
  return accumulator.take();
}

// The first argument starts the fold: beginning with 0 would turn -0.0 into 0.0.
Value fold_all(Call& call, std::int64_t of_nothing, LimitedOperation operation) {
  if (call.count() == 0) return Value::integer(of_nothing);
  if (!require_number(call, 0)) return Value::absent();
  return fold(call, retained(call.arg(0)), 1, operation);
}

Value difference(Call& call) {
  if (!require_number(call, 0)) return Value::absent();
  if (call.count() == 1) return number_or_fault(call, num_neg(call.heap, call.arg(0)));
  return fold(call, retained(call.arg(0)), 1, num_sub);
}

using PlainOperation = NumericResult (*)(Heap&, Value, Value);

Value binary(Call& call, PlainOperation operation) {
  if (!require_numbers(call)) return Value::absent();
  return number_or_fault(call, operation(call.heap, call.arg(0), call.arg(1)));
}

Value step_by(Call& call, std::int64_t step) {
  if (!require_number(call, 0)) return Value::absent();
  return number_or_fault(
      call, num_add(call.heap, call.arg(0), Value::integer(step), call.env.limits.integer_bits));
}

// The first of the greatest (or least) arguments; NaN wins over everything.
Value extreme(Call& call, Ordering better) {
  if (!require_numbers(call)) return Value::absent();
  Value best = call.arg(0);
  for (std::uint32_t i = 1; i < call.count(); ++i) {
    const Ordering order = num_compare(call.arg(i), best);
    if (order == Ordering::Unordered && !(best.is_float() && best.d != best.d)) best = call.arg(i);
    if (order == better) best = call.arg(i);
  }
  return retained(best);
}

}  // namespace

Value builtin_add(Call& call) { return fold_all(call, 0, num_add); }
Value builtin_mul(Call& call) { return fold_all(call, 1, num_mul); }
Value builtin_sub(Call& call) { return difference(call); }

Value builtin_div(Call& call) {
  if (!require_number(call, 0)) return Value::absent();
  const bool reciprocal = call.count() == 1;
  Owned accumulator(call.heap, reciprocal ? Value::integer(1) : retained(call.arg(0)));
  for (std::uint32_t i = reciprocal ? 0 : 1; i < call.count(); ++i) {
    if (!require_number(call, i)) return Value::absent();
    const NumericResult next = num_div(call.heap, accumulator.get(), call.arg(i));
    if (next.error != NumericError::None) return number_or_fault(call, next);
    accumulator.reset(next.value);
  }
  return accumulator.take();
}

Value builtin_add_q(Call& call) { return builtin_add(call); }
Value builtin_sub_q(Call& call) { return difference(call); }
Value builtin_mul_q(Call& call) { return builtin_mul(call); }

Value builtin_inc(Call& call) { return step_by(call, 1); }
Value builtin_dec(Call& call) { return step_by(call, -1); }
Value builtin_inc_q(Call& call) { return step_by(call, 1); }
Value builtin_dec_q(Call& call) { return step_by(call, -1); }

Value builtin_quot(Call& call) { return binary(call, num_quot); }
Value builtin_rem(Call& call) { return binary(call, num_rem); }
Value builtin_mod(Call& call) { return binary(call, num_mod); }

Value builtin_abs(Call& call) {
  if (!require_number(call, 0)) return Value::absent();
  return number_or_fault(call, num_abs(call.heap, call.arg(0)));
}

Value builtin_max(Call& call) { return extreme(call, Ordering::Greater); }
Value builtin_min(Call& call) { return extreme(call, Ordering::Less); }

}  // namespace ptc
