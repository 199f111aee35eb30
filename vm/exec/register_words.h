// How the interpreter loop reads and writes registers: operands are byte offsets from the base of the frame, and values
// are copied as two words.
#pragma once
#include <cstdint>

#include "schema/opcode.h"
#include "vm/value/value.h"
#include "vm/value/vector.h"
#include "vm/value/vector_trie.h"

namespace ptc {

inline Value& reg(Value* base, std::uint32_t offset) {
  return *reinterpret_cast<Value*>(reinterpret_cast<char*>(base) + offset);
}

// Reads and writes a value as two words. One 16-byte move of a value that was just stored as two words would wait for
// the stores to leave the store buffer.
inline Value words(const Value& v) {
  Value out;
  out.tag = v.tag;
  out.bits = v.bits;
  return out;
}
inline void put(Value& to, Value v) {
  to.tag = v.tag;
  to.bits = v.bits;
}

// Does what vector_at() does, with the way through a trie in line.
inline Value element(Value vector, std::uint32_t i) {
  const Object* const object = vector.object;
  return object->kind == Kind::TrieVector ? trie_at(static_cast<const TrieVector*>(object), i) : vector_at(vector, i);
}

inline const Instruction* jump_target(const Instruction* next, std::uint16_t offset) {
  return next + static_cast<std::int16_t>(offset);
}

}  // namespace ptc
