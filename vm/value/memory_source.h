// Heaps take stretches of memory from a source and give them back. The host chooses the source; the default is malloc.
//
// Heaps of several threads may use one source at a time.
#pragma once
#include <cstddef>

namespace ptc {

class MemorySource {
 public:
  virtual ~MemorySource() = default;
  // Returns memory aligned to 16 bytes, or null when there is no memory.
  virtual void* take(std::size_t size_bytes) noexcept = 0;
  // Returns memory from a reserve after take() returned null: enough for a heap to reach its next safe point, where its
  // program ends. After null the process aborts.
  virtual void* take_last(std::size_t size_bytes) noexcept = 0;
  // Takes back memory of take() or take_last(), with the requested size.
  virtual void give(void* memory, std::size_t size_bytes) noexcept = 0;
};

}  // namespace ptc
