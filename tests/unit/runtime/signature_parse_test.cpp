// The reader of signatures: where its errors stand, what they say, hostile texts, and that it reads what is written.
#include <gtest/gtest.h>

#include <random>

#include "runtime/signature/signature.h"

namespace ptc {
namespace {

SignatureError error_of(std::string_view text) {
  const auto result = parse_signature(text);
  const auto* error = std::get_if<SignatureError>(&result);
  EXPECT_NE(error, nullptr) << text;
  return error == nullptr ? SignatureError{} : *error;
}

struct Case {
  std::string_view text;
  std::uint32_t column;
  std::string_view message;      // how it begins
};

TEST(SignatureParse, errors_stand_where_the_text_must_change) {
  for (const Case& c : std::initializer_list<Case>{
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

class RandomSignature {
 public:
  explicit RandomSignature(std::uint32_t seed) : random_(seed) {}

  Signature make() {
    Signature signature;
    signature.has_params = below(2) == 0;
    if (signature.has_params) signature.params = fields(0);
    signature.result = type(0);
    return signature;
  }

 private:
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }

  SignatureType type(int depth) {
    SignatureType made;
    constexpr auto kLast = static_cast<std::uint32_t>(SignatureType::Kind::Record);
    made.kind = static_cast<SignatureType::Kind>(below(depth > 5 ? kLast - 1 : kLast + 1));
    made.optional = below(3) == 0;
    if (made.kind == SignatureType::Kind::List) made.element.push_back(type(depth + 1));
    if (made.kind == SignatureType::Kind::Record) made.fields = fields(depth);
    return made;
  }

  std::vector<SignatureField> fields(int depth) {
    std::vector<SignatureField> made(below(5));
    for (std::size_t i = 0; i < made.size(); ++i) {
      static constexpr std::string_view kNames[] = {"a", "user-id", "_email", "B2", "0"};
      made[i].name = std::string(kNames[below(5)]) + "x" + std::to_string(i);
      made[i].type = type(depth + 1);
    }
    return made;
  }

  std::mt19937 random_;
};

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

}  // namespace
}  // namespace ptc
