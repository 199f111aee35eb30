// Checks the output of a step against criteria. A criterion that begins with a word of the grammar decides; free text
// decides nothing, unless the heuristic rules are asked for.
//
//   contains:TEXT       the output contains TEXT; upper and lower case are the same
//   not_contains:TEXT   the output does not contain TEXT
//   regex:PATTERN       the pattern (RE2) matches in the output without the blanks around it; ^ and $ match at lines
//   min_length:N        the output without the blanks around it has N characters or more
//   pointer:/a/0        the output is JSON and has a value there (RFC 6901)
//   pointer:/a/0=JSON   ... and that value is JSON
//   schema:JSON         the output is JSON that fits the JSON Schema (schema_check.h)
//   predicate:PROGRAM   the program in PTC-Lisp gives a value other than nil and false. data/output is the output, and
//                       data/value its JSON, or nil. The program has no tools, and small limits.
//   nonempty            the output is more than blanks
//   json                the output is JSON, or its part from the first { to the last }, or from [ to ]
//   path                the output contains an absolute path
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace ptcvm::chain {

enum class CheckMode {
  Grammar,     // free text is pending
  Heuristic,   // free text is read for the words that people use in criteria
};

enum class CheckResult { Passed, Failed, Pending };

// Checks one criterion. The time is linear in the output and the criterion.
CheckResult check_output(std::string_view criterion, std::string_view output, CheckMode mode);

// Returns whether the grammar decides the criterion, whatever the output is.
bool is_decided_by_grammar(std::string_view criterion);

struct Verification {
  std::vector<std::string> unmet, pending;   // criteria, in their order
  bool passed() const { return unmet.empty(); }
};

// Checks all criteria; blank ones count as met.
Verification verify_output(const std::vector<std::string>& criteria, std::string_view output, CheckMode mode);

// Returns "Verification failed for ID. Unmet checks: "…", "…". Output snippet: …". The snippet has at most 280 bytes.
std::string verification_message(std::string_view step_id, const Verification& verification, std::string_view output);
bool is_verification_message(std::string_view text);   // returns whether the text begins like that

}  // namespace ptcvm::chain
