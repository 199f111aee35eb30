// Keeps the memory of ended runs for the next runs. The pages exist already, so a run does not pay for their first use.
//
// The pool keeps blocks of 32 KB and more, by size class. A doubling has eight classes, so at most an eighth is wasted.
// When the pool has more bytes than it may keep, the blocks that were unused for longest go back to the system. malloc
// serves smaller blocks.
//
// A run that goes on gives blocks back, too, and may ask for other sizes next. The pool keeps of these blocks what fits
// beside the blocks in use into the most that was ever in use, and kMoreBytes, so that a process takes little more than
// its runs count. A period of such counts ends when no run has a block.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
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
  // Takes from a megabyte that all runs share.
  void* take_last(std::size_t size_bytes) noexcept override;
  void give(void* memory, std::size_t size_bytes) noexcept override;
  // Keeps no block that it had to ask the system for.
  bool has(std::size_t size_bytes) noexcept override;
  void keep_at_most(std::size_t size_bytes) noexcept override;

  std::size_t kept_bytes() const;

 private:
  static constexpr std::size_t kClasses = 8 * 32;
  static constexpr std::size_t kReserveBytes = 1u << 20;
  static constexpr std::size_t kMoreBytes = 4u << 20;

  // A record inside of the block that it describes. The record is in a ring by age and in a stack by class.
  struct Kept {
    Kept *newer, *older;
    Kept *above, *below;
    std::size_t size_class;
    std::uint64_t period;     // in which the block was given back
  };

  static std::size_t class_of(std::size_t size_bytes);
  static std::size_t class_bytes(std::size_t size_class);
  bool serves(std::size_t size_bytes) const;   // other sizes are malloc's
  void begin_use(std::size_t bytes);
  void end_use(std::size_t bytes);
  bool has_place_beside_used(std::size_t bytes) const;
  void keep(void* memory, std::size_t size_class);
  void forget(Kept* kept);
  void free_until(std::size_t most_kept_bytes);
  bool is_reserve(const void* memory) const;

  mutable std::mutex mutex_;
  const std::size_t most_kept_;
  std::size_t kept_bytes_ = 0;
  std::size_t used_bytes_ = 0;              // blocks that runs have
  std::size_t most_used_bytes_ = 0;         // in this period
  std::size_t kept_of_period_bytes_ = 0;
  std::uint64_t period_ = 0;
  Kept ages_;                               // a ring: ages_.newer is the oldest block, ages_.older the newest
  std::array<Kept*, kClasses> newest_{};    // the newest block of each class
  std::unique_ptr<std::byte[]> reserve_;
  std::size_t reserve_used_ = 0, reserve_blocks_ = 0;
};

}  // namespace ptc
