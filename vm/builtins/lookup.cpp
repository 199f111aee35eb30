// Reading entries: get, get-in, contains?, find on data, select-keys. One rule for all, see lookup.h.
#include "vm/builtins/lookup.h"

#include "vm/builtins/complaint.h"
#include "vm/builtins/seqable.h"
#include "vm/value/equality.h"
#include "vm/value/map.h"
#include "vm/value/pending.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"
#include "vm/value/walks.h"

namespace ptc {
namespace {

Value retained_or_absent(Value borrowed) { return borrowed.is_absent() ? borrowed : retained(borrowed); }

constexpr std::string_view kEntriesExpected = "map, vector, set, string or nil";

}  // namespace

bool has_entries(Value v) { return is_seqable(v) || v.is(Tag::Pending); }

bool index_below(Value key, std::uint32_t count, std::uint32_t& out) {
  std::int64_t index = 0;
  if (!key.is_number() || !position_of(key, index) || index < 0 || index >= count) return false;
  out = static_cast<std::uint32_t>(index);
  return true;
}

Value lookup(Environment& env, Value borrowed_coll, Value borrowed_key) {
  Heap& heap = env.heap;
  std::uint32_t i = 0;
  switch (borrowed_coll.tag) {
    case Tag::Map: return retained_or_absent(map_find_flexible(heap, borrowed_coll, borrowed_key));
    case Tag::Set: return retained_or_absent(set_find(borrowed_coll, borrowed_key));
    case Tag::Vector:
      if (!index_below(borrowed_key, vector_count(borrowed_coll), i)) return Value::absent();
      return vector_get(borrowed_coll, i);
    case Tag::String:
      if (!index_below(borrowed_key, string_count(borrowed_coll), i)) return Value::absent();
      return string_slice(heap, borrowed_coll, i, i + 1);
    case Tag::Pending: {
      const Value immediate = env.operations.immediate_of(pending_id_of(borrowed_coll));
      if (!immediate.is_map()) return Value::absent();
      return retained_or_absent(map_find_flexible(heap, immediate, borrowed_key));
    }
    default: return Value::absent();
  }
}

Value lookup_path(Environment& env, Value borrowed_root, Value borrowed_path_vector) {
  Owned at(env.heap, retained(borrowed_root));
  for (const std::uint32_t i : Walk(env.heap, vector_count(borrowed_path_vector), Charged::Before)) {
    const Value next = lookup(env, at.get(), vector_at(borrowed_path_vector, i));
    if (next.is_absent()) return next;
    at.reset(next);
  }
  return at.take();
}

Value builtin_get(Call& call) {
  if (!has_entries(call.arg(0))) return call.type_error(1, kEntriesExpected);
  const Value found = lookup(call.env, call.arg(0), call.arg(1));
  if (!found.is_absent()) return found;
  return call.count() > 2 ? call.take(2) : Value::nil();
}

Value builtin_get_in(Call& call) {
  if (!has_entries(call.arg(0))) return call.type_error(1, kEntriesExpected);
  if (call.arg(1).is_nil()) return call.take(0);
  if (!call.arg(1).is_vector()) return call.type_error(2, "vector of keys");
  call.charge(vector_count(call.arg(1)));
  const Value found = lookup_path(call.env, call.arg(0), call.arg(1));
  if (!found.is_absent()) return found;
  return call.count() > 2 ? call.take(2) : Value::nil();
}

Value builtin_contains_p(Call& call) {
  const Value coll = call.arg(0), key = call.arg(1);
  std::uint32_t i = 0;
  switch (coll.tag) {
    case Tag::Nil: return Value::boolean(false);
    case Tag::Map: return Value::boolean(!map_find_flexible(call.heap, coll, key).is_absent());
    case Tag::Set: return Value::boolean(set_contains(coll, key));
    case Tag::String: return Value::boolean(index_below(key, string_count(coll), i));
    case Tag::Vector: break;
    default: return call.type_error(1, "collection");
  }
  const std::uint32_t count = vector_count(coll);
  call.charge(count);
  for (i = 0; i < count; ++i) {
    if (equal(vector_at(coll, i), key)) return Value::boolean(true);
  }
  return Value::boolean(false);
}

// (%find-entry coll key): what (find coll key) gives for data.
Value builtin_h_find_entry(Call& call) {
  const Value coll = call.arg(0);
  if (coll.is_nil()) return coll;
  Value key = call.arg(1), value = Value::absent();
  std::uint32_t i = 0;
  if (coll.is_map()) {
    value = map_find_flexible(call.heap, coll, call.arg(1), &key);
  } else if (coll.is_vector() && index_below(key, vector_count(coll), i)) {
    value = vector_at(coll, i);
  }
  if (value.is_absent()) return Value::nil();
  const Value entry[] = {retained(key), retained(value)};
  return vector_of(call.heap, entry);
}

// (%path-get x path): get-in that gives nil for anything without entries.
Value builtin_h_path_get(Call& call) {
  call.charge(vector_count(call.arg(1)) / 8);
  const Value found = lookup_path(call.env, call.arg(0), call.arg(1));
  return found.is_absent() ? Value::nil() : found;
}

Value builtin_select_keys(Call& call) {
  const Value source = call.arg(0);
  if (!source.is_nil() && !source.is_map() && !source.is_vector() && !source.is(Tag::Pending)) {
    return call.type_error(1, "map");
  }
  const Value keys = take_seq(call, 1);
  if (keys.is_absent()) return keys;
  const Owned owner(call.heap, keys);
  const std::uint32_t count = vector_count(keys);
  call.charge(count);
  Owned selected(call.heap, map_empty(call.heap));
  for (std::uint32_t i = 0; i < count; ++i) {
    work_done(1);
    const Value key = vector_at(keys, i);
    const Value found = lookup(call.env, source, key);
    if (found.is_absent()) continue;
    selected.reset(map_assoc(call.heap, selected.take(), retained(key), found));
    if (!call.within_memory()) return Value::absent();
  }
  return selected.take();
}

}  // namespace ptc
