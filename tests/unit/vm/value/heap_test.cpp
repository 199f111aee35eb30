#include "vm/value/heap.h"

#include <gtest/gtest.h>

#include <climits>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "value_model.h"
#include "vm/value/numeric.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

TEST(Heap, CountsRoundedBytes) {
  Heap heap;
  for (const std::size_t size : {1u, 16u, 17u, 1024u, 1025u, 100'000u}) {
    void* const memory = heap.allocate(size);
    EXPECT_EQ(heap.bytes_used(), (size + 15) / 16 * 16);
    heap.deallocate(memory, size);
    EXPECT_EQ(heap.bytes_used(), 0u);
  }
  EXPECT_EQ(heap.bytes_peak(), 100'000u);
}

TEST(Heap, KnowsItsLimit) {
  Heap heap(64);
  EXPECT_TRUE(heap.can_allocate(64));
  EXPECT_FALSE(heap.can_allocate(65));
  EXPECT_FALSE(heap.can_allocate(UINT64_MAX));
  heap.account(80);
  EXPECT_TRUE(heap.over_limit());
  EXPECT_FALSE(heap.can_allocate(0));
  heap.account(-80);
  EXPECT_FALSE(heap.over_limit());
  EXPECT_EQ(heap.bytes_peak(), 80u);
}

// Has that many blocks to give; what comes after is given all the same, as from a reserve.
class ScarceSource : public MemorySource {
 public:
  explicit ScarceSource(int blocks) : left_(blocks) {}
  ~ScarceSource() override { EXPECT_EQ(held_, 0u); }
  void* take(std::size_t size_bytes) noexcept override { return left_-- > 0 ? taken(size_bytes) : nullptr; }
  void* take_last(std::size_t size_bytes) noexcept override { return taken(size_bytes); }
  void give(void* memory, std::size_t size_bytes) noexcept override {
    held_ -= size_bytes;
    std::free(memory);
  }
  std::size_t held() const { return held_; }

 private:
  void* taken(std::size_t size_bytes) {
    held_ += size_bytes;
    return std::malloc(size_bytes);
  }
  int left_;
  std::size_t held_ = 0;
};

#ifndef PTC_SANITIZED
// Small objects come from chunks. When they are gone and a large block would not fit beside the chunks, the chunks go.
TEST(Heap, GivesChunksBackThatNobodyUses) {
  constexpr std::uint64_t kLimit = 16u << 20;
  constexpr std::size_t kSmall = 64, kCount = 150'000;   // 9.6 MB
  const auto source = std::make_shared<ScarceSource>(INT_MAX);
  Heap heap(kLimit, source);
  std::vector<void*> small(kCount);
  for (int round = 0; round < 3; ++round) {
    for (void*& object : small) {
      object = heap.allocate(kSmall);
      std::memset(object, round, kSmall);
    }
    void* const kept = heap.allocate(kSmall);
    std::memset(kept, 0x77, kSmall);
    for (void* const object : small) heap.deallocate(object, kSmall);
    void* const large = heap.allocate(12u << 20);
    EXPECT_LT(source->held(), kLimit) << round;
    EXPECT_EQ(static_cast<unsigned char*>(kept)[kSmall - 1], 0x77);
    heap.deallocate(large, 12u << 20);
    heap.deallocate(kept, kSmall);
    EXPECT_EQ(heap.bytes_used(), 0u);
  }
}

TEST(Heap, KeepsChunksThatAreInUse) {
  const auto source = std::make_shared<ScarceSource>(INT_MAX);
  Heap heap(16u << 20, source);
  std::vector<unsigned char*> small(100'000);
  for (std::size_t i = 0; i < small.size(); ++i) {
    small[i] = static_cast<unsigned char*>(heap.allocate(96));
    std::memset(small[i], static_cast<int>(i % 251), 96);
  }
  for (std::size_t i = 1; i < small.size(); ++i) {
    if (i % 3'000 != 0) heap.deallocate(small[i], 96);   // something is left in each chunk
  }
  heap.account(14 << 20);
  for (std::size_t i = 0; i < small.size(); i += 3'000) {
    for (std::size_t k = 0; k < 96; ++k) ASSERT_EQ(small[i][k], i % 251);
    heap.deallocate(small[i], 96);
  }
  heap.account(-(14 << 20));
  for (int i = 0; i < 100'000; ++i) std::memset(heap.allocate(96), 1, 96);
}
#endif

TEST(Heap, TakesFromItsSourceAndGivesEverythingBack) {
  const auto source = std::make_shared<ScarceSource>(INT_MAX);
  {
    Heap heap(UINT64_MAX, source);
    heap.allocate(100);
    void* const large = heap.allocate(100'000);
    heap.allocate(200'000);
    EXPECT_GT(source->held(), 300'000u);
    heap.deallocate(large, 100'000);
    EXPECT_FALSE(heap.is_exhausted());
  }
  EXPECT_EQ(source->held(), 0u);
}

TEST(Heap, IsOverItsLimitWhenTheSourceHasNoMore) {
  Heap heap(1'000'000, std::make_shared<ScarceSource>(1));
  void* const first = heap.allocate(100'000);
  EXPECT_TRUE(heap.can_allocate(1));
  heap.allocate(100'000);
  EXPECT_TRUE(heap.is_exhausted());
  EXPECT_TRUE(heap.over_limit());
  EXPECT_FALSE(heap.can_allocate(0));
  EXPECT_EQ(heap.limit_bytes(), 1'000'000u);
  heap.deallocate(first, 100'000);
  heap.set_limit_bytes(heap.limit_bytes());   // the limit of a next turn
  EXPECT_FALSE(heap.over_limit());
}

TEST(Heap, AsksTheSourceBeforeItPromisesALargeBlock) {
  Heap heap(UINT64_MAX, std::make_shared<ScarceSource>(1));
  EXPECT_TRUE(heap.can_allocate(8u << 20));
  EXPECT_TRUE(heap.can_allocate(9u << 20));   // not asked again
  EXPECT_FALSE(heap.can_allocate(16u << 20));
  EXPECT_TRUE(heap.is_exhausted());
}

TEST(Heap, IsOverItsLimitWhenItRefused) {
  Heap heap(1'000'000);
  heap.allocate(100);
  heap.refuse();
  EXPECT_TRUE(heap.over_limit());
  EXPECT_TRUE(heap.has_failed());
  EXPECT_FALSE(heap.is_exhausted());          // the machine has memory
  EXPECT_FALSE(heap.can_allocate(1));
  heap.set_limit_bytes(heap.limit_bytes());
  EXPECT_FALSE(heap.over_limit());
  EXPECT_FALSE(heap.has_failed());
}

// A list as deep as that: each element holds the next.
Value nested(Heap& heap, int depth) {
  Value list = Value::nil();
  for (int i = 0; i < depth; ++i) list = vector_of(heap, std::span<const Value>(&list, 1));
  return list;
}

TEST(Heap, FreesALargeValueInParts) {
  Heap heap;
  constexpr int kListDepth = 3 * static_cast<int>(Heap::kFreedAtOnce);
  const Value list = nested(heap, kListDepth);
  EXPECT_EQ(heap.fuel_floor(), 0);
  heap.bound_freeing(true);
  heap.release(list);
  EXPECT_TRUE(heap.has_garbage());
  EXPECT_EQ(heap.fuel_floor(), INT64_MAX);
  EXPECT_EQ(heap.live_objects(), 2 * Heap::kFreedAtOnce);
  EXPECT_EQ(heap.free_garbage(100), 100u);
  EXPECT_EQ(heap.free_garbage(), 2 * Heap::kFreedAtOnce - 100);
  EXPECT_EQ(heap.fuel_floor(), 0);
  EXPECT_EQ(heap.bytes_used(), 0u);
}

TEST(Heap, FreesGarbageBeforeItIsFull) {
  Heap heap;
  const Value list = nested(heap, 3 * static_cast<int>(Heap::kFreedAtOnce));
  heap.set_limit_bytes(heap.bytes_used() / 2);
  EXPECT_TRUE(heap.over_limit());
  heap.bound_freeing(true);
  heap.release(list);
  EXPECT_TRUE(heap.has_garbage());
  EXPECT_FALSE(heap.over_limit());
  EXPECT_FALSE(heap.has_garbage());
  EXPECT_EQ(heap.bytes_used(), 0u);
}

TEST(Heap, InternsByName) {
  Heap heap;
  EXPECT_EQ(heap.find_interned("a"), nullptr);
  const Keyword* const a = heap.intern("a");
  for (int i = 0; i < 1000; ++i) heap.intern("key" + std::to_string(i));
  EXPECT_EQ(heap.intern("a"), a);
  EXPECT_EQ(heap.find_interned("a"), a);
  EXPECT_EQ(heap.find_interned("b"), nullptr);
  EXPECT_EQ(heap.intern("")->name(), "");
  EXPECT_EQ(heap.keywords().size(), 1002u);
  EXPECT_EQ(a->serial, 0u);
}

TEST(Heap, FreesWhatIsStillReferenced) {   // ASan would report leaks
  static int deleted;
  deleted = 0;
  {
    Heap heap;
    heap.set_regex_deleter([](void*) { ++deleted; });
    int compiled = 0;
    for (int i = 0; i < 3; ++i) {
      Regex* const regex = heap.make<Regex>(Kind::Regex);
      regex->compiled = &compiled;
      if (i == 1) heap.release(regex);
    }
    EXPECT_EQ(deleted, 1);
    string_of(heap, std::string(5000, 'x'));
    vector_range(heap, 0, 1, 10);
  }
  EXPECT_EQ(deleted, 3);
}

TEST_F(ValueTest, SizesOfFinishedObjects) {
  VectorBuilder builder(heap);
  for (std::uint32_t n = 0; n < 40; ++n) builder.push(item(n));
  const Value all[] = {text("abc"), builder.finish(), vector_range(heap, 0, 1, 5), map_empty(heap), set_empty(heap),
                       integer_from_decimal(heap, "123456789012345678901234567890")};
  for (const Value v : all) {
    const std::uint64_t before = heap.live_objects();
    EXPECT_GE(object_size_bytes(v.object), sizeof(Object));
    release(v);
    EXPECT_LT(heap.live_objects(), before);
  }
}

}  // namespace
}  // namespace ptc
