// Breaks program texts in reproducible ways: the same seed gives the same mutants on every machine.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ptc::test {

// A small generator with a fixed algorithm (splitmix64); the ones of the library differ between implementations.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  std::size_t below(std::size_t bound) { return bound == 0 ? 0 : static_cast<std::size_t>(next() % bound); }

 private:
  std::uint64_t state_;
};

// One to four mutations of the text: characters deleted, doubled, inserted or replaced, tokens swapped or dropped,
// closers removed or added, the end cut off, bytes that are not UTF-8, pieces of `other` spliced in.
std::string mutated(std::string_view text, std::string_view other, Dice& dice);

}  // namespace ptc::test
