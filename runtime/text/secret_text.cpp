#include "runtime/text/secret_text.h"

#include <sodium.h>

#include <new>

namespace ptc {

SecretText::~SecretText() {
  text.resize(text.capacity());      // within the capacity: moves nothing
  sodium_memzero(text.data(), text.size());
}

// Boost.JSON may free with another alignment than it asked for, so the alignment of `new` serves all.
void* SecretMemory::do_allocate(std::size_t bytes, std::size_t /*alignment*/) { return ::operator new(bytes); }

void SecretMemory::do_deallocate(void* memory, std::size_t bytes, std::size_t /*alignment*/) {
  sodium_memzero(memory, bytes);
  ::operator delete(memory);
}

}  // namespace ptc
