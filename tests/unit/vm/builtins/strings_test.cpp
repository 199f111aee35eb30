// str join name keyword subs split replace search trim parse …: results, clamping, limits, pending handles.
#include "tests/unit/vm/builtins/builtin_test.h"

namespace ptc {
namespace {

using StringsTest = BuiltinTest;
using B = BuiltinId;

TEST_F(StringsTest, StrConcatenatesStrForms) {
  EXPECT_EQ(run(B::str, {}), R"("")");
  EXPECT_EQ(run(B::str, {"a", nullptr, "b"}), R"("ab")");
  EXPECT_EQ(run(B::str, {"a", "é", "b"}), R"("aéb")");
  EXPECT_EQ(run(B::str, {keyword("a"), 1, 1.0, true}), R"(":a11.0true")");
  EXPECT_EQ(run(B::str, {vec({"a", nullptr})}), R"x("[\"a\" nil]")x");
  EXPECT_EQ(run(B::str, {1, pending("c1")}),
            "!! type_error: str: arg 2 is a pending operation (c1); use (await …)");
  env.limits.string_bytes = 5;
  EXPECT_EQ(run(B::str, {"abc", "de"}), R"("abcde")");
  EXPECT_EQ(fault(B::str, {"abc", "def"}), "string_limit_exceeded");
  EXPECT_EQ(fault(B::str, {"abc", 123}), "string_limit_exceeded");
}

TEST_F(StringsTest, CarriageReturnAndLineFeedJoinIntoOneCluster) {
  const Value parts[] = {string_of(heap, "a\r"), string_of(heap, "\nb")};
  Value args[] = {parts[0], parts[1]};
  EXPECT_TRUE(string_is_ascii(parts[0]) && string_is_ascii(parts[1]));
  Call call(env, B::str, args);
  const Owned joined(heap, builtin_str(call));
  EXPECT_EQ(string_count(joined.get()), 3u);
  for (const Value v : args) heap.release(v);
}

TEST_F(StringsTest, PrStrIsReadable) {
  EXPECT_EQ(run(B::pr_str, {1, "a", nullptr, keyword("k")}), R"("1 \"a\" nil :k")");
  EXPECT_EQ(run(B::pr_str, {}), R"("")");
}

TEST_F(StringsTest, JoinTakesAnySeqable) {
  EXPECT_EQ(run(B::join, {", ", vec({1, "two", true, nullptr})}), R"("1, two, true, ")");
  EXPECT_EQ(run(B::join, {vec({"a", "b"})}), R"("ab")");
  EXPECT_EQ(run(B::join, {nullptr}), R"("")");
  EXPECT_EQ(run(B::join, {"-", "aé"}), R"("a-é")");
  EXPECT_EQ(run(B::join, {",", map({{keyword("a"), 1}})}), R"x("[:a 1]")x");
  EXPECT_EQ(fault(B::join, {",", 5}), "type_error");
  EXPECT_EQ(fault(B::join, {vec({"a"}), ","}), "type_error");
  EXPECT_EQ(run(B::join, {vec({"a", pending("c1")})}),
            "!! type_error: join: arg 1 holds a pending operation (c1); use (await …)");
}

TEST_F(StringsTest, KeywordsAndNames) {
  EXPECT_EQ(run(B::keyword, {"foo"}), ":foo");
  EXPECT_EQ(run(B::keyword, {"nil"}), ":nil");
  EXPECT_EQ(run(B::keyword, {nullptr}), "nil");
  EXPECT_EQ(run(B::keyword, {keyword("a")}), ":a");
  for (const char* bad : {"", ".", "a/b", "a b", "é"}) EXPECT_EQ(fault(B::keyword, {bad}), "type_error") << bad;
  EXPECT_EQ(fault(B::keyword, {true}), "type_error");
  EXPECT_EQ(run(B::name, {keyword("abc")}), R"("abc")");
  EXPECT_EQ(run(B::name, {"x"}), R"("x")");
  EXPECT_EQ(fault(B::name, {nullptr}), "type_error");
}

TEST_F(StringsTest, SubsClamps) {
  const struct {
    const char* text;
    std::vector<Arg> range;
    const char* expected;
  } cases[] = {{"hello", {1, 4}, R"("ell")"}, {"abc", {9}, R"("")"},      {"abcdef", {-1, 3}, R"("abc")"},
               {"hello", {3, 1}, R"("")"},    {"abcd", {1.0}, R"("bcd")"}, {"😀a", {1}, R"("a")"},
               {"héllo", {1, 2}, R"("é")"},   {"abc", {0, big("99999999999999999999")}, R"("abc")"}};
  for (const auto& c : cases) {
    std::vector<Arg> args{c.text};
    args.insert(args.end(), c.range.begin(), c.range.end());
    EXPECT_EQ(run(B::subs, args), c.expected) << c.text;
  }
  EXPECT_EQ(fault(B::subs, {"abc", 1.5}), "type_error");
  EXPECT_EQ(fault(B::subs, {nullptr, 1}), "type_error");
}

TEST_F(StringsTest, SplitKeepsTrailingEmptiesOnlyForStrings) {
  const struct {
    std::vector<Arg> args;
    const char* expected;
  } cases[] = {{{"a,b,,c,,", ","}, R"(["a" "b" "" "c" "" ""])"},
               {{"abc", ""}, R"(["a" "b" "c"])"},
               {{"", ","}, R"([""])"},
               {{"a-VERDICT-b", "VERDICT"}, R"(["a-" "-b"])"},
               {{"a..b..c", ".."}, R"(["a" "b" "c"])"},
               {{"a,b,c", ",", 2}, R"(["a" "b,c"])"},
               {{"abc", "", 2}, R"(["a" "bc"])"},
               {{"a,b,", regex(",")}, R"(["a" "b"])"},
               {{"a,,b,", regex(","), -1}, R"(["a" "" "b" ""])"},
               {{"a,b,c", regex(","), 2}, R"(["a" "b,c"])"},
               {{"abc", regex("")}, R"(["a" "b" "c"])"},
               {{"abc", regex(""), 2}, R"(["a" "bc"])"},
               {{"a  b c", regex("\\s+")}, R"(["a" "b" "c"])"},
               {{"", regex(",")}, R"([""])"},
               {{",", regex(",")}, "[]"}};
  for (const auto& c : cases) EXPECT_EQ(run(B::split, c.args), c.expected);
  EXPECT_EQ(fault(B::split, {nullptr, ","}), "type_error");
  EXPECT_EQ(run(B::re_split, {regex(","), "a,b,,"}), R"(["a" "b" "" ""])");
  EXPECT_EQ(run(B::split_lines, {"a\r\nb\nc\n\n"}), R"(["a" "b" "c"])");
  EXPECT_EQ(run(B::split_lines, {""}), R"([""])");
}

TEST_F(StringsTest, ReplaceByText) {
  const auto replaced = [&](Arg s, Arg pattern, Arg text, bool all = true) {
    return run(B::h_replace_text, {s, pattern, text, all});
  };
  EXPECT_EQ(replaced("hello", "l", "L"), R"("heLLo")");
  EXPECT_EQ(replaced("hello", "l", "L", false), R"("heLlo")");
  EXPECT_EQ(replaced("abc", "", "-"), R"("-a-b-c-")");
  EXPECT_EQ(replaced("a1", "1", "$1"), R"("a$1")");
  EXPECT_EQ(replaced("a1", regex("(\\d)"), "<$1>"), R"("a<1>")");
  EXPECT_EQ(replaced("a1", regex("(\\d)"), "<\\1$0>"), R"("a<11>")");
  EXPECT_EQ(replaced("a1", regex("\\d"), "$$"), R"("a$$")");
  EXPECT_EQ(replaced("cost", regex("cost"), "$5 \\$1"), R"("$5 $1")");
  EXPECT_EQ(replaced("ab", regex("(?<x>a)"), "${x}!"), R"("a!b")");
  EXPECT_EQ(replaced("ab", regex("(z)?b"), "[$1]"), R"("a[]")");
  EXPECT_EQ(replaced("a  b", regex("\\s+"), " "), R"("a b")");
  EXPECT_EQ(replaced("abc", regex(""), "-"), R"("-a-b-c-")");
  EXPECT_EQ(replaced(nullptr, "a", "b"), "!! type_error: replace: arg 1 expected string, got nil");
  EXPECT_EQ(run(B::h_replace_text, {"a", "a", 1, false}),
            "!! type_error: replace-first: arg 3 expected string, got number");
}

TEST_F(StringsTest, PiecesAlternateTextAndMatch) {
  EXPECT_EQ(run(B::h_regex_pieces, {regex("\\d"), "a1b2", 0}), R"(["a" "1" "b" "2" ""])");
  EXPECT_EQ(run(B::h_regex_pieces, {regex("(\\d)(x)?"), "a1b2", 1}), R"(["a" ["1" "1" nil] "b2"])");
  EXPECT_EQ(run(B::h_regex_pieces, {"b", "abc", 0}), R"(["a" "b" "c"])");
  EXPECT_EQ(run(B::h_regex_pieces, {regex("z"), "abc", 0}), R"(["abc"])");
  EXPECT_EQ(run(B::h_regex_pieces, {regex("z"), 5, 0}), "!! type_error: replace: arg 1 expected string, got number");
}

TEST_F(StringsTest, SearchCountsClusters) {
  EXPECT_EQ(run(B::index_of, {"😀a", "a"}), "1");
  EXPECT_EQ(run(B::index_of, {"hello", ""}), "0");
  EXPECT_EQ(run(B::index_of, {"hello", "", 10}), "5");
  EXPECT_EQ(run(B::index_of, {"hello", "l", 3}), "3");
  EXPECT_EQ(run(B::index_of, {"hello", "l", 10}), "nil");
  EXPECT_EQ(run(B::index_of, {"abc", "b", 1.0}), "1");
  EXPECT_EQ(run(B::index_of, {"abc", "b", -5}), "1");
  EXPECT_EQ(run(B::last_index_of, {"😀a😀", "😀"}), "2");
  EXPECT_EQ(run(B::last_index_of, {"hello", ""}), "5");
  EXPECT_EQ(run(B::last_index_of, {"hello", "l", 2}), "2");
  EXPECT_EQ(run(B::last_index_of, {"aaaa", "aa"}), "2");
  EXPECT_EQ(run(B::last_index_of, {"abc", "a", -1}), "nil");
  EXPECT_EQ(fault(B::last_index_of, {123, "2"}), "type_error");
  EXPECT_EQ(run(B::includes_p, {"hello", ""}), "true");
  EXPECT_EQ(run(B::starts_with_p, {"hello", "he"}), "true");
  EXPECT_EQ(run(B::ends_with_p, {"hello", "he"}), "false");
}

TEST_F(StringsTest, TrimCaseAndEscape) {
  EXPECT_EQ(run(B::trim, {"\t\u2003 a b\u3000\n"}), R"("a b")");
  EXPECT_EQ(run(B::trim, {"\u00a0a"}), "\"\u00a0a\"");
  EXPECT_EQ(run(B::triml, {" abc "}), R"("abc ")");
  EXPECT_EQ(run(B::trimr, {" abc "}), R"(" abc")");
  EXPECT_EQ(run(B::trim_newline, {"a\r\n\n"}), R"("a")");
  EXPECT_EQ(run(B::blank_p, {nullptr}), "true");
  EXPECT_EQ(run(B::blank_p, {" \t\n"}), "true");
  EXPECT_EQ(run(B::blank_p, {"x"}), "false");
  EXPECT_EQ(run(B::upcase, {"straße"}), R"("STRASSE")");
  EXPECT_EQ(run(B::capitalize, {"hELLO"}), R"("Hello")");
  EXPECT_EQ(fault(B::lower_case, {12}), "type_error");
  EXPECT_EQ(run(B::escape, {"a<b>é", map({{"<", "&lt;"}, {"é", 1}})}), R"("a&lt;b>1")");
  EXPECT_EQ(run(B::string_reverse, {"ab👨‍👩‍👧c"}), R"("c👨‍👩‍👧ba")");
}

TEST_F(StringsTest, ParsingGivesNilForEverythingElse) {
  EXPECT_EQ(run(B::parse_long, {"+42"}), "42");
  EXPECT_EQ(run(B::parse_long, {"-9223372036854775809"}), "-9223372036854775809");
  for (const Arg& bad : {Arg("42abc"), Arg(" 1"), Arg(""), Arg("-"), Arg("3.14"), Arg(7), Arg(nullptr)}) {
    EXPECT_EQ(run(B::parse_long, {bad}), "nil");
  }
  const std::pair<const char*, const char*> doubles[] = {
      {".5", "0.5"}, {"1.", "1.0"}, {"\t1.5 ", "1.5"}, {"-0.5", "-0.5"}, {"1e3", "1000.0"}, {"1.5E+2", "150.0"},
      {"+Infinity", "##Inf"}, {"-Infinity", "##-Inf"}, {"NaN", "##NaN"}, {"1e999", "##Inf"}, {"0x1.0p0", "nil"},
      {".", "nil"}, {"", "nil"}, {"1e", "nil"}, {"1.5f", "nil"}, {"--1", "nil"}};
  for (const auto& [text, expected] : doubles) EXPECT_EQ(run(B::parse_double, {text}), expected) << text;
  EXPECT_EQ(run(B::parse_boolean, {"true"}), "true");
  EXPECT_EQ(run(B::parse_boolean, {"TRUE"}), "nil");
  EXPECT_EQ(fault(B::parse_long, {pending("c1")}), "type_error");
  EXPECT_EQ(fault(B::parse_long, {std::string(30'000, '9')}), "integer_limit_exceeded");
}

TEST_F(StringsTest, AFormThatNoTextHasRoomForIsCharged) {
  constexpr std::size_t kWritten = 6'000'000;
  heap.set_limit_bytes(16'000'000);   // for the text, and for its form once
  EXPECT_EQ(fault(B::str, {vec({std::string(kWritten, 'a')}), 1}), "memory_exceeded");
  EXPECT_GT(env.fuel_debt, kWritten / 16 * 9 / 10);   // all but a last piece
}

TEST_F(StringsTest, PrintlnAppendsOneEntry) {
  env.limits.print_length = 4;
  EXPECT_EQ(run(B::println, {}), "nil");
  EXPECT_EQ(run(B::println, {"a", 1}), "nil");
  EXPECT_EQ(run(B::println, {"éüabc"}), "nil");
  EXPECT_EQ(run(B::println, {vec({"a", "b"})}), "nil");
  EXPECT_EQ(env.prints, (std::vector<std::string>{"", "a 1", "éüab...", "[\"a\"..."}));
  env.limits.print_bytes = env.print_bytes + 2;
  EXPECT_EQ(fault(B::println, {"ab"}), "print_limit_exceeded");
  EXPECT_EQ(env.prints.size(), 4u);
}

}  // namespace
}  // namespace ptc
