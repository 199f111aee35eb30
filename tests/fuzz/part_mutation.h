// Small changes of numbers and lists, for mutators that work on the parts of a file instead of its bytes.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "support/random.h"

namespace ptc::test {

inline std::uint64_t telling_number(Random& random) {
  constexpr std::uint64_t kNumbers[] = {0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 64, 127, 128, 255, 256, 1'000, 65'535,
                                        65'536, 1u << 20, INT32_MAX, UINT32_MAX - 1, UINT32_MAX, INT64_MAX,
                                        std::uint64_t{1} << 63, UINT64_MAX};
  return random.pick(kNumbers);
}

// Near the old value, somewhere, or at an edge.
template <class T>
void change(T& number, Random& random) {
  switch (random.below(4)) {
    case 0: number = static_cast<T>(static_cast<std::uint64_t>(number) + 1); break;
    case 1: number = static_cast<T>(static_cast<std::uint64_t>(number) - 1); break;
    case 2: number = static_cast<T>(random.below(40)); break;
    default: number = static_cast<T>(telling_number(random));
  }
}

template <class T>
void shuffle_list(std::vector<T>& list, Random& random) {
  if (list.empty()) return;
  const std::size_t at = random.below(list.size());
  switch (random.below(3)) {
    case 0: list.erase(list.begin() + static_cast<std::ptrdiff_t>(at)); break;
    case 1: std::swap(list[at], list[random.below(list.size())]); break;
    default: std::rotate(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(at), list.end());
  }
}

template <class T>
void double_one(std::vector<T>& list, Random& random) {
  if (list.empty()) return;
  const T copy = list[random.below(list.size())];
  list.insert(list.begin() + static_cast<std::ptrdiff_t>(random.below(list.size() + 1)), copy);
}

template <class T>
void double_one(std::vector<std::unique_ptr<T>>& list, Random& random) {
  if (list.empty()) return;
  auto copy = std::make_unique<T>(*list[random.below(list.size())]);
  list.insert(list.begin() + static_cast<std::ptrdiff_t>(random.below(list.size() + 1)), std::move(copy));
}

}  // namespace ptc::test
