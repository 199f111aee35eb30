// What became of the steps of a revision, as plan programs tell it and as reports have it.
#pragma once
#include <boost/json/array.hpp>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agents/chain/chain.h"
#include "agents/chain/plan/plan.h"
#include "agents/chain/report/report.h"

namespace ptcvm::chain {

// Reads what a plan program gave: a list with a map for each step. A step that is missing was not attempted.
std::vector<StepResult> step_results(const Plan& plan, const boost::json::array& rows, Verifier verifier);

// Returns completed steps and the tasks that have their results.
std::map<std::string, std::string, std::less<>> completed_steps(const boost::json::array& rows);

// Returns the steps whose calls were made in the revision: the id, and whether the tool said that the call failed.
std::map<std::string, bool, std::less<>> made_calls(const boost::json::array& rows);

// Returns "Failure at ID: REASON" for each step that failed, in plan order.
std::vector<std::string> failure_notes(const Plan& plan, const boost::json::array& rows);

// With this the error of a step begins when nobody knows whether its agent has made a call that may not be repeated.
inline constexpr std::string_view kInDoubt = "IN_DOUBT: ";
// Returns the error of a step whose agent may have called these tools.
std::string doubt_error(const std::set<std::string>& tools);
// Returns the tools that errors of the rows name so.
std::set<std::string> doubted_tools(const boost::json::array& rows);
// Returns the message of a step whose agent failed after it had called these tools, which may not be called twice.
std::string called_message(const std::set<std::string>& tools, std::string_view message);
// Returns the tools that such messages in the errors of the rows name.
std::set<std::string> called_tools(const boost::json::array& rows);
// Returns whether a step of the rows has an error that begins with kInDoubt.
bool has_doubt(const boost::json::array& rows);

// Returns whether a step of the rows has failed because a check of what it gave did.
bool has_failed_check(const boost::json::array& rows);

}  // namespace ptcvm::chain
