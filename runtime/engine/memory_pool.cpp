#include "runtime/engine/memory_pool.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <new>

namespace ptc {
namespace {

constexpr std::size_t kSmallest = 32 * 1024;
constexpr std::size_t kSteps = 8;                                          // size classes to a doubling
constexpr std::size_t kSmallestBits = std::bit_width(kSmallest) - 1;

}  // namespace

MemoryPool::MemoryPool(std::size_t most_kept_bytes)
    : most_kept_(most_kept_bytes), ages_{&ages_, &ages_, nullptr, nullptr, 0, 0},
      reserve_(new (std::nothrow) std::byte[kReserveBytes]) {}

MemoryPool::~MemoryPool() { free_until(0); }

// The class whose blocks have at least that many bytes, which are kSmallest or more.
std::size_t MemoryPool::class_of(std::size_t size_bytes) {
  const std::size_t doubling = static_cast<std::size_t>(std::bit_width(size_bytes - 1)) - 1;   // half of it, or less
  if (size_bytes <= kSmallest) return 0;
  const std::size_t step = (size_bytes - 1 - (std::size_t{1} << doubling)) >> (doubling - 3);
  return (doubling - kSmallestBits) * kSteps + step + 1;
}

std::size_t MemoryPool::class_bytes(std::size_t size_class) {
  const std::size_t base = kSmallest << (size_class / kSteps);
  return base + (base / kSteps) * (size_class % kSteps);
}

bool MemoryPool::serves(std::size_t size_bytes) const {
  if (size_bytes < kSmallest || size_bytes > most_kept_) return false;
  const std::size_t size_class = class_of(size_bytes);
  return size_class < kClasses && class_bytes(size_class) <= most_kept_;
}

void* MemoryPool::take(std::size_t size_bytes) noexcept {
  if (!serves(size_bytes)) return std::malloc(size_bytes);
  const std::size_t size_class = class_of(size_bytes);
  {
    const std::lock_guard lock(mutex_);
    begin_use(class_bytes(size_class));
    if (Kept* const kept = newest_[size_class]; kept != nullptr) {
      forget(kept);
      return kept;
    }
  }
  return std::malloc(class_bytes(size_class));
}

void* MemoryPool::take_last(std::size_t size_bytes) noexcept {
  const std::lock_guard lock(mutex_);
  free_until(0);
  if (void* const memory = std::malloc(size_bytes); memory != nullptr) return memory;
  const std::size_t rounded = (size_bytes + 15) & ~std::size_t{15};
  if (reserve_ == nullptr || rounded > kReserveBytes - reserve_used_) return nullptr;
  std::byte* const memory = reserve_.get() + reserve_used_;
  reserve_used_ += rounded;
  ++reserve_blocks_;
  return memory;
}

void MemoryPool::give(void* memory, std::size_t size_bytes) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (is_reserve(memory)) {
      if (--reserve_blocks_ == 0) reserve_used_ = 0;
      return;
    }
    if (serves(size_bytes)) {
      const std::size_t size_class = class_of(size_bytes), bytes = class_bytes(size_class);
      const bool is_kept = has_place_beside_used(bytes);
      if (is_kept) {
        free_until(most_kept_ - bytes);
        keep(memory, size_class);
      }
      end_use(bytes);
      if (is_kept) return;
    }
  }
  std::free(memory);
}

bool MemoryPool::has(std::size_t size_bytes) noexcept {
  const std::size_t size_class = class_of(std::max(size_bytes, kSmallest));
  if (size_class < kClasses) {
    const std::lock_guard lock(mutex_);
    if (newest_[size_class] != nullptr) return true;
  }
  return system_has(size_bytes);
}

void MemoryPool::keep_at_most(std::size_t size_bytes) noexcept {
  const std::lock_guard lock(mutex_);
  free_until(size_bytes);
}

std::size_t MemoryPool::kept_bytes() const {
  const std::lock_guard lock(mutex_);
  return kept_bytes_;
}

void MemoryPool::begin_use(std::size_t bytes) {
  used_bytes_ += bytes;
  most_used_bytes_ = std::max(most_used_bytes_, used_bytes_);
}

void MemoryPool::end_use(std::size_t bytes) {
  used_bytes_ -= std::min(bytes, used_bytes_);   // take_last() may have taken the block
  if (used_bytes_ > 0) return;
  ++period_;
  most_used_bytes_ = kept_of_period_bytes_ = 0;
}

// The bytes are still among the used ones.
bool MemoryPool::has_place_beside_used(std::size_t bytes) const {
  return kept_of_period_bytes_ + std::max(used_bytes_, bytes) <= most_used_bytes_ + kMoreBytes;
}

void MemoryPool::keep(void* memory, std::size_t size_class) {
  Kept* const kept = ::new (memory) Kept{&ages_, ages_.older, nullptr, newest_[size_class], size_class, period_};
  kept->newer->older = kept->older->newer = kept;
  if (kept->below != nullptr) kept->below->above = kept;
  newest_[size_class] = kept;
  kept_bytes_ += class_bytes(size_class);
  kept_of_period_bytes_ += class_bytes(size_class);
}

void MemoryPool::forget(Kept* kept) {
  kept->newer->older = kept->older;
  kept->older->newer = kept->newer;
  if (kept->below != nullptr) kept->below->above = kept->above;
  (kept->above != nullptr ? kept->above->below : newest_[kept->size_class]) = kept->below;
  kept_bytes_ -= class_bytes(kept->size_class);
  if (kept->period == period_) kept_of_period_bytes_ -= class_bytes(kept->size_class);
}

void MemoryPool::free_until(std::size_t most_kept_bytes) {
  while (kept_bytes_ > most_kept_bytes) {
    Kept* const oldest = ages_.newer;
    forget(oldest);
    std::free(oldest);
  }
}

bool MemoryPool::is_reserve(const void* memory) const {
  const std::byte* const byte = static_cast<const std::byte*>(memory);
  return reserve_ != nullptr && byte >= reserve_.get() && byte < reserve_.get() + kReserveBytes;
}

}  // namespace ptc
