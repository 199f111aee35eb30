#include "runtime/engine/memory_pool.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "vm/value/heap.h"

namespace ptc {
namespace {

constexpr std::size_t kBlock = 256 * 1024;

TEST(MemoryPool, HandsOutAgainWhatItKept) {
  MemoryPool pool(8 * kBlock);
  void* const first = pool.take(kBlock);
  pool.give(first, kBlock);
  EXPECT_EQ(pool.kept_bytes(), kBlock);
  EXPECT_EQ(pool.take(kBlock), first);
  EXPECT_EQ(pool.kept_bytes(), 0u);
  pool.give(first, kBlock);
}

TEST(MemoryPool, GivesEveryBlockTheBytesThatWereAskedFor) {
  MemoryPool pool(64u << 20);
  for (std::size_t size = 1; size < 6u << 20; size += size / 7 + 1) {
    for (const std::size_t asked : {size, size}) {   // fresh, and kept
      void* const memory = pool.take(asked);
      ASSERT_NE(memory, nullptr);
      std::memset(memory, 0xa5, asked);
      pool.give(memory, asked);
    }
  }
}

TEST(MemoryPool, SaysWhatItHasAndKeepsNothingForTheAnswer) {
  MemoryPool pool(64u << 20);
  EXPECT_TRUE(pool.has(kBlock));
#ifndef PTC_SANITIZED   // whose allocator ends the process instead of refusing
  EXPECT_FALSE(pool.has(SIZE_MAX / 2));
#endif
  EXPECT_EQ(pool.kept_bytes(), 0u);
}

TEST(MemoryPool, GivesWhatIsTooMuchToTheSystem) {
  MemoryPool pool(8 * kBlock);
  void* const a = pool.take(kBlock);
  void* const b = pool.take(kBlock);
  pool.give(a, kBlock);
  pool.give(b, kBlock);
  pool.keep_at_most(2 * kBlock);
  EXPECT_EQ(pool.kept_bytes(), 2 * kBlock);
  pool.keep_at_most(2 * kBlock - 1);
  EXPECT_EQ(pool.kept_bytes(), kBlock);
  pool.keep_at_most(0);
  EXPECT_EQ(pool.kept_bytes(), 0u);
}

// What a run gives back does not stay beside what others take for it: both together are within its limit.
TEST(MemoryPool, KeepsNoMoreThanTheLimitOfARunLeaves) {
  constexpr std::uint64_t kLimit = 4u << 20;
  const auto pool = std::make_shared<MemoryPool>(64u << 20);
  Heap heap(kLimit, pool);
  void* const text = heap.allocate(3u << 20);
  heap.deallocate(text, 3u << 20);
  EXPECT_GT(pool->kept_bytes(), 3u << 20);
  heap.account(2 << 20);
  EXPECT_LE(heap.bytes_used() + pool->kept_bytes(), kLimit);
  heap.account(-(2 << 20));
}

// A run that goes on frees texts of many sizes, and takes none of these sizes again.
TEST(MemoryPool, KeepsOfARunThatGoesOnLittleMoreThanTheRunEverHad) {
  constexpr std::size_t kLargest = 3u << 20, kMore = 4u << 20;
  MemoryPool pool(64u << 20);
  void* const first = pool.take(kBlock);
  for (std::size_t size = kBlock; size <= kLargest; size += size / 8 + 1) {
    pool.give(pool.take(size), size);
    EXPECT_LE(pool.kept_bytes(), kLargest + kLargest / 8 + kMore);
  }
  pool.give(first, kBlock);
}

TEST(MemoryPool, KeepsAllThatAnEndedRunHad) {
  constexpr std::size_t kCount = 40;
  MemoryPool pool(64u << 20);
  for (int run = 0; run < 2; ++run) {
    std::vector<void*> blocks;
    for (std::size_t i = 0; i < kCount; ++i) blocks.push_back(pool.take(kBlock));
    for (void* const block : blocks) pool.give(block, kBlock);
    EXPECT_EQ(pool.kept_bytes(), kCount * kBlock);
  }
}

TEST(MemoryPool, WastesAtMostAnEighth) {
  for (std::size_t size = 32 * 1024; size < 40u << 20; size += size / 13 + 1) {
    MemoryPool pool(64u << 20);
    pool.give(pool.take(size), size);
    EXPECT_GE(pool.kept_bytes(), size);
    EXPECT_LE(pool.kept_bytes(), size + size / 8 + 1);
  }
}

TEST(MemoryPool, KeepsNoMoreThanItMayAndTheNewest) {
  MemoryPool pool(2 * kBlock);
  void* const a = pool.take(kBlock);
  void* const b = pool.take(kBlock);
  void* const c = pool.take(kBlock);
  pool.give(a, kBlock);
  pool.give(b, kBlock);
  pool.give(c, kBlock);
  EXPECT_EQ(pool.kept_bytes(), 2 * kBlock);
  void* const newest = pool.take(kBlock);
  void* const second = pool.take(kBlock);
  EXPECT_EQ(newest, c);
  EXPECT_EQ(second, b);
  pool.give(newest, kBlock);
  pool.give(second, kBlock);
}

TEST(MemoryPool, LetsGoOfSizesThatNobodyTakesAnyMore) {
  MemoryPool pool(4 * kBlock);
  pool.give(pool.take(4 * kBlock), 4 * kBlock);
  void* const small = pool.take(kBlock);
  pool.give(small, kBlock);
  EXPECT_EQ(pool.kept_bytes(), kBlock);
}

TEST(MemoryPool, KeepsNothingWhenToldSo) {
  MemoryPool pool(0);
  pool.give(pool.take(kBlock), kBlock);
  EXPECT_EQ(pool.kept_bytes(), 0u);
}

TEST(MemoryPool, ServesSeveralThreads) {
  MemoryPool pool(16 * kBlock);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&pool, t] {
      for (std::size_t i = 1; i <= 500; ++i) {
        const std::size_t size = (i * 7919 + static_cast<std::size_t>(t)) % (2 * kBlock) + 1;
        void* const memory = pool.take(size);
        std::memset(memory, t, size);
        pool.give(memory, size);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(pool.kept_bytes(), 16 * kBlock);
}

}  // namespace
}  // namespace ptc
