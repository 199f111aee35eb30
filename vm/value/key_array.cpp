// The weak table of shared key arrays (key_array.h): linear probing, deletion by shifting back.
#include "vm/value/key_array.h"

namespace ptc {

void KeyArrayTable::insert(KeyArray* array) {
  if ((count_ + 1) * 2 > slots_.size()) grow();
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = array->hash & mask;
  while (slots_[i] != nullptr) i = (i + 1) & mask;
  slots_[i] = array;
  array->flags = static_cast<std::uint8_t>(array->flags | KeyArray::kInterned);
  ++count_;
}

void KeyArrayTable::erase(KeyArray* array) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t hole = array->hash & mask;
  while (slots_[hole] != array) hole = (hole + 1) & mask;
  for (std::size_t i = (hole + 1) & mask; slots_[i] != nullptr; i = (i + 1) & mask) {
    const std::size_t home = slots_[i]->hash & mask;
    if (((i - home) & mask) >= ((i - hole) & mask)) {   // its probe sequence passes the hole
      slots_[hole] = slots_[i];
      hole = i;
    }
  }
  slots_[hole] = nullptr;
  --count_;
  if (flexible_ == nullptr) return;
  FlexibleLine& line = (*flexible_)[line_of(array)];
  if (line.array == array) line = {};   // another array may be made at the same address
}

void KeyArrayTable::grow() {
  std::vector<KeyArray*> old(slots_.empty() ? 16 : slots_.size() * 2);
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (KeyArray* array : old) {
    if (array == nullptr) continue;
    std::size_t i = array->hash & mask;
    while (slots_[i] != nullptr) i = (i + 1) & mask;
    slots_[i] = array;
  }
}

}  // namespace ptc
