// format: directives, flags, rounding, limits.
#include "tests/unit/vm/builtins/builtin_test.h"
#include "vm/builtins/format_spec.h"

namespace ptc {
namespace {

using FormatTest = BuiltinTest;

TEST_F(FormatTest, Directives) {
  const struct {
    std::vector<Arg> args;
    const char* expected;
  } cases[] = {
      {{"plain"}, "plain"},
      {{"%s has %d items%%", "Alice", 5, "extra"}, "Alice has 5 items%"},
      {{"x%s|%5s", nullptr, nullptr}, "x|     "},
      {{"%s", vec({"a", 1})}, R"([\"a\" 1])"},
      {{"%s %s", -1.0 / 0.0, keyword("k")}, "-Infinity :k"},
      {{"in %6s | out %-8s | id %08d", "12", "34", 255}, "in     12 | out 34       | id 00000255"},
      {{"%.3s|%5s|%-5s|", "abcdef", "é", "👨‍👩‍👧"}, "abc|    é|👨‍👩‍👧    |"},
      {{"%f|%.2f|%05.2f|%.0f", 3.14, 3.14159, 3.1, 2.5}, "3.140000|3.14|03.10|3"},
      {{"[%8.2f][%-8.1f][%08.2f]", 3.14159, 3.14159, 3.1}, "[    3.14][3.1     ][00003.10]"},
      {{"%.2f|%.1f", 3, big("123456789012345678901234567890")}, "3.00|123456789012345678901234567890.0"},
      {{"%.2e|%e|%.0e", 1500.0, 0.00015, 5}, "1.50e+03|1.500000e-04|5e+00"},
      {{"%f|%5.1f|%05.1f|%+f", 0.0 / 0.0, 1.0 / 0.0, -1.0 / 0.0, 1.0 / 0.0}, "NaN|Infinity|-Infinity|+Infinity"},
      {{"%+d|% d|%,d|%,d|%,.2f", 3, 3, 1234567, -123, 1234567.891}, "+3| 3|1,234,567|-123|1,234,567.89"},
      {{"%d|%d|%05d", 4.0, big("99999999999999999999"), -42}, "4|99999999999999999999|-0042"},
      {{"%x|%X|%#x|%o|%#o|%x|%x", 255, 255, 15, 8, 8, -255, big("18446744073709551616")},
       "ff|FF|0xf|10|010|-ff|10000000000000000"},
      {{"%#06x|%o", 15, big("9223372036854775808")}, "0x000f|1000000000000000000000"},
      {{"%b %B %b", nullptr, true, 0}, "false TRUE true"},
      {{"%c%c%C", "A", 233, "b"}, "AéB"},
      {{"%d|%5d|%x|%f|%c", nullptr, nullptr, nullptr, nullptr, nullptr}, "null| null|null|null|null"},
      {{"%S|%5S", "ab", "ß"}, "AB|   SS"},
      {{"a%nb"}, R"(a\nb)"},
  };
  for (const auto& c : cases) EXPECT_EQ(run(BuiltinId::format, c.args), '"' + std::string(c.expected) + '"');
}

TEST_F(FormatTest, Faults) {
  for (const char* bad : {"%q", "%", "%5", "%g", "%h", "%(d", "%1$s", "%.d", "%.2d", "%05s", "%5n", "%é"}) {
    EXPECT_EQ(fault(BuiltinId::format, {bad, 1, 1}), "type_error") << bad;
  }
  EXPECT_EQ(run(BuiltinId::format, {"%s %s", "one"}), "!! type_error: format: not enough arguments: nothing for %s");
  EXPECT_EQ(run(BuiltinId::format, {"%d", 1.5}), "!! type_error: format: arg 2 expected integer, got number");
  EXPECT_EQ(fault(BuiltinId::format, {"%d", "1"}), "type_error");
  EXPECT_EQ(fault(BuiltinId::format, {"%c", "ab"}), "type_error");
  EXPECT_EQ(fault(BuiltinId::format, {"%c", 0xD800}), "type_error");
  EXPECT_EQ(fault(BuiltinId::format, {1}), "type_error");
  EXPECT_EQ(fault(BuiltinId::format, {"%s", pending("c")}), "type_error");
  EXPECT_EQ(fault(BuiltinId::format, {"%999999999999999999999d", 1}), "string_limit_exceeded");
  EXPECT_EQ(fault(BuiltinId::format, {"%.99999999f", 1.0}), "string_limit_exceeded");
  heap.set_limit_bytes(heap.bytes_used() + 100'000);
  EXPECT_EQ(fault(BuiltinId::format, {"%1000000d", 1}), "memory_exceeded");
}

TEST_F(FormatTest, HalvesAreRoundedAwayFromZero) {
  EXPECT_EQ(fixed_digits(0.5, 0), "1");
  EXPECT_EQ(fixed_digits(1.5, 0), "2");
  EXPECT_EQ(fixed_digits(0.125, 2), "0.13");
  EXPECT_EQ(fixed_digits(9.5, 0), "10");
  EXPECT_EQ(fixed_digits(0.45, 1), "0.5");     // 0.45000000000000001110…
  EXPECT_EQ(fixed_digits(0.15, 1), "0.1");     // 0.1499999999999999944…
  EXPECT_EQ(fixed_digits(1e22, 1), "10000000000000000000000.0");
  EXPECT_EQ(fixed_digits(5e-324, 3), "0.000");
  EXPECT_EQ(fixed_digits(0.0, 2), "0.00");
  EXPECT_EQ(fixed_digits(1.25, 1100).size(), 1102u);
  EXPECT_EQ(fixed_digits(1.7976931348623157e308, 0).size(), 309u);
}

}  // namespace
}  // namespace ptc
