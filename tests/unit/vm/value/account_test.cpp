#include "vm/value/account.h"

#include "value_model.h"
#include "vm/value/equality.h"
#include "vm/value/map.h"
#include "vm/value/numeric.h"
#include "vm/value/order.h"
#include "vm/value/print.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

constexpr std::uint32_t kLong = 8'000;

class AccountTest : public ValueTest {
 protected:
  // What that costs a run.
  template <class Work>
  std::uint64_t paid(Work work) {
    const AccountScope scope(heap, nullptr);
    work();
    return heap.take_work();
  }
  Value numbers() { return vector_range(heap, 0, 1, kLong); }
  Value elements() {
    VectorBuilder made(heap);
    for (std::uint32_t n = 0; n < kLong; ++n) made.push(Value::integer(n));
    return made.finish();
  }
};

TEST_F(AccountTest, WalksArePaidForByWhatTheyLookedAt) {
  const Value a = numbers(), b = elements();
  const auto least = kLong / kPartsPerUnit;
  EXPECT_GE(paid([&] { EXPECT_TRUE(equal(a, b)); }), least);
  EXPECT_GE(paid([&] { hash_key(a); }), least);
  EXPECT_GE(paid([&] { EXPECT_EQ(canonical_order(a, b), 0); }), least);
  EXPECT_GE(paid([&] { EXPECT_EQ(guest_compare(a, b).order, 0); }), least);
  release(a);
  release(b);
}

TEST_F(AccountTest, ADifferenceAtTheBeginningCostsNothing) {
  const Value a = numbers(), b = vector_set(heap, elements(), 3, Value::nil());
  EXPECT_EQ(paid([&] { EXPECT_FALSE(equal(a, b)); }), 0u);
  EXPECT_EQ(paid([&] { EXPECT_NE(canonical_order(a, b), 0); }), 0u);
  release(a);
  release(b);
}

TEST_F(AccountTest, LongTextAndWideIntegersCost) {
  const std::string text(100'000, 'x');
  const Value a = string_of(heap, text), b = string_of(heap, text);
  EXPECT_GE(paid([&] { EXPECT_TRUE(equal(a, b)); }), text.size() / kTextBytesPerPart / kPartsPerUnit);
  const Value wide = integer_from_decimal(heap, std::string(5'000, '9'), UINT32_MAX);
  const std::uint64_t product = paid([&] { release(num_mul(heap, wide, wide, UINT32_MAX).value); });
  const std::uint64_t sum = paid([&] { release(num_add(heap, wide, wide, UINT32_MAX).value); });
  EXPECT_GT(product, 20 * sum);
  std::string digits;
  EXPECT_GT(paid([&] { append_readable(digits, wide, heap); }), 0u);
  for (const Value v : {a, b, wide}) release(v);
}

TEST_F(AccountTest, NobodyPaysOutsideOfRuns) {
  const Value a = numbers();
  hash_key(a);
  EXPECT_EQ(heap.take_work(), 0u);
  release(a);
}

TEST_F(AccountTest, AProgramStopsAtItsNextSafePointUntilItPaid) {
  EXPECT_EQ(heap.fuel_floor(), 0);
  heap.add_work(7);
  EXPECT_EQ(heap.fuel_floor(), INT64_MAX);
  heap.free_garbage();
  EXPECT_EQ(heap.fuel_floor(), INT64_MAX);
  EXPECT_EQ(heap.take_work(), 7u);
  EXPECT_EQ(heap.fuel_floor(), 0);
}

}  // namespace
}  // namespace ptc
