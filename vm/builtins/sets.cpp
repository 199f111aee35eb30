// Builtins over sets. nil stands for no set at all and counts as empty; other kinds are refused.
#include "vm/builtins/seqable.h"
#include "vm/value/map.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

constexpr std::uint64_t kMemberBytes = 32;

bool sets_only(Call& call) {
  for (std::uint32_t i = 0; i < call.count(); ++i) {
    if (call.arg(i).is_nil() || call.arg(i).is_set()) continue;
    call.type_error(i + 1, "set");
    return false;
  }
  return true;
}

bool has_member(Value set_or_nil, Value item) {
  return set_or_nil.is_set() && set_contains(set_or_nil, item);
}
std::uint32_t size_of(Value set_or_nil) { return set_or_nil.is_set() ? set_count(set_or_nil) : 0; }

// Every member of `part` is in `whole`.
bool includes_all(Heap& heap, Value whole, Value part) {
  if (part.is_nil()) return true;
  if (size_of(part) > size_of(whole)) return false;
  MapCursor cursor(heap, part);
  while (cursor.next()) {
    if (!has_member(whole, cursor.key())) return false;
  }
  return true;
}

}  // namespace

Value builtin_hash_set(Call& call) {
  if (!call.reserve(call.count() * kMemberBytes)) return Value::absent();
  Owned result(call.heap, set_empty(call.heap));
  for (std::uint32_t i = 0; i < call.count(); ++i) {
    work_done(1);
    result.reset(set_add(call.heap, result.take(), call.take(i)));
  }
  return result.take();
}

Value builtin_set(Call& call) {
  if (call.arg(0).is_set()) return call.take(0);
  const Value items = take_seq(call, 0);
  if (items.is_absent()) return items;
  const Owned source(call.heap, items);
  const std::uint32_t count = vector_count(items);
  call.charge(count);
  Owned result(call.heap, set_empty(call.heap));
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i % 4096 == 4095 && !call.reserve(4096 * kMemberBytes)) return Value::absent();
    work_done(1);
    result.reset(set_add(call.heap, result.take(), vector_get(items, i)));
  }
  return result.take();
}

Value builtin_disj(Call& call) {
  if (call.arg(0).is_nil()) return Value::nil();
  if (!call.arg(0).is_set()) return call.type_error(1, "set");
  Owned result(call.heap, call.take(0));
  for (std::uint32_t i = 1; i < call.count(); ++i) {
    work_done(1);
    result.reset(set_remove(call.heap, result.take(), call.arg(i)));
  }
  return result.take();
}

Value builtin_union_(Call& call) {
  if (!sets_only(call)) return Value::absent();
  if (call.count() == 0) return set_empty(call.heap);
  Owned result(call.heap, call.take(0));
  for (std::uint32_t i = 1; i < call.count(); ++i) {
    if (call.arg(i).is_nil()) continue;
    if (size_of(result.get()) == 0) {
      result.reset(call.take(i));
      continue;
    }
    call.charge(set_count(call.arg(i)));
    if (!call.reserve(set_count(call.arg(i)) * kMemberBytes)) return Value::absent();
    MapCursor cursor(call.heap, call.arg(i));
    while (cursor.next()) result.reset(set_add(call.heap, result.take(), retained(cursor.key())));
  }
  return result.take();
}

Value builtin_intersection(Call& call) {
  if (!sets_only(call)) return Value::absent();
  std::uint32_t smallest = 0;
  for (std::uint32_t i = 0; i < call.count(); ++i) {
    if (call.arg(i).is_nil()) return Value::nil();
    if (set_count(call.arg(i)) < set_count(call.arg(smallest))) smallest = i;
  }
  Owned result(call.heap, retained(call.arg(smallest)));
  call.charge(std::uint64_t{set_count(result.get())} * call.count());
  MapCursor cursor(call.heap, call.arg(smallest));
  while (cursor.next()) {
    bool everywhere = true;
    for (std::uint32_t i = 0; i < call.count() && everywhere; ++i) {
      everywhere = has_member(call.arg(i), cursor.key());
    }
    if (!everywhere) result.reset(set_remove(call.heap, result.take(), cursor.key()));
  }
  return result.take();
}

Value builtin_difference(Call& call) {
  if (!sets_only(call)) return Value::absent();
  if (call.arg(0).is_nil()) return Value::nil();
  Owned result(call.heap, call.take(0));
  for (std::uint32_t i = 1; i < call.count(); ++i) {
    if (call.arg(i).is_nil()) continue;
    call.charge(set_count(call.arg(i)));
    MapCursor cursor(call.heap, call.arg(i));
    while (cursor.next()) result.reset(set_remove(call.heap, result.take(), cursor.key()));
  }
  return result.take();
}

Value builtin_subset_p(Call& call) {
  if (!sets_only(call)) return Value::absent();
  call.charge(size_of(call.arg(0)));
  return Value::boolean(includes_all(call.heap, call.arg(1), call.arg(0)));
}

Value builtin_superset_p(Call& call) {
  if (!sets_only(call)) return Value::absent();
  call.charge(size_of(call.arg(1)));
  return Value::boolean(includes_all(call.heap, call.arg(0), call.arg(1)));
}

}  // namespace ptc
