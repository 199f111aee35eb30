// Giving back memory that a run does not use any more. Chunks serve objects of all sizes up to a kilobyte, and are
// kept for the next objects, also when these are large and come from elsewhere. A program that makes ten megabytes of
// small objects, drops them and makes a text of ten megabytes would take twenty, although its account says ten.
#include <algorithm>
#include <functional>

#include "vm/value/heap.h"

namespace ptc {

namespace {

constexpr std::uint64_t kWorthALook = std::uint64_t{1} << 20;   // bytes

}  // namespace

void Heap::shrink_source() {
  if (source_ != nullptr) source_->keep_at_most(limit_bytes_ > bytes_used_ ? limit_bytes_ - bytes_used_ : 0);
}

void Heap::took_much(std::uint64_t bytes) {
  shrink_source();
  taken_since_look_ += bytes;
  const bool is_worth_it = chunk_bytes_ >= kWorthALook && taken_since_look_ >= kWorthALook;
  if (!is_worth_it || chunk_bytes_ + beside_bytes_ <= limit_bytes_) return;
  taken_since_look_ = 0;
  give_back_chunks();
  shrink_source();   // chunks that were given back may have been kept
}

// Adds up the free blocks of each chunk. A chunk that is free as a whole goes, and its blocks leave the free lists. The
// chunk that new objects come from stays.
void Heap::give_back_chunks() {
  std::sort(chunks_.begin(), chunks_.end(),
            [](const Chunk& a, const Chunk& b) { return std::less<>()(a.memory, b.memory); });
  const auto chunk_of = [this](const void* memory) {
    const auto behind = std::upper_bound(chunks_.begin(), chunks_.end(), memory, [](const void* m, const Chunk& chunk) {
      return std::less<>()(m, static_cast<const void*>(chunk.memory));
    });
    return static_cast<std::size_t>(behind - chunks_.begin()) - 1;
  };
  std::vector<std::size_t> free_bytes(chunks_.size());
  for (std::size_t units = 0; units < free_.size(); ++units) {
    for (const FreeBlock* block = free_[units]; block != nullptr; block = block->next) {
      free_bytes[chunk_of(block)] += units * kGranule;
    }
  }
  const auto is_free = [&](std::size_t k) { return free_bytes[k] == chunks_[k].size_bytes; };
  if (bump_ != nullptr) free_bytes[chunk_of(bump_ == bump_end_ ? bump_ - 1 : bump_)] = 0;
  for (FreeBlock*& head : free_) {
    FreeBlock** link = &head;
    while (*link != nullptr) {
      if (is_free(chunk_of(*link))) {
        *link = (*link)->next;
      } else {
        link = &(*link)->next;
      }
    }
  }
  std::vector<Chunk> kept;
  for (std::size_t k = 0; k < chunks_.size(); ++k) {
    if (!is_free(k)) {
      kept.push_back(chunks_[k]);
      continue;
    }
    chunk_bytes_ -= chunks_[k].size_bytes;
    give(chunks_[k].memory, chunks_[k].size_bytes);
  }
  chunks_ = std::move(kept);
}

}  // namespace ptc
