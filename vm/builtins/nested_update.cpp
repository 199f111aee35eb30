// Writing into nested collections. Places are found by one walk that makes everything on the way unique. Where a
// function of the program is called in between, and not by code that the compiler put there, a collection is opened
// at a key (its entry moved out when nobody else holds the collection, with nil left in its place) and
// closed again with the new value, so that a chain of uniquely owned collections is changed in place. An
// opened collection must not reach guest code before it is closed; it is only ever held by C++ here, or by a
// register of the prelude.
#include "vm/builtins/nested_update.h"

#include <string>

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

// Finds the element of a vector for a key; one behind the last will be appended. Returns false when a fault is parked.
bool position_in(Call& call, std::string_view function, Value vector, Value key, std::uint32_t& position) {
  const std::uint32_t count = vector_count(vector);
  std::int64_t index = -1;
  if (!key.is_number() || !position_of(key, index)) {
    wrong_kind(call, function, "key of a vector", "integer", key);
    return false;
  }
  if (index < 0 || index > count) {
    call.fail(FaultKind::IndexError, std::string(function) + ": index " + shown(call, key) +
                                         " out of bounds for vector of length " + std::to_string(count));
    return false;
  }
  position = static_cast<std::uint32_t>(index);
  return true;
}

bool open_vector(Call& call, std::string_view function, Opened& opened, Value& entry) {
  std::uint32_t index = 0;
  if (!position_in(call, function, opened.container, opened.key, index)) return false;
  call.heap.release(opened.key);
  opened.key = Value::integer(index);
  if (index < vector_count(opened.container)) entry = vector_take_at(call.heap, opened.container, index);
  return true;
}

void no_collection(Call& call, std::string_view function, Value key, Value got) {
  wrong_kind(call, function, "collection at key " + shown(call, key), "map or vector", got);
}

// Takes the collection, borrows the key. `entry` becomes what was there (owned), or nil. Returns false when a fault was
// parked and everything given up.
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
    no_collection(call, function, key, taken_coll);
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

Value* map_place(Heap& heap, Value* map, Value key) {
  if (Value* const place = map_own_value(heap, map, key)) return place;
  Value found_key = key;
  if (map_find_flexible(heap, *map, key, &found_key).is_absent()) {
    *map = map_assoc(heap, *map, retained(key), Value::nil());
  }
  return map_own_value(heap, map, found_key);
}

Value* vector_place(Call& call, Value* vector, Value key) {
  std::uint32_t index = 0;
  if (!position_in(call, call.name(), *vector, key, index)) return nullptr;
  if (index == vector_count(*vector)) *vector = vector_push(call.heap, *vector, Value::nil());
  return vector_own_cell(call.heap, vector, index);
}

}  // namespace

Value* place_at_key(Call& call, Value* root, Value key) {
  if (root->is_nil()) *root = map_empty(call.heap);
  if (root->is_map()) return map_place(call.heap, root, key);
  if (root->is_vector()) return vector_place(call, root, key);
  no_collection(call, call.name(), key, *root);
  return nullptr;
}

Value* place_at_path(Call& call, Value* root, Value path) {
  const std::uint32_t length = vector_count(path);
  call.charge(length);
  Value scratch{};
  std::uint32_t i = 0;
  Value* place = map_follow(root, vector_chunk(path, 0, scratch), &i);
  for (; i < length && place != nullptr; ++i) {
    if (!call.goes_on(i)) return nullptr;
    place = place_at_key(call, place, vector_at(path, i));
  }
  return place;
}

// An empty path and nil are the path of one nil key.
Value builtin_assoc_in(Call& call) {
  const Value path = call.arg(1);
  if (!path.is_nil() && !path.is_vector()) return call.type_error(2, "vector of keys");
  const bool has_keys = path.is_vector() && vector_count(path) != 0;
  Value root = call.take(0);
  Value* const place = has_keys ? place_at_path(call, &root, path) : place_at_key(call, &root, Value::nil());
  if (place == nullptr) {
    call.heap.release(root);
    return Value::absent();
  }
  const Value old = *place;
  *place = call.take(2);
  call.heap.release(old);
  return root;
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
