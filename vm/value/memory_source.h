// Heaps take stretches of memory from a source and give them back. The host chooses the source; the default is malloc.
//
// Heaps of several threads may use one source at a time.
#pragma once
#include <cstddef>
#include <cstdlib>

namespace ptc {

// Returns whether malloc has that much now.
inline bool system_has(std::size_t size_bytes) noexcept {
  void* volatile memory = std::malloc(size_bytes);   // volatile: a compiler may leave out a block that nobody uses
  void* const taken = memory;
  std::free(taken);
  return taken != nullptr;
}

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
  // Returns whether take() would have that much now.
  virtual bool has(std::size_t size_bytes) noexcept {
    void* const memory = take(size_bytes);
    if (memory == nullptr) return false;
    give(memory, size_bytes);
    return true;
  }
  // Returns memory that was given back to the system until the source keeps no more than so many bytes. A heap says so
  // when it counts memory that others take from the system, so that kept memory does not come on top of its limit.
  virtual void keep_at_most(std::size_t) noexcept {}
};

}  // namespace ptc
