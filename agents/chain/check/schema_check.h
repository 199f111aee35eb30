// Checks JSON against JSON Schema (draft 2020-12), as far as criteria and the schemas of this folder need it.
//
// Known words: type, enum, const, minimum, maximum, exclusiveMinimum, exclusiveMaximum, minLength, maxLength, pattern
// (RE2), items, prefixItems, minItems, maxItems, uniqueItems, properties, required, additionalProperties,
// minProperties, maxProperties, allOf, anyOf, oneOf, not, and $ref within the document. Words that only describe are
// passed over. A word that would decide something and is not known here makes the document unfit, and is named.
#pragma once
#include <boost/json/value.hpp>
#include <optional>
#include <string>

namespace ptcvm::chain {

// Returns nullopt when the document fits, else where and why it does not: "at /a/0: expected integer". The work is
// bounded: a check that takes more than a million comparisons ends with "too much work".
std::optional<std::string> schema_mismatch(const boost::json::value& document, const boost::json::value& schema);

}  // namespace ptcvm::chain
