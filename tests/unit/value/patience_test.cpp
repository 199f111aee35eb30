#include "vm/value/patience.h"

#include <gtest/gtest.h>

#include "vm/value/equality.h"
#include "vm/value/heap.h"
#include "vm/value/map.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

class Impatient final : public Patience {
 public:
  explicit Impatient(int questions) : Patience(1), left_(questions) {}
  bool is_over() override { return --left_ < 0; }
  int questions_left() const { return left_; }

 private:
  int left_;
};

TEST(PatienceTest, NobodyIsAskedOutsideOfARun) {
  const InterruptibleScope interruptible;
  for (int i = 0; i < 100'000; ++i) work_done(100);
}

TEST(PatienceTest, WorkOfABuiltinIsInterrupted) {
  Heap heap;
  Impatient host(2);
  const WorkScope works(&host, heap);
  const InterruptibleScope interruptible;
  work_done(1);
  work_done(1);
  EXPECT_EQ(heap.fuel_floor(), 0);
  EXPECT_THROW(work_done(1), OutOfPatience);
}

TEST(PatienceTest, WorkElsewhereStopsTheRunAtItsNextSafePoint) {
  Heap heap;
  Impatient host(0);
  const WorkScope works(&host, heap);
  work_done(1);
  EXPECT_EQ(heap.fuel_floor(), INT64_MAX);
  heap.go_on();
  EXPECT_EQ(heap.fuel_floor(), 0);
  const InterruptibleScope interruptible;
  work_noted(1);
  EXPECT_EQ(heap.fuel_floor(), INT64_MAX);
}

TEST(PatienceTest, AScopeEndsWithWhatWasBefore) {
  Heap heap;
  Impatient host(0);
  {
    const WorkScope works(&host, heap);
    const InterruptibleScope interruptible;
  }
  const InterruptibleScope interruptible;
  work_done(Patience::kUsualUnits);
  EXPECT_EQ(host.questions_left(), 0);
}

TEST(PatienceTest, ABuilderGivesBackWhatItHas) {
  Heap heap;
  Impatient host(3);
  const WorkScope works(&host, heap);
  const InterruptibleScope interruptible;
  const auto build = [&] {
    VectorBuilder items(heap);
    for (int i = 0; i < 1'000; ++i) items.push(vector_empty(heap));
    heap.release(items.finish());
  };
  EXPECT_THROW(build(), OutOfPatience);
  EXPECT_EQ(heap.live_objects(), 0u);
}

TEST(PatienceTest, SortingAMapIsInterruptedAndLeavesNothing) {
  Heap heap;
  Value map = map_empty(heap);
  for (int i = 0; i < 1'000; ++i) map = map_assoc(heap, map, Value::integer(i), Value::nil());
  const std::uint64_t objects = heap.live_objects(), bytes = heap.bytes_used();
  {
    Impatient host(2'000);
    const WorkScope works(&host, heap);
    const InterruptibleScope interruptible;
    EXPECT_THROW(MapCursor(heap, map), OutOfPatience);
  }
  EXPECT_EQ(heap.live_objects(), objects);
  EXPECT_EQ(heap.bytes_used(), bytes);
  heap.release(map);
}

TEST(PatienceTest, WalksOfKeysCountTheirElements) {
  Heap heap;
  Value key = vector_empty(heap);
  for (int i = 0; i < 10'000; ++i) key = vector_push(heap, key, Value::integer(i));
  Impatient host(1'000);
  const WorkScope works(&host, heap);
  hash_key(key);
  EXPECT_LT(host.questions_left(), 900);
  EXPECT_EQ(heap.fuel_floor(), 0);
  heap.release(key);
}

}  // namespace
}  // namespace ptc
