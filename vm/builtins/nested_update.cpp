// Writing into nested collections: assoc-in and the hidden halves of update and update-in. A collection is
// opened at a key (its entry moved out when nobody else holds the collection, with nil left in its place) and
// closed again with the new value, so that a chain of uniquely owned collections is changed in place. An
// opened collection must not reach guest code before it is closed; it is only ever held by C++ here, or by a
// register of the prelude.
#include <string>
#include <vector>

#include "vm/builtins/complaint.h"
#include "vm/builtins/lookup.h"
#include "vm/builtins/seqable.h"
#include "vm/value/map.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

struct Opened {
  Value container;  // owned map or vector
  Value key;        // owned: the key to write to (the one found, or the one asked for)
};

void give_up(Heap& heap, const Opened& opened) {
  heap.release(opened.container);
  heap.release(opened.key);
}

bool open_vector(Call& call, std::string_view function, Opened& opened, Value& entry) {
  const std::uint32_t count = vector_count(opened.container);
  std::int64_t index = -1;
  if (!opened.key.is_number() || !position_of(opened.key, index)) {
    wrong_kind(call, function, "key of a vector", "integer", opened.key);
    return false;
  }
  if (index < 0 || index > count) {
    call.fail(FaultKind::IndexError, std::string(function) + ": index " + shown(call, opened.key) +
                                         " out of bounds for vector of length " + std::to_string(count));
    return false;
  }
  call.heap.release(opened.key);
  opened.key = Value::integer(index);
  if (index < count) entry = vector_take_at(call.heap, opened.container, static_cast<std::uint32_t>(index));
  return true;
}

// Takes the collection, borrows the key. entry: what was there (owned), or nil. False: a fault was parked and
// everything given up.
bool open_at(Call& call, std::string_view function, Value taken_coll, Value key, bool flexible,
             Opened& opened, Value& entry, bool& present) {
  entry = Value::nil();
  present = false;
  if (taken_coll.is_vector()) {
    opened = {taken_coll, retained(key)};
    if (!open_vector(call, function, opened, entry)) {
      give_up(call.heap, opened);
      return false;
    }
    present = opened.key.i < vector_count(opened.container);
    return true;
  }
  if (!taken_coll.is_nil() && !taken_coll.is_map()) {
    const Owned coll(call.heap, taken_coll);
    wrong_kind(call, function, "collection at key " + shown(call, key), "map or vector", taken_coll);
    return false;
  }
  const Value map = taken_coll.is_nil() ? map_empty(call.heap) : taken_coll;
  Value found_key = key;
  const Value found = flexible ? map_find_flexible(call.heap, map, key, &found_key) : map_find(map, key);
  present = !found.is_absent();
  opened = {map, retained(present ? found_key : key)};
  if (present) entry = map_take_at(call.heap, map, opened.key);
  return true;
}

// Takes everything. The key must be one that open_at gave for that container.
Value close_at(Heap& heap, const Opened& opened, Value taken_value) {
  if (opened.container.is_map()) return map_assoc(heap, opened.container, opened.key, taken_value);
  const std::uint32_t index = static_cast<std::uint32_t>(opened.key.i);
  if (index == vector_count(opened.container)) return vector_push(heap, opened.container, taken_value);
  return vector_set(heap, opened.container, index, taken_value);
}

}  // namespace

// An empty path and nil are the path of one nil key.
Value builtin_assoc_in(Call& call) {
  if (!call.arg(1).is_nil() && !call.arg(1).is_vector()) return call.type_error(2, "vector of keys");
  const std::uint32_t length = call.arg(1).is_nil() ? 0 : vector_count(call.arg(1));
  call.charge(length);
  std::vector<Opened> levels;
  Value at = call.take(0);
  for (std::uint32_t i = 0; i == 0 || i < length; ++i) {
    const Value key = i < length ? vector_at(call.arg(1), i) : Value::nil();
    Opened opened{};
    Value entry{};
    bool present = false;
    if (!open_at(call, "assoc-in", at, key, true, opened, entry, present)) {
      for (const Opened& level : levels) give_up(call.heap, level);
      return Value::absent();
    }
    levels.push_back(opened);
    at = entry;
  }
  call.heap.release(at);
  Value value = call.take(2);
  for (; !levels.empty(); levels.pop_back()) value = close_at(call.heap, levels.back(), value);
  return value;
}

// (%open "update" coll key flexible?) -> [coll' key' entry present?]
Value builtin_h_open(Call& call) {
  Opened opened{};
  Value entry{};
  bool present = false;
  if (!open_at(call, string_view_of(call.arg(0)), call.take(1), call.arg(2), call.arg(3).truthy(), opened,
               entry, present)) {
    return Value::absent();
  }
  const Value parts[] = {opened.container, opened.key, entry, Value::boolean(present)};
  return vector_of(call.heap, parts);
}

// (%close coll' key' value)
Value builtin_h_close(Call& call) {
  const Opened opened{call.take(0), call.take(1)};
  return close_at(call.heap, opened, call.take(2));
}

}  // namespace ptc
