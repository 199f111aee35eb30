// A signature says the shape of the arguments of a tool and of a result, in one line of text.
//
//   {name :string, age :int?}        [:int]        (q :string) -> {id :int}        () -> :any
//
// A type is a keyword, a list [type], a record {field type, …} or nothing (which allows every value). "?" after a type
// allows nil and a missing field. Records accept more fields. "-" and "_" in field names count as the same character.
// Text and nesting are limited when a signature is read (kMaxSignatureBytes, kMaxSignatureDepth), so walking a type may
// recurse: the depth does not depend on the value. docs/signatures.md is the page for users; coercion.h and
// json_schema.h are the rest of the module.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "vm/value/heap.h"

namespace ptc {

inline constexpr std::size_t kMaxSignatureBytes = 64u << 10;
inline constexpr std::size_t kMaxSignatureFields = 1'000;     // most fields of a record, and most parameters
inline constexpr int kMaxSignatureDepth = 32;
inline constexpr std::size_t kMaxMismatches = 10;             // most mismatches that one check reports

struct SignatureField;

struct SignatureType {
  enum class Kind : std::uint8_t {
    Any,
    String,
    Int,
    Float,
    Bool,
    Keyword,
    Map,
    Date,
    Datetime,
    Duration,
    List,
    Record
  };
  Kind kind = Kind::Any;
  bool optional = false;
  std::vector<SignatureField> fields;    // Record
  std::vector<SignatureType> element;    // List: exactly one
};

struct SignatureField {
  std::string name;
  SignatureType type;
};

struct Signature {
  bool has_params = false;               // true when the signature has (…) ->
  std::vector<SignatureField> params;
  SignatureType result;
};

bool operator==(const SignatureType& a, const SignatureType& b);
bool operator==(const SignatureField& a, const SignatureField& b);
bool operator==(const Signature& a, const Signature& b);

struct SignatureError {
  std::string message;
  std::uint32_t column = 0;              // in bytes, from 1
};

struct SignatureMismatch {
  std::string path;                      // "return.items[2].id"
  std::string message;                   // "expected int, got string"
  std::string found = {};                // the value that did not fit, as text (vm/value/shown_value.h), or ""
};

std::variant<Signature, SignatureError> parse_signature(std::string_view text);
std::string render_signature(const Signature& signature);
std::string render_type(const SignatureType& type);

// Returns whether a field may have that name: letters, digits, "-" and "_".
bool is_field_name(std::string_view name);
// Compares two names; "-" and "_" count as the same character.
bool same_field_name(std::string_view a, std::string_view b);

// Returns what is wrong with a borrowed value, or an empty vector when it fits. Stops after max_mismatches.
std::vector<SignatureMismatch> check_type(Heap& heap, const SignatureType& type, Value value, std::string_view root,
                                          std::size_t max_mismatches = kMaxMismatches);
// Returns all mismatches in one text, "a: b; c: d".
std::string mismatch_text(const std::vector<SignatureMismatch>& mismatches);

}  // namespace ptc
