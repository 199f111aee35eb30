// Bitwise operations on integers of any size, two's complement. Bit numbers and distances are not negative.
#include "vm/builtins/number_call.h"

namespace ptc {

namespace {

bool require_integer(Call& call, std::uint32_t i) {
  if (call.arg(i).is_integer()) return true;
  call.type_error(i + 1, "integer");
  return false;
}

// Argument 2 as a distance; what does not fit in 63 bits is as far as it gets. False parked the fault.
bool bit_position(Call& call, std::uint64_t& position) {
  const Value v = call.arg(1);
  const bool negative =
      v.is_int() ? v.i < 0 : v.is(Tag::BigInt) && (v.object->flags & BigInt::kNegative) != 0;
  if (!require_integer(call, 0) || !require_integer(call, 1)) return false;
  if (negative) {
    call.fail(FaultKind::TypeError, std::string(call.name()) + ": arg 2 expected a bit number of 0 or more");
    return false;
  }
  position = v.is_int() ? static_cast<std::uint64_t>(v.i) : static_cast<std::uint64_t>(INT64_MAX);
  return true;
}

Value fold_bits(Call& call, BitOp op) {
  for (std::uint32_t i = 0; i < call.count(); ++i) {
    if (!require_integer(call, i)) return Value::absent();
  }
  Owned accumulator(call.heap, retained(call.arg(0)));
  for (std::uint32_t i = 1; i < call.count(); ++i) {
    accumulator.reset(num_bit(call.heap, op, accumulator.get(), call.arg(i)).value);
  }
  return accumulator.take();
}

// `op` with the number that has just this bit.
Value with_bit(Call& call, BitOp op, std::uint64_t position) {
  const NumericResult mask = num_shift(call.heap, Value::integer(1), static_cast<std::int64_t>(position),
                                       call.env.limits.integer_bits);
  if (mask.error != NumericError::None) return number_or_fault(call, mask);
  Owned owned_mask(call.heap, mask.value);
  return number_or_fault(call, num_bit(call.heap, op, call.arg(0), owned_mask.get()));
}

Value shift(Call& call, bool left) {
  std::uint64_t distance = 0;
  if (!bit_position(call, distance)) return Value::absent();
  const auto signed_distance = static_cast<std::int64_t>(distance);
  return number_or_fault(call, num_shift(call.heap, call.arg(0), left ? signed_distance : -signed_distance,
                                         call.env.limits.integer_bits));
}

}  // namespace

Value builtin_bit_and(Call& call) { return fold_bits(call, BitOp::And); }
Value builtin_bit_or(Call& call) { return fold_bits(call, BitOp::Or); }
Value builtin_bit_xor(Call& call) { return fold_bits(call, BitOp::Xor); }
Value builtin_bit_and_not(Call& call) { return fold_bits(call, BitOp::AndNot); }

Value builtin_bit_not(Call& call) {
  if (!require_integer(call, 0)) return Value::absent();
  return number_or_fault(call, num_bit(call.heap, BitOp::Xor, call.arg(0), Value::integer(-1)));
}

Value builtin_bit_shift_left(Call& call) { return shift(call, true); }
Value builtin_bit_shift_right(Call& call) { return shift(call, false); }

Value builtin_bit_set(Call& call) {
  std::uint64_t position = 0;
  if (!bit_position(call, position)) return Value::absent();
  if (num_bit_test(call.arg(0), position)) return retained(call.arg(0));
  return with_bit(call, BitOp::Or, position);
}

Value builtin_bit_clear(Call& call) {
  std::uint64_t position = 0;
  if (!bit_position(call, position)) return Value::absent();
  if (!num_bit_test(call.arg(0), position)) return retained(call.arg(0));
  return with_bit(call, BitOp::AndNot, position);
}

Value builtin_bit_flip(Call& call) {
  std::uint64_t position = 0;
  if (!bit_position(call, position)) return Value::absent();
  return with_bit(call, BitOp::Xor, position);
}

Value builtin_bit_test(Call& call) {
  std::uint64_t position = 0;
  if (!bit_position(call, position)) return Value::absent();
  return Value::boolean(num_bit_test(call.arg(0), position));
}

}  // namespace ptc
