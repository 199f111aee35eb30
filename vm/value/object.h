// The heap objects behind a Value: layouts only. Everything that makes, walks or frees them is elsewhere
// (heap.h, string.h, vector.h, map.h, numeric.h); nothing outside of vm/value looks inside of the collections.
//
// Invariants: rc >= 1 while reachable; objects form a DAG (values are immutable and eager, closures capture by value);
// the size in bytes of every object can be computed from its own fields (object_size_bytes), so freeing needs no
// header word for it and the memory limit counts exactly these bytes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "vm/value/value.h"

namespace ptc {

enum class Kind : std::uint8_t {
  String,
  BigInt,
  FlatVector,   // up to kFlatVectorMax elements
  TrieVector,   // larger: 32-way trie with a tail
  RangeVector,  // arithmetic progression of ints, elements computed on demand
  VectorNode,   // inner node of a trie: child objects
  VectorLeaf,   // leaf or tail of a trie: values
  SmallMap,     // up to kSmallMapMax entries: shared key array + own values
  HashMap,      // larger: CHAMP
  KeyArray,     // sorted keys of a SmallMap or SmallSet
  SmallSet,
  HashSet,
  HashNode,     // CHAMP node (bitmap or collision)
  Closure,
  Regex,
  Var,
  Instant,
  Duration,
  Pending,
};

struct Object {
  std::uint32_t rc;
  Kind kind;
  std::uint8_t flags;     // meaning depends on kind
  std::uint16_t extra;    // meaning depends on kind
};
static_assert(sizeof(Object) == 8);

// The count of a new object: its one owner. With PTC_ALWAYS_COPY there seems to be another one that never lets go:
// nothing is changed in place, and nothing freed before the heap is.
#ifdef PTC_ALWAYS_COPY
inline constexpr std::uint32_t kFirstCount = 2;
#else
inline constexpr std::uint32_t kFirstCount = 1;
#endif

struct String : Object {
  static constexpr std::uint8_t kAscii = 1;         // flags: every byte is a cluster (ASCII without CR LF)
  static constexpr std::uint8_t kScanned = 2;       // flags: kAscii is valid
  std::uint32_t size_bytes;
  std::uint32_t grapheme_count;                     // 0: not counted yet (or empty)
  mutable std::uint64_t hash;                       // 0: not computed yet
  char* bytes() { return reinterpret_cast<char*>(this + 1); }
  const char* bytes() const { return reinterpret_cast<const char*>(this + 1); }
  std::string_view view() const { return {bytes(), size_bytes}; }
};

// An interned name. Not counted: lives as long as its heap. Two keywords of one heap are equal iff same address.
struct Keyword {
  std::uint64_t hash;
  std::uint32_t size_bytes;
  std::uint32_t serial;        // order of interning in this heap
  const char* bytes() const { return reinterpret_cast<const char*>(this + 1); }
  std::string_view name() const { return {bytes(), size_bytes}; }
};

// Sign and magnitude, least significant limb first, no leading zero limb, never a value that fits in int64.
struct BigInt : Object {
  static constexpr std::uint8_t kNegative = 1;
  std::uint32_t limb_count;
  std::uint32_t unused;
  std::uint64_t* limbs() { return reinterpret_cast<std::uint64_t*>(this + 1); }
  const std::uint64_t* limbs() const { return reinterpret_cast<const std::uint64_t*>(this + 1); }
};

inline constexpr std::uint32_t kFlatVectorMax = 32;   // elements of a FlatVector, slots of a leaf, children of a node
inline constexpr std::uint32_t kSmallMax = 32;        // entries of a SmallMap or SmallSet

// What all three vector kinds start with.
struct VectorHeader : Object {
  std::uint32_t count;
  std::uint32_t start;            // slots before the first element: empty (flat), nil or not in view (trie)
};

struct FlatVector : VectorHeader {              // extra: capacity in slots
  Value* slots() { return reinterpret_cast<Value*>(this + 1); }
  const Value* slots() const { return reinterpret_cast<const Value*>(this + 1); }
  Value* items() { return slots() + start; }
  const Value* items() const { return slots() + start; }
};

struct RangeVector : VectorHeader {
  std::int64_t first, step;
};

struct VectorLeaf : Object {                    // extra: used slots; those before a slice's start are nil
  static constexpr std::uint8_t kMayRefer = 1;    // flags: an item may be an object; unset, freeing looks at none
  void note(Value item) {
    if (item.is_heap()) flags |= kMayRefer;
  }
  std::uint64_t unused;
  Value items[kFlatVectorMax];
};

struct VectorNode : Object {
  std::uint64_t unused;
  Object* children[kFlatVectorMax];             // owned; null where nothing was put yet or a slice let go
};

// Slot number s = start + index. The tail holds the last 1 to 32 slots, the trie below root everything before. Nodes
// and tail may hold more than the vector shows while they are (or were) shared with a longer one.
struct TrieVector : VectorHeader {              // flags: levels of nodes; 1: the root's children are leaves
  VectorNode* root;                             // owned
  VectorLeaf* tail;                             // owned
};

// Keys in canonical order, owned. With kInterned it is known to the heap's table and never changes.
struct KeyArray : Object {                      // extra: count
  static constexpr std::uint8_t kInterned = 1;
  std::uint64_t hash;                           // sum over the keys, whatever their order; 0 when not interned
  Value* keys() { return reinterpret_cast<Value*>(this + 1); }
  const Value* keys() const { return reinterpret_cast<const Value*>(this + 1); }
};

struct SmallMap : Object {                      // extra: count, equal to that of keys
  KeyArray* keys;                               // owned
  Value* values() { return reinterpret_cast<Value*>(this + 1); }
  const Value* values() const { return reinterpret_cast<const Value*>(this + 1); }
};

struct SmallSet : Object {                      // extra: count
  KeyArray* keys;                               // owned
};

// A node of a CHAMP trie. Bitmap node: entries (key, value; in sets the key only) for the bits of datamap, then child
// nodes for the bits of nodemap, both in bit order. Collision node, below the last hash bit: datamap is the number of
// entries, which are in canonical order.
struct HashNode : Object {                      // extra of bitmap nodes: entry count + 256 * child count
  static constexpr std::uint8_t kSet = 1;
  static constexpr std::uint8_t kCollision = 2;
  std::uint32_t datamap, nodemap;
  bool is_set() const { return (flags & kSet) != 0; }
  bool is_collision() const { return (flags & kCollision) != 0; }
  std::uint32_t entry_count() const { return is_collision() ? datamap : extra & 0xffu; }
  std::uint32_t child_count() const { return is_collision() ? 0 : extra >> 8; }
  std::uint32_t entry_words() const { return is_set() ? 1 : 2; }      // in Values
  Value* entries() { return reinterpret_cast<Value*>(this + 1); }
  const Value* entries() const { return reinterpret_cast<const Value*>(this + 1); }
  HashNode** children() { return reinterpret_cast<HashNode**>(entries() + entry_count() * entry_words()); }
  HashNode* const* children() const {
    return reinterpret_cast<HashNode* const*>(entries() + entry_count() * entry_words());
  }
};

struct HashMap : Object {                       // also the layout of HashSet
  std::uint32_t count;
  std::uint32_t unused;
  HashNode* root;                               // owned
};

struct FunctionInfo;     // function.h

// A function value: code plus the values it captured when it was made.
struct Closure : Object {
  std::uint32_t upvalue_count;
  std::uint32_t serial;           // order of creation in the run: the stable id of a function as a map key
  const FunctionInfo* function;   // a Prototype (vm/exec/program.h), owned by a Program that the run keeps loaded
  void* link;                     // vm/exec: constants and namespace cells of that program in this run
  Value* upvalues() { return reinterpret_cast<Value*>(this + 1); }
  const Value* upvalues() const { return reinterpret_cast<const Value*>(this + 1); }
};

struct Regex : Object {
  String* source;          // the pattern text as written (owned); null until set
  void* compiled;          // re2::RE2*, made by vm/builtins/regex; freed through Heap::set_regex_deleter
  std::uint64_t registry_index;   // Heap's: where it is in the list of live regexes
};

struct Var : Object {
  const Keyword* name;
  std::uint64_t unused;
};

struct Instant : Object {
  static constexpr std::uint8_t kLegacyDate = 1;   // flags: a java.util.Date, whole milliseconds
  std::int64_t epoch_seconds;
  std::uint32_t nanos;          // 0 .. 999,999,999
  std::uint32_t unused;
};

struct Duration : Object {
  std::int64_t seconds;         // floored
  std::uint32_t nanos;          // 0 .. 999,999,999
  std::uint32_t unused;
};

// What the operation is and how it stands is in the run's Operations (vm/builtins); a handle only names it.
struct Pending : Object {
  String* id;              // owned
};

}  // namespace ptc
