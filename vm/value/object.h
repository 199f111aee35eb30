// The heap objects behind a Value: layouts only. Everything that makes, walks or frees them is elsewhere
// (heap.h, string.h, vector.h, map.h, set.h, bigint.h); nothing outside of vm/value looks inside of the collections.
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
  KeyArray,     // sorted keys of a SmallMap; also the whole of a small set
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

struct String : Object {
  static constexpr std::uint8_t kAscii = 1;         // flags: all bytes < 0x80
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

struct FunctionInfo;     // function.h

// A function value: code plus the values it captured when it was made.
struct Closure : Object {
  std::uint32_t upvalue_count;
  std::uint32_t serial;           // order of creation in the run: the stable id of a function as a map key
  const FunctionInfo* function;   // a Prototype (vm/exec/program.h), owned by a Program that the run keeps loaded
  Value* upvalues() { return reinterpret_cast<Value*>(this + 1); }
  const Value* upvalues() const { return reinterpret_cast<const Value*>(this + 1); }
};

struct Regex : Object {
  String* source;          // the pattern text as written (owned)
  void* compiled;          // re2::RE2*, made by vm/builtins/regex; freed through Heap::set_regex_deleter
};

struct Var : Object {
  const Keyword* name;
  std::uint64_t unused;
};

struct Instant : Object {
  std::int64_t epoch_seconds;
  std::uint32_t nanos;          // 0 .. 999,999,999
  std::uint32_t unused;
};

struct Duration : Object {
  std::int64_t seconds;         // floored
  std::uint32_t nanos;          // 0 .. 999,999,999
  std::uint32_t unused;
};

struct Pending : Object {
  String* id;              // owned
  Value immediate;         // owned
};

}  // namespace ptc
