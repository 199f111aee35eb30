// The world around a task chain in cases of the kind "run": a planner, tools, a person, and processes that are killed.
#pragma once
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agents/chain/run/chain_run.h"
#include "tests/scenarios/scenario_store.h"

namespace ptcvm::scenarios {

// Holds a case of the kind "run".
std::optional<std::string> chain_run_case(const boost::json::object& given, const boost::json::object& then,
                                          const ScenarioStore& store);

// How a case is executed.
struct ChainManner {
  std::size_t parallel = 1;
  bool hops = false;   // every step of a plan is done by a new process
  std::size_t dies_at = 0;   // the step of the chain after which the process is killed, once; from 1, 0: none. Calls
                             // that it has handed out there were not made, and a person says so of those in doubt.
};

// What can be seen of a task from outside.
struct ChainSeen {
  std::vector<std::string> calls;                                  // of tools, in order
  std::map<std::string, boost::json::array> args;                  // by tool
  std::set<std::string> questions;                                 // confirmations
  std::map<std::string, boost::json::object> reports;              // as the host has kept them, by key
  std::size_t planner_calls = 0;
  std::size_t boundaries = 0;                                      // that were passed (ChainManner::dies_at)
  bool is_feedback_asked = false, was_reported_before_feedback = false, was_in_doubt = false;
  std::optional<chain::ChainOutcome> outcome;                      // nullopt: the task still waits
  std::optional<boost::json::object> feedback;
};

class ChainFixture {
 public:
  // Refuses members of `given` that it does not know by an exception.
  ChainFixture(const boost::json::object& given, const ScenarioStore& store, ChainManner manner);
  // Executes the task, in as many processes as it takes, until it is over or waits for ever.
  const ChainSeen& run();

 private:
  enum class Next { GoOn, Kill, Stop };

  chain::ChainOptions options() const;
  Next run_process();
  Next serve(chain::ChainRun& run);
  Next serve_one(chain::ChainRun& run, const chain::ChainOperation& operation, bool& is_answered);
  Next call_tool(chain::ChainRun& run, const chain::ChainOperation& operation);
  Next ask(chain::ChainRun& run, const chain::ChainOperation& operation, bool& is_answered);
  bool settle(chain::ChainRun& run, const chain::ChainOperation& operation);
  Next keep_report(chain::ChainRun& run, const chain::ChainOperation& operation);
  std::string planner_reply(const chain::ChainOperation& operation);
  std::optional<std::string> next_answer();
  bool dies(const std::string& point);
  bool dies_here() { return ++seen_.boundaries == manner_.dies_at; }
  bool dies_after_commit(const Store& store);
  const boost::json::object& outcome_of(const std::string& tool, std::size_t call) const;

  const boost::json::object& given_;
  const ScenarioStore& store_;
  const ChainManner manner_;
  const Engine engine_;
  std::vector<std::string> crashes_;
  std::map<std::string, std::size_t> made_;   // calls by tool
  std::size_t answers_ = 0, raw_replies_ = 0;
  ChainSeen seen_;
};

}  // namespace ptcvm::scenarios
