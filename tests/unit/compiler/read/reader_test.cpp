// Text to forms: what is read, with exact spans; what is refused, with position and message.
#include "compiler/read/reader.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace ptc {
namespace {

// Forms as text, so that expectations are short: kinds that look alike are marked.
std::string shown(const Form& form) {
  std::string items;
  for (const Form* item : form.items) items += (items.empty() ? "" : " ") + shown(*item);
  switch (form.kind) {
    case FormKind::Nil: return "nil";
    case FormKind::True: return "true";
    case FormKind::False: return "false";
    case FormKind::Int: return form.text;
    case FormKind::Float: return "f" + std::to_string(form.real);
    case FormKind::String: return "\"" + form.text + "\"";
    case FormKind::Keyword: return ":" + form.text;
    case FormKind::Symbol: return form.text;
    case FormKind::Regex: return "#\"" + form.text + "\"";
    case FormKind::Date: return "#date \"" + form.text + "\"";
    case FormKind::Instant: return "#inst \"" + form.text + "\"";
    case FormKind::Duration: return "#duration \"" + form.text + "\"";
    case FormKind::List: return "(" + items + ")";
    case FormKind::Vector: return "[" + items + "]";
    case FormKind::Map: return "{" + items + "}";
    case FormKind::Set: return "#{" + items + "}";
    case FormKind::Lambda: return "#(" + items + ")";
    case FormKind::VarQuote: return "#'" + form.text;
    case FormKind::LocalAlias: return "?";
  }
  return "?";
}

std::string read(std::string_view text) {
  FormArena arena;
  const ReadResult result = read_forms(text, arena);
  if (result.failed) return "error: " + result.error.message;
  std::string out;
  for (const Form* form : result.forms) out += (out.empty() ? "" : " ") + shown(*form);
  return out;
}

TEST(Reader, ReadsEveryKindOfForm) {
  const struct { std::string_view text, forms; } cases[] = {
      {"", ""},
      {" ,\t\r\n; comment", ""},
      {"nil true false", "nil true false"},
      {"1 -2 007 -0 +5", "1 -2 7 0 +5"},
      {"1.5 -2e3 1E-2", "f1.500000 f-2000.000000 f0.010000"},
      {"##Inf ##-Inf", "finf f-inf"},
      {"1e400 -1e400 1e-400", "finf f-inf f0.000000"},
      {"0.0000000000000000000000001e430", "finf"},
      {":a :1 :a-b?! :nil", ":a :1 :a-b?! :nil"},
      {"a-b data/x *1 / .m & a' ->>", "a-b data/x *1 / .m & a' ->>"},
      {"(f [1 {:a #{2}}])", "(f [1 {:a #{2}}])"},
      {"#(+ % 1) #'x #\"\\d\\\\.\"", "#(+ % 1) #'x #\"\\d\\.\""},
      {"[1 #_ 2 3 #_ #_ 4 5]", "[1 3]"},
      {"#_ (a b) c", "c"},
      {"a:b", "a :b"},
      {"nilly truer", "nilly truer"},
  };
  for (const auto& c : cases) EXPECT_EQ(read(c.text), c.forms) << c.text;
}

TEST(Reader, DecodesEscapes) {
  const struct { std::string_view text, forms; } cases[] = {
      {R"("a\n\t\r\\\"")", "\"a\n\t\r\\\"\""},
      {R"("\u0041\b\f")", "\"A\b\f\""},
      {R"("\ud83d\ude00")", "\"\U0001F600\""},
      {R"("\ud83d")", "\"\\ud83d\""},
      {R"("\d \q \u12")", "\"\\d \\q \\u12\""},
      {R"(\a \newline \space \u0041 \o101 \( \")", "\"a\" \"\n\" \" \" \"A\" \"A\" \"(\" \"\"\""},
      {"\"a\nb\"", "\"a\nb\""},
      {R"(#"\bword\u0041\n")", "#\"\\bword\\u0041\n\""},
  };
  for (const auto& c : cases) EXPECT_EQ(read(c.text), c.forms) << c.text;
}

TEST(Reader, TakesUnicodeBlanksAndTheByteOrderMark) {
  EXPECT_EQ(read("\uFEFF(+\u00A01\u20032\u3000)"), "(+ 1 2)");
}

TEST(Reader, RefusesWithMessageAndPosition) {
  const struct { std::string_view text, message; std::uint32_t line, column; } cases[] = {
      {"0x1F", "malformed number '0x1F'", 1, 1},
      {"(+ 1-2)", "malformed number '1-2'", 1, 4},
      {"1/2", "malformed number '1/2'", 1, 1},
      {"5.", "malformed number '5.'", 1, 1},
      {"1N", "malformed number '1N'", 1, 1},
      {":a/b", "malformed keyword ':a/b'", 1, 1},
      {"::x", "malformed keyword '::x'", 1, 1},
      {"{\"a\": 1}", "malformed keyword ':'", 1, 5},
      {"\\ab", "malformed character '\\ab'", 1, 1},
      {"\\ud800", "malformed character '\\ud800'", 1, 1},
      {"nil:a", "malformed literal 'nil:a'", 1, 1},
      {"##Nope", "unknown symbolic value '##Nope'", 1, 1},
      {"{1 2 3}", "Map literal requires even number of forms, got 3", 1, 1},
      {"(+ 1 2))", "unbalanced parentheses: extra ')' at line 1, column 8", 1, 8},
      {"]", "unbalanced brackets: extra ']' at line 1, column 1", 1, 1},
      {"(a\n [b)", "unexpected ')', expected ']' to close '[' opened at line 2, column 2", 2, 4},
      {"[1 #_]", "#_ has no form to discard", 1, 4},
      {"\"a\\\nb\"", "a backslash before a line break in a string literal", 1, 3},
      {"#java[1]", "unknown reader syntax '#java'", 1, 1},
      {"\u201cx\u201d", "unexpected character '\u201c'", 1, 1},
      {"(str \"\u00e9\u00e9\" \u00e9)", "unexpected character '\u00e9'", 1, 11},
      {"(+ 1\u200b 2)", "invisible character U+200B (zero width space)", 1, 5},
      {"(f\n  \u2060x)", "invisible character U+2060 (word joiner)", 2, 3},
      {"(na\u200bme)", "invisible character U+200B (zero width space)", 1, 4},
      {":a\u200d", "invisible character U+200D (zero width joiner)", 1, 3},
      {"nil\u00ad", "invisible character U+00AD (soft hyphen)", 1, 4},
      {"a \x01", "invisible character U+0001 (control character)", 1, 3},
      {"a \xff", "the text is not valid UTF-8", 1, 3},
      {"\xed\xa0\x80", "the text is not valid UTF-8", 1, 1},
  };
  for (const auto& c : cases) {
    FormArena arena;
    const ReadResult result = read_forms(c.text, arena);
    ASSERT_TRUE(result.failed) << c.text;
    EXPECT_EQ(result.error.kind, FaultKind::ParseError);
    EXPECT_EQ(result.error.message, c.message);
    EXPECT_EQ(result.error.span.line, c.line) << c.text;
    EXPECT_EQ(result.error.span.column, c.column) << c.text;
    EXPECT_FALSE(result.incomplete) << c.text;
  }
}

TEST(Reader, RefusesForeignReaderSyntaxOneByOne) {
  const struct { std::string_view text, word;
  } cases[] = {
      {"@x", "deref"},
      {"'x", "quote syntax"},
      {"`x", "syntax quote"},
      {"~x", "unquote"},
      {"~@x", "splicing"},
      {"^x y", "metadata"},
      {"#?(:a 1)", "conditionals"},
      {"#inst x", "#inst must be followed by a string"},
      {"#uuid \"x\"", "#uuid"},
      {"#:a{}", "namespaced maps"},
      {"#=(f)", "read-time"},
  };
  for (const auto& c : cases) {
    FormArena arena;
    const ReadResult result = read_forms(c.text, arena);
    ASSERT_TRUE(result.failed) << c.text;
    EXPECT_NE(result.error.message.find(c.word), std::string::npos) << result.error.message;
    EXPECT_FALSE(result.error.hint.empty()) << c.text;
  }
}

TEST(Reader, SaysThatATextIsIncompleteAndWhereItWasOpened) {
  const struct { std::string_view text, message; std::uint32_t column; } cases[] = {
      {"(foo [1", "unclosed '[' opened at line 1, column 6", 6},
      {"#{1", "unclosed '#{' opened at line 1, column 1", 1},
      {"(a \"b", "unclosed string opened at line 1, column 4", 4},
      {"(a #\"b", "unclosed regex opened at line 1, column 4", 4},
  };
  for (const auto& c : cases) {
    FormArena arena;
    const ReadResult result = read_forms(c.text, arena);
    EXPECT_TRUE(result.failed && result.incomplete) << c.text;
    EXPECT_EQ(result.error.message, c.message);
    EXPECT_EQ(result.error.span.column, c.column);
  }
}

TEST(Reader, GivesExactSpans) {
  FormArena arena;
  const ReadResult result = read_forms("(a \"\u00e9\")\n  [b]", arena);
  ASSERT_EQ(result.forms.size(), 2u);
  const Form& list = *result.forms[0];
  EXPECT_EQ(list.span.begin, 0u);
  EXPECT_EQ(list.span.end, 8u);
  EXPECT_EQ(list.items[1]->span.begin, 3u);
  EXPECT_EQ(list.items[1]->span.end, 7u);
  const Form& vector = *result.forms[1];
  EXPECT_EQ(vector.span.line, 2u);
  EXPECT_EQ(vector.span.column, 3u);
  EXPECT_EQ(vector.items[0]->span.column, 4u);
}

TEST(Reader, LimitsDepthAndNumberLength) {
  EXPECT_EQ(read(std::string(512, '[') + std::string(512, ']')).substr(0, 2), "[[");
  EXPECT_EQ(read(std::string(513, '[')).substr(0, 33), "error: forms nested deeper than 5");
  EXPECT_EQ(read(std::string(100, '9')), std::string(100, '9'));
  EXPECT_EQ(read(std::string(101, '9')), "error: integer literal longer than 100 digits");
  EXPECT_EQ(read(std::string(500, '0') + "1"), "1");
}

TEST(Reader, ReadsNoMoreThanAMegabyte) {
  const std::string most = "\"" + std::string(kMaxSourceBytes - 2, 'a') + "\"";
  FormArena arena;
  EXPECT_FALSE(read_forms(most, arena).failed);
  const ReadResult more = read_forms(most + " ", arena);
  ASSERT_TRUE(more.failed);
  EXPECT_EQ(more.error.message, "a program of more than 1048576 bytes, which is the most");
  EXPECT_EQ(more.error.span.line, 1u);
}

}  // namespace
}  // namespace ptc
