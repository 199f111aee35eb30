// Reads signatures. The position of an error is the byte that a person must change.
#include <algorithm>

#include "runtime/signature/signature.h"
#include "runtime/signature/type_names.h"
#include "schema/closest_name.h"
#include "vm/value/utf8.h"

namespace ptc {
namespace {

struct TypeAdvice {
  std::string_view name, advice;
};

// Names that other type languages have.
constexpr auto kForeignTypes = std::to_array<TypeAdvice>({
    {"list", "a list is written [:any] or with the type of its elements, [:int]"},
    {"array", "a list is written [:any] or with the type of its elements, [:int]"},
    {"vector", "a list is written [:any] or with the type of its elements, [:int]"},
    {"set", "a list is written [:any] or with the type of its elements, [:int]"},
    {"tuple", "use a record with named fields, {a :int, b :string}"},
    {"object", "use :map, or a record {name :string}"},
    {"record", "use :map, or a record {name :string}"},
    {"dict", "use :map, or a record {name :string}"},
    {"str", "use :string"},
    {"text", "use :string"},
    {"double", "use :float"},
    {"decimal", "use :float"},
    {"long", "use :int"},
    {"instant", "use :datetime"},
    {"timestamp", "use :datetime"},
    {"nil", "a type that may be nil is written with ? behind it, :int?"},
    {"null", "a type that may be nil is written with ? behind it, :int?"},
});

std::string advice_on(std::string_view word) {
  for (const TypeAdvice& foreign : kForeignTypes) {
    if (foreign.name == word) return "; " + std::string(foreign.advice);
  }
  std::vector<std::string_view> names;
  for (const SignatureTypeName& known : kSignatureTypeNames) names.push_back(known.name);
  const std::string_view closest = closest_name(word, names);
  if (!closest.empty()) return "; did you mean :" + std::string(closest) + "?";
  std::string text = "; types are";
  for (std::size_t i = 0; i < names.size() && names[i] != "integer"; ++i) {
    text += (i == 0 ? " :" : ", :") + std::string(names[i]);
  }
  return text + ", [type] and {field type}";
}

class SignatureReader {
 public:
  explicit SignatureReader(std::string_view text) : text_(text) {}

  std::variant<Signature, SignatureError> read() {
    Signature signature;
    if (!read_whole(signature)) return error_;
    return signature;
  }

 private:
  bool read_whole(Signature& signature) {
    if (text_.size() > kMaxSignatureBytes) {
      return fail_at(kMaxSignatureBytes,
                     "the signature is longer than " + std::to_string(kMaxSignatureBytes) + " bytes");
    }
    skip_blank();
    if (peek() == '(') {
      signature.has_params = true;
      if (!read_fields(signature.params, '(', ')', 0) || !read_arrow()) return false;
    }
    if (!read_type(signature.result, 0)) return false;
    skip_blank();
    return at_ == text_.size() || fail_behind_type();
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool at_end() const { return at_ >= text_.size(); }

  void skip_blank() {
    while (at_ < text_.size() && (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r')) ++at_;
  }

  bool fail_at(std::size_t at, std::string message) {
    error_ = {std::move(message), static_cast<std::uint32_t>(at + 1)};
    return false;
  }
  bool fail(std::string message) { return fail_at(at_, std::move(message)); }

  // Fails with "expected what, got …" and what was found.
  bool fail_expecting(std::string what) {
    if (at_end()) return fail("expected " + what + ", got the end of the text");
    std::size_t end = at_ + 1;
    while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xC0) == 0x80) ++end;
    return fail("expected " + what + ", got " + utf8_repaired(text_.substr(at_, end - at_)));
  }

  bool fail_behind_type() {
    if (peek() == '?') return fail("? stands right behind its type, once: :int?");
    if (peek() == '|') return fail("there are no unions: use :any, or ? for a type that may be nil");
    if (text_.substr(at_).starts_with("->")) return fail("parameters stand in parentheses: (name :string) -> :int");
    return fail("unexpected text behind the type");
  }

  bool read_arrow() {
    skip_blank();
    if (!text_.substr(at_).starts_with("->")) return fail_expecting("-> and the type of the result");
    at_ += 2;
    return true;
  }

  std::string_view read_word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_field_name(text_.substr(at_, 1))) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  bool read_type(SignatureType& type, int depth) {
    skip_blank();
    if (depth > kMaxSignatureDepth) {
      return fail("types are nested deeper than " + std::to_string(kMaxSignatureDepth) + " levels");
    }
    switch (peek()) {
      case ':':
        if (!read_type_name(type)) return false;
        break;
      case '[':
        if (!read_list(type, depth)) return false;
        break;
      case '{':
        type.kind = SignatureType::Kind::Record;
        if (!read_fields(type.fields, '{', '}', depth)) return false;
        break;
      default: return fail_no_type();
    }
    if (peek() == '?') {
      type.optional = true;
      ++at_;
    }
    return true;
  }

  bool fail_no_type() {
    const std::size_t begin = at_;
    const std::string_view word = read_word();
    at_ = begin;
    for (const SignatureTypeName& known : kSignatureTypeNames) {
      if (known.name == word) return fail("expected a type; did you mean :" + std::string(word) + "?");
    }
    return fail_expecting("a type such as :int, [:int] or {name :string}");
  }

  bool read_type_name(SignatureType& type) {
    const std::size_t begin = at_++;
    const std::string_view word = read_word();
    for (const SignatureTypeName& known : kSignatureTypeNames) {
      if (known.name == word) {
        type.kind = known.kind;
        return true;
      }
    }
    if (word.empty()) return fail_expecting("the name of a type right behind the colon");
    if (word.size() > kMaxShownWord) return fail_at(begin, "unknown type");
    return fail_at(begin, "unknown type :" + std::string(word) + advice_on(word));
  }

  bool read_list(SignatureType& type, int depth) {
    ++at_;
    type.kind = SignatureType::Kind::List;
    type.element.emplace_back();
    skip_blank();
    if (peek() == ']') return fail("a list says what is in it: [:any]");
    if (!read_type(type.element[0], depth + 1)) return false;
    skip_blank();
    if (peek() != ']') return fail_expecting("] behind the type of the elements");
    ++at_;
    return true;
  }

  bool read_fields(std::vector<SignatureField>& fields, char open, char close, int depth) {
    if (peek() != open) return fail_expecting(std::string(1, open));
    ++at_;
    for (;;) {
      skip_blank();
      if (fields.empty() && peek() == close) break;
      if (!read_field(fields, close, depth)) return false;
      skip_blank();
      if (peek() == close) break;
      if (peek() != ',') return fail_expecting(std::string(", or ") + close);
      ++at_;
    }
    ++at_;
    return true;
  }

  bool read_field(std::vector<SignatureField>& fields, char close, int depth) {
    skip_blank();
    if (fields.size() >= kMaxSignatureFields) {
      return fail("more than " + std::to_string(kMaxSignatureFields) + " fields");
    }
    if (peek() == ':') return fail("a field is written name :type, without a colon before the name");
    const std::size_t begin = at_;
    const std::string_view name = read_word();
    if (name.empty()) return fail_expecting("a field such as name :type");
    for (const SignatureField& known : fields) {
      if (same_field_name(known.name, name)) {
        return fail_at(begin, name.size() > kMaxShownWord ? "this field is there already"
                                                          : "there is a field " + std::string(name) + " already");
      }
    }
    SignatureField& field = fields.emplace_back();
    field.name = name;
    skip_blank();
    return peek() == ',' || peek() == close || read_type(field.type, depth + 1);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  SignatureError error_;
};

}  // namespace

std::variant<Signature, SignatureError> parse_signature(std::string_view text) { return SignatureReader(text).read(); }

}  // namespace ptc
