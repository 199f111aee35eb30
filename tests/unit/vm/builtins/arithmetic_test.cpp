// + - * / and their kin, rounding, bits, comparison, Math.
#include <limits>

#include "tests/unit/vm/builtins/builtin_test.h"

namespace ptc {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

using Id = BuiltinId;

class ArithmeticTest : public BuiltinTest {};

TEST_F(ArithmeticTest, Folds) {
  check({
      {Id::add, {}, "0"},
      {Id::add, {-0.0}, "-0.0"},
      {Id::add, {1, 2, 3.5}, "6.5"},
      {Id::mul, {}, "1"},
      {Id::mul, {big("9223372036854775807"), 2, 2}, "36893488147419103228"},
      {Id::sub, {5}, "-5"},
      {Id::sub, {10, 3, 2}, "5"},
      {Id::div, {4}, "0.25"},
      {Id::div, {100, 5, 2}, "10.0"},
      {Id::inc, {kInf}, "##Inf"},
      {Id::dec_q, {big("-9223372036854775808")}, "-9223372036854775809"},
      {Id::quot, {big("-9223372036854775808"), -1}, "9223372036854775808"},
      {Id::abs, {big("-9223372036854775808")}, "9223372036854775808"},
      {Id::max, {2, 2.0}, "2"},
      {Id::max, {1, 2.0}, "2.0"},
      {Id::max, {1, kNaN, 2}, "##NaN"},
      {Id::min, {3, 1, 2}, "1"},
  });
}

TEST_F(ArithmeticTest, NamesTheArgumentThatIsWrong) {
  check({
      {Id::add, {1, nullptr}, "!! type_error: +: arg 2 expected number, got nil"},
      {Id::add, {keyword("a")}, "!! type_error: +: arg 1 expected number, got keyword"},
      {Id::mul, {vec({1})}, "!! type_error: *: arg 1 expected number, got vector"},
      {Id::div, {1, 0}, "!! arithmetic_error: /: division by zero"},
      {Id::div, {0}, "!! arithmetic_error: /: division by zero"},
      {Id::div, {1, "x"}, "!! type_error: /: arg 2 expected number, got string"},
      {Id::max, {nullptr, kNaN}, "!! type_error: max: arg 1 expected number, got nil"},
      {Id::inc, {"a"}, "!! type_error: inc: arg 1 expected number, got string"},
      {Id::lt, {1, 2, nullptr}, "!! type_error: <: arg 3 expected number, got nil"},
  });
  EXPECT_TRUE(run(Id::add, {1, pending("op")}).find("await") != std::string::npos);
}

TEST_F(ArithmeticTest, RefusesTooWideIntegers) {
  env.limits.integer_bits = 100;
  EXPECT_EQ(fault(Id::mul, {big("1000000000000000000000"), big("1000000000000000000000")}),
            "integer_limit_exceeded");
  EXPECT_EQ(fault(Id::bit_shift_left, {1, 1000}), "integer_limit_exceeded");
  EXPECT_EQ(fault(Id::bit_set, {0, 1000}), "integer_limit_exceeded");
}

TEST_F(ArithmeticTest, RoundsAndConverts) {
  check({
      {Id::floor, {-3.7}, "-4"},
      {Id::ceil, {-3.2}, "-3"},
      {Id::round, {-2.5}, "-3"},
      {Id::trunc, {-3.7}, "-3"},
      {Id::floor, {kInf}, "##Inf"},
      {Id::int_, {kNaN}, "0"},
      {Id::int_, {-3.7}, "-3"},
      {Id::int_, {"5"}, "53"},
      {Id::int_, {"\xc3\xa9"}, "233"},
      {Id::double_, {1}, "1.0"},
      {Id::sqrt, {-1}, "##NaN"},
      {Id::pow, {2, 10}, "1024.0"},
      {Id::pow, {kNaN, 0}, "1.0"},
      {Id::pow, {1, kInf}, "##NaN"},
      {Id::pow, {-1, kInf}, "##NaN"},
      {Id::pow, {1, kNaN}, "##NaN"},
      {Id::pow, {-kInf, -3}, "-0.0"},
      {Id::pow, {0, -1}, "##Inf"},
  });
  EXPECT_EQ(fault(Id::int_, {kInf}), "arithmetic_error");
  EXPECT_EQ(fault(Id::int_, {"ab"}), "type_error");
  EXPECT_EQ(fault(Id::float_, {"5"}), "type_error");
}

TEST_F(ArithmeticTest, WorksOnBits) {
  check({
      {Id::bit_and, {255, 15, 3}, "3"},
      {Id::bit_or, {1, 2, 4, 8}, "15"},
      {Id::bit_xor, {1, 2, 4, 8}, "15"},
      {Id::bit_and_not, {255, 15, 48}, "192"},
      {Id::bit_not, {big("9223372036854775808")}, "-9223372036854775809"},
      {Id::bit_clear, {-1, 64}, "-18446744073709551617"},
      {Id::bit_flip, {0, 64}, "18446744073709551616"},
      {Id::bit_flip, {big("9223372036854775808"), 1}, "9223372036854775810"},
      {Id::bit_set, {0, 3}, "8"},
      {Id::bit_test, {1, big("9223372036854775808")}, "false"},
      {Id::bit_test, {-1, big("9223372036854775808")}, "true"},
      {Id::bit_shift_right, {-8, big("9223372036854775808")}, "-1"},
      {Id::bit_shift_right, {big("9223372036854775808"), 1}, "4611686018427387904"},
  });
  for (const Id id : {Id::bit_shift_left, Id::bit_shift_right, Id::bit_set, Id::bit_clear, Id::bit_test}) {
    EXPECT_EQ(fault(id, {1, -1}), "type_error");
  }
  EXPECT_EQ(fault(Id::bit_and, {5, 2.5}), "type_error");
}

TEST_F(ArithmeticTest, Compares) {
  check({
      {Id::eq, {1, 1.0, 1}, "true"},
      {Id::eq, {1, 2, 1}, "false"},
      {Id::eq, {kNaN}, "true"},
      {Id::not_equal, {1, 1, 2}, "true"},
      {Id::lt, {1, 2, 3}, "true"},
      {Id::lt, {1, 3, 2}, "false"},
      {Id::le, {1, 1.0}, "true"},
      {Id::gt, {kNaN, 0}, "false"},
      {Id::ge, {1}, "true"},
      {Id::compare, {nullptr, kNaN}, "-1"},
      {Id::compare, {vec({1}), vec({2})}, "-1"},
      {Id::compare, {"a", 1}, "!! type_error: compare: values are not comparable: string, number"},
      {Id::compare, {kNaN, 1}, "!! type_error: compare: unordered comparison with NaN"},
  });
}

TEST_F(ArithmeticTest, FollowsJavaInMath) {
  check({
      {Id::Math_ceil, {-0.3}, "-0.0"},
      {Id::Math_floor, {2.5}, "2.0"},
      {Id::Math_floor, {2}, "2.0"},
      {Id::Math_round, {-1.5}, "-1"},
      {Id::Math_round, {2.5}, "3"},
      {Id::Math_round, {0.49999999999999994}, "0"},
      {Id::Math_round, {kNaN}, "0"},
      {Id::Math_round, {-kInf}, "-9223372036854775808"},
      {Id::Math_round, {1e30}, "9223372036854775807"},
      {Id::Math_round, {4503599627370497.0}, "4503599627370497"},
      {Id::Math_min, {0.0, -0.0}, "-0.0"},
      {Id::Math_max, {-0.0, 0.0}, "0.0"},
      {Id::Math_min, {1, 2.0}, "1"},
      {Id::Math_max, {kNaN, 1}, "##NaN"},
      {Id::Math_abs, {big("-9223372036854775808")}, "9223372036854775808"},
      {Id::Math_signum, {-5}, "-1.0"},
      {Id::Math_hypot, {3, 4}, "5.0"},
      {Id::Math_PI, {}, "3.141592653589793"},
      {Id::Double_NaN, {}, "##NaN"},
  });
  EXPECT_EQ(fault(Id::Math_min, {nullptr, 1}), "java_type_error");
  EXPECT_EQ(fault(Id::Math_sqrt, {"x"}), "java_type_error");
  EXPECT_EQ(fault(Id::Math_sqrt, {pending("op")}), "type_error");
}

}  // namespace
}  // namespace ptc
