#include "vm/value/equality.h"

#include <cmath>
#include <limits>
#include <vector>

#include "value_model.h"
#include "vm/value/numeric.h"
#include "vm/value/order.h"

namespace ptc {
namespace {

class EqualityTest : public ValueTest {
 protected:
  Value vec(std::vector<Value> taken) { return vector_of(heap, taken); }
  Value map(std::vector<Value> taken_keys, std::vector<Value> taken_values) {
    return map_from(heap, taken_keys, taken_values);
  }
  Value set(std::vector<Value> taken) {
    Value s = set_empty(heap);
    for (const Value v : taken) s = set_add(heap, s, v);
    return s;
  }
  Value big(const char* digits) { return integer_from_decimal(heap, digits); }
  static Value i(std::int64_t n) { return Value::integer(n); }
  static Value d(double x) { return Value::real(x); }
};

TEST_F(EqualityTest, Table) {
  const double nan = std::nan("");
  struct Case {
    Value a, b;
    bool equal, same_key;
  };
  const Case cases[] = {
      {i(1), i(1), true, true},
      {i(1), d(1.0), true, false},
      {d(0.0), d(-0.0), true, true},
      {d(nan), d(nan), false, true},
      {i(9007199254740993), d(9007199254740992.0), false, false},
      {big("36893488147419103232"), d(36893488147419103232.0), true, false},
      {big("36893488147419103232"), big("36893488147419103232"), true, true},
      {big("36893488147419103232"), big("-36893488147419103232"), false, false},
      {text("a"), text("a"), true, true},
      {text("a"), keyword("a"), false, false},
      {Value::nil(), Value::boolean(false), false, false},
      {vec({i(1), i(2)}), vec({i(1), d(2.0)}), true, false},
      {vec({i(1), i(2)}), vec({i(1)}), false, false},
      {vec({d(nan)}), vec({d(nan)}), false, true},
      {vec({}), map({}, {}), false, false},
      {vec({i(0), i(1), i(2)}), vector_range(heap, 0, 1, 3), true, true},
      {map({keyword("a")}, {i(1)}), map({keyword("a")}, {d(1.0)}), true, false},
      {map({i(1)}, {keyword("a")}), map({d(1.0)}, {keyword("a")}), false, false},
      {map({vec({i(1)})}, {i(2)}), map({vec({d(1.0)})}, {i(2)}), false, false},
      {map({text("k")}, {vec({i(1)})}), map({text("k")}, {vec({d(1.0)})}), true, false},
      {set({i(1)}), set({d(1.0)}), false, false},
      {set({i(1), text("x")}), set({text("x"), i(1)}), true, true},
      {Value::date(3), Value::date(3), true, true},
      {Value::date(3), i(3), false, false},
  };
  for (const Case& c : cases) {
    const std::ptrdiff_t n = &c - cases;
    EXPECT_EQ(equal(c.a, c.b), c.equal) << n;
    EXPECT_EQ(equal(c.b, c.a), c.equal) << n;
    EXPECT_EQ(same_key(c.a, c.b), c.same_key) << n;
    EXPECT_EQ(canonical_order(c.a, c.b) == 0, c.same_key) << n;
    if (c.same_key) {
      EXPECT_EQ(hash_key(c.a), hash_key(c.b)) << n;
    }
    if (!c.same_key) {
      EXPECT_NE(hash_key(c.a), hash_key(c.b)) << n;
    }
    release(c.a);
    release(c.b);
  }
}

TEST_F(EqualityTest, TheSameVectorObjectIsEqualToItself) {
  const Value v = vec({d(std::nan(""))});
  EXPECT_TRUE(equal(v, v));
  release(v);
}

TEST_F(EqualityTest, LargeMapsWithNumbersOfBothKinds) {
  Value a = map_empty(heap), b = map_empty(heap);
  for (std::int64_t n = 0; n < 200; ++n) {
    a = map_assoc(heap, a, i(n), i(n));
    b = map_assoc(heap, b, i(199 - n), d(static_cast<double>(199 - n)));
  }
  EXPECT_TRUE(equal(a, b));
  EXPECT_FALSE(same_key(a, b));
  b = map_assoc(heap, b, i(77), d(std::nan("")));
  EXPECT_FALSE(equal(a, b));
  const Value c = map_assoc(heap, retained(b), i(78), i(78));   // shares nodes with b, NaN included
  EXPECT_FALSE(equal(b, c));
  for (const Value v : {a, b, c}) release(v);
}

TEST_F(EqualityTest, NestingIsPartOfTheHash) {
  const Value all[] = {vec({i(1), vec({i(2)})}), vec({vec({i(1)}), i(2)}), vec({i(1), i(2)}),
                       vec({vec({i(1), i(2)})}), set({i(1), i(2)}),        map({i(1)}, {i(2)})};
  for (const Value& a : all) {
    for (const Value& b : all) EXPECT_EQ(hash_key(a) == hash_key(b), &a == &b);
  }
  for (const Value v : all) release(v);
}

}  // namespace
}  // namespace ptc
