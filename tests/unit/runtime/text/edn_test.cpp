// EDN and JSON in and out.
#include "runtime/text/edn.h"

#include <gtest/gtest.h>

#include "runtime/text/json_value.h"
#include "vm/value/print.h"
#include "vm/value/string.h"

namespace ptc {
namespace {

class EdnTest : public ::testing::Test {
 protected:
  ~EdnTest() override { EXPECT_EQ(heap.live_objects(), 0U); }

  std::string round_trip(std::string_view text, const EdnHooks& hooks = {}) {
    const auto read = read_edn(heap, text, hooks);
    if (const auto* error = std::get_if<EdnError>(&read)) {
      return "!! " + error->message + " at " + std::to_string(error->offset);
    }
    Owned v(heap, std::get<Value>(read));
    std::string out;
    append_edn(out, v.get(), heap);
    return out;
  }

  std::string json(std::string_view text) {
    const auto read = read_json(heap, text);
    if (const auto* error = std::get_if<JsonError>(&read)) {
      return "!! " + error->message + " at " + std::to_string(error->offset);
    }
    Owned v(heap, std::get<Value>(read));
    std::string out;
    append_json(out, v.get(), heap);
    return out;
  }

  Heap heap;
};

TEST_F(EdnTest, DataOfAHostHasNoMoreRegexesThanAProgram) {
  std::string many = "[", same = "[";
  for (int i = 0; i < 40; ++i) {
    many += "#\"\\pL{9}" + std::to_string(i) + "\" ";
    same += i % 2 == 0 ? "#\"\\pL{9}\" " : "#ptc/regex \"\\\\pL{9}\" ";
  }
  EdnHooks hooks;
  hooks.bounds_regexes = true;
  EXPECT_NE(round_trip(many + "]", hooks).find("too large together at "), std::string::npos);
  EXPECT_EQ(round_trip(same + "]", hooks).substr(0, 2), "[#");
  EXPECT_EQ(round_trip(many + "]").substr(0, 2), "[#");
  EXPECT_NE(round_trip("#ptc/regex \"(\"", hooks).find("!! "), std::string::npos);
}

TEST_F(EdnTest, BlanksAreThoseOfPrograms) {
  EXPECT_EQ(round_trip("\uFEFF{\u00A0:a\u00A01\u2003\"b\u00A0c\"\u3000[2\v3]}"), "{\"b\u00A0c\" [2 3] :a 1}");
  EXPECT_EQ(round_trip("[1\u200b]"), "!! invisible character U+200B (zero width space) at 2");
  EXPECT_EQ(round_trip("[1\u00e9]"), "!! malformed number at 1");
}

TEST_F(EdnTest, ReadsBackWhatIsWritten) {
  for (const char* text : {"nil",
                           "true",
                           "-42",
                           "9223372036854775808N",
                           "1.0e20",
                           "##Inf",
                           "##-Inf",
                           "##NaN",
                           "\"a\\n\\u0001\\\"\"",
                           ":a-b",
                           "#ptc/kw \"odd name\"",
                           "[]",
                           "[1 [2 \"x\"] {}]",
                           "{:a 1 :b {:c #{1 2}}}",
                           "#{}",
                           "#date \"2024-01-15\"",
                           "#inst \"2024-01-02T03:04:05.123456Z\"",
                           "#ptc/jdate \"1970-01-01T00:00:00.001Z\"",
                           "#duration \"PT-1.5S\"",
                           "#'x",
                           "#ptc/regex \"\\\\d+\\\"\"",
                           "(pending \"call_1\")"}) {
    EXPECT_EQ(round_trip(text), text);
  }
}

TEST_F(EdnTest, ReadsOtherSpellings) {
  struct Row {
    const char *text, *result;
  };
  const Row rows[] = {
      {" ; note\n (1, 2 #_ 3 #_ #_ 4 5) ", "[1 2]"},
      {"[\\a \\newline \\( \\u0041 \\\xc3\xa9]", "[\"a\" \"\\n\" \"(\" \"A\" \"\xc3\xa9\"]"},
      {"\"\\ud83d\\ude00\\b\"", "\"\xf0\x9f\x98\x80\\u0008\""},
      {":a\xe7", "#ptc/kw \"a\xef\xbf\xbd\""},   // names are UTF-8 as strings are
      {"#'a\xe7", "#'a\xef\xbf\xbd"},
      {"a\xe7", "\"'a\xef\xbf\xbd\""},
      {"5N", "5"},
      {"+7", "7"},
      {"1e3", "1000.0"},
      {"1.5M", "1.5"},
      {"2M", "2.0"},
      {"1/2", "0.5"},
      {"#ptc/var x", "#'x"},
      {"#ptc/date \"2024-01-15\"", "#date \"2024-01-15\""},
      {"#ptc/datetime \"2024-01-15T10:00:00Z\"", "#inst \"2024-01-15T10:00:00Z\""},
      {"#ptc/time \"09:14:00\"", "\"09:14:00\""},
      {"#ptc/tuple [:error :as_data]", "[:error :as_data]"},
      {"#ptc/pending \"x\"", "(pending \"x\")"},
      {"(pending 1 2)", "[\"'pending\" 1 2]"},
      {"{:ref x}", "{:ref \"'x\"}"},
      {"#\"\\d\\\"\"", "#ptc/regex \"\\\\d\\\"\""},
      {"{:a 1 :a 2}", "{:a 2}"},
  };
  for (const Row& row : rows) EXPECT_EQ(round_trip(row.text), row.result) << row.text;
}

TEST_F(EdnTest, RefusesMalformedText) {
  for (const char* text : {"",
                           "[1",
                           "]",
                           "[1)",
                           "{:a}",
                           "\"abc",
                           "\"\\u12\"",
                           "1 2",
                           "#",
                           "#foo 1",
                           "#date \"x\"",
                           "#date 1",
                           "##Foo",
                           "\\",
                           "\\abc",
                           "12x",
                           "1/0",
                           ":",
                           "#_",
                           "[#_]",
                           "#\"[\"",
                           "#ptc/fn \"inc\"",
                           "#ptc/closure {:src \"(fn [] 1)\"}",
                           "(pending 1)",
                           "[[1 2] \"x\" {:a [3"}) {
    EXPECT_TRUE(round_trip(text).starts_with("!! ")) << text;
  }
  EXPECT_EQ(round_trip("[1 #foo 2]"), "!! tag #foo is unknown or does not fit its value at 4");
}

TEST_F(EdnTest, AsksHooksForFunctions) {
  EdnHooks hooks;
  std::string seen;
  hooks.function = [&](std::string_view text) {
    seen += text;
    return Value::of(BuiltinId{0});
  };
  hooks.closure = [&](std::string_view source, Value captured) {
    seen += source;
    append_edn(seen, captured, heap);
    return Value::of(BuiltinId{0});
  };
  round_trip(
      "[#ptc/fn \"inc\" #ptc/closure {:src \"(fn [] n)\" :captured {:n [2]}} #ptc/closure {:src \"f\"}]",
      hooks);
  EXPECT_EQ(seen, "inc(fn [] n){:n [2]}f{}");
}

TEST_F(EdnTest, SurvivesDeepNesting) {
  constexpr std::size_t kDepth = 1'000'000;
  const std::string deep = std::string(kDepth, '[') + std::string(kDepth, ']');
  EXPECT_EQ(round_trip(deep), deep);
  EXPECT_TRUE(round_trip(std::string(kDepth, '[')).starts_with("!! "));
  EXPECT_EQ(json(deep), deep);
}

TEST_F(EdnTest, ReadsAndWritesJson) {
  for (const char* text : {"null", "true", "[]", "{}", "[1,-2,1.5,\"x\"]", "{\"a\":{\"b\":[null]}}",
                           "9223372036854775808", "\"\xc3\xa9\"", "1.0e20"}) {
    EXPECT_EQ(json(text), text);
  }
  EXPECT_EQ(json(" { \"b\" : 1 , \"a\" : [ ] } "), "{\"a\":[],\"b\":1}");
  EXPECT_EQ(json("\"\\ud83d\\ude00\\/\\n\""), "\"\xf0\x9f\x98\x80/\\n\"");
  for (const char* bad : {"", "[", "[1,]", "{\"a\"}", "{1:2}", "{\"a\":1,}", "01", "1.", "+1", ".5", "nul",
                          "\"\n\"", "\"\\x\"", "[1] 2", "{\"a\":1 \"b\":2}", "-", "1e", "[1 2]", "\"abc"}) {
    EXPECT_TRUE(json(bad).starts_with("!! ")) << bad;
  }
}

TEST_F(EdnTest, WritesAnyValueAsJson) {
  const auto read = read_edn(heap, "{:k #{2 1} \"d\" #date \"2024-01-15\" 3 ##NaN nil #'x [1] :v}");
  ASSERT_TRUE(std::holds_alternative<Value>(read));
  Owned v(heap, std::get<Value>(read));
  std::string out;
  append_json(out, v.get(), heap);
  EXPECT_EQ(out, "{\"nil\":\"#'x\",\"3\":null,\"d\":\"2024-01-15\",\"k\":[1,2],\"[1]\":\"v\"}");
}

}  // namespace
}  // namespace ptc
