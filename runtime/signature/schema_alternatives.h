// Maps names and values of JSON Schema to types, and finds the type of alternatives.
#pragma once
#include <boost/json/value.hpp>
#include <optional>
#include <string_view>

#include "runtime/signature/signature.h"

namespace ptc {

SignatureType plain_type(SignatureType::Kind kind, bool optional = false);

std::optional<SignatureType::Kind> kind_of_schema_type(std::string_view name);     // nullopt for "null"
SignatureType::Kind kind_of_schema_format(std::string_view format);                // takes the "format" of a string
SignatureType::Kind kind_of_json(const boost::json::value& value);

// Collects alternatives. null beside other types makes them optional; null alone is :any?, the narrowest type that
// allows null.
class TypeAlternatives {
 public:
  void add_null() { has_null_ = true; }
  void add(SignatureType type);
  SignatureType take();

 private:
  std::optional<SignatureType> type_;
  bool has_null_ = false;
};

}  // namespace ptc
