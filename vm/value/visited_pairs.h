// Remembers pairs that a walk has met: two objects that are compared, or a type and an object. Values are DAGs: without
// this memory, comparing two values of n objects that refer to each level twice would take 2^n steps. A walk that goes
// on only while everything is equal, or only looks at each pair, may skip a pair that it has met before.
//
// Walks of usual size cost one addition for each container; recording starts after kFreeVisits.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "vm/value/hash_mix.h"
#include "vm/value/object.h"

namespace ptc {

inline constexpr std::uint32_t kFreeVisits = 1u << 16;

class VisitedPairs {
 public:
  // Returns whether the pair was met since recording began.
  bool meet(const void* a, const void* b) {
    if (visits_ < kFreeVisits) {
      ++visits_;
      return false;
    }
    if ((count_ + 1) * 2 > slots_.size()) grow();
    Pair& slot = find({a, b});
    if (slot.a != nullptr) return true;
    slot = {a, b};
    ++count_;
    return false;
  }
  void forget() {
    slots_.clear();
    count_ = 0;
  }

 private:
  struct Pair {
    const void *a, *b;
  };

  Pair& find(Pair pair) {
    const std::uint64_t hash = hash_mix(reinterpret_cast<std::uintptr_t>(pair.a) * kHashFactor,
                                        reinterpret_cast<std::uintptr_t>(pair.b));
    std::size_t i = hash & (slots_.size() - 1);
    while (slots_[i].a != nullptr && (slots_[i].a != pair.a || slots_[i].b != pair.b)) {
      i = (i + 1) & (slots_.size() - 1);
    }
    return slots_[i];
  }

  void grow() {
    std::vector<Pair> old(slots_.empty() ? 1024 : slots_.size() * 2, Pair{nullptr, nullptr});
    old.swap(slots_);
    for (const Pair& pair : old) {
      if (pair.a != nullptr) find(pair) = pair;
    }
  }

  std::vector<Pair> slots_;   // open addressing, power of two
  std::size_t count_ = 0;
  std::uint32_t visits_ = 0;
};

}  // namespace ptc
