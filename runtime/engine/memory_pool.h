// What ended runs held, kept for the next ones: the pages are there already, so a run does not pay for their first use.
//
// Blocks of 32 KB and more are kept, by size class (eight to a doubling, so at most an eighth is wasted), up to a
// number of bytes; those that nobody took for longest go back to the system first. Smaller ones are malloc's.
#pragma once
#include <array>
#include <cstddef>
#include <memory>
#include <mutex>

#include "vm/value/memory_source.h"

namespace ptc {

class MemoryPool final : public MemorySource {
 public:
  explicit MemoryPool(std::size_t most_kept_bytes);
  ~MemoryPool() override;
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  void* take(std::size_t size_bytes) noexcept override;
  // A megabyte is there for all runs together.
  void* take_last(std::size_t size_bytes) noexcept override;
  void give(void* memory, std::size_t size_bytes) noexcept override;

  std::size_t kept_bytes() const;

 private:
  static constexpr std::size_t kClasses = 8 * 32;
  static constexpr std::size_t kReserveBytes = 1u << 20;

  // Lies in the block that it keeps: a ring by age and a stack by class.
  struct Kept {
    Kept *newer, *older;
    Kept *above, *below;
    std::size_t size_class;
  };

  static std::size_t class_of(std::size_t size_bytes);
  static std::size_t class_bytes(std::size_t size_class);
  void keep(void* memory, std::size_t size_class);
  void forget(Kept* kept);
  void free_until(std::size_t most_kept_bytes);
  bool is_reserve(const void* memory) const;

  mutable std::mutex mutex_;
  const std::size_t most_kept_;
  std::size_t kept_bytes_ = 0;
  Kept ages_;                               // ring: ages_.newer is the oldest, ages_.older the newest
  std::array<Kept*, kClasses> newest_{};    // of a class
  std::unique_ptr<std::byte[]> reserve_;
  std::size_t reserve_used_ = 0, reserve_blocks_ = 0;
};

}  // namespace ptc
