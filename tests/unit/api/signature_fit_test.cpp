// Values that are converted to a signature, and JSON Schema read back.
#include "run_fixture.h"

namespace ptcvm {
namespace {

Signature read(std::string_view text) { return Signature::parse(text).value(); }

TEST(SignatureFitTest, AResultIsConvertedWhereNothingIsLost) {
  const Signature signature = read("[{id :int, at :date}]");
  const SignatureFit fit = signature.fit_result(Value::from_edn("[{:id \"7\" :at \"2024-01-15\"}]").value());
  EXPECT_TRUE(fit.mismatches.empty());
  EXPECT_TRUE(fit.is_changed);
  EXPECT_EQ(fit.value.view()[std::size_t{0}]["at"].kind(), ValueKind::Date);
  const SignatureFit again = signature.fit_result(Value::from_edn(fit.value.to_edn()).value());
  EXPECT_FALSE(again.is_changed);
  EXPECT_EQ(again.value.to_edn(), fit.value.to_edn());
}

TEST(SignatureFitTest, MismatchesHavePathsAndLeaveTheValue) {
  const SignatureFit fit = read("{a :int, b :string}").fit_result(Value::from_edn("{:a :x :b nil}").value(), "value");
  ASSERT_EQ(fit.mismatches.size(), 2u);
  EXPECT_EQ(fit.mismatches[0].path, "value.a");
  EXPECT_FALSE(fit.mismatches[0].message.empty());
  EXPECT_EQ(fit.value.to_edn(), "{:a :x :b nil}");
  EXPECT_FALSE(read(":int").fit_result({}).mismatches.empty());
}

TEST(SignatureFitTest, ArgumentsAreBoundByName) {
  const Signature signature = read("(max-count :int, q :string?) -> :any");
  EXPECT_EQ(signature.fit_params(Value::from_edn("{:max-count \"3\"}").value()).value.to_edn(), "{\"max_count\" 3}");
  EXPECT_EQ(signature.fit_params(Value::from_edn("{:limit 3}").value()).mismatches[0].path.substr(0, 4), "args");
}

TEST(SignatureFitTest, JsonSchemaIsReadBack) {
  for (const char* text : {"(q :string, limit :int?) -> [{id :int}]", "{name :string, age :int?}"}) {
    const Signature signature = read(text);
    EXPECT_EQ(Signature::from_json_schema(signature.json_schema()).value().text(), signature.text());
  }
  const auto wrong = Signature::from_json_schema(R"({"type":"object","properties":{"a":{"type":"nothing"}}})");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, Errc::invalid_signature);
  EXPECT_TRUE(wrong.error().message.starts_with("at /properties/a")) << wrong.error().message;
}

TEST(SignatureFitTest, AnErrorHasItsColumn) {
  const auto error = Signature::parse("{a :nothing}").error();
  ASSERT_TRUE(error.diagnostic);
  EXPECT_EQ(error.diagnostic->column, 4u);
  EXPECT_NE(error.message.find(error.diagnostic->message), std::string::npos);
}

}  // namespace
}  // namespace ptcvm
