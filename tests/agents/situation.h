// A situation that an agent can be in: how a run comes there, how it goes on, and what then comes of it. A line of
// situations.jsonl is {"name", "agent", "data", "before": [steps], "after": [steps], "then": {"status", "return",
// "reason", "turns"}}. A step is one of {"program" | "text": what the model at "path" says}, {"http": status,
// "headers"}, {"pend": path}, {"begin": path}, {"doubt": path}, {"resolve": {path: value}}, {"reject": {path: text}},
// {"input": text}, {"raise": {limit: n}}, {"advance": ms}. The run is stepped before each. "since" is the first version
// whose documents can have the situation, and the host has the "prices".
#pragma once
#include <boost/json/object.hpp>
#include <optional>
#include <string>

#include "agents/loop/agent_run.h"

namespace ptcvm::test {

class Situation {
 public:
  explicit Situation(boost::json::object line) : line_(std::move(line)) {}

  std::string name() const { return std::string(line_.at("name").as_string()); }
  // Returns the first version of documents that can have the situation.
  int since() const;
  loop::Agent agent(const Engine& engine) const;
  // Returns a run that has come into the situation, or nullopt and a complaint.
  std::optional<loop::AgentRun> enter(const loop::Agent& agent, std::string& complaint) const;
  // Lets the run go on. Returns what is not as it should be, or "".
  std::string leave(loop::AgentRun& run) const;

 private:
  std::string take(loop::AgentRun& run, std::string_view steps) const;

  boost::json::object line_;
};

}  // namespace ptcvm::test
