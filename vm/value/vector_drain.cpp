#include "vm/value/vector_drain.h"

#include <algorithm>

#include "vm/value/vector_trie.h"

namespace ptc {

std::span<Value> vector_unshared_chunk(Value vector, std::uint32_t i) {
  const std::uint32_t count = vector_count(vector);
  if (i >= count || !is_unique(vector)) return {};
  if (vector.object->kind == Kind::FlatVector) return {static_cast<FlatVector*>(vector.object)->items() + i, count - i};
  if (vector.object->kind != Kind::TrieVector) return {};
  auto* const trie = static_cast<TrieVector*>(vector.object);
  Value* const first = trie_unshared_cell(trie, i, 0);   // nil is no object
  if (first == nullptr) return {};
  return {first, std::min(count - i, kFlatVectorMax - ((trie->start + i) & kTrieMask))};
}

}  // namespace ptc
