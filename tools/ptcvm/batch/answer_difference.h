// Compares two answers of the batch protocol.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace ptcvm::cli {

// The name of an answer that is no JSON object, among the names of members.
inline constexpr std::string_view kWholeAnswer = "answer";

// Returns the names of the members in which the answers differ, in order. The id, figures about snapshots and `ignored`
// are left out. An answer that is no JSON object differs in kWholeAnswer.
std::vector<std::string> differing_members(std::string_view a, std::string_view b,
                                           const std::vector<std::string>& ignored);
// Returns the member of an answer as JSON text, or "missing".
std::string member_text(std::string_view answer, std::string_view member);
// Returns the request with a member set to the JSON text, or the request itself when it is no JSON object.
std::string with_member(std::string_view request, std::string_view member, std::string_view json);

// Returns the request with snapshots of both faces at every safe point.
std::string suspended_everywhere(std::string_view request);

}  // namespace ptcvm::cli
