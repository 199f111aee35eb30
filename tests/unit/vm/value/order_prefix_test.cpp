#include "vm/value/order_prefix.h"

#include <cmath>
#include <limits>
#include <vector>

#include "value_model.h"
#include "vm/value/order.h"

namespace ptc {
namespace {

class OrderPrefixTest : public ValueTest {
 protected:
  static Value i(std::int64_t n) { return Value::integer(n); }
  static Value d(double x) { return Value::real(x); }
  Value pair(Value taken_a, Value taken_b) { return vector_of(heap, std::vector{taken_a, taken_b}); }
  Value one(Value taken) { return vector_of(heap, std::vector{taken}); }

  // Values that are near each other in the order, or of several tags.
  std::vector<Value> leaves() {
    const double inf = std::numeric_limits<double>::infinity();
    std::vector<Value> out{
        Value::nil(), Value::boolean(false), Value::boolean(true), d(-inf), i(INT64_MIN), i(-1), i(0), d(0.0), d(-0.0),
        d(0.5), i(1), i(2), d(1.0), i(9007199254740992), d(9007199254740992.0), i(9007199254740993), i(INT64_MAX),
        d(1e30), d(inf), d(std::nan("")), Value::date(-1), Value::date(2)};
    for (const char* const n : {"-99999999999999999999", "99999999999999999999", "100000000000000000000"}) {
      out.push_back(integer_from_decimal(heap, n));
    }
    for (const char* const t : {"", "a", "aa", "ab", "customer-1", "customer-10", "customer-2", "\xed\x9f\xbf",
                                "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x81", "\xee\x80\x80"}) {
      out.push_back(text(t));
      out.push_back(keyword(t));
    }
    return out;
  }

  std::vector<Value> nested(const std::vector<Value>& borrowed) {
    std::vector<Value> out{vector_of(heap, std::vector<Value>{}), map_empty(heap), set_empty(heap)};
    for (const Value v : borrowed) {
      out.push_back(one(retained(v)));
      out.push_back(pair(retained(v), i(1)));
      out.push_back(one(one(one(one(retained(v))))));
      out.push_back(map_assoc(heap, map_empty(heap), retained(v), i(0)));
      out.push_back(set_add(heap, set_empty(heap), retained(v)));
      out.push_back(set_add(heap, set_add(heap, set_empty(heap), retained(v)), i(7)));
    }
    return out;
  }

  Value large(std::int64_t last) {
    Value m = map_empty(heap);
    for (std::int64_t n = 0; n < 40; ++n) m = map_assoc(heap, m, i(n), i(0));
    return map_assoc(heap, m, i(last), i(0));
  }

  // Expects that different prefixes say what canonical_order says, and returns how many pairs they decide.
  std::size_t decided(const std::vector<Value>& keys) {
    std::vector<MapEntry> entries;
    for (const Value key : keys) entries.push_back({key, Value::nil()});
    const OrderPrefix prefix(entries, 0);
    std::size_t count = 0;
    for (const Value a : keys) {
      for (const Value b : keys) {
        const int order = canonical_order(a, b);
        if (prefix.of(a) == prefix.of(b)) continue;
        ++count;
        EXPECT_EQ(order < 0, prefix.of(a) < prefix.of(b));
        EXPECT_NE(order, 0);
      }
    }
    return count;
  }
  void release_all(const std::vector<Value>& taken) {
    for (const Value v : taken) release(v);
  }
};

TEST_F(OrderPrefixTest, NeverContradictsTheOrderOfMixedKeys) {
  std::vector<Value> keys = leaves();
  for (const Value v : nested(keys)) keys.push_back(v);
  for (const std::int64_t last : {-3, 50, 60}) keys.push_back(large(last));
  for (const std::int64_t last : {-3, 50}) keys.push_back(one(large(last)));
  EXPECT_GT(decided(keys), keys.size() * keys.size() * 9 / 10);
  release_all(keys);
}

TEST_F(OrderPrefixTest, NeverContradictsTheOrderOfKeysOfOneTag) {
  const std::vector<Value> all = leaves();
  for (const Value like : all) {
    std::vector<Value> keys;
    for (const Value v : all) {
      if (v.tag == like.tag) keys.push_back(v);
    }
    decided(keys);
  }
  release_all(all);
}

TEST_F(OrderPrefixTest, LeavesOutWhatAllTextsBeginWith) {
  std::vector<Value> texts, smileys;
  for (int n = 0; n < 200; ++n) texts.push_back(text("customer-number-" + std::to_string(1000 + n)));
  for (const char* const t : {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x81", "\xf0\x9f\x98\x82!"}) smileys.push_back(text(t));
  EXPECT_EQ(decided(texts), texts.size() * (texts.size() - 1));
  EXPECT_EQ(decided(smileys), smileys.size() * (smileys.size() - 1));
  release_all(texts);
  release_all(smileys);
}

}  // namespace
}  // namespace ptc
