#include "vm/value/order.h"

#include <cmath>
#include <limits>
#include <vector>

#include "value_model.h"
#include "vm/value/numeric.h"

namespace ptc {
namespace {

class OrderTest : public ValueTest {
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
  // 60 ints as keys, all with the value 0, but `key` instead of 59 and `value` at key 5.
  Value large(Value key, Value value) {
    Value m = map_empty(heap);
    for (std::int64_t n = 0; n < 59; ++n) m = map_assoc(heap, m, Value::integer(n), Value::integer(0));
    m = map_assoc(heap, m, Value::integer(5), value);
    return map_assoc(heap, m, key, Value::integer(0));
  }
  static Value i(std::int64_t n) { return Value::integer(n); }
  static Value d(double x) { return Value::real(x); }
};

TEST_F(OrderTest, CanonicalOrderIsTotal) {
  const double inf = std::numeric_limits<double>::infinity();
  const Value ascending[] = {
      Value::nil(), Value::boolean(false), Value::boolean(true), d(-inf),
      integer_from_decimal(heap, "-99999999999999999999"), i(-1), i(0), d(0.0), d(0.5), i(1), d(1.0),
      i(9007199254740992), d(9007199254740992.0), i(9007199254740993),
      integer_from_decimal(heap, "99999999999999999999"), d(1e30), d(inf), d(std::nan("")),
      text(""), text("a"), text("aa"), text("b"), text("\xed\x9f\xbf"), text("\xf0\x9f\x98\x80"), text("\xee\x80\x80"),
      keyword("a"), keyword("ab"), keyword("b"), Value::date(1), Value::date(2),
      vec({}), vec({i(5)}), vec({text("x")}), vec({i(1), i(2)}), vec({i(1), vec({i(3)})}), vec({i(2), i(1)}),
      map({}, {}), map({i(1)}, {i(9)}), map({i(2)}, {i(1)}), map({i(2)}, {i(2)}),
      map({keyword("a"), keyword("b")}, {i(1), i(2)}), map({keyword("a"), keyword("c")}, {i(0), i(0)}),
      large(i(-7), i(0)), large(i(70), i(-1)), large(i(70), i(0)), large(i(70), vec({i(1)})),
      large(i(70), vec({i(2)})), large(i(71), i(-9)), large(large(i(60), i(0)), i(0)), large(large(i(61), i(0)), i(0)),
      set({}), set({i(1)}), set({i(2)}), set({i(1), i(3)}), set({i(2), i(3)}),
      Value::of(BuiltinId{0})};
  for (const Value& a : ascending) {
    for (const Value& b : ascending) {
      const int order = canonical_order(a, b);
      const int expected = &a < &b ? -1 : &a > &b ? 1 : 0;
      EXPECT_EQ(order < 0 ? -1 : order > 0 ? 1 : 0, expected) << (&a - ascending) << ' ' << (&b - ascending);
    }
  }
  for (const Value v : ascending) release(v);
}

TEST_F(OrderTest, GuestCompare) {
  using enum Comparison::Status;
  struct Case {
    Value a, b;
    Comparison::Status status;
    int order;
  };
  const Case cases[] = {
      {Value::nil(), Value::nil(), Ordered, 0},
      {Value::nil(), text(""), Ordered, -1},
      {i(3), Value::nil(), Ordered, 1},
      {i(1), d(1.0), Ordered, 0},
      {i(1), d(1.5), Ordered, -1},
      {i(1), d(std::nan("")), Nan, 0},
      {text("a"), text("b"), Ordered, -1},
      {text("\xf0\x9f\x98\x80"), text("\xee\x80\x80"), Ordered, -1},
      {keyword("b"), keyword("a"), Ordered, 1},
      {Value::boolean(false), Value::boolean(true), Ordered, -1},
      {Value::boolean(false), i(0), Incomparable, 0},
      {text("a"), keyword("a"), Incomparable, 0},
      {vec({i(2)}), vec({i(1), i(9)}), Ordered, -1},
      {vec({i(1), vec({i(2)})}), vec({i(1), vec({i(1)})}), Ordered, 1},
      {vec({i(1), vec({})}), vec({i(1), vec({})}), Ordered, 0},
      {vec({vec({i(1)}), text("a")}), vec({vec({i(1)}), i(2)}), Incomparable, 0},
      {Value::date(1), Value::date(2), Ordered, -1},
      {map({}, {}), map({}, {}), Incomparable, 0},
  };
  for (const Case& c : cases) {
    const Comparison result = guest_compare(c.a, c.b);
    EXPECT_EQ(result.status, c.status) << (&c - cases);
    EXPECT_EQ(result.order, c.order) << (&c - cases);
    if (result.status == Incomparable && c.a.is_vector()) {
      EXPECT_TRUE(result.a.is_string());
    }
    release(c.a);
    release(c.b);
  }
}

}  // namespace
}  // namespace ptc
