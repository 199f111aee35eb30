// The names of the kinds of types, shared by the reader, the writer and the messages about values.
#pragma once
#include <array>
#include <cstddef>
#include <string_view>

#include "runtime/signature/signature.h"

namespace ptc {

inline constexpr std::size_t kMaxShownWord = 40;   // the most bytes of an unknown name that a message repeats

struct SignatureTypeName {
  std::string_view name;
  SignatureType::Kind kind;
};

// The writer uses the first spelling of a kind. Lists and records have brackets instead of a name.
inline constexpr auto kSignatureTypeNames = std::to_array<SignatureTypeName>({
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

inline std::string_view signature_type_name(SignatureType::Kind kind) {
  for (const SignatureTypeName& known : kSignatureTypeNames) {
    if (known.kind == kind) return known.name;
  }
  return kind == SignatureType::Kind::List ? "list" : "map";
}

}  // namespace ptc
