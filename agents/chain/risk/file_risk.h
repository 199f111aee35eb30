// Judges calls of tools for files: fs_write_file, fs_delete, fs_move and their like, by the first word of their names.
#pragma once
#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/chain/risk/risk.h"

namespace ptcvm::chain {

// Judges the call. nullopt: the tool is not for files, or it only reads.
std::optional<RiskAssessment> file_risk(std::string_view tool, const boost::json::object& args,
                                        const SafetyRules& rules);

// Returns whether one of the names is the tool. A name may end with "*".
bool is_named(std::string_view tool, const std::vector<std::string>& names);

}  // namespace ptcvm::chain
