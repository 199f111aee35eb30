// Memory that is counted, and that has an end when a test says so.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "vm/value/memory_source.h"

namespace ptc::test {

class CountingSource final : public MemorySource {
 public:
  // The n-th take() from now on, counted from 1, and all later ones have nothing. 0: there is always something.
  void refuse_from(std::uint64_t n) {
    refused_from_ = n;
    takes_ = 0;
    largest_ = 0;
    last_bytes_ = 0;
  }
  std::uint64_t takes() const { return takes_; }
  std::uint64_t largest() const { return largest_; }           // block that was asked for
  std::uint64_t outstanding() const { return outstanding_; }   // blocks that nobody gave back
  std::uint64_t last_bytes() const { return last_bytes_; }     // that were taken after the end

  void* take(std::size_t size_bytes) noexcept override {
    ++takes_;
    largest_ = std::max<std::uint64_t>(largest_, size_bytes);
    if (refused_from_ != 0 && takes_ >= refused_from_) return nullptr;
    return allocated(size_bytes);
  }
  // As much as an engine keeps for it: the process would end behind that.
  void* take_last(std::size_t size_bytes) noexcept override {
    last_bytes_ += size_bytes;
    return last_bytes_ > kLastBytes ? nullptr : allocated(size_bytes);
  }
  void give(void* memory, std::size_t) noexcept override {
    --outstanding_;
    std::free(memory);
  }

 private:
  static constexpr std::uint64_t kLastBytes = 1u << 20;

  void* allocated(std::size_t size_bytes) {
    ++outstanding_;
    return std::malloc(size_bytes);
  }

  std::uint64_t refused_from_ = 0, takes_ = 0, largest_ = 0, outstanding_ = 0, last_bytes_ = 0;
};

}  // namespace ptc::test
