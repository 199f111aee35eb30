// Freeing, without recursion: a dead container waits on a worklist that is threaded through the dead objects.
//
// The link lies in the second word of a container (its counts, or a pointer that was released first), so whatever
// release_parts() still needs from there moves to rc, which a dead object has no use for. Objects that hold no
// references are freed at once and never wait.
#include "vm/value/heap.h"

namespace ptc {

namespace {

struct DeadObject : Object {
  Object* next;
};

std::size_t hash_node_size(std::size_t entries, std::size_t entry_width, std::size_t children) {
  return sizeof(HashNode) + entries * entry_width * sizeof(Value) + children * sizeof(HashNode*);
}

}  // namespace

std::size_t object_size_bytes(const Object* object) {
  switch (object->kind) {
    case Kind::String: return sizeof(String) + static_cast<const String*>(object)->size_bytes;
    case Kind::BigInt:
      return sizeof(BigInt) + static_cast<const BigInt*>(object)->limb_count * sizeof(std::uint64_t);
    case Kind::FlatVector: return sizeof(FlatVector) + object->extra * sizeof(Value);
    case Kind::TrieVector: return sizeof(TrieVector);
    case Kind::RangeVector: return sizeof(RangeVector);
    case Kind::VectorNode: return sizeof(VectorNode);
    case Kind::VectorLeaf: return sizeof(VectorLeaf);
    case Kind::SmallMap: return sizeof(SmallMap) + object->extra * sizeof(Value);
    case Kind::HashMap: return sizeof(HashMap);
    case Kind::KeyArray: return sizeof(KeyArray) + object->extra * sizeof(Value);
    case Kind::SmallSet: return sizeof(SmallSet);
    case Kind::HashSet: return sizeof(HashMap);
    case Kind::HashNode: {
      const HashNode* node = static_cast<const HashNode*>(object);
      return hash_node_size(node->entry_count(), node->entry_width(), node->child_count());
    }
    case Kind::Closure:
      return sizeof(Closure) + static_cast<const Closure*>(object)->upvalue_count * sizeof(Value);
    case Kind::Regex: return sizeof(Regex);
    case Kind::Var: return sizeof(Var);
    case Kind::Instant: return sizeof(Instant);
    case Kind::Duration: return sizeof(Duration);
    case Kind::Pending: return sizeof(Pending);
  }
  return 0;
}

void Heap::destroy(Object* object) {
  enqueue_dead(object);
  if (dead_ != nullptr) free_garbage(most_freed_);
}

std::uint64_t Heap::free_garbage(std::uint64_t enough) {
  const std::uint64_t before = live_objects_;
  while (dead_ != nullptr && before - live_objects_ < enough) {
    Object* const next = dead_;
    dead_ = static_cast<DeadObject*>(next)->next;
    release_parts(next);
  }
  fuel_floor_ = dead_ == nullptr && work_ == 0 ? 0 : INT64_MAX;
  return before - live_objects_;
}

void Heap::enqueue_dead(Object* object) {
  switch (object->kind) {
    case Kind::String:
    case Kind::BigInt:
    case Kind::RangeVector:
    case Kind::Var:
    case Kind::Instant:
    case Kind::Duration: discard(object, object_size_bytes(object)); return;
    case Kind::Regex: free_regex(static_cast<Regex*>(object)); return;
    case Kind::FlatVector: {
      const FlatVector* vector = static_cast<FlatVector*>(object);
      object->rc = vector->count << 16 | vector->start;
      break;
    }
    case Kind::SmallMap: drop(static_cast<SmallMap*>(object)->keys); break;
    case Kind::SmallSet: drop(static_cast<SmallSet*>(object)->keys); break;
    case Kind::KeyArray:
      if ((object->flags & KeyArray::kInterned) != 0) key_arrays_.erase(static_cast<KeyArray*>(object));
      break;
    case Kind::HashNode: object->rc = static_cast<HashNode*>(object)->datamap; break;
    case Kind::Closure: object->rc = static_cast<Closure*>(object)->upvalue_count; break;
    case Kind::Pending: drop(static_cast<Pending*>(object)->id); break;
    case Kind::TrieVector:
    case Kind::VectorNode:
    case Kind::VectorLeaf:
    case Kind::HashMap:
    case Kind::HashSet: break;
  }
  static_cast<DeadObject*>(object)->next = dead_;
  dead_ = object;
}

// The parts of an object from the worklist; its second word is gone.
void Heap::release_parts(Object* dead) {
  switch (dead->kind) {
    case Kind::FlatVector:
      drop_all(reinterpret_cast<Value*>(static_cast<FlatVector*>(dead) + 1) + (dead->rc & 0xffff), dead->rc >> 16);
      discard(dead, sizeof(FlatVector) + dead->extra * sizeof(Value));
      return;
    case Kind::TrieVector:
      drop(static_cast<TrieVector*>(dead)->root);
      drop(static_cast<TrieVector*>(dead)->tail);
      discard(dead, sizeof(TrieVector));
      return;
    case Kind::VectorNode:
      for (Object* child : static_cast<VectorNode*>(dead)->children) drop(child);
      discard(dead, sizeof(VectorNode));
      return;
    case Kind::VectorLeaf:
      if ((dead->flags & VectorLeaf::kMayRefer) != 0) drop_all(static_cast<VectorLeaf*>(dead)->items, dead->extra);
      discard(dead, sizeof(VectorLeaf));
      return;
    case Kind::SmallMap:
      drop_all(static_cast<SmallMap*>(dead)->values(), dead->extra);
      discard(dead, sizeof(SmallMap) + dead->extra * sizeof(Value));
      return;
    case Kind::KeyArray:
      drop_all(static_cast<KeyArray*>(dead)->keys(), dead->extra);
      discard(dead, sizeof(KeyArray) + dead->extra * sizeof(Value));
      return;
    case Kind::SmallSet: discard(dead, sizeof(SmallSet)); return;
    case Kind::HashMap:
    case Kind::HashSet:
      drop(static_cast<HashMap*>(dead)->root);
      discard(dead, sizeof(HashMap));
      return;
    case Kind::HashNode: {
      HashNode* const node = static_cast<HashNode*>(dead);
      const std::size_t entries = node->is_collision() ? node->rc : node->extra & 0xffu;
      const std::size_t children = node->child_count();
      Value* const first = node->entries();
      drop_all(first, entries * node->entry_width());
      HashNode* const* const child = reinterpret_cast<HashNode**>(first + entries * node->entry_width());
      for (std::size_t i = 0; i < children; ++i) drop(child[i]);
      discard(dead, hash_node_size(entries, node->entry_width(), children));
      return;
    }
    case Kind::Closure:
      drop_all(static_cast<Closure*>(dead)->upvalues(), dead->rc);
      discard(dead, sizeof(Closure) + dead->rc * sizeof(Value));
      return;
    case Kind::Pending:
      --live_handles_;
      discard(dead, sizeof(Pending));
      return;
    default: return;   // never waits
  }
}

}  // namespace ptc
