// Objects that are made one by one, stay where they are, and go together: blocks of them, because a std::deque gives
// objects of more than 256 bytes an allocation each. The first block is small, for small programs.
#pragma once
#include <cstddef>
#include <list>
#include <vector>

namespace ptc {

template <class T>
class BlockList {
 public:
  T& add() {
    if (blocks_.empty() || blocks_.back().size() == blocks_.back().capacity()) {
      const std::size_t size = blocks_.empty() ? kFirstBlock : kBlock;
      blocks_.emplace_back().reserve(size);
    }
    return blocks_.back().emplace_back();   // within its capacity: nothing moves
  }

 private:
  static constexpr std::size_t kFirstBlock = 3, kBlock = 16;
  std::list<std::vector<T>> blocks_;
};

}  // namespace ptc
