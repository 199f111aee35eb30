// Type tests. They accept every value (a pending handle too) and never fail; number tests are false for
// non-numbers.
#include <cmath>

#include "vm/builtins/seqable.h"
#include "vm/value/map.h"
#include "vm/value/string.h"

namespace ptc {
namespace {

// -1, 0, 1; NaN has no sign and counts as 0.
int sign_of(Value number) {
  if (number.is_int()) return number.i < 0 ? -1 : number.i > 0;
  if (number.is(Tag::BigInt)) return (number.object->flags & BigInt::kNegative) != 0 ? -1 : 1;
  return number.d < 0 ? -1 : number.d > 0;
}

enum class Parity : std::uint8_t { None, Even, Odd };

// Whole floats have a parity, everything else but integers has none.
Parity parity_of(Value v) {
  bool odd = false;
  if (v.is_int()) {
    odd = (v.i & 1) != 0;
  } else if (v.is(Tag::BigInt)) {
    odd = (static_cast<const BigInt*>(v.object)->limbs()[0] & 1) != 0;
  } else if (v.is_float() && std::isfinite(v.d) && std::trunc(v.d) == v.d) {
    odd = std::fmod(v.d, 2) != 0;
  } else {
    return Parity::None;
  }
  return odd ? Parity::Odd : Parity::Even;
}

Value always_false() { return Value::boolean(false); }

std::string_view type_name(Value v) {
  switch (v.tag) {
    case Tag::False:
    case Tag::True: return "boolean";
    case Tag::Int:
    case Tag::Float:
    case Tag::BigInt: return "number";
    case Tag::Keyword: return "keyword";
    case Tag::Builtin:
    case Tag::Tool:
    case Tag::Closure: return "function";
    case Tag::String: return "string";
    case Tag::Vector: return "vector";
    case Tag::Map: return "map";
    case Tag::Set: return "set";
    case Tag::Regex: return "regex";
    case Tag::Date: return "date";
    case Tag::Instant: return "instant";
    case Tag::Duration: return "duration";
    case Tag::Pending: return "pending";
    default: return "unknown";
  }
}

}  // namespace

Value builtin_nil_p(Call& call) { return Value::boolean(call.arg(0).is_nil()); }
Value builtin_some_p(Call& call) { return Value::boolean(!call.arg(0).is_nil()); }
Value builtin_boolean_p(Call& call) {
  const Value x = call.arg(0);
  return Value::boolean(x.is(Tag::True) || x.is(Tag::False));
}
Value builtin_true_p(Call& call) { return Value::boolean(call.arg(0).is(Tag::True)); }
Value builtin_false_p(Call& call) { return Value::boolean(call.arg(0).is(Tag::False)); }
Value builtin_number_p(Call& call) { return Value::boolean(call.arg(0).is_number()); }
Value builtin_int_p(Call& call) { return Value::boolean(call.arg(0).is_integer()); }
Value builtin_integer_p(Call& call) { return Value::boolean(call.arg(0).is_integer()); }
Value builtin_is_float(Call& call) { return Value::boolean(call.arg(0).is_float()); }
Value builtin_is_double(Call& call) { return Value::boolean(call.arg(0).is_float()); }
Value builtin_rational_p(Call& call) { return Value::boolean(call.arg(0).is_integer()); }
Value builtin_ratio_p(Call&) { return always_false(); }
Value builtin_decimal_p(Call&) { return always_false(); }
Value builtin_nat_int_p(Call& call) {
  const Value x = call.arg(0);
  return Value::boolean(x.is_integer() && sign_of(x) >= 0);
}
Value builtin_pos_int_p(Call& call) {
  const Value x = call.arg(0);
  return Value::boolean(x.is_integer() && sign_of(x) > 0);
}
Value builtin_neg_int_p(Call& call) {
  const Value x = call.arg(0);
  return Value::boolean(x.is_integer() && sign_of(x) < 0);
}
Value builtin_infinite_p(Call& call) {
  const Value x = call.arg(0);
  return Value::boolean(x.is_float() && std::isinf(x.d));
}
Value builtin_NaN_p(Call& call) {
  const Value x = call.arg(0);
  return Value::boolean(x.is_float() && std::isnan(x.d));
}
Value builtin_zero_p(Call& call) {
  const Value x = call.arg(0);
  return Value::boolean(x.is_int() ? x.i == 0 : x.is_float() && x.d == 0);
}
Value builtin_pos_p(Call& call) {
  const Value x = call.arg(0);
  return Value::boolean(x.is_number() && sign_of(x) > 0);
}
Value builtin_neg_p(Call& call) {
  const Value x = call.arg(0);
  return Value::boolean(x.is_number() && sign_of(x) < 0);
}
Value builtin_even_p(Call& call) { return Value::boolean(parity_of(call.arg(0)) == Parity::Even); }
Value builtin_odd_p(Call& call) { return Value::boolean(parity_of(call.arg(0)) == Parity::Odd); }
Value builtin_string_p(Call& call) { return Value::boolean(call.arg(0).is_string()); }
Value builtin_char_p(Call& call) {
  const Value x = call.arg(0);
  return Value::boolean(x.is_string() && string_count(x) == 1);
}
Value builtin_keyword_p(Call& call) { return Value::boolean(call.arg(0).is_keyword()); }
Value builtin_simple_keyword_p(Call& call) { return Value::boolean(call.arg(0).is_keyword()); }
Value builtin_ident_p(Call& call) { return Value::boolean(call.arg(0).is_keyword()); }
Value builtin_symbol_p(Call&) { return always_false(); }
Value builtin_vector_p(Call& call) { return Value::boolean(call.arg(0).is_vector()); }
Value builtin_list_p(Call& call) { return Value::boolean(call.arg(0).is_vector()); }
Value builtin_map_p(Call& call) { return Value::boolean(call.arg(0).is_map()); }
Value builtin_set_p(Call& call) { return Value::boolean(call.arg(0).is_set()); }
Value builtin_coll_p(Call& call) {
  const Value x = call.arg(0);
  return Value::boolean(x.is_vector() || x.is_map() || x.is_set());
}
Value builtin_sequential_p(Call& call) { return Value::boolean(call.arg(0).is_vector()); }
Value builtin_seq_p(Call& call) { return Value::boolean(call.arg(0).is_vector()); }
Value builtin_associative_p(Call& call) {
  const Value x = call.arg(0);
  return Value::boolean(x.is_vector() || x.is_map());
}
Value builtin_counted_p(Call& call) {
  const Value x = call.arg(0);
  return Value::boolean(is_seqable(x) && !x.is_nil());
}
Value builtin_indexed_p(Call& call) {
  const Value x = call.arg(0);
  return Value::boolean(x.is_vector() || x.is_string());
}
Value builtin_reversible_p(Call& call) {
  const Value x = call.arg(0);
  return Value::boolean(x.is_vector() || x.is_string());
}
Value builtin_sorted_p(Call&) { return always_false(); }
Value builtin_seqable_p(Call& call) { return Value::boolean(is_seqable(call.arg(0))); }
Value builtin_fn_p(Call& call) { return Value::boolean(call.arg(0).is_function()); }
Value builtin_ifn_p(Call& call) { return Value::boolean(is_callable(call.arg(0))); }
Value builtin_map_entry_p(Call&) { return always_false(); }
Value builtin_regex_p(Call& call) { return Value::boolean(call.arg(0).is(Tag::Regex)); }
Value builtin_any_p(Call&) { return Value::boolean(true); }

Value builtin_identity(Call& call) { return call.take(0); }
Value builtin_not_(Call& call) { return Value::boolean(!call.arg(0).truthy()); }
Value builtin_boolean(Call& call) { return Value::boolean(call.arg(0).truthy()); }

Value builtin_type(Call& call) {
  if (call.arg(0).is_nil()) return Value::nil();
  return Value::of(call.heap.intern(type_name(call.arg(0))));
}

Value builtin_distinct_p(Call& call) {
  Owned seen(call.heap, set_empty(call.heap));
  for (std::uint32_t i = 0; i < call.count(); ++i) {
    if (set_contains(seen.get(), call.arg(i))) return Value::boolean(false);
    seen.reset(set_add(call.heap, seen.take(), retained(call.arg(i))));
  }
  return Value::boolean(true);
}

}  // namespace ptc
