// The text forms of values.
#include "vm/value/print.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "schema/builtin_id.h"
#include "vm/value/calendar.h"
#include "vm/value/function.h"
#include "vm/value/map.h"
#include "vm/value/numeric.h"
#include "vm/value/pending.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

class PrintTest : public ::testing::Test {
 protected:
  ~PrintTest() override { EXPECT_EQ(heap.live_objects(), 0U); }

  Value text(std::string_view utf8) { return string_of(heap, utf8); }
  Value keyword(std::string_view name) { return Value::of(heap.intern(name)); }
  Value vector(std::vector<Value> taken) { return vector_of(heap, taken); }
  Value map(std::vector<Value> taken_keys, std::vector<Value> taken_values) {
    return map_from(heap, taken_keys, taken_values);
  }
  Value closure(const FunctionInfo& info, std::vector<Value> taken_upvalues) {
    const auto count = static_cast<std::uint32_t>(taken_upvalues.size());
    auto* object = heap.make<Closure>(Kind::Closure, sizeof(Closure) + count * sizeof(Value));
    object->upvalue_count = count;
    object->serial = heap.next_closure_serial();
    object->function = &info;
    for (std::uint32_t i = 0; i < count; ++i) object->upvalues()[i] = taken_upvalues[i];
    return Value::of(Tag::Closure, object);
  }

  void expect(Value taken, const char* readable, const char* edn, const char* str) {
    Owned v(heap, taken);
    std::string out;
    append_readable(out, v.get(), heap);
    EXPECT_EQ(out, readable);
    out.clear();
    append_edn(out, v.get(), heap);
    EXPECT_EQ(out, edn);
    out.clear();
    append_str(out, v.get(), heap);
    EXPECT_EQ(out, str);
  }
  void expect(Value taken, const char* all) { expect(taken, all, all, all); }

  Heap heap;
};

TEST_F(PrintTest, WritesScalars) {
  expect(Value::nil(), "nil", "nil", "");
  expect(Value::boolean(true), "true");
  expect(Value::integer(-42), "-42");
  expect(Value::real(1e20), "1.0e20");
  expect(Value::real(std::numeric_limits<double>::infinity()), "##Inf", "##Inf", "Infinity");
  expect(integer_from_decimal(heap, "9223372036854775808"), "9223372036854775808", "9223372036854775808N",
         "9223372036854775808");
  expect(keyword("a-b"), ":a-b");
  expect(keyword("odd name"), ":odd name", "#ptc/kw \"odd name\"", ":odd name");
  expect(keyword(""), ":", "#ptc/kw \"\"", ":");
}

TEST_F(PrintTest, EscapesStrings) {
  expect(text("a\"b\\c\n\t\r\x01\x7f\xc3\xa9"), "\"a\\\"b\\\\c\\n\\t\\r\\u0001\\u007f\xc3\xa9\"",
         "\"a\\\"b\\\\c\\n\\t\\r\\u0001\\u007f\xc3\xa9\"", "a\"b\\c\n\t\r\x01\x7f\xc3\xa9");
}

TEST_F(PrintTest, EscapesEachByteAtEachPlace) {
  for (int byte = 0; byte < 0x80; ++byte) {
    const char c = static_cast<char>(byte);
    std::string alone;
    append_quoted(alone, std::string_view(&c, 1));
    const std::string written = alone.substr(1, alone.size() - 2);
    EXPECT_EQ(written.size() > 1, byte < 0x20 || byte == 0x7f || c == '"' || c == '\\') << byte;
    for (std::size_t before = 0; before < 18; ++before) {
      const std::string start = std::string(before, 'a') + "\u00e9", end = "\u00e9" + std::string(17 - before, 'z');
      std::string quoted;
      append_quoted(quoted, start + c + end);
      EXPECT_EQ(quoted, '"' + start + written + end + '"') << byte << " after " << before;
    }
  }
}

TEST_F(PrintTest, WritesCollections) {
  expect(vector({}), "[]");
  expect(vector({Value::integer(1), text("a"), Value::nil(), vector({})}), "[1 \"a\" nil []]");
  expect(map({}, {}), "{}");
  expect(map({keyword("b"), keyword("a")}, {Value::integer(1), map({}, {})}), "{:a {} :b 1}");
  expect(set_add(heap, set_add(heap, set_empty(heap), Value::integer(2)), Value::integer(1)), "#{1 2}");
  expect(vector_range(heap, 0, 2, 3), "[0 2 4]");
}

TEST_F(PrintTest, WritesTemporals) {
  expect(Value::date(19'724), "#date \"2024-01-02\"", "#date \"2024-01-02\"", "2024-01-02");
  expect(instant_of(heap, {0, 500'000'000}), "#inst \"1970-01-01T00:00:00.500Z\"",
         "#inst \"1970-01-01T00:00:00.500Z\"", "1970-01-01T00:00:00.500Z");
  expect(legacy_date_of(heap, -1'000), "#inst \"1969-12-31T23:59:59Z\"",
         "#ptc/jdate \"1969-12-31T23:59:59.000Z\"", "1969-12-31T23:59:59Z");
  expect(duration_of(heap, {-2, 500'000'000}), "#duration \"PT-1.5S\"", "#duration \"PT-1.5S\"", "PT-1.5S");
}

TEST_F(PrintTest, WritesFunctions) {
  expect(Value::of(BuiltinId::add), "#<builtin +>", "#ptc/fn \"+\"", "#<builtin +>");
  FunctionInfo anonymous;
  anonymous.printed = "#fn[x]";
  anonymous.source = "(fn [x] \"q\")";
  expect(closure(anonymous, {}), "#fn[x]", "#ptc/closure {:src \"(fn [x] \\\"q\\\")\"}", "#fn[x]");
  FunctionInfo capturing = anonymous;
  capturing.source = "(fn [x] (+ n x))";
  capturing.upvalue_names = {"n", "m"};
  expect(closure(capturing, {Value::integer(2), vector({closure(anonymous, {}), text("s")})}), "#fn[x]",
         "#ptc/closure {:src \"(fn [x] (+ n x))\" :captured {:n 2 :m [#ptc/closure {:src \"(fn [x] "
         "\\\"q\\\")\"} \"s\"]}}",
         "#fn[x]");
  FunctionInfo prelude;
  prelude.name = "partial";
  prelude.printed = "#<fn>";
  expect(closure(prelude, {Value::integer(1)}), "#<fn>", "#ptc/fn \"partial\"", "#<fn>");
}

TEST_F(PrintTest, WritesInertValues) {
  auto* var = heap.make<Var>(Kind::Var);
  var->name = heap.intern("x");
  expect(Value::of(Tag::Var, var), "#'x");
  expect(pending_of(heap, text("call_1")), "(pending \"call_1\")");
  auto* regex = heap.make<Regex>(Kind::Regex);
  regex->source = static_cast<String*>(text("\\d\"").object);
  regex->compiled = nullptr;
  expect(Value::of(Tag::Regex, regex), "#\"\\d\\\"\"", "#ptc/regex \"\\\\d\\\"\"", "#\"\\d\\\"\"");
}

TEST_F(PrintTest, PrintFormLeavesStringsRaw) {
  std::string out;
  Owned s(heap, text("a\"b"));
  append_print(out, s.get(), heap);
  append_print(out, Value::nil(), heap);
  EXPECT_EQ(out, "a\"bnil");
}

TEST_F(PrintTest, SurvivesDeepNesting) {
  constexpr std::uint32_t kManyVectors = 1'000'000;
  Value v = vector({});
  for (std::uint32_t i = 1; i < kManyVectors; ++i) v = vector({v});
  Owned owned(heap, v);
  std::string out;
  append_edn(out, v, heap);
  EXPECT_EQ(out.size(), 2U * kManyVectors);
}

TEST_F(PrintTest, StopsAtTheLimit) {
  Owned range(heap, vector_range(heap, 0, 1, 1'000'000));
  bool truncated = false;
  std::string out;
  append_readable(out, range.get(), heap, {.max_bytes = 100, .truncated = &truncated});
  EXPECT_TRUE(truncated);
  EXPECT_LT(out.size(), 120U);
  Owned longer(heap, text(std::string(1'000, 'x')));
  out.clear();
  append_readable(out, longer.get(), heap, {.max_bytes = 100, .truncated = &truncated});
  EXPECT_TRUE(truncated);
  EXPECT_EQ(out.size(), 102U);
  out.clear();
  append_readable(out, Value::nil(), heap, {.max_bytes = 100, .truncated = &truncated});
  EXPECT_FALSE(truncated);
}

}  // namespace
}  // namespace ptc
