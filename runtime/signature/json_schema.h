// Signatures as JSON Schema (draft 2020-12) and back.
//
// What is written names fields in the order of the signature. Keywords have "format": "keyword", which other readers
// ignore. Parameters are an object that takes no further names, since unknown arguments are refused; "-" in names is
// "_" there, as it is when the call crosses to the tool.
//
// What is read is that, and what definitions of tools for language models use: docs/signatures.md lists it. A schema
// that only forbids more than a type can say is read as the wider type. What no type can say is an error. Text, depth
// and the number of types that $ref leads to are limited.
#pragma once
#include "runtime/signature/signature.h"

namespace ptc {

inline constexpr std::size_t kMaxJsonSchemaBytes = 1u << 20;
inline constexpr std::size_t kMaxJsonSchemaTypes = 10'000;

struct JsonSchemaError {
  std::string pointer;       // JSON pointer to what cannot be read: "/properties/a/type"; "" is the whole document
  std::string message;
};

std::string json_schema_of(const SignatureType& type);
// Of the arguments as a handler gets them.
std::string json_schema_of_params(const Signature& signature);
// {"inputSchema":…,"outputSchema":…}, the first only when the signature has parameters.
std::string json_schema_of(const Signature& signature);

// A schema as a type.
std::variant<SignatureType, JsonSchemaError> type_from_json_schema(std::string_view text);
// A definition of a tool, whose schemas stand under inputSchema, input_schema or parameters and under outputSchema or
// output_schema, also inside of "function"; or a schema, which is the type of the result.
std::variant<Signature, JsonSchemaError> signature_from_json_schema(std::string_view text);

}  // namespace ptc
