// The value stream of a snapshot has all values of a run, one after the other in post-order. A leaf pushes a value; a
// container pops its parts and pushes itself. So references only go backward, and nothing recurses. After the last byte
// the stack holds the root values in the order in which they were written.
//
// Each item begins with one byte: the op in the high four bits, a number n in the low ones. n = 15 means that n - 15
// follows as a varint (7 bits in a byte, low first, shortest form only).
//
// Every counted object (also nodes, leaves and key arrays inside of collections) has an ordinal, counted from 0 in the
// order of completion; Ref names an earlier object. The first ordinals belong to objects that are not in the stream
// because the programs make them: see object_table.h. Sharing shows only as a second reference to an object.
#pragma once
#include <cstdint>

namespace ptc {

enum class StreamOp : std::uint8_t {
  Constant = 0,      // n: ConstantValue
  Int = 1,           // n
  NegativeInt = 2,   // -1 - n
  String = 3,        // n bytes of UTF-8 follow
  Ref = 4,           // object n
  Keyword = 5,       // n: index of the name table (Snapshot.names)
  Vector = 6,        // pops n elements: flat, no spare room
  Map = 7,           // pops key array, n values
  Keys = 8,          // pops n keys: a shared (interned) array
  Leaf = 9,          // pops n elements
  Closure = 10,      // pops n captured values; varints: program, function, serial
  HashNode = 11,     // n: level; varints: flags (1 set, 2 collision), datamap or number of entries, nodemap; pops
                     // entries, children
  Other = 12,        // n: OtherValue
};

enum class ConstantValue : std::uint8_t { Nil, False, True, Absent };   // Absent is a root only

enum class OtherValue : std::uint8_t {
  Float,         // 8 bytes, IEEE 754 little endian
  BigInt,        // varint: 2 * limbs + negative; limbs of 8 bytes, least significant first
  SpareVector,   // varints: count, start, capacity; pops count elements: a flat vector with room
  Range,         // zigzag varints first, step; varint count
  Node,          // 4 bytes: mask; pops a child for each bit
  Trie,          // varints start, count; pops root, tail
  PrivateKeys,   // varint count; pops the keys of an array that is not shared by content
  Set,           // pops a key array
  HashMap,       // varint count; pops the root
  HashSet,       // varint count; pops the root
  Regex,         // pops the pattern
  Var,           // varint: name
  Instant,       // zigzag varint seconds, varints nanoseconds, flags
  Duration,      // zigzag varint seconds, varint nanoseconds
  Pending,       // pops the id
  Date,          // zigzag varint: days since 1970-01-01
  Builtin,       // varint: index of Snapshot.builtins
  Tool,          // varint: name
};

}  // namespace ptc
