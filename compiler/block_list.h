// Objects that are made one by one, stay where they are, and go together: blocks of them, because a std::deque gives
// objects of more than 256 bytes an allocation each.
#pragma once
#include <array>
#include <cstddef>
#include <list>

namespace ptc {

template <class T>
class BlockList {
 public:
  T& add() {
    if (used_ == kBlock) {
      blocks_.emplace_back();
      used_ = 0;
    }
    return blocks_.back()[used_++];
  }

 private:
  static constexpr std::size_t kBlock = 16;
  std::list<std::array<T, kBlock>> blocks_;
  std::size_t used_ = kBlock;   // of the last block
};

}  // namespace ptc
