// Facts as JSON, a line each: what logs are exported as and imported from.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "runtime/log/fact.h"

namespace ptc {

// One JSON object without line breaks: seq, then members in the order of fact.fbs. Empty texts and numbers are left
// out; kind, author and time always stand there.
std::string fact_json(const Fact& fact);
// What fact_json() wrote. Nothing, and why: no such object, a member that is none, a fact that no store keeps.
std::optional<Fact> read_fact_json(std::string_view line, std::string& why);

}  // namespace ptc
