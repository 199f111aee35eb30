// Random numbers that are the same with every compiler and library: splitmix64.
#pragma once
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace ptc::generator {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  unsigned below(std::size_t count) { return static_cast<unsigned>(next() % count); }
  // Both included.
  int between(int least, int most) {
    return least + static_cast<int>(below(static_cast<std::size_t>(most - least) + 1));
  }
  bool chance(unsigned percent) { return below(100) < percent; }

  template <class Choices>
  const auto& pick(const Choices& choices) {
    return choices[below(std::size(choices))];
  }

 private:
  std::uint64_t state_;
};

}  // namespace ptc::generator
