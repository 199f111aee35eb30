// The numeric tower: promotion, exact comparison, division rules, bits, text.
#include "vm/value/numeric.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace ptc {
namespace {

class NumericTest : public ::testing::Test {
 protected:
  ~NumericTest() override { EXPECT_EQ(heap.live_objects(), 0U); }

  // A number as text reads it; nil is NotANumber's stand-in.
  Value number(std::string_view text) {
    if (text == "nil") return Value::nil();
    if (text == "inf") return Value::real(std::numeric_limits<double>::infinity());
    if (text == "-inf") return Value::real(-std::numeric_limits<double>::infinity());
    if (text == "nan") return Value::real(std::nan(""));
    const Value n = integer_from_decimal(heap, text);
    return n.is_absent() ? Value::real(*parse_double(text)) : n;
  }

  std::string text_of(NumericResult result) {
    switch (result.error) {
      case NumericError::None: break;
      case NumericError::NotANumber: return "not a number";
      case NumericError::DivisionByZero: return "division by zero";
      case NumericError::TooWide: return "too wide";
      case NumericError::NoInteger: return "no integer";
    }
    std::string out;
    if (result.value.is_float()) {
      append_float(out, result.value.d, true);
    } else {
      append_integer(out, result.value);
    }
    heap.release(result.value);
    return out;
  }

  template <class Operation>
  std::string apply(std::string_view a, std::string_view b, Operation operation) {
    Owned x(heap, number(a));
    Owned y(heap, number(b));
    return text_of(operation(heap, x.get(), y.get()));
  }

  Heap heap;
};

TEST_F(NumericTest, AddsSubtractsAndMultipliesExactly) {
  struct Row {
    const char *a, *b, *sum, *difference, *product;
  };
  const Row rows[] = {
      {"1", "2", "3", "-1", "2"},
      {"9223372036854775807", "1", "9223372036854775808", "9223372036854775806", "9223372036854775807"},
      {"-9223372036854775808", "-1", "-9223372036854775809", "-9223372036854775807", "9223372036854775808"},
      {"99999999999", "99999999999", "199999999998", "0", "9999999999800000000001"},
      {"9223372036854775808", "-9223372036854775808", "0", "18446744073709551616",
       "-85070591730234615865843651857942052864"},
      {"1", "2.5", "3.5", "-1.5", "2.5"},
      {"inf", "-inf", "##NaN", "##Inf", "##-Inf"},
      {"inf", "0", "##Inf", "##Inf", "##NaN"},
      {"nil", "1", "not a number", "not a number", "not a number"},
  };
  const auto add = [](Heap& h, Value a, Value b) { return num_add(h, a, b); };
  const auto sub = [](Heap& h, Value a, Value b) { return num_sub(h, a, b); };
  const auto mul = [](Heap& h, Value a, Value b) { return num_mul(h, a, b); };
  for (const Row& row : rows) {
    EXPECT_EQ(apply(row.a, row.b, add), row.sum) << row.a << " + " << row.b;
    EXPECT_EQ(apply(row.a, row.b, sub), row.difference) << row.a << " - " << row.b;
    EXPECT_EQ(apply(row.a, row.b, mul), row.product) << row.a << " * " << row.b;
  }
}

TEST_F(NumericTest, Divides) {
  struct Row {
    const char *a, *b, *div, *quot, *rem, *mod;
  };
  const Row rows[] = {
      {"6", "2", "3.0", "3", "0", "0"},
      {"10", "-3", "-3.3333333333333335", "-3", "1", "-2"},
      {"-10", "3", "-3.3333333333333335", "-3", "-1", "2"},
      {"7.5", "2", "3.75", "3", "1.5", "1.5"},
      {"-7.5", "2", "-3.75", "-3", "-1.5", "0.5"},
      {"1", "0", "division by zero", "division by zero", "division by zero", "division by zero"},
      {"1.5", "0", "division by zero", "division by zero", "division by zero", "division by zero"},
      {"1", "0.0", "##Inf", "division by zero", "division by zero", "division by zero"},
      {"-1.0", "0.0", "##-Inf", "division by zero", "division by zero", "division by zero"},
      {"inf", "2", "##Inf", "##NaN", "##NaN", "##NaN"},
      {"nan", "2", "##NaN", "##NaN", "##NaN", "##NaN"},
      {"-9223372036854775808", "-1", "9.223372036854776e18", "9223372036854775808", "0", "0"},
      {"10000000000000000000000", "-7", "-1.4285714285714287e21", "-1428571428571428571428", "4", "-3"},
      {"1", "1e-310", "1.0e310", "no integer", "", ""},
  };
  for (const Row& row : rows) {
    if (row.rem[0] == '\0') {
      EXPECT_EQ(apply(row.a, row.b, num_quot), row.quot) << row.a << " quot " << row.b;
      continue;
    }
    EXPECT_EQ(apply(row.a, row.b, num_div), row.div) << row.a << " / " << row.b;
    EXPECT_EQ(apply(row.a, row.b, num_quot), row.quot) << row.a << " quot " << row.b;
    EXPECT_EQ(apply(row.a, row.b, num_rem), row.rem) << row.a << " rem " << row.b;
    EXPECT_EQ(apply(row.a, row.b, num_mod), row.mod) << row.a << " mod " << row.b;
  }
}

TEST_F(NumericTest, DividesIntegersBeyondTheRangeOfFloats) {
  Owned huge(heap, num_shift(heap, Value::integer(3), 5000).value);
  Owned half(heap, num_shift(heap, Value::integer(1), 5000).value);
  EXPECT_EQ(text_of(num_div(heap, huge.get(), half.get())), "3.0");
  EXPECT_EQ(text_of(num_div(heap, half.get(), huge.get())), "0.3333333333333333");
  EXPECT_EQ(text_of(num_div(heap, Value::integer(-1), huge.get())), "-0.0");
}

TEST_F(NumericTest, RefusesTooWideIntegersBeforeComputing) {
  const NumericResult wide = num_shift(heap, Value::integer(1), 65'535);
  Owned owned(heap, wide.value);
  EXPECT_EQ(wide.error, NumericError::None);
  EXPECT_EQ(num_shift(heap, Value::integer(1), 65'536).error, NumericError::TooWide);
  EXPECT_EQ(num_shift(heap, Value::integer(1), INT64_MAX).error, NumericError::TooWide);
  EXPECT_EQ(num_mul(heap, owned.get(), owned.get()).error, NumericError::TooWide);
  EXPECT_EQ(num_add(heap, owned.get(), owned.get()).error, NumericError::TooWide);
  EXPECT_TRUE(integer_from_decimal(heap, std::string(20'000, '9')).is_absent());
}

TEST_F(NumericTest, ComparesAcrossKindsExactly) {
  struct Row {
    const char *a, *b;
    Ordering order;
  };
  const Row rows[] = {
      {"1", "1.0", Ordering::Equal},
      {"9007199254740993", "9007199254740992.0", Ordering::Greater},
      {"9223372036854775807", "9223372036854775808.0", Ordering::Less},
      {"9223372036854775808", "9223372036854775808.0", Ordering::Equal},
      {"-9223372036854775809", "-9223372036854775808.0", Ordering::Less},
      {"1000000000000000000000001", "1e24", Ordering::Greater},
      {"999999999999999983222784", "1e24", Ordering::Equal},
      {"-1000000000000000000000001", "1e24", Ordering::Less},
      {"1", "nan", Ordering::Unordered},
      {"9223372036854775808", "nan", Ordering::Unordered},
      {"9223372036854775808", "inf", Ordering::Less},
      {"-9223372036854775809", "-inf", Ordering::Greater},
      {"0", "-0.0", Ordering::Equal},
      {"-1", "-1.5", Ordering::Greater},
      {"9223372036854775808", "1", Ordering::Greater},
      {"-9223372036854775809", "9223372036854775808", Ordering::Less},
  };
  for (const Row& row : rows) {
    Owned a(heap, number(row.a));
    Owned b(heap, number(row.b));
    EXPECT_EQ(num_compare(a.get(), b.get()), row.order) << row.a << " <=> " << row.b;
    const Ordering mirrored =
        row.order == Ordering::Unordered ? row.order : static_cast<Ordering>(-static_cast<int>(row.order));
    EXPECT_EQ(num_compare(b.get(), a.get()), mirrored) << row.b << " <=> " << row.a;
  }
}

TEST_F(NumericTest, Rounds) {
  struct Row {
    const char *x, *trunc, *floor, *ceil, *round;
  };
  const Row rows[] = {
      {"2.5", "2", "2", "3", "3"},
      {"-2.5", "-2", "-3", "-2", "-3"},
      {"0.49999999999999994", "0", "0", "1", "0"},
      {"1e300",
       "1000000000000000052504760255204420248704468581108159154915854115511802457988908195786371375080447864",
       nullptr, nullptr, nullptr},
      {"9223372036854775808", "9223372036854775808", "9223372036854775808", "9223372036854775808",
       "9223372036854775808"},
      {"inf", "no integer", "no integer", "no integer", "no integer"},
  };
  for (const Row& row : rows) {
    Owned x(heap, number(row.x));
    const std::string truncated = text_of(num_trunc(heap, x.get()));
    if (row.floor == nullptr) {
      EXPECT_EQ(truncated.size(), 301U);
      EXPECT_EQ(truncated.substr(0, 100), row.trunc);
      continue;
    }
    EXPECT_EQ(truncated, row.trunc) << row.x;
    EXPECT_EQ(text_of(num_floor(heap, x.get())), row.floor) << row.x;
    EXPECT_EQ(text_of(num_ceil(heap, x.get())), row.ceil) << row.x;
    EXPECT_EQ(text_of(num_round(heap, x.get())), row.round) << row.x;
  }
}

TEST_F(NumericTest, WorksOnBitsInTwosComplement) {
  struct Row {
    BitOp op;
    const char *a, *b, *result;
  };
  const Row rows[] = {
      {BitOp::And, "6", "3", "2"},
      {BitOp::And, "-1", "9223372036854775808", "9223372036854775808"},
      {BitOp::Or, "-9223372036854775809", "1", "-9223372036854775809"},
      {BitOp::Xor, "9223372036854775808", "-1", "-9223372036854775809"},
      {BitOp::AndNot, "9223372036854775808", "1", "9223372036854775808"},
      {BitOp::AndNot, "-1", "18446744073709551616", "-18446744073709551617"},
      {BitOp::And, "1.0", "1", "not a number"},
  };
  for (const Row& row : rows) {
    const auto operation = [&](Heap& h, Value a, Value b) { return num_bit(h, row.op, a, b); };
    EXPECT_EQ(apply(row.a, row.b, operation), row.result) << row.a << " " << row.b;
  }
}

TEST_F(NumericTest, ShiftsAndTestsBits) {
  struct Row {
    const char* a;
    std::int64_t shift;
    const char* result;
  };
  const Row rows[] = {
      {"1", 64, "18446744073709551616"},
      {"-1", 63, "-9223372036854775808"},
      {"-5", 62, "-23058430092136939520"},
      {"9223372036854775808", -1, "4611686018427387904"},
      {"-9223372036854775809", -1, "-4611686018427387905"},
      {"-9223372036854775809", -200, "-1"},
      {"-8", -1, "-4"},
      {"5", INT64_MIN, "0"},
      {"0", INT64_MAX, "0"},
  };
  for (const Row& row : rows) {
    Owned a(heap, number(row.a));
    EXPECT_EQ(text_of(num_shift(heap, a.get(), row.shift)), row.result) << row.a << " << " << row.shift;
  }
  Owned wide(heap, number("-18446744073709551616"));  // ...1 0000 (64 zeros)
  EXPECT_FALSE(num_bit_test(wide.get(), 63));
  EXPECT_TRUE(num_bit_test(wide.get(), 64));
  EXPECT_TRUE(num_bit_test(wide.get(), 1'000'000));
  EXPECT_FALSE(num_bit_test(Value::integer(1), 64));
}

TEST_F(NumericTest, SpellsFloats) {
  struct Row {
    double x;
    const char* text;
  };
  const Row rows[] = {
      {0.0, "0.0"},
      {-0.0, "-0.0"},
      {1.0, "1.0"},
      {0.1 + 0.2, "0.30000000000000004"},
      {1e20, "1.0e20"},
      {1e-5, "1.0e-5"},
      {1.5e-4, "1.5e-4"},
      {0.0001, "0.0001"},
      {0.00015, "1.5e-4"},
      {0.001, "0.001"},
      {10000000000.0, "10000000000.0"},
      {1e15, "1000000000000000.0"},
      {1e16, "1.0e16"},
      {9007199254740991.0, "9007199254740991.0"},
      {9007199254740992.0, "9.007199254740992e15"},
      {123456789.123, "123456789.123"},
      {-1.5e300, "-1.5e300"},
      {5e-324, "5.0e-324"},
      {123456789012345680.0, "1.2345678901234568e17"},
      {std::numeric_limits<double>::infinity(), "##Inf"},
      {-std::numeric_limits<double>::infinity(), "##-Inf"},
  };
  for (const Row& row : rows) {
    std::string out;
    append_float(out, row.x, true);
    EXPECT_EQ(out, row.text);
    if (std::isfinite(row.x)) {
      EXPECT_EQ(*parse_double(out), row.x) << out;
    }
  }
  std::string out;
  append_float(out, std::nan(""), false);
  EXPECT_EQ(out, "NaN");
}

TEST_F(NumericTest, ReadsFloats) {
  EXPECT_EQ(*parse_double("-1.5e2"), -150.0);
  EXPECT_EQ(*parse_double("1e400"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(*parse_double("-0.0001e400"), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(*parse_double("1e-400"), 0.0);
  EXPECT_EQ(*parse_double("1000e-99999999999999999999"), 0.0);
  EXPECT_EQ(*parse_double("1e99999999999999999999"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(*parse_double("0e99999999999999999999"), 0.0);
  EXPECT_EQ(*parse_double("4.9e-324"), 5e-324);
  for (const char* bad : {"", "-", ".5", "1.", "1e", "1e+", "0x1", "1 ", "inf", "nan", "1f"}) {
    EXPECT_FALSE(parse_double(bad).has_value()) << bad;
  }
}

TEST_F(NumericTest, ReadsIntegers) {
  for (const char* text : {"0", "-1", "9223372036854775807", "-9223372036854775808", "9223372036854775808",
                           "-123456789012345678901234567890"}) {
    Owned n(heap, integer_from_decimal(heap, text));
    std::string out;
    append_integer(out, n.get());
    EXPECT_EQ(out, text);
  }
  Owned padded(heap, integer_from_decimal(heap, "+00000000000000000000000000000000000007"));
  EXPECT_EQ(padded.get().i, 7);
  EXPECT_TRUE(integer_from_decimal(heap, "12a").is_absent());
  EXPECT_TRUE(integer_from_decimal(heap, "-").is_absent());
}

}  // namespace
}  // namespace ptc
