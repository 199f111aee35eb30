// The report with which a task ends, as hosts keep it.
#pragma once
#include <boost/json/object.hpp>

#include "agents/chain/chain.h"
#include "agents/chain/planning/planning.h"

namespace ptcvm::chain {

// Makes the report out of what the driver hands to chain_report (driver_program.h) and what the planning knows: the
// members of report_json(), and "revision", "task" ("completed" or "failed"), "error", "cost", "wantsFeedback", and
// "createdAt" when the options have a clock.
boost::json::object final_report(const boost::json::object& request, const ChainOptions& options,
                                 const Planning& planning);

}  // namespace ptcvm::chain
