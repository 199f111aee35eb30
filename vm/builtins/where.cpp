// The tests behind (where field op value). Keywords and strings are the same text here; mixed kinds are never
// ordered; a field that is missing, or belongs to something that is no map, is nil.
#include <string_view>

#include "vm/builtins/call.h"
#include "vm/builtins/lookup.h"
#include "vm/builtins/text_finder.h"
#include "vm/value/walks.h"
#include "vm/value/equality.h"
#include "vm/value/map.h"
#include "vm/value/order.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

bool is_record(Value v) { return v.is_map() || v.is(Tag::Pending); }

// Owned; nil when missing.
Value field_of(Environment& env, Value item, Value path) {
  if (!path.is_vector()) {
    const Value found = is_record(item) ? lookup(env, item, path) : Value::absent();
    return found.is_absent() ? Value::nil() : found;
  }
  Owned at(env.heap, retained(item));
  for (const std::uint32_t i : Walk(env.heap, vector_count(path))) {
    const Value next = is_record(at.get()) ? lookup(env, at.get(), vector_at(path, i)) : Value::absent();
    at.reset(next.is_absent() ? Value::nil() : next);
  }
  return at.take();
}

bool text_of(Value v, std::string_view& out) {
  if (v.is_string()) {
    out = string_view_of(v);
  } else if (v.is_keyword()) {
    out = v.keyword->name();
  } else {
    return false;
  }
  return true;
}

bool matches(Value a, Value b) {
  std::string_view left, right;
  if (text_of(a, left) && text_of(b, right)) {
    if (left.size() == right.size()) charge_text(left.size());
    return left == right;
  }
  return equal(a, b);
}

bool is_member(Call& call, Value coll, Value item) {
  if (coll.is_vector()) {
    const std::uint32_t count = vector_count(coll);
    call.charge(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (matches(vector_at(coll, i), item)) return true;
    }
    return false;
  }
  if (!coll.is_set()) return false;
  if (set_contains(coll, item)) return true;
  call.charge(set_count(coll));
  MapCursor cursor(call.heap, coll);
  while (cursor.next()) {
    if (matches(cursor.key(), item)) return true;
  }
  return false;
}

bool includes(Call& call, Value field, Value value) {
  if (!field.is_string()) return is_member(call, field, value);
  std::string_view needle;
  call.charge(string_view_of(field).size() / 64);
  return text_of(value, needle) && find_text(string_view_of(field), needle) != std::string_view::npos;
}

bool ordered(Value field, Value value, std::string_view op) {
  if (field.is_nil() || value.is_nil()) return false;
  const Comparison result = guest_compare(field, value);
  if (result.status != Comparison::Status::Ordered) return false;
  if (op == ">") return result.order > 0;
  if (op == "<") return result.order < 0;
  return op == ">=" ? result.order >= 0 : result.order <= 0;
}

bool holds(Call& call, Value field, std::string_view op, Value value) {
  if (op == "=") return matches(field, value);
  if (op == "not=") return !matches(field, value);
  if (op == "in") return is_member(call, value, field);
  if (op == "includes") return includes(call, field, value);
  return ordered(field, value, op);
}

}  // namespace

// (%where-match path op value item); op is a string or keyword
Value builtin_h_where(Call& call) {
  std::string_view op;
  if (!text_of(call.arg(1), op)) return call.type_error(2, "operator");
  const Owned field(call.heap, field_of(call.env, call.arg(3), call.arg(0)));
  return Value::boolean(holds(call, field.get(), op, call.arg(2)));
}

// (%where-truthy path item)
Value builtin_h_where_truthy(Call& call) {
  const Owned field(call.heap, field_of(call.env, call.arg(1), call.arg(0)));
  return Value::boolean(field.get().truthy());
}

}  // namespace ptc
