// Writes signatures as JSON Schema (draft 2020-12), and reads JSON Schema as signatures.
//
// The written schema names fields in the order of the signature. Keywords have "format": "keyword", which other readers
// ignore. Parameters are an object that takes no other names, because unknown arguments are refused. Names have "_" in
// place of "-", as they do when a call reaches its tool.
//
// The reader takes written schemas and the schemas in definitions of tools for language models: docs/signatures.md
// lists them. A schema that forbids more than a type can say becomes the wider type. A schema that no type can express
// is an error. Text, depth and the number of types that $ref leads to are limited.
#pragma once
#include "runtime/signature/signature.h"

namespace ptc {

inline constexpr std::size_t kMaxJsonSchemaBytes = 1u << 20;
inline constexpr std::size_t kMaxJsonSchemaTypes = 10'000;

struct JsonSchemaError {
  std::string pointer;   // JSON pointer to the part that cannot be read: "/properties/a/type"; "" is the whole document
  std::string message;
};

std::string json_schema_of(const SignatureType& type);
// Returns the schema of the arguments as a handler gets them.
std::string json_schema_of_params(const Signature& signature);
// Returns {"inputSchema":…,"outputSchema":…}, without "inputSchema" when the signature has no parameters.
std::string json_schema_of(const Signature& signature);

// Reads a schema as a type.
std::variant<SignatureType, JsonSchemaError> type_from_json_schema(std::string_view text);
// Reads the definition of a tool, with schemas under inputSchema, input_schema or parameters and under outputSchema or
// output_schema, also inside of "function". A schema alone is the type of the result.
std::variant<Signature, JsonSchemaError> signature_from_json_schema(std::string_view text);

}  // namespace ptc
