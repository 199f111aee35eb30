// Lists the parts of heap objects in the order of the value stream, and walks a value in post-order. Iterative: values
// nested 10^6 deep are legal.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "vm/value/object.h"

namespace ptc {

inline Value hidden(Object* object) { return Value::of(Tag::Hidden, object); }

// Takes collections and all other counted values, not inner objects.
inline Value value_of(Object* object) {
  switch (object->kind) {
    case Kind::String: return Value::of(Tag::String, object);
    case Kind::BigInt: return Value::of(Tag::BigInt, object);
    case Kind::FlatVector:
    case Kind::TrieVector:
    case Kind::RangeVector: return Value::of(Tag::Vector, object);
    case Kind::SmallMap:
    case Kind::HashMap: return Value::of(Tag::Map, object);
    case Kind::SmallSet:
    case Kind::HashSet: return Value::of(Tag::Set, object);
    case Kind::Closure: return Value::of(Tag::Closure, object);
    case Kind::Regex: return Value::of(Tag::Regex, object);
    case Kind::Var: return Value::of(Tag::Var, object);
    case Kind::Instant: return Value::of(Tag::Instant, object);
    case Kind::Duration: return Value::of(Tag::Duration, object);
    case Kind::Pending: return Value::of(Tag::Pending, object);
    case Kind::VectorNode:
    case Kind::VectorLeaf:
    case Kind::KeyArray:
    case Kind::HashNode: break;
  }
  return hidden(object);
}

// Returns the number of places that may hold a part. An empty place gives Absent.
inline std::uint32_t part_count(const Object* object) {
  switch (object->kind) {
    case Kind::FlatVector: return static_cast<const FlatVector*>(object)->count;
    case Kind::TrieVector: return 2;
    case Kind::VectorNode: return kFlatVectorMax;
    case Kind::VectorLeaf:
    case Kind::KeyArray: return object->extra;
    case Kind::SmallMap: return object->extra + 1u;
    case Kind::HashNode: {
      const auto* node = static_cast<const HashNode*>(object);
      return node->entry_count() * node->entry_width() + node->child_count();
    }
    case Kind::Closure: return static_cast<const Closure*>(object)->upvalue_count;
    case Kind::SmallSet:
    case Kind::HashMap:
    case Kind::HashSet:
    case Kind::Regex:
    case Kind::Pending: return 1;
    default: return 0;
  }
}

inline Value part_at(const Object* object, std::uint32_t i) {
  switch (object->kind) {
    case Kind::FlatVector: return static_cast<const FlatVector*>(object)->items()[i];
    case Kind::TrieVector: {
      const auto* trie = static_cast<const TrieVector*>(object);
      return hidden(i == 0 ? static_cast<Object*>(trie->root) : trie->tail);
    }
    case Kind::VectorNode: {
      Object* const child = static_cast<const VectorNode*>(object)->children[i];
      return child == nullptr ? Value::absent() : hidden(child);
    }
    case Kind::VectorLeaf: return static_cast<const VectorLeaf*>(object)->items[i];
    case Kind::KeyArray: return static_cast<const KeyArray*>(object)->keys()[i];
    case Kind::SmallMap: {
      const auto* map = static_cast<const SmallMap*>(object);
      return i == 0 ? hidden(map->keys) : map->values()[i - 1];
    }
    case Kind::SmallSet: return hidden(static_cast<const SmallSet*>(object)->keys);
    case Kind::HashMap:
    case Kind::HashSet: return hidden(static_cast<const HashMap*>(object)->root);
    case Kind::HashNode: {
      const auto* node = static_cast<const HashNode*>(object);
      const std::uint32_t values = node->entry_count() * node->entry_width();
      return i < values ? node->entries()[i] : hidden(node->children()[i - values]);
    }
    case Kind::Closure: return static_cast<const Closure*>(object)->upvalues()[i];
    case Kind::Regex: return Value::of(Tag::String, static_cast<const Regex*>(object)->source);
    case Kind::Pending: return Value::of(Tag::String, static_cast<const Pending*>(object)->id);
    default: return Value::absent();
  }
}

// Returns the parts of an object whose parts are values in a row, and an empty span for other objects.
inline std::span<const Value> parts_in_a_row(const Object* object) {
  switch (object->kind) {
    case Kind::FlatVector: {
      const auto* vector = static_cast<const FlatVector*>(object);
      return {vector->items(), vector->count};
    }
    case Kind::VectorLeaf: return {static_cast<const VectorLeaf*>(object)->items, object->extra};
    case Kind::KeyArray: return {static_cast<const KeyArray*>(object)->keys(), object->extra};
    case Kind::Closure: {
      const auto* closure = static_cast<const Closure*>(object);
      return {closure->upvalues(), closure->upvalue_count};
    }
    default: return {};
  }
}

// Only an object with several owners can be met twice, except a closure: a running frame borrows its function.
inline bool may_be_met_again(const Object* object) { return object->rc > 1 || object->kind == Kind::Closure; }

// An object whose parts are being walked.
struct WalkStep {
  Object* object;
  std::uint32_t next;
};

// Walks a value. visitor.leaf(value) returns true when it has dealt with the value. Otherwise the walk visits the
// object of the value and then calls visitor.done(path), with the object as the last step of the path. The walk skips
// Absent places.
template <class Visitor>
void walk_objects(Value root, std::vector<WalkStep>& path, Visitor& visitor) {
  if (visitor.leaf(root)) return;
  path.push_back({root.object, 0});
  while (!path.empty()) {
    WalkStep& step = path.back();
    Object* deeper = nullptr;
    const std::uint32_t count = part_count(step.object);
    std::uint32_t next = step.next;
    if (const std::span<const Value> row = parts_in_a_row(step.object); row.size() == count) {
      while (next < count && deeper == nullptr) {
        const Value& part = row[next++];
        if (!visitor.leaf(part)) deeper = part.object;
      }
    } else if (step.object->kind == Kind::SmallMap && next > 0) {
      const Value* const values = static_cast<const SmallMap*>(step.object)->values();
      while (next < count && deeper == nullptr) {
        const Value& part = values[next++ - 1];
        if (!visitor.leaf(part)) deeper = part.object;
      }
    } else {
      while (next < count && deeper == nullptr) {
        const Value part = part_at(step.object, next++);
        if (!part.is_absent() && !visitor.leaf(part)) deeper = part.object;
        if (step.object->kind == Kind::SmallMap) break;   // the values are in a row
      }
    }
    step.next = next;
    if (deeper == nullptr && next < count) continue;
    if (deeper != nullptr) {
      path.push_back({deeper, 0});
      continue;
    }
    visitor.done(path);
    path.pop_back();
  }
}

}  // namespace ptc
