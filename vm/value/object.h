// The layouts of the heap objects behind a Value. Other files make, walk and free the objects (heap.h, string.h,
// vector.h, map.h, numeric.h). Only vm/value looks inside of the collections.
//
// Invariants: rc >= 1 while an object is reachable. Objects form a DAG (values are immutable and eager, closures
// capture by value). The size in bytes of every object follows from its own fields (object_size_bytes), so freeing
// needs no header word for it, and the memory limit counts exactly these bytes.
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
  TrieVector,   // a larger vector: a 32-way trie with a tail
  RangeVector,  // arithmetic progression of ints, elements computed on demand
  VectorNode,   // inner node of a trie: child objects
  VectorLeaf,   // leaf or tail of a trie: values
  SmallMap,     // up to kSmallMapMax entries: shared key array + own values
  HashMap,      // a larger map: a CHAMP trie
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

// The count of a new object, which has one owner. With PTC_ALWAYS_COPY a second owner seems to exist for ever, so
// nothing is changed in place, and nothing is freed before the heap.
#ifdef PTC_ALWAYS_COPY
inline constexpr std::uint32_t kFirstCount = 2;
#else
inline constexpr std::uint32_t kFirstCount = 1;
#endif

struct String : Object {
  static constexpr std::uint8_t kAscii = 1;         // flags: every byte is a cluster (ASCII without CR LF)
  static constexpr std::uint8_t kScanned = 2;       // flags: kAscii is valid
  std::uint32_t size_bytes;
  std::uint32_t grapheme_count;                     // 0 when not counted yet, or empty
  mutable std::uint64_t hash;                       // 0 when not computed yet
  char* bytes() { return reinterpret_cast<char*>(this + 1); }
  const char* bytes() const { return reinterpret_cast<const char*>(this + 1); }
  std::string_view view() const { return {bytes(), size_bytes}; }
};

// An interned name, without a reference count: it lives as long as its heap. Two keywords of one heap are equal exactly
// when their addresses are.
struct Keyword {
  std::uint64_t hash;
  std::uint32_t size_bytes;
  std::uint32_t serial;        // the place in the order of interning in this heap
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

// The common head of all three kinds of vectors.
struct VectorHeader : Object {
  std::uint32_t count;
  std::uint32_t start;            // slots before the first element; they are empty (flat), nil or out of view (trie)
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
  Object* children[kFlatVectorMax];             // owned; null in slots without a child
};

// Slot number s = start + index. The tail holds the last 1 to 32 slots, and the trie below root holds the slots before.
// Nodes and tail may hold more than the vector shows while they are (or were) shared with a longer one.
struct TrieVector : VectorHeader {              // flags: levels of nodes; 1: the root's children are leaves
  VectorNode* root;                             // owned
  VectorLeaf* tail;                             // owned
};

// Keys in canonical order, owned. An array with kInterned is in the table of the heap and never changes.
struct KeyArray : Object {                      // extra: count
  static constexpr std::uint8_t kInterned = 1;
  std::uint64_t hash;                           // a sum over the keys, in any order; 0 when not interned
  Value* keys() { return reinterpret_cast<Value*>(this + 1); }
  const Value* keys() const { return reinterpret_cast<const Value*>(this + 1); }
};

struct SmallMap : Object {                      // extra: count, equal to the count of keys
  KeyArray* keys;                               // owned
  Value* values() { return reinterpret_cast<Value*>(this + 1); }
  const Value* values() const { return reinterpret_cast<const Value*>(this + 1); }
};

struct SmallSet : Object {                      // extra: count
  KeyArray* keys;                               // owned
};

// A node of a CHAMP trie. A bitmap node has entries (key and value; in sets the key only) for the bits of datamap, then
// child nodes for the bits of nodemap, both in the order of the bits. A collision node is below the last hash bit:
// datamap is the number of its entries, which are in canonical order.
struct HashNode : Object {                      // extra of bitmap nodes: entry count + 256 * child count
  static constexpr std::uint8_t kSet = 1;
  static constexpr std::uint8_t kCollision = 2;
  std::uint32_t datamap, nodemap;
  bool is_set() const { return (flags & kSet) != 0; }
  bool is_collision() const { return (flags & kCollision) != 0; }
  std::uint32_t entry_count() const { return is_collision() ? datamap : extra & 0xffu; }
  std::uint32_t child_count() const { return is_collision() ? 0 : extra >> 8; }
  std::uint32_t entry_width() const { return is_set() ? 1 : 2; }      // counts Values
  Value* entries() { return reinterpret_cast<Value*>(this + 1); }
  const Value* entries() const { return reinterpret_cast<const Value*>(this + 1); }
  HashNode** children() { return reinterpret_cast<HashNode**>(entries() + entry_count() * entry_width()); }
  HashNode* const* children() const {
    return reinterpret_cast<HashNode* const*>(entries() + entry_count() * entry_width());
  }
};

struct HashMap : Object {                       // also the layout of HashSet
  std::uint32_t count;
  std::uint32_t unused;
  HashNode* root;                               // owned
};

struct FunctionInfo;     // function.h

// A function value: code with the values that it captured.
struct Closure : Object {
  std::uint32_t upvalue_count;
  std::uint32_t serial;   // the place in the order of creation in the run: the stable id of a function as a map key
  const FunctionInfo* function;   // a Prototype (vm/exec/program.h); the run keeps its Program loaded
  void* link;                     // for vm/exec: constants and namespace cells of that program in this run
  Value* upvalues() { return reinterpret_cast<Value*>(this + 1); }
  const Value* upvalues() const { return reinterpret_cast<const Value*>(this + 1); }
};

struct Regex : Object {
  String* source;          // the pattern text as written (owned); null until set
  void* compiled;          // re2::RE2*, made by vm/builtins/regex; freed through Heap::set_regex_deleter
  std::uint64_t registry_index;   // for Heap: the place in the list of live regexes
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

// A handle only names its operation. Operations (vm/builtins) has the operation.
struct Pending : Object {
  String* id;              // owned
};

}  // namespace ptc
