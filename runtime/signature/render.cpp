// Writing signatures. What is written reads back as the same signature.
#include <algorithm>

#include "runtime/signature/signature.h"
#include "runtime/signature/type_names.h"

namespace ptc {
namespace {

char folded(char c) { return c == '-' ? '_' : c; }

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
    out += ':';
    out += signature_type_name(type.kind);
  }
  if (type.optional) out += '?';
}

}  // namespace

bool operator==(const SignatureType& a, const SignatureType& b) {
  return a.kind == b.kind && a.optional == b.optional && a.fields == b.fields && a.element == b.element;
}

bool operator==(const SignatureField& a, const SignatureField& b) { return a.name == b.name && a.type == b.type; }

bool operator==(const Signature& a, const Signature& b) {
  return a.has_params == b.has_params && a.params == b.params && a.result == b.result;
}

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

bool is_field_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

bool same_field_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return folded(x) == folded(y); });
}

}  // namespace ptc
