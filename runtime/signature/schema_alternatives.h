// What the words and values of JSON Schema are as types, and the type of what may be one of several.
#pragma once
#include <boost/json/value.hpp>
#include <optional>
#include <string_view>

#include "runtime/signature/signature.h"

namespace ptc {

SignatureType plain_type(SignatureType::Kind kind, bool optional = false);

std::optional<SignatureType::Kind> kind_of_schema_word(std::string_view word);     // of "type"; "null" is none
SignatureType::Kind kind_of_schema_format(std::string_view format);                // of a string
SignatureType::Kind kind_of_json(const boost::json::value& value);

// null beside others makes them optional; alone it is :any?, the least type that lets it through.
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
