// Memory for a JSON document that may take no more than so many bytes. A document that needs more ends its parser with
// std::bad_alloc.
#pragma once
#include <boost/json/memory_resource.hpp>
#include <cstddef>
#include <new>

namespace ptcvm::cli {

class BoundedMemory final : public boost::json::memory_resource {
 public:
  explicit BoundedMemory(std::size_t most_bytes) : left_(most_bytes) {}

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (bytes > left_) throw std::bad_alloc();
    void* const memory = ::operator new(bytes, std::align_val_t{alignment});
    left_ -= bytes;
    return memory;
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    ::operator delete(memory, std::align_val_t{alignment});
    left_ += bytes;
  }
  bool do_is_equal(const boost::json::memory_resource& other) const noexcept override { return this == &other; }

  std::size_t left_;
};

}  // namespace ptcvm::cli
