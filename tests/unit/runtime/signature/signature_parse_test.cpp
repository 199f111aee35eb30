// The reader of signatures: where its errors are, what they say, hostile texts, and that it reads what is written.
#include <gtest/gtest.h>

#include "runtime/signature/signature.h"
#include "tests/unit/runtime/signature/random_signature.h"

namespace ptc {
namespace {

SignatureError error_of(std::string_view text) {
  const auto result = parse_signature(text);
  const auto* error = std::get_if<SignatureError>(&result);
  EXPECT_NE(error, nullptr) << text;
  return error == nullptr ? SignatureError{} : *error;
}

struct Refusal {
  std::string_view text;
  std::uint32_t column;
  std::string_view message;      // how it begins
};

TEST(SignatureParse, errors_stand_where_the_text_must_change) {
  for (const Refusal& c : std::initializer_list<Refusal>{
           {"", 1, "expected a type such as :int, [:int] or {name :string}, got the end of the text"},
           {"  ", 3, "expected a type"},
           {"int", 1, "expected a type; did you mean :int?"},
           {":strng", 1, "unknown type :strng; did you mean :string?"},
           {"{a :int, b :list}", 12, "unknown type :list; a list is written [:any]"},
           {":qqqq", 1, "unknown type :qqqq; types are :any, :string, :int, :float, :bool, :keyword, :map, :date, "
                        ":datetime, :duration, [type] and {field type}"},
           {": int", 2, "expected the name of a type right behind the colon, got  "},
           {"[]", 2, "a list says what is in it: [:any]"},
           {"[:int", 6, "expected ] behind the type of the elements, got the end of the text"},
           {"[:int :int]", 7, "expected ] behind the type of the elements, got :"},
           {"{a :int b :int}", 9, "expected , or }, got b"},
           {"{a :int,}", 9, "expected a field such as name :type, got }"},
           {"{:a :int}", 2, "a field is written name :type, without a colon before the name"},
           {"{a :int, a :int}", 10, "there is a field a already"},
           {"{a-b :int, a_b :int}", 12, "there is a field a_b already"},
           {"(q :string)", 12, "expected -> and the type of the result, got the end of the text"},
           {"(q :string) :int", 13, "expected -> and the type of the result, got :"},
           {"(q :string -> :int", 12, "expected , or ), got -"},
           {"() ->", 6, "expected a type such as"},
           {":int :int", 6, "unexpected text behind the type"},
           {":int ?", 6, "? stands right behind its type, once"},
           {":int??", 6, "? stands right behind its type, once"},
           {":int | :nil", 6, "there are no unions"},
           {"q -> :int", 1, "expected a type such as"},
           {":int -> :int", 6, "parameters stand in parentheses"},
           {"{a \xC3\xA9}", 4, "expected a type such as :int, [:int] or {name :string}, got \xC3\xA9"},
           {"{a \xFF}", 4, "expected a type such as :int, [:int] or {name :string}, got \xEF\xBF\xBD"},
       }) {
    const SignatureError error = error_of(c.text);
    EXPECT_EQ(error.column, c.column) << c.text << ": " << error.message;
    EXPECT_EQ(error.message.substr(0, c.message.size()), c.message) << c.text;
  }
}

TEST(SignatureParse, hostile_texts_are_bounded) {
  const std::size_t million = 1'000'000;
  EXPECT_EQ(error_of(std::string(million, '[')).column, kMaxSignatureBytes + 1);
  EXPECT_EQ(error_of(std::string(60'000, '[')).message, "types are nested deeper than 32 levels");
  EXPECT_EQ(error_of(std::string(60'000, '[')).column, 34u);
  std::string records, fields = "{";
  for (int i = 0; i < 10'000; ++i) records += "{a [";
  for (int i = 0; i < 2'000; ++i) fields += "f" + std::to_string(i) + ",";
  EXPECT_EQ(error_of(records).message, "types are nested deeper than 32 levels");
  EXPECT_EQ(error_of(fields + "z}").message, "more than 1000 fields");
  EXPECT_EQ(error_of(":" + std::string(60'000, 'x')).message, "unknown type");
  for (int byte = 0; byte < 256; ++byte) {
    EXPECT_TRUE(std::holds_alternative<SignatureError>(parse_signature(std::string(100, static_cast<char>(byte)))));
  }
}

TEST(SignatureParse, takes_the_deepest_type_that_is_allowed) {
  const auto nested = [](std::size_t levels) {
    return std::string(levels, '[') + ":int" + std::string(levels, ']');
  };
  EXPECT_TRUE(std::holds_alternative<Signature>(parse_signature(nested(32))));
  EXPECT_TRUE(std::holds_alternative<SignatureError>(parse_signature(nested(33))));
}

TEST(SignatureParse, reads_every_signature_that_is_written) {
  for (std::uint32_t seed = 0; seed < 2'000; ++seed) {
    const Signature signature = RandomSignature(seed).make();
    const std::string text = render_signature(signature);
    const auto again = parse_signature(text);
    ASSERT_TRUE(std::holds_alternative<Signature>(again)) << "seed " << seed << ": " << text;
    EXPECT_TRUE(std::get<Signature>(again) == signature) << "seed " << seed << ": " << text;
    EXPECT_EQ(render_signature(std::get<Signature>(again)), text);
  }
}

TEST(SignatureParse, changed_texts_are_refused_inside_of_the_text_or_read) {
  std::size_t good = 0;
  for (std::uint32_t seed = 0; seed < 5'000; ++seed) {
    std::mt19937 random(seed);
    std::string text = render_signature(RandomSignature(seed).make());
    static constexpr std::string_view kBytes = "(){}[]:?,-> \n_a\xC3";
    text.insert(random() % (text.size() + 1), 1, kBytes[random() % kBytes.size()]);
    text.erase(random() % text.size(), random() % 3);
    if (text.empty()) text = " ";
    const auto read = parse_signature(text);
    if (const auto* error = std::get_if<SignatureError>(&read)) {
      EXPECT_TRUE(error->column >= 1 && error->column <= text.size() + 1) << text;
      EXPECT_FALSE(error->message.empty()) << text;
      continue;
    }
    ++good;
    const auto again = parse_signature(render_signature(std::get<Signature>(read)));
    ASSERT_TRUE(std::holds_alternative<Signature>(again)) << text;
    EXPECT_TRUE(std::get<Signature>(again) == std::get<Signature>(read)) << text;
  }
  EXPECT_GT(good, 50u);
}

}  // namespace
}  // namespace ptc
