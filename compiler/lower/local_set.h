// Sets of the locals of a program.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/analyze/ast.h"

namespace ptc {

// A set of locals. Dense bits: programs have few locals, and union is the common operation.
class LocalSet {
 public:
  explicit LocalSet(std::size_t count) : words_((count + 63) / 64, 0) {}
  bool has(LocalId local) const { return (words_[local / 64] >> (local % 64) & 1) != 0; }
  void add(LocalId local) { words_[local / 64] |= std::uint64_t{1} << (local % 64); }
  void remove(LocalId local) { words_[local / 64] &= ~(std::uint64_t{1} << (local % 64)); }
  void clear() { words_.assign(words_.size(), 0); }
  void unite(const LocalSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }
  // Members of this set that are not in other, ascending.
  std::vector<LocalId> minus(const LocalSet& other) const {
    std::vector<LocalId> out;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t bits = words_[i] & ~other.words_[i]; bits != 0; bits &= bits - 1) {
        out.push_back(static_cast<LocalId>(i * 64 + static_cast<std::size_t>(__builtin_ctzll(bits))));
      }
    }
    return out;
  }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace ptc
