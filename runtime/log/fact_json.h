// Writes facts as JSON, one line each, for exports and imports of logs.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "runtime/log/fact.h"

namespace ptc {

// Returns one JSON object without line breaks: seq, then members in the order of fact.fbs. Leaves out empty texts and
// numbers, except kind, author and time.
std::string fact_json(const Fact& fact);
// Reads a line of fact_json(). Returns nullopt and says why when the line is not such an object, has an unknown member,
// or is a fact that no store keeps.
std::optional<Fact> read_fact_json(std::string_view line, std::string& why);

}  // namespace ptc
