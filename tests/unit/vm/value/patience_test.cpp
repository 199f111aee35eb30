#include "vm/value/account.h"

#include <gtest/gtest.h>

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
  const AccountScope scope(heap, &host);
  const InterruptibleScope interruptible;
  work_done(1);
  work_done(1);
  EXPECT_THROW(work_done(1), OutOfPatience);
}

TEST(PatienceTest, WorkElsewhereIsNot) {
  Heap heap;
  Impatient host(0);
  const AccountScope scope(heap, &host);
  work_done(1);
}

TEST(PatienceTest, AScopeEndsWithWhatWasBefore) {
  Heap heap;
  Impatient host(0);
  {
    const AccountScope scope(heap, &host);
    const InterruptibleScope interruptible;
  }
  const InterruptibleScope interruptible;
  work_done(Patience::kUsualUnits);
  EXPECT_EQ(host.questions_left(), 0);
}

TEST(PatienceTest, ABuilderGivesBackWhatItHas) {
  Heap heap;
  Impatient host(3);
  const AccountScope scope(heap, &host);
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
    const AccountScope scope(heap, &host);
    const InterruptibleScope interruptible;
    EXPECT_THROW(MapCursor(heap, map), OutOfPatience);
  }
  EXPECT_EQ(heap.live_objects(), objects);
  EXPECT_EQ(heap.bytes_used(), bytes);
  heap.release(map);
}

}  // namespace
}  // namespace ptc
