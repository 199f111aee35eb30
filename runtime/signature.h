// Signatures: the shape of a tool's arguments and of a result, as one line of text.
//
//   {name :string, age :int?}        [:int]        (q :string) -> {id :int}        () -> :any
//
// A type is a keyword, a list [type], a record {field type, …} or nothing (anything). "?" after a type lets it be nil
// or missing. Records accept further fields. "-" and "_" in field names are the same. Nesting is limited when the text
// is read (kMaxDepth), so walking a type may recurse: its depth does not depend on the value that is checked.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "vm/value/heap.h"

namespace ptc {

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
  bool has_params = false;               // written with (…) ->
  std::vector<SignatureField> params;
  SignatureType result;
};

struct SignatureError {
  std::string message;
  std::uint32_t column = 0;              // 1-based, in bytes
};

struct SignatureMismatch {
  std::string path;                      // "return.items[2].id"
  std::string message;                   // "expected int, got string"
};

std::variant<Signature, SignatureError> parse_signature(std::string_view text);
std::string render_signature(const Signature& signature);
std::string render_type(const SignatureType& type);

// What is wrong with a borrowed value; empty when it fits. Stops after max_mismatches.
std::vector<SignatureMismatch> check_type(Heap& heap, const SignatureType& type, Value value, std::string_view root,
                                          std::size_t max_mismatches = 10);
// "a: b; c: d"
std::string mismatch_text(const std::vector<SignatureMismatch>& mismatches);

}  // namespace ptc
