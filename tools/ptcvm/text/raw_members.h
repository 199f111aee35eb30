// The members of a JSON object as texts, without values in memory.
#pragma once
#include <map>
#include <optional>
#include <string_view>

namespace ptcvm::cli {

// Returns the texts of the members by their keys, as they are written between quotes; both are parts of `text`. The
// last one of several members with one key counts. Returns nullopt for what is no object, for an object with more than
// 100 members, or when a string or a bracket is open. The values are not checked: the reader of a value does that.
std::optional<std::map<std::string_view, std::string_view>> raw_members(std::string_view text);

}  // namespace ptcvm::cli
