#include "limits/cost/allocated_bytes.h"

#include <malloc.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* memory);
}

namespace {

constinit std::uint64_t bytes_now = 0, bytes_peak = 0;

void* counted(void* memory) {
  bytes_now += malloc_usable_size(memory);
  bytes_peak = std::max(bytes_peak, bytes_now);
  return memory;
}

}  // namespace

// glibc lets a program replace these functions; operator new calls malloc.
extern "C" {
void* malloc(std::size_t size) { return counted(__libc_malloc(size)); }
void* calloc(std::size_t count, std::size_t size) { return counted(__libc_calloc(count, size)); }
void* realloc(void* old, std::size_t size) {
  const std::uint64_t before = malloc_usable_size(old);
  void* const made = __libc_realloc(old, size);
  if (made != nullptr || size == 0) bytes_now -= before;
  return counted(made);
}
void* memalign(std::size_t alignment, std::size_t size) { return counted(__libc_memalign(alignment, size)); }
void* aligned_alloc(std::size_t alignment, std::size_t size) { return counted(__libc_memalign(alignment, size)); }
int posix_memalign(void** out, std::size_t alignment, std::size_t size) {
  void* const made = __libc_memalign(alignment, size);
  if (made == nullptr) return ENOMEM;
  *out = counted(made);
  return 0;
}
void free(void* memory) {
  bytes_now -= malloc_usable_size(memory);
  __libc_free(memory);
}
}

namespace ptc::test {

std::uint64_t allocated_bytes() { return bytes_now; }
std::uint64_t allocated_bytes_peak() { return bytes_peak; }
void forget_peak() { bytes_peak = bytes_now; }

}  // namespace ptc::test
