// Where heaps take stretches of memory from and give them back to: a host's choice, malloc when it makes none.
//
// Heaps of several threads may use one source at a time.
#pragma once
#include <cstddef>

namespace ptc {

class MemorySource {
 public:
  virtual ~MemorySource() = default;
  // Memory aligned to 16 bytes, or null when there is none.
  virtual void* take(std::size_t size_bytes) noexcept = 0;
  // The same after take() had none, from what is kept for this: enough for a heap to reach its next safe point, where
  // its program ends. Null: the process aborts.
  virtual void* take_last(std::size_t size_bytes) noexcept = 0;
  // What one of them returned, with the size that was asked for.
  virtual void give(void* memory, std::size_t size_bytes) noexcept = 0;
};

}  // namespace ptc
