// Judges a line of a shell: what it deletes, moves and writes, as far as the text says.
#pragma once
#include <boost/json/object.hpp>

#include "agents/chain/risk/risk.h"

namespace ptcvm::chain {

// Judges a call of a tool that executes such lines.
RiskAssessment command_risk(const boost::json::object& args, const SafetyRules& rules);

}  // namespace ptcvm::chain
