// The order in which a program sees answers that come together.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ptcvm::cli {

class ResolveOrder {
 public:
  static ResolveOrder fifo() { return ResolveOrder(Kind::Fifo, 0); }
  static ResolveOrder lifo() { return ResolveOrder(Kind::Lifo, 0); }
  // Makes a permutation that depends on the seed alone and is different at every suspension.
  static ResolveOrder shuffled(std::uint64_t seed) { return ResolveOrder(Kind::Shuffled, seed); }

  // Puts a list that is in the order of opening into this order.
  template <class T>
  void arrange(std::vector<T>& list) {
    if (kind_ == Kind::Lifo) std::reverse(list.begin(), list.end());
    if (kind_ != Kind::Shuffled) return;
    for (std::size_t left = list.size(); left > 1; --left) std::swap(list[left - 1], list[next_random() % left]);
  }
  std::uint64_t state() const { return state_; }
  void set_state(std::uint64_t state) { state_ = state; }

 private:
  enum class Kind : std::uint8_t { Fifo, Lifo, Shuffled };
  ResolveOrder(Kind kind, std::uint64_t seed) : kind_(kind), state_(seed) {}
  // Returns the next number of splitmix64.
  std::uint64_t next_random() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  Kind kind_;
  std::uint64_t state_;
};

}  // namespace ptcvm::cli
