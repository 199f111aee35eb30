// Values nested 10^6 deep are built, compared, hashed, ordered and freed without C++ stack. Maps and sets, which are
// slower to build with sanitizers, are nested so deep that a recursion of 40 bytes a level would show.
#include "value_model.h"
#include "vm/value/order.h"

namespace ptc {
namespace {

constexpr int kDepth = 1'000'000;
constexpr int kMapDepth = 200'000;

using DepthTest = ValueTest;

// Wraps a value `depth` times.
template <class Wrap>
Value nested(std::int64_t innermost, int depth, Wrap wrap) {
  Value v = Value::integer(innermost);
  for (int i = 0; i < depth; ++i) v = wrap(v);
  return v;
}

template <class Wrap>
void check(Heap& heap, int depth, Wrap wrap) {
  const Value a = nested(1, depth, wrap), b = nested(1, depth, wrap), c = nested(2, depth, wrap);
  EXPECT_TRUE(equal(a, b));
  EXPECT_FALSE(equal(a, c));
  EXPECT_TRUE(same_key(a, b));
  EXPECT_EQ(hash_key(a), hash_key(b));
  EXPECT_NE(hash_key(a), hash_key(c));
  EXPECT_EQ(canonical_order(a, b), 0);
  EXPECT_LT(canonical_order(a, c), 0);
  for (const Value v : {a, b, c}) heap.release(v);
}

TEST_F(DepthTest, Vectors) {
  check(heap, kDepth, [&](Value v) { return vector_of(heap, {&v, 1}); });
  check(heap, kDepth, [&](Value v) {   // not the last element
    const Value items[] = {v, Value::nil()};
    return vector_of(heap, items);
  });
}

TEST_F(DepthTest, MapsByValue) {
  const Value key = keyword("k");
  check(heap, kMapDepth, [&](Value v) { return map_assoc(heap, map_empty(heap), key, v); });
}

TEST_F(DepthTest, Sets) {
  check(heap, kMapDepth, [&](Value v) { return set_add(heap, set_empty(heap), v); });
}

TEST_F(DepthTest, MapsByKey) {
  check(heap, kMapDepth, [&](Value v) { return map_assoc(heap, map_empty(heap), v, Value::nil()); });
}

TEST_F(DepthTest, GuestCompare) {
  const auto wrap = [&](Value v) { return vector_of(heap, {&v, 1}); };
  const Value a = nested(1, kDepth, wrap), b = nested(2, kDepth, wrap);
  EXPECT_EQ(guest_compare(a, b).order, -1);
  release(a);
  release(b);
}

// Each level refers to the one below twice: 2^200 paths, 200 objects.
TEST_F(DepthTest, SharedLevels) {
  const auto tower = [&](std::int64_t innermost, bool hashed) {
    Value v = Value::integer(innermost);
    for (int i = 0; i < 200; ++i) {
      const Value pair[] = {retained(v), v};
      v = vector_of(heap, pair);
      for (std::int64_t n = 0; hashed && n < 33; ++n) {
        v = n == 0 ? map_assoc(heap, map_empty(heap), Value::integer(0), v)
                   : map_assoc(heap, v, Value::integer(n), Value::nil());
      }
    }
    return v;
  };
  for (const bool hashed : {false, true}) {
    const Value a = tower(1, hashed), b = tower(1, hashed), c = tower(2, hashed);
    EXPECT_TRUE(equal(a, b));
    EXPECT_TRUE(same_key(a, b));
    EXPECT_EQ(hash_key(a), hash_key(b));
    EXPECT_NE(hash_key(a), hash_key(c));
    EXPECT_EQ(canonical_order(a, b), 0);
    EXPECT_LT(canonical_order(a, c), 0);
    if (!hashed) {
      EXPECT_EQ(guest_compare(a, b).order, 0);
      EXPECT_EQ(guest_compare(a, c).order, -1);
    }
    for (const Value v : {a, b, c}) release(v);
  }
}

// Each level is a large map that has the two forms of the level below as keys: only those are compared.
TEST_F(DepthTest, LargeMapsInsideKeys) {
  Value one = Value::integer(1), two = Value::integer(2);
  for (int depth = 0; depth < 8; ++depth) {
    Value base = map_empty(heap);
    for (std::int64_t n = 100; n < 140; ++n) base = map_assoc(heap, base, Value::integer(n), Value::nil());
    Value next_one = map_assoc(heap, retained(base), one, Value::integer(1));
    Value next_two = map_assoc(heap, base, two, Value::integer(1));
    one = next_one;
    two = next_two;
  }
  EXPECT_LT(canonical_order(one, two), 0);
  EXPECT_GT(canonical_order(two, one), 0);
  release(one);
  release(two);
}

}  // namespace
}  // namespace ptc
