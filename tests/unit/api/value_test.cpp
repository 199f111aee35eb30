// Values in and out: what is written is what is read, and nothing is converted silently.
#include <boost/json.hpp>

#include "run_fixture.h"

struct Price {
  std::int64_t cents = 0;
  std::optional<std::string> currency;
  friend bool operator==(const Price&, const Price&) = default;
};
BOOST_DESCRIBE_STRUCT(Price, (), (cents, currency))

struct Order {
  std::string id;
  std::vector<Price> prices;
  friend bool operator==(const Order&, const Order&) = default;
};
BOOST_DESCRIBE_STRUCT(Order, (), (id, prices))

BOOST_DEFINE_ENUM_CLASS(Size, small, large)

namespace ptcvm {
namespace {

Value edn(std::string_view text) {
  auto value = Value::from_edn(text);
  if (!value) ADD_FAILURE() << value.error().message;
  return std::move(*value);
}

TEST(Value, TextsGoBothWays) {
  for (const char* text :
       {"nil", "true", "[1 2.5 \"a\" :k]", "{\"a\" [nil #{1 2}]}", "123456789012345678901234567890N"}) {
    EXPECT_EQ(edn(text).to_edn(), text);
  }
  EXPECT_EQ(Value::from_json(R"({"a":[1,null,2.5,"x"]})").value().to_json(), R"({"a":[1,null,2.5,"x"]})");
}

TEST(Value, BadTextIsAnErrorWithAPlace) {
  const auto bad = Value::from_json("{\"a\":");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code, Errc::invalid_value);
  EXPECT_NE(bad.error().message.find("at byte"), std::string::npos) << bad.error().message;
  EXPECT_FALSE(Value::from_edn("[1 2"));
  EXPECT_THROW((void)Value::from_edn("[1 2").value(), BadResult);
}

TEST(Value, AnyOrderOfWritingGivesAValue) {
  EXPECT_EQ(Value::build([](ValueWriter& w) { w.begin_map().key("a").begin_vector().integer(1); }).to_edn(),
            "{\"a\" [1]}");
  EXPECT_EQ(Value::build([](ValueWriter& w) { w.begin_map().key("a").end().end().end(); }).to_edn(), "{\"a\" nil}");
  EXPECT_EQ(Value::build([](ValueWriter& w) { w.integer(1).integer(2); }).to_edn(), "2");
  EXPECT_EQ(Value::build([](ValueWriter&) {}).to_edn(), "nil");
}

TEST(ValueView, LooksAtPartsByIndexAndName) {
  const Value value = edn("{:order-id 7 \"lines\" [10 20] :big {}}");
  const ValueView v = value;
  EXPECT_EQ(v["order_id"].as_int(), 7);
  EXPECT_EQ(v["order-id"].as_int(), 7);
  EXPECT_EQ(v["lines"][1].as_int(), 20);
  EXPECT_TRUE(v["lines"][2].is_nil());
  EXPECT_TRUE(v["nothing"]["deeper"].is_nil());
  EXPECT_EQ(v.size(), 3u);
  std::string names;
  for (const auto& [key, item] : v.entries()) names += key.to_edn() + ' ';
  EXPECT_EQ(names, "\"lines\" :big :order-id ");
}

TEST(ValueView, FindsKeysOfLargeMaps) {
  const Value value = Value::build([](ValueWriter& w) {
    w.map([](ValueWriter& m) {
      for (int i = 0; i < 5'000; ++i) m.entry("key-" + std::to_string(i), i);
      m.keyword("word").integer(1);
    });
  });
  EXPECT_EQ(value.view()["key-4711"].as_int(), 4711);
  EXPECT_EQ(value.view()["key_4711"].as_int(), 4711);
  EXPECT_EQ(value.view()["word"].as_int(), 1);
  EXPECT_TRUE(value.view()["key-5000"].is_nil());
}

TEST(ValueView, EqualAsInTheLanguageAlsoAcrossOwners) {
  EXPECT_TRUE(edn("{:a [1 2.0]}").view() == edn("{:a [1.0 2]}").view());
  EXPECT_FALSE(edn("{:a 1}").view() == edn("{\"a\" 1}").view());
  EXPECT_TRUE(ValueView() == Value().view());
  EXPECT_FALSE(ValueView() == edn("false").view());
}

TEST(Convert, StructsCrossAsMapsWithNames) {
  const Order order{"o1", {{100, "EUR"}, {250, std::nullopt}}};
  const Value value = Value::of(order);
  EXPECT_EQ(value.to_json(), R"({"id":"o1","prices":[{"cents":100,"currency":"EUR"},{"cents":250,"currency":null}]})");
  const auto back = read<Order>(value);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, order);
}

TEST(Convert, ErrorsSayWhere) {
  const auto wrong = read<Order>(edn(R"({"id" "o" "prices" [{"cents" 1} {"cents" "x"}]})"), "body");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message, "body.prices[1].cents: expected int, got string");
  EXPECT_EQ(read<std::int8_t>(Value::of(300)).error().message, "value: expected an int of 8 bits, got int");
  EXPECT_EQ(read<std::string>(Value()).error().message, "value: expected string, got nil");
  EXPECT_EQ(read<Size>(Value::of("huge")).error().code, Errc::invalid_value);
}

TEST(Convert, ScalarsMapsAndEnumerations) {
  EXPECT_EQ(*read<double>(Value::of(3)), 3.0);
  EXPECT_EQ(*read<Size>(Value::of(Size::large)), Size::large);
  EXPECT_EQ(*read<Size>(edn(":small")), Size::small);
  const std::map<std::string, bool> flags{{"a", true}, {"b", false}};
  EXPECT_EQ((*read<std::map<std::string, bool>>(Value::of(flags))), flags);
  EXPECT_EQ(*read<std::optional<int>>(Value()), std::nullopt);
}

TEST(Convert, BoostJsonGoesBothWays) {
  const boost::json::value json = {{"a", {1, 2.5, nullptr, "x"}}, {"b", true}};
  EXPECT_EQ(to_json(Value::of(json)), json);
  EXPECT_EQ(*read<boost::json::value>(edn("{:k #{1}}")), (boost::json::value{{"k", boost::json::array{1}}}));
}

TEST(Value, CopiesKeepTimes) {
  for (const char* text : {R"(#date "2024-02-29")", R"(#inst "1969-12-31T23:59:59.123456789Z")",
                           R"(#duration "PT-1.5S")", R"(#ptc/jdate "1969-12-31T23:59:59.999Z")"}) {
    const auto value = Value::from_edn("[" + std::string(text) + "]");
    ASSERT_TRUE(value) << text;
    EXPECT_EQ(value->clone().to_edn(), "[" + std::string(text) + "]");
  }
}

TEST(Value, DeepValuesCostNoStack) {
  constexpr int kDepth = 200'000;
  const Value deep = Value::build([](ValueWriter& w) {
    for (int i = 0; i < kDepth; ++i) w.begin_vector();
  });
  EXPECT_TRUE(deep.clone().view() == deep.view());
  EXPECT_EQ(deep.to_edn().size(), 2u * kDepth);
}

}  // namespace
}  // namespace ptcvm
