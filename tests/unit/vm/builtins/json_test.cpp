// JSON both ways: exact integers, malformed text, paths in complaints, depth.
#include "tests/unit/vm/builtins/builtin_test.h"

namespace ptc {
namespace {

using JsonTest = BuiltinTest;
using B = BuiltinId;

TEST_F(JsonTest, Parses) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"a":1,"b":[true,false,null,"x"]})", R"({"a" 1 "b" [true false nil "x"]})"},
      {"[1, 2.5, -3e2, 1E2, 0, -0]", "[1 2.5 -300.0 100.0 0 0]"},
      {"18446744073709551616", "18446744073709551616"},
      {"-99999999999999999999", "-99999999999999999999"},
      {"18446744073709551615", "18446744073709551615"},
      {"0.1", "0.1"},
      {"3.4028234663852886e38", "3.4028234663852886e38"},
      {R"("\u00e9\ud83d\ude00\n\/")", R"("é😀\n/")"},
      {R"({"a":1,"a":2})", R"({"a" 2})"},
      {" [ ] \n", "[]"},
      {"{}", "{}"},
      {R"("")", R"("")"}};
  for (const auto& [text, expected] : cases) EXPECT_EQ(run(B::json_parse_string, {text}), expected) << text;
}

TEST_F(JsonTest, MalformedTextIsNil) {
  for (const char* text : {"", "not json", "[1,]", "{a:1}", "[1 2]", "1 2", "[1", "01", "+1", "'a'", "[1]]", "NaN",
                           R"("\ud800")", R"({"a":})", "{\"a\":1,", "tru", "\"a"}) {
    EXPECT_EQ(run(B::json_parse_string, {text}), "nil") << text;
  }
  EXPECT_EQ(run(B::json_parse_string, {nullptr}), "nil");
  EXPECT_EQ(run(B::json_parse_string, {5}), "nil");
  EXPECT_EQ(fault(B::json_parse_string, {pending("c")}), "type_error");
}

TEST_F(JsonTest, Lines) {
  EXPECT_EQ(run(B::json_parse_lines, {"{\"a\":1}\n\nnull\r\nnot json\n[2]"}), R"([{"a" 1} nil nil [2]])");
  EXPECT_EQ(run(B::json_parse_lines, {""}), "[]");
  EXPECT_EQ(fault(B::json_parse_lines, {nullptr}), "type_error");
}

TEST_F(JsonTest, LimitsOfParsing) {
  EXPECT_EQ(run(B::json_parse_string, {std::string(500, '[') + std::string(500, ']')}).size(), 1000u);
  EXPECT_EQ(fault(B::json_parse_string, {std::string(100'000, '[')}), "type_error");
  EXPECT_EQ(fault(B::json_parse_string, {"[1," + std::string(40'000, '9') + "]"}), "integer_limit_exceeded");
  heap.set_limit_bytes(heap.bytes_used() + 20'000);
  std::string text = "[[1]";
  for (int i = 0; i < 1000; ++i) text += ",[1]";
  EXPECT_EQ(fault(B::json_parse_string, {text + "]"}), "memory_exceeded");
}

TEST_F(JsonTest, Generates) {
  const auto generated = [&](Arg v) { return run(B::json_generate_string, {v}); };
  EXPECT_EQ(generated(map({{"a", 1}, {"b", vec({2, 3})}})), R"("{\"a\":1,\"b\":[2,3]}")");
  EXPECT_EQ(generated(map({{keyword("k"), nullptr}, {1, true}})), R"("{\"1\":true,\"k\":null}")");
  EXPECT_EQ(generated(vec({})), R"("[]")");
  EXPECT_EQ(generated(map({})), R"("{}")");
  EXPECT_EQ(generated(vec({1.5, 1e20, big("99999999999999999999")})), R"("[1.5,1.0e20,99999999999999999999]")");
  EXPECT_EQ(generated("é\"\\\n\x01"), "\"\\\"é\\\\\\\"\\\\\\\\\\\\n\\\\u0001\\\"\"");
}

TEST_F(JsonTest, ComplaintsNameThePath) {
  EXPECT_EQ(
      run(B::json_generate_string, {map({{"a", vec({1, keyword("x")})}})}),
      R"(!! type_error: json/generate-string: cannot write a keyword as a value (use (name k)), at path ["a" 1])");
  EXPECT_EQ(run(B::json_generate_string, {vec({map({{nullptr, 1}})})}),
            "!! type_error: json/generate-string: cannot write a map key that is a nil, at path [0 nil]");
  EXPECT_EQ(fault(B::json_generate_string, {1.0 / 0.0}), "type_error");
  EXPECT_EQ(fault(B::json_generate_string, {vec({pending("c")})}), "type_error");
  EXPECT_EQ(fault(B::json_generate_string, {map({{"a", 1}, {keyword("a"), 2}})}), "type_error");
  EXPECT_EQ(fault(B::json_generate_string, {map({{1, 1}, {keyword("1"), 2}})}), "type_error");
}

TEST_F(JsonTest, DeepAndSharedDataNeedNoStack) {
  Value deep = vector_empty(heap);
  for (int i = 0; i < 1'000'000; ++i) deep = vector_of(heap, std::span<const Value>(&deep, 1));
  Value args[] = {deep};
  Call call(env, B::json_generate_string, args);
  const Owned text(heap, builtin_json_generate_string(call));
  ASSERT_TRUE(text.get().is_string());
  EXPECT_EQ(as_string(text.get())->size_bytes, 2'000'002u);
  heap.release(args[0]);
  Value doubling = vector_of(heap, std::vector<Value>{Value::integer(1)});
  for (int i = 0; i < 60; ++i) {
    const Value pair[] = {doubling, retained(doubling)};
    doubling = vector_of(heap, pair);
  }
  Value wide[] = {doubling};
  Call blown(env, B::json_generate_string, wide);
  EXPECT_TRUE(builtin_json_generate_string(blown).is_absent());
  EXPECT_EQ(env.fault.kind, FaultKind::StringLimitExceeded);
  heap.release(doubling);
}

}  // namespace
}  // namespace ptc
