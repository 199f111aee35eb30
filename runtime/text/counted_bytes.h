// Counts memory outside of a heap in the account of the heap for a while: text that is being read into it.
#pragma once
#include <cstddef>
#include <cstdint>

#include "vm/value/heap.h"

namespace ptc {

class CountedBytes {
 public:
  // The heap must outlive this object.
  CountedBytes(Heap& heap, std::size_t bytes) : heap_(heap), bytes_(static_cast<std::int64_t>(bytes)) {
    heap_.account(bytes_);
  }
  ~CountedBytes() { heap_.account(-bytes_); }
  CountedBytes(const CountedBytes&) = delete;
  CountedBytes& operator=(const CountedBytes&) = delete;

 private:
  Heap& heap_;
  std::int64_t bytes_;
};

// Returns how many more bytes the heap has room for.
inline std::uint64_t room_of(const Heap& heap) {
  return heap.bytes_used() < heap.limit_bytes() ? heap.limit_bytes() - heap.bytes_used() : 0;
}

}  // namespace ptc
