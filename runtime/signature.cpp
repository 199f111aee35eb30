// Reading and writing signatures. Checking values against them is in signature_check.cpp.
#include "runtime/signature.h"

#include <array>

namespace ptc {
namespace {

constexpr int kMaxDepth = 32;
constexpr std::size_t kMaxFields = 1'000;

struct TypeName {
  std::string_view name;
  SignatureType::Kind kind;
};

// The first spelling of a kind is the one that is written.
constexpr auto kTypeNames = std::to_array<TypeName>({
    {"any", SignatureType::Kind::Any},
    {"string", SignatureType::Kind::String},
    {"int", SignatureType::Kind::Int},
    {"float", SignatureType::Kind::Float},
    {"bool", SignatureType::Kind::Bool},
    {"keyword", SignatureType::Kind::Keyword},
    {"map", SignatureType::Kind::Map},
    {"date", SignatureType::Kind::Date},
    {"datetime", SignatureType::Kind::Datetime},
    {"duration", SignatureType::Kind::Duration},
    {"integer", SignatureType::Kind::Int},
    {"number", SignatureType::Kind::Float},
    {"boolean", SignatureType::Kind::Bool},
});

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

class SignatureReader {
 public:
  explicit SignatureReader(std::string_view text) : text_(text) {}

  std::variant<Signature, SignatureError> read() {
    Signature signature;
    skip_blank();
    if (peek() == '(') {
      signature.has_params = true;
      if (!read_fields(signature.params, '(', ')', 0) || !read_arrow()) return error_;
    }
    if (!read_type(signature.result, 0)) return error_;
    skip_blank();
    if (at_ < text_.size()) {
      fail("unexpected text after the type");
      return error_;
    }
    return signature;
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip_blank() {
    while (at_ < text_.size() && (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r')) ++at_;
  }

  bool fail(std::string message) {
    error_ = {std::move(message), static_cast<std::uint32_t>(at_ + 1)};
    return false;
  }

  bool read_arrow() {
    skip_blank();
    if (text_.substr(at_).starts_with("->")) {
      at_ += 2;
      return true;
    }
    return fail("expected -> and a result type after the parameters");
  }

  std::string_view read_word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name_char(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  bool read_type(SignatureType& type, int depth) {
    if (depth > kMaxDepth) return fail("types are nested too deep");
    skip_blank();
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
      case '\0':
        return fail("expected a type, got the end of the text");
      default:
        return fail("expected a type such as :int, [:int] or {name :string}");
    }
    if (peek() == '?') {
      type.optional = true;
      ++at_;
    }
    return true;
  }

  bool read_type_name(SignatureType& type) {
    ++at_;
    const std::string_view word = read_word();
    for (const TypeName& known : kTypeNames) {
      if (known.name == word) {
        type.kind = known.kind;
        return true;
      }
    }
    return fail("unknown type :" + std::string(word));
  }

  bool read_list(SignatureType& type, int depth) {
    ++at_;
    type.kind = SignatureType::Kind::List;
    type.element.emplace_back();
    if (!read_type(type.element[0], depth + 1)) return false;
    skip_blank();
    if (peek() != ']') return fail("expected ]");
    ++at_;
    return true;
  }

  bool read_fields(std::vector<SignatureField>& fields, char open, char close, int depth) {
    if (peek() != open) return fail(std::string("expected ") + open);
    ++at_;
    for (;;) {
      skip_blank();
      if (peek() == close) {
        ++at_;
        return true;
      }
      if (!fields.empty()) {
        if (peek() != ',') return fail(std::string("expected , or ") + close);
        ++at_;
        skip_blank();
      }
      if (fields.size() >= kMaxFields) return fail("too many fields");
      SignatureField& field = fields.emplace_back();
      if (peek() == ':') return fail("a field is written name :type, without a colon before the name");
      field.name = read_word();
      if (field.name.empty()) return fail("expected a field name");
      skip_blank();
      if (peek() != ',' && peek() != close && !read_type(field.type, depth + 1)) return false;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  SignatureError error_;
};

void append_type(std::string& out, const SignatureType& type);

void append_fields(std::string& out, const std::vector<SignatureField>& fields) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) out += ", ";
    out += fields[i].name;
    out += ' ';
    append_type(out, fields[i].type);
  }
}

void append_type(std::string& out, const SignatureType& type) {
  if (type.kind == SignatureType::Kind::Record) {
    out += '{';
    append_fields(out, type.fields);
    out += '}';
  } else if (type.kind == SignatureType::Kind::List) {
    out += '[';
    append_type(out, type.element[0]);
    out += ']';
  } else {
    for (const TypeName& known : kTypeNames) {
      if (known.kind != type.kind) continue;
      out += ':';
      out += known.name;
      break;
    }
  }
  if (type.optional) out += '?';
}

}  // namespace

std::variant<Signature, SignatureError> parse_signature(std::string_view text) { return SignatureReader(text).read(); }

std::string render_signature(const Signature& signature) {
  std::string out;
  if (signature.has_params) {
    out += '(';
    append_fields(out, signature.params);
    out += ") -> ";
  }
  append_type(out, signature.result);
  return out;
}

std::string render_type(const SignatureType& type) {
  std::string out;
  append_type(out, type);
  return out;
}

}  // namespace ptc
