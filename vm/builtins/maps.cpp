// Builtins over maps. Keys are stored exactly as given; a map that nobody else holds is changed in place.
#include <algorithm>
#include <array>
#include <vector>

#include "vm/builtins/complaint.h"
#include "vm/builtins/lookup.h"
#include "vm/builtins/seqable.h"
#include "vm/value/map.h"
#include "vm/value/account.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

constexpr std::uint64_t kEntryBytes = 32;
constexpr std::uint32_t kFewEntries = 64;   // are gathered first, so that records of one shape share their keys

Value map_of_vectors(Heap& heap, Value keys, Value values, std::uint32_t count) {
  Owned map(heap, map_empty(heap));
  for (std::uint32_t i = 0; i < count && !heap.has_failed(); ++i) {
    work_done(1);
    map.reset(map_assoc(heap, map.take(), vector_get(keys, i), vector_get(values, i)));
  }
  return map.take();
}

// A map of the arguments from `first` on, taken two by two.
Value map_of_arguments(Call& call) {
  const std::uint32_t count = call.count();
  if (count % 2 != 0) {
    return call.fail(
        FaultKind::ArityError,
        std::string(call.name()) + " requires an even number of arguments, got " + std::to_string(count));
  }
  if (!call.reserve(count * kEntryBytes)) return Value::absent();
  call.charge(count / 4);
  std::vector<Value> keys, values;
  for (std::uint32_t i = 0; i < count; i += 2) {
    keys.push_back(call.take(i));
    values.push_back(call.take(i + 1));
  }
  return map_from(call.heap, keys, values);
}

// vector[index] = item, appending at the end. Takes vector and item.
Value vector_assoc(Call& call, Value taken_vector, Value key, Value taken_item) {
  const std::uint32_t count = vector_count(taken_vector);
  std::int64_t index = -1;
  const bool numeric = key.is_number() && position_of(key, index);
  if (numeric && index >= 0 && index < count) {
    if (call.reserve_change(taken_vector)) {
      return vector_set(call.heap, taken_vector, static_cast<std::uint32_t>(index), taken_item);
    }
  } else if (numeric && index == count && call.reserve_change(taken_vector)) {
    return vector_push(call.heap, taken_vector, taken_item);
  }
  const Owned vector(call.heap, taken_vector), item(call.heap, taken_item);
  if (numeric && index >= 0 && index <= count) return Value::absent();   // no memory
  if (!numeric) return wrong_kind(call, call.name(), "key of a vector", "integer", key);
  return call.fail(FaultKind::IndexError, std::string(call.name()) + ": index " + shown(call, key) +
                                              " out of bounds for vector of length " + std::to_string(count));
}

// Argument i as a map that the caller now owns (nil is empty), or Absent.
Value take_map(Call& call, std::uint32_t i) {
  if (call.arg(i).is_nil()) return map_empty(call.heap);
  if (!call.arg(i).is_map()) return call.type_error(i + 1, "map");
  return call.take(i);
}

}  // namespace

Value builtin_hash_map(Call& call) { return map_of_arguments(call); }
Value builtin_array_map(Call& call) { return map_of_arguments(call); }
Value builtin_sorted_map(Call& call) { return map_of_arguments(call); }

Value builtin_assoc(Call& call) {
  const Value target = call.arg(0);
  if (call.count() % 2 == 0) {
    return call.fail(FaultKind::ArityError, "assoc expects a value after every key, got " +
                                                std::to_string(call.count()) + " arguments");
  }
  if (!target.is_nil() && !target.is_map() && !target.is_vector()) return call.type_error(1, "map or vector");
  Owned result(call.heap, target.is_nil() ? map_empty(call.heap) : call.take(0));
  for (std::uint32_t i = 1; i < call.count() && !result.get().is_absent(); i += 2) {
    work_done(1);
    if (result.get().is_map()) {
      const Value key = call.take(i);
      result.reset(map_assoc(call.heap, result.take(), key, call.take(i + 1)));
    } else {
      result.reset(vector_assoc(call, result.take(), call.arg(i), call.take(i + 1)));
    }
  }
  return result.take();
}

Value builtin_dissoc(Call& call) {
  if (call.arg(0).is_nil()) return Value::nil();
  if (!call.arg(0).is_map()) return call.type_error(1, "map");
  Owned result(call.heap, call.take(0));
  for (std::uint32_t i = 1; i < call.count(); ++i) {
    work_done(1);
    result.reset(map_dissoc(call.heap, result.take(), call.arg(i)));
  }
  return result.take();
}

Value builtin_merge(Call& call) {
  for (std::uint32_t i = 0; i < call.count(); ++i) {
    if (!call.arg(i).is_nil() && !call.arg(i).is_map()) return call.type_error(i + 1, "map");
  }
  if (call.count() == 0) return map_empty(call.heap);
  Owned result(call.heap, take_map(call, 0));
  for (std::uint32_t i = 1; i < call.count(); ++i) {
    if (call.arg(i).is_nil()) continue;
    if (map_count(result.get()) == 0) {
      result.reset(call.take(i));
      continue;
    }
    const std::uint32_t count = map_count(call.arg(i));
    call.charge(count);
    if (!call.reserve(count * kEntryBytes)) return Value::absent();
    MapCursor cursor(call.heap, call.arg(i));
    while (cursor.next()) {
      result.reset(map_assoc(call.heap, result.take(), retained(cursor.key()), retained(cursor.value())));
      if (!call.within_memory()) return Value::absent();
    }
  }
  return result.take();
}

Value builtin_keys(Call& call) {
  if (call.arg(0).is_nil()) return Value::nil();
  if (!call.arg(0).is_map()) return call.type_error(1, "map");
  call.charge(map_count(call.arg(0)));
  if (!call.reserve(map_count(call.arg(0)) * kEntryBytes)) return Value::absent();
  return map_keys(call.heap, call.arg(0));
}

Value builtin_vals(Call& call) {
  if (call.arg(0).is_nil()) return Value::nil();
  if (!call.arg(0).is_map()) return call.type_error(1, "map");
  call.charge(map_count(call.arg(0)));
  if (!call.reserve(map_count(call.arg(0)) * kEntryBytes)) return Value::absent();
  return map_values(call.heap, call.arg(0));
}

Value builtin_entries(Call& call) {
  if (!call.arg(0).is_nil() && !call.arg(0).is_map()) return call.type_error(1, "map");
  return take_seq(call, 0);
}

Value builtin_key(Call& call) {
  const Value entry = call.arg(0);
  if (!entry.is_vector() || vector_count(entry) != 2) return call.type_error(1, "[key value] pair");
  return vector_get(entry, 0);
}

Value builtin_val(Call& call) {
  const Value entry = call.arg(0);
  if (!entry.is_vector() || vector_count(entry) != 2) return call.type_error(1, "[key value] pair");
  return vector_get(entry, 1);
}

Value builtin_zipmap(Call& call) {
  const Owned keys(call.heap, take_seq(call, 0));
  if (keys.get().is_absent()) return Value::absent();
  const Owned values(call.heap, take_seq(call, 1));
  if (values.get().is_absent()) return Value::absent();
  const std::uint32_t count = std::min(vector_count(keys.get()), vector_count(values.get()));
  if (!call.reserve(std::uint64_t{count} * 2 * kEntryBytes)) return Value::absent();
  call.charge(count);
  if (count > kFewEntries) return map_of_vectors(call.heap, keys.get(), values.get(), count);
  std::array<Value, kFewEntries> key_column, value_column;
  for (std::uint32_t i = 0; i < count; ++i) {
    key_column[i] = vector_get(keys.get(), i);
    value_column[i] = vector_get(values.get(), i);
  }
  return map_from(call.heap, std::span(key_column).first(count), std::span(value_column).first(count));
}

Value builtin_map_invert(Call& call) {
  const Value source = call.arg(0);
  if (!source.is_nil() && !source.is_map()) return call.type_error(1, "map");
  Owned inverted(call.heap, map_empty(call.heap));
  if (source.is_nil()) return inverted.take();
  call.charge(map_count(source));
  if (!call.reserve(map_count(source) * kEntryBytes)) return Value::absent();
  MapCursor cursor(call.heap, source);
  while (cursor.next()) {
    inverted.reset(map_assoc(call.heap, inverted.take(), retained(cursor.value()), retained(cursor.key())));
    if (!call.within_memory()) return Value::absent();
  }
  return inverted.take();
}

// Values move from the old keys to the new ones; first all old keys go, so that names can be swapped.
Value builtin_rename_keys(Call& call) {
  const Value source = call.arg(0), names = call.arg(1);
  if (!source.is_nil() && !source.is_map()) return call.type_error(1, "map");
  if (!names.is_nil() && !names.is_map()) return call.type_error(2, "map");
  if (source.is_nil() || names.is_nil()) return call.take(0);
  call.charge(map_count(names));
  if (!call.reserve(map_count(names) * 2 * kEntryBytes)) return Value::absent();
  Owned renamed(call.heap, retained(source));
  MapCursor old_names(call.heap, names);
  while (old_names.next()) {
    renamed.reset(map_dissoc(call.heap, renamed.take(), old_names.key()));
    if (!call.within_memory()) return Value::absent();
  }
  MapCursor pairs(call.heap, names);
  while (pairs.next()) {
    const Value value = map_find(source, pairs.key());
    if (value.is_absent()) continue;
    renamed.reset(map_assoc(call.heap, renamed.take(), retained(pairs.value()), retained(value)));
    if (!call.within_memory()) return Value::absent();
  }
  return renamed.take();
}

}  // namespace ptc
