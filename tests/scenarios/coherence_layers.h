// The ways in which cases of coherence are run. Each returns why a case does not hold, or nullopt when it holds.
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "ptcvm/tools.hpp"
#include "tests/scenarios/harness_layers.h"

namespace ptcvm::scenarios {

// Counts the calls of each tool.
using CallCounts = std::map<std::string, std::int64_t>;

Why coherence_journal_case(const LayerCase& scenario);   // tasks of one program
Why coherence_program_case(const LayerCase& scenario);   // a program that waits for facts
Why coherence_planner_case(const LayerCase& scenario);   // a program that plans
Why coherence_chain_case(const LayerCase& scenario);     // a plan of tasks
Why coherence_replay_case(const LayerCase& scenario);    // a plan against what another one left in its log
Why coherence_rerun_case(const LayerCase& scenario);     // programs that go on, and programs that run again

// Returns the tools that a program calls. Each call is counted, then `before` is told its name. The tool "call" gives
// an answer later.
Tools scripted_tools(std::string_view program, CallCounts& counts,
                     std::function<void(const std::string&)> before = {});
// Returns the program as it is written today: (await ID {:type T :key K} MS) is (await-fact T K MS).
std::string program_of_today(const std::string& program);
boost::json::object counts_json(const CallCounts& counts);
// Compares the counts of the tools that are named.
Why counts_hold(const boost::json::value& expected, const CallCounts& counts);

}  // namespace ptcvm::scenarios
