// Regular expressions: matches, groups, the translation of the pattern syntax, limits.
#include "tests/unit/vm/builtins/builtin_test.h"
#include "vm/builtins/automata.h"
#include "vm/builtins/regex_search.h"
#include "vm/builtins/regex_syntax.h"

namespace ptc {
namespace {

using RegexTest = BuiltinTest;
using B = BuiltinId;

TEST_F(RegexTest, MatchesAndGroups) {
  const struct {
    BuiltinId id;
    const char* pattern;
    const char* text;
    const char* expected;
  } cases[] = {{B::re_find, "\\d+", "a12b", R"("12")"},
               {B::re_find, "z", "abc", "nil"},
               {B::re_find, "a(\\d+)?", "xa", R"(["a" nil])"},
               {B::re_find, "(a)?(b)?(c)", "c", R"(["c" nil nil "c"])"},
               {B::re_find, "(?<y>\\d{4})-(?P<m>\\d\\d)", "on 2024-05", R"(["2024-05" "2024" "05"])"},
               {B::re_find, "(?i)É", "é", R"("é")"},
               {B::re_matches, "\\d+", "123", R"("123")"},
               {B::re_matches, "\\d+", "123a", "nil"},
               {B::re_matches, "a|ab", "ab", R"("ab")"},
               {B::re_matches, "(a)?(b)", "b", R"(["b" nil "b"])"},
               {B::re_seq, "(\\d)(\\w)", "1a2b", R"([["1a" "1" "a"] ["2b" "2" "b"]])"},
               {B::re_seq, "z", "abc", "[]"},
               {B::re_seq, "a*", "baac", R"(["" "aa" "" ""])"},
               {B::re_seq, "", "é", R"(["" ""])"},
               {B::re_seq, "^\\w", "ab", R"(["a"])"}};
  for (const auto& c : cases) {
    EXPECT_EQ(run(c.id, {regex(c.pattern), c.text}), c.expected) << c.pattern;
  }
  EXPECT_EQ(fault(B::re_find, {"a", "a"}), "type_error");
  EXPECT_EQ(fault(B::re_find, {regex("a"), nullptr}), "type_error");
  EXPECT_EQ(run(B::re_groups, {vec({"a", nullptr})}), R"(["a" nil])");
}

TEST_F(RegexTest, Extract) {
  EXPECT_EQ(run(B::extract, {"ID:(\\d+)", "ID:42"}), R"("42")");
  EXPECT_EQ(run(B::extract, {"ID:(\\d+)", "ID:42", 0}), R"("ID:42")");
  EXPECT_EQ(run(B::extract, {"ID:(\\d+)", "ID:42", 5}), "nil");
  EXPECT_EQ(run(B::extract, {regex("a(b)?"), "a"}), "nil");
  EXPECT_EQ(run(B::extract, {"ID", "none"}), "nil");
  EXPECT_EQ(run(B::extract_int, {"x=(\\d+) y=(\\d+)", "x=10 y=20", 2, 0}), "20");
  EXPECT_EQ(run(B::extract_int, {"x=(\\d+)", "none", 1, 0}), "0");
  EXPECT_EQ(run(B::extract_int, {"x=(\\w+)", "x=abc", 1, -1}), "-1");
  EXPECT_EQ(run(B::extract_int, {"x=(\\d+)", "none"}), "nil");
  EXPECT_EQ(run(B::extract, {"(", "a"}), "!! type_error: extract: invalid regex at position 0: missing )");
  EXPECT_EQ(fault(B::extract_int, {"a", "a", 1, pending("c")}), "type_error");
}

TEST_F(RegexTest, Patterns) {
  EXPECT_EQ(run(B::re_pattern, {"a\\d"}), R"(#"a\d")");
  EXPECT_EQ(run(B::re_pattern, {regex("a")}), R"(#"a")");
  EXPECT_EQ(run(B::re_pattern, {"é(?=a)"}),
            "!! type_error: re-pattern: invalid regex at position 1: look-ahead is not supported");
  EXPECT_EQ(fault(B::re_pattern, {std::string(257, 'a')}), "regex_limit_exceeded");
  EXPECT_EQ(fault(B::re_pattern, {5}), "type_error");
  EXPECT_EQ(fault(B::re_pattern, {"((a{100}){100}){100}"}), "type_error");
}

TEST_F(RegexTest, CheckSaysWhere) {
  const struct {
    const char* pattern;
    const char* error;
    std::size_t position;
  } cases[] = {{"[a-z", "missing ]", 0},
               {"a)", "unmatched )", 0},
               {"ab*+", "possessive quantifiers are not supported", 3},
               {"a{2}+", "possessive quantifiers are not supported", 4},
               {"(?<!a)b", "look-behind is not supported", 0},
               {"x(?>a)", "atomic groups are not supported", 1},
               {"(a)\\1", "back-references are not supported", 3},
               {"(?<n>a)\\k<n>", "back-references are not supported", 7},
               {"(?x) a", "the flag x (free spacing) is not supported", 0},
               {"a\\Z", "\\Z is not supported", 1},
               {"(?R)", "recursion is not supported", 0},
               {"\\", "nothing follows the last backslash", 0},
               {"é*a**", "repeat of a repeat", 3},
               {"*a", "nothing to repeat", 0},
               {"[z-a]", "range out of order", 1}};
  for (const auto& c : cases) {
    std::string error;
    std::size_t position = 99;
    EXPECT_FALSE(regex_check(c.pattern, error, position)) << c.pattern;
    EXPECT_EQ(error, c.error) << c.pattern;
    EXPECT_EQ(position, c.position) << c.pattern;
  }
  std::string error;
  std::size_t position = 0;
  for (const char* good : {"", "a{2,3}?", "[]a]", "[^]]", "[[:alpha:]_]", "\\Qa(b\\E", "{", "a{,2}", "(?i:a)b"}) {
    EXPECT_TRUE(regex_check(good, error, position)) << good << ": " << error;
  }
}

TEST_F(RegexTest, TranslatedSpellings) {
  const struct {
    const char* pattern;
    const char* text;
    bool matches;
  } cases[] = {{"\\u00e9", "é", true},          {"\\p{Alpha}+", "abc", true},  {"[\\p{Punct}a]+", "!a?", true},
               {"\\P{Digit}", "1", false},       {"\\h", "\u00a0", true},       {"[\\hx]+", " x", true},
               {"a\\Rb", "a\r\nb", true},        {"(?u)a", "a", true},          {"(?iu:A)", "a", true},
               {"a(?#comment)b", "ab", true},    {"\\w", "é", false},           {"\\p{L}", "é", true},
               {"[\\b]", "\b", true},            {"[]a]", "]", true},           {"\\x41\\e", "A\x1B", true},
               {"\\Q(\\E(a)", "(a", true},       {"\\V", "\n", false},          {"[a\\]b]+", "a]b", true}};
  for (const auto& c : cases) {
    EXPECT_EQ(run(B::re_matches, {regex(c.pattern), c.text}) != "nil", c.matches) << c.pattern;
  }
}

TEST_F(RegexTest, LongInputsAreCutForSearchingOnly) {
  const std::string text = std::string(32'768, 'a') + "b";
  EXPECT_EQ(run(B::re_find, {regex("b"), text}), "nil");
  EXPECT_EQ(run(B::re_split, {regex("b"), text}).size(), 32'768u + 7);
}

TEST_F(RegexTest, WorkIsBoundedAndCharged) {
  Value args[] = {regex_make(heap, "a[^b]*b|a", nullptr), string_of(heap, std::string(200'000, 'a')),
                  Value::integer(0)};
  Call call(env, B::h_regex_pieces, args);
  EXPECT_TRUE(builtin_h_regex_pieces(call).is_absent());
  EXPECT_EQ(env.fault.kind, FaultKind::RegexLimitExceeded);
  EXPECT_GT(env.fuel_debt, 200'000u);
  for (const Value v : args) heap.release(v);
}

TEST_F(RegexTest, PlainSequencesSplitLongTexts) {
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += "word ";
  EXPECT_EQ(run(B::split, {text, regex("\\s+")}).size(), 50'000u * 7 + 1);
  EXPECT_LT(env.fuel_debt, 500'000u);
}

TEST_F(RegexTest, KnowsPatternsThatReadLittlePastTheirMatch) {
  for (const char* p : {",", "\\s*,\\s*", "(\\d+)-(?<y>\\d+)", "[|)]+", "a\\|b", "(?i)a", "[^]|]"}) {
    EXPECT_TRUE(reads_little_past_match(p)) << p;
  }
  for (const char* p : {"a|b", "(ab)*c", "(a)?", "(ab){2}", "\\R", "\\Qa|b\\E"}) {
    EXPECT_FALSE(reads_little_past_match(p)) << p;
  }
}

TEST_F(RegexTest, CompilingIsChargedByTheSizeOfTheProgram) {
  const auto fuel_of = [&](const char* pattern) {
    env.fuel_debt = 0;
    run(B::re_pattern, {pattern});
    return env.fuel_debt;
  };
  EXPECT_LT(fuel_of("\\d+-\\w+"), 20u);
  EXPECT_GT(fuel_of("\\pL{9}"), 10'000u);
  EXPECT_EQ(fuel_of("\\pL{9}"), fuel_of("\\pL{9}")) << "known or not, the price is the same";
}

TEST_F(RegexTest, PatternsOfARunAreCompiledOnceAndAFewAreKept) {
  for (int i = 0; i < 100; ++i) run(B::re_find, {regex("a+"), "aa"});
  ASSERT_NE(env.automata, nullptr);
  EXPECT_EQ(env.automata->count(), 1u);
  for (int i = 0; i < 200; ++i) run(B::re_pattern, {("a" + std::to_string(i)).c_str()});
  EXPECT_LE(env.automata->count(), Automata::kMostBytes / (128 * 1024));
  EXPECT_EQ(run(B::re_find, {regex("a+"), "baa"}), "\"aa\"") << "what was forgotten is compiled again";
}

TEST_F(RegexTest, CompilingInALoopIsInterrupted) {
  class Impatient final : public Patience {
   public:
    Impatient() : Patience(1'000) {}
    bool is_over() override { return ++questions > 3; }
    int questions = 0;
  };
  Impatient host;
  const AccountScope scope(heap, &host);
  int compiled = 0;
  EXPECT_EQ(account::within([&] {
              for (; compiled < 100; ++compiled) compile_regex("\\pL" + std::to_string(compiled));
            }),
            account::Ending::Stopped);
  EXPECT_LT(compiled, 5);
}

TEST_F(RegexTest, EveryRegexCountsTheSameWhetherCompiledOrNot) {
  const std::uint64_t before = heap.bytes_used();
  const Owned lazy(heap, regex_make(heap, "a+", nullptr));
  const std::uint64_t made = heap.bytes_used();
  EXPECT_GE(made - before, static_cast<std::uint64_t>(kRegexBytes));
  Value args[] = {lazy.get(), string_of(heap, "aa")};
  Call call(env, B::re_find, args);
  const std::uint64_t called = heap.bytes_used();
  heap.release(builtin_re_find(call));
  EXPECT_EQ(heap.bytes_used(), called);
  heap.release(args[1]);
}

}  // namespace
}  // namespace ptc
