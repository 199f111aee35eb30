#include "vm/value/scratch.h"

#include <gtest/gtest.h>

#include <string>

namespace ptc {
namespace {

TEST(ScratchTest, TextThatIsShortCountsNothing) {
  Heap heap;
  ScratchText text(heap);
  text.append(200, 'x');
  EXPECT_EQ(heap.bytes_used(), 0u);
  EXPECT_EQ(text.view(), std::string(200, 'x'));
}

TEST(ScratchTest, TextCountsWhileItLives) {
  Heap heap;
  {
    ScratchText text(heap);
    for (int i = 0; i < 100'000; ++i) text.push_back(static_cast<char>('a' + i % 26));
    text += "end";
    EXPECT_GE(heap.bytes_used(), 100'003u);
    EXPECT_LE(heap.bytes_used(), 160'000u);
    EXPECT_EQ(text.size(), 100'003u);
    EXPECT_TRUE(text.view().starts_with("abcdef"));
    EXPECT_TRUE(text.view().ends_with("end"));
  }
  EXPECT_EQ(heap.bytes_used(), 0u);
}

TEST(ScratchTest, MemoryIsAskedForBeforeItIsTaken) {
  Heap heap(64 * 1024);
  {
    const InterruptibleScope interruptible;
    ScratchVector<std::uint64_t> list(heap);
    EXPECT_TRUE(list.reserve(4 * 1024));
    EXPECT_THROW(list.reserve(16 * 1024), OutOfMemory);
    EXPECT_LE(heap.bytes_peak(), heap.limit_bytes());
  }
  EXPECT_EQ(heap.bytes_used(), 0u);
}

TEST(ScratchTest, WhereTheCodeMayNotBeLeftTheHeapIsOverItsLimit) {
  Heap heap(16 * 1024);
  ScratchText text(heap);
  text.append(1 << 20, 'x');
  EXPECT_TRUE(heap.has_failed());
  EXPECT_TRUE(text.empty());
  EXPECT_LE(heap.bytes_peak(), heap.limit_bytes());
}

TEST(ScratchTest, AListIsResizedAndCutInFront) {
  Heap heap;
  ScratchVector<int, 4> list(heap);
  list.resize(10, 7);
  list.push_back(8);
  list.erase_front(9);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0], 7);
  EXPECT_EQ(list.back(), 8);
}

}  // namespace
}  // namespace ptc
