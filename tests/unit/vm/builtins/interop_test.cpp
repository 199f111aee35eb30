// Java-style parsing and string methods.
#include "tests/unit/vm/builtins/builtin_test.h"

namespace ptc {
namespace {

using Id = BuiltinId;

class InteropTest : public BuiltinTest {};

constexpr const char* kApple = "\xf0\x9f\x8d\x8e";

TEST_F(InteropTest, ParsesDoubles) {
  check({
      {Id::Double_parseDouble, {" -0.0D "}, "-0.0"},
      {Id::Double_parseDouble, {"1e0000001"}, "10.0"},
      {Id::Double_parseDouble, {"1."}, "1.0"},
      {Id::Double_parseDouble, {".5f"}, "0.5"},
      {Id::Double_parseDouble, {"0x1.8p0"}, "1.5"},
      {Id::Double_parseDouble, {"0x.8P1"}, "1.0"},
      {Id::Double_parseDouble, {"0x1p-0000001"}, "0.5"},
      {Id::Double_parseDouble, {"0x0.00000000000008p-1022"}, "0.0"},
      {Id::Double_parseDouble, {"0x0.0000000000001p-1022"}, "5.0e-324"},
      {Id::Double_parseDouble, {"0x1.fffffffffffff8p1023"}, "##Inf"},
      {Id::Double_parseDouble, {"1.7976931348623157e308"}, "1.7976931348623157e308"},
      {Id::Double_parseDouble, {"1.7976931348623159e308"}, "##Inf"},
      {Id::Double_parseDouble, {"1e-400"}, "0.0"},
      {Id::Double_parseDouble, {"-Infinity"}, "##-Inf"},
      {Id::Double_parseDouble, {"+NaN"}, "##NaN"},
      {Id::Float_parseFloat, {"11.760000"}, "11.760000228881836"},
      {Id::Float_parseFloat, {"3.4028235e38f"}, "3.4028234663852886e38"},
      {Id::Float_parseFloat, {"3.4028236e38"}, "##Inf"},
      {Id::Float_parseFloat, {"1.4e-45"}, "1.401298464324817e-45"},
  });
  for (const char* bad : {"", " ", "x", ".", "1e", "0x1", "0xp1", "1.5x", "1 2", "nan", "--1", "+"}) {
    EXPECT_EQ(fault(Id::Double_parseDouble, {bad}), "java_domain_error") << bad;
  }
  EXPECT_EQ(fault(Id::Double_parseDouble, {nullptr}), "java_type_error");
}

TEST_F(InteropTest, ParsesIntegers) {
  check({
      {Id::Integer_parseInt, {"+2147483647"}, "2147483647"},
      {Id::Integer_parseInt, {"\xd9\xa1\xd9\xa2"}, "12"},
      {Id::Long_parseLong, {"\xef\xbc\x91\xef\xbc\x92"}, "12"},
      {Id::Long_parseLong, {"-9223372036854775808"}, "-9223372036854775808"},
      {Id::Boolean_parseBoolean, {"TrUe"}, "true"},
      {Id::Boolean_parseBoolean, {"yes"}, "false"},
      {Id::Boolean_parseBoolean, {nullptr}, "false"},
  });
  for (const char* bad : {"", " 1", "x", "42.5", "2147483648", "+2147483648", "-", "1_0"}) {
    EXPECT_EQ(fault(Id::Integer_parseInt, {bad}), "java_domain_error") << bad;
  }
  EXPECT_EQ(fault(Id::Long_parseLong, {"9223372036854775808"}), "java_domain_error");
  EXPECT_EQ(fault(Id::Boolean_parseBoolean, {1}), "java_type_error");
}

TEST_F(InteropTest, FindsParts) {
  const std::string fruit = std::string(kApple) + "x" + kApple + "x";
  check({
      {Id::dot_indexOf, {"hello", "h", -5}, "0"},
      {Id::dot_indexOf, {"ababa", "ba", 2}, "3"},
      {Id::dot_indexOf, {"abc", "", 10}, "3"},
      {Id::dot_indexOf, {"", ""}, "0"},
      {Id::dot_indexOf, {fruit, "x"}, "1"},
      {Id::dot_indexOf, {fruit, "x", 2}, "3"},
      {Id::dot_indexOf, {fruit, "z"}, "-1"},
      {Id::dot_lastIndexOf, {fruit, "x"}, "3"},
      {Id::dot_lastIndexOf, {fruit, kApple}, "2"},
      {Id::dot_lastIndexOf, {fruit, ""}, "4"},
      {Id::dot_lastIndexOf, {"ababa", "ba"}, "3"},
      {Id::dot_contains, {"hello", "xyz"}, "false"},
      {Id::dot_startsWith,
       {"\xc3\xbc"
        "ber",
        "\xc3\xbc"},
       "true"},
      {Id::dot_endsWith, {"abc", "c"}, "true"},
  });
  EXPECT_EQ(fault(Id::dot_indexOf, {"abc", 1}), "java_type_error");
  EXPECT_EQ(fault(Id::dot_contains, {123, "x"}), "java_type_error");
}

TEST_F(InteropTest, CutsByCodeUnits) {
  const std::string text = std::string(kApple) + "a";
  check({
      {Id::dot_length, {text}, "3"},
      {Id::dot_substring, {text, 2}, "\"a\""},
      {Id::dot_substring, {"hello", 1, 3}, "\"el\""},
      {Id::dot_substring, {"abc", 3}, "\"\""},
      {Id::dot_substring, {"abcd", 1.0, 3.0}, "\"bc\""},
      {Id::dot_trim, {std::string("\0\t Ada \x1f", 8)}, "\"Ada\""},
      {Id::dot_toUpperCase,
       {"stra\xc3\x9f"
        "e"},
       "\"STRASSE\""},
      {Id::dot_toLowerCase, {"ABC"}, "\"abc\""},
  });
  EXPECT_EQ(fault(Id::dot_substring, {text, 0, 1}), "java_domain_error");
  EXPECT_EQ(fault(Id::dot_substring, {"abc", 4}), "java_domain_error");
  EXPECT_EQ(fault(Id::dot_substring, {"abc", -1}), "java_domain_error");
  EXPECT_EQ(fault(Id::dot_substring, {"abc", 2, 1}), "java_domain_error");
  EXPECT_EQ(fault(Id::dot_length, {nullptr}), "java_type_error");
}

}  // namespace
}  // namespace ptc
