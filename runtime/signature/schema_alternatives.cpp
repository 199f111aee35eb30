#include "runtime/signature/schema_alternatives.h"

#include <utility>

namespace ptc {
namespace {

using TypeKind = SignatureType::Kind;

// What may be one or the other.
SignatureType joined(const SignatureType& a, const SignatureType& b) {
  const bool optional = a.optional || b.optional;
  SignatureType type = a;
  type.optional = optional;
  SignatureType other = b;
  other.optional = optional;
  if (type == other) return type;
  const auto is_number = [](TypeKind kind) { return kind == TypeKind::Int || kind == TypeKind::Float; };
  if (is_number(a.kind) && is_number(b.kind)) return plain_type(TypeKind::Float, optional);
  const auto is_map = [](TypeKind kind) { return kind == TypeKind::Map || kind == TypeKind::Record; };
  if (is_map(a.kind) && is_map(b.kind)) return plain_type(TypeKind::Map, optional);
  return plain_type(TypeKind::Any, optional);
}

}  // namespace

SignatureType plain_type(SignatureType::Kind kind, bool optional) {
  SignatureType type;
  type.kind = kind;
  type.optional = optional;
  return type;
}

std::optional<TypeKind> kind_of_schema_type(std::string_view name) {
  if (name == "string") return TypeKind::String;
  if (name == "integer") return TypeKind::Int;
  if (name == "number") return TypeKind::Float;
  if (name == "boolean") return TypeKind::Bool;
  if (name == "array") return TypeKind::List;
  if (name == "object") return TypeKind::Map;
  return std::nullopt;
}

TypeKind kind_of_schema_format(std::string_view format) {
  if (format == "date") return TypeKind::Date;
  if (format == "date-time") return TypeKind::Datetime;
  if (format == "duration") return TypeKind::Duration;
  if (format == "keyword") return TypeKind::Keyword;
  return TypeKind::String;
}

TypeKind kind_of_json(const boost::json::value& value) {
  if (value.is_string()) return TypeKind::String;
  if (value.is_int64() || value.is_uint64()) return TypeKind::Int;
  if (value.is_double()) return TypeKind::Float;
  if (value.is_bool()) return TypeKind::Bool;
  return value.is_object() ? TypeKind::Map : TypeKind::Any;
}

void TypeAlternatives::add(SignatureType type) { type_ = type_ ? joined(*type_, type) : std::move(type); }

SignatureType TypeAlternatives::take() {
  if (!type_) return plain_type(TypeKind::Any, true);
  type_->optional = type_->optional || has_null_;
  return *std::move(type_);
}

}  // namespace ptc
