// Memory for a document of Boost.JSON that may take so much and no more.
#pragma once
#include <boost/json/memory_resource.hpp>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace ptcvm::mcp {

// Throws std::bad_alloc when the most bytes are taken.
class BoundedMemory final : public boost::json::memory_resource {
 public:
  explicit BoundedMemory(std::size_t most_bytes) : most_bytes_(most_bytes) {}
  std::size_t bytes() const { return bytes_; }

 private:
  // The alignment of malloc() is enough for documents.
  void* do_allocate(std::size_t bytes, std::size_t) override {
    if (bytes > most_bytes_ - bytes_) throw std::bad_alloc();
    void* const place = std::malloc(bytes);
    if (place == nullptr) throw std::bad_alloc();
    bytes_ += bytes;
    return place;
  }
  void do_deallocate(void* place, std::size_t bytes, std::size_t) override {
    bytes_ -= bytes;
    std::free(place);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  const std::size_t most_bytes_;
  std::size_t bytes_ = 0;
};

}  // namespace ptcvm::mcp
