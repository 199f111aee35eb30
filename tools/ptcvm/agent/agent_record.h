// What a run of an agent was told, as its log has it: told again, the run is the same, to the same fuel and the same
// bytes. With another program in one turn the rest goes its own way, with the answers that are known.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agents/loop/stored_facts.h"
#include "tools/ptcvm/agent/agent_driver.h"
#include "tools/ptcvm/agent/agent_store.h"

namespace ptcvm::cli {

// Programs by the turn of the root in which they take the place of what the model wrote. Turns begin with 1.
using TurnPrograms = std::map<std::uint32_t, std::string>;

class AgentRecord {
 public:
  // Reads the log of a run and runs everything again, without claiming the log. Error: invalid_value when the store
  // has no such run; store_failed.
  static Result<AgentRecord> read(const Engine& engine, const Store& store, const std::string& id);

  // Returns the run as it is after the last fact.
  const loop::AgentRun& run() const { return *run_; }
  // The same, to try something on it: the log stays as it is.
  loop::AgentRun& run() { return *run_; }
  // Returns when the run began to wait for an operation, in ms since 1970, or nullopt when it does not wait for it.
  std::optional<std::int64_t> since_ms(const std::string& path) const;
  // Returns what the last process noted about the run when it left, or nullopt when no process has left the run.
  const std::optional<AgentMark>& noted() const { return noted_; }
  // Returns the same about this run at the same place of the log.
  const AgentMark& seen() const { return seen_; }

  struct Changed {
    loop::AgentRun run;
    AgentDriver::End end;   // ModelFailed with the reason recording_miss when an answer is not known
  };
  // Runs the agent with other programs. Calls get the answers that the same calls had. The model says in each later
  // turn what it said in that turn. When it said nothing there because a program of these failed, the end has the kind
  // of its fault as the reason. Error: invalid_value when the run has no such turn.
  Result<Changed> run_with(const TurnPrograms& programs) const;

 private:
  // Something that the run was told.
  struct Told {
    std::string name, body, call;   // `call` says which call was answered: kind, tool and arguments
    std::string path;               // the path of the operation
    std::int64_t time_ms = 0;
    std::uint32_t turn = 1;         // the turn of the root that was under way
    std::uint64_t seq = 0;          // its place in the log
  };
  class Replay;

  explicit AgentRecord(std::vector<AgentFrom> agents) : agents_(std::move(agents)) {}
  Result<void> take(const HostFact& fact);
  Result<loop::AgentRun> run_before(std::uint32_t turn, std::vector<Told>& rest) const;
  Result<std::vector<AgentFrom>> other_agents(const TurnPrograms& programs) const;
  Result<loop::AgentRun> begun(const loop::Agent& agent) const;
  void note_waits(const std::vector<loop::Operation>& operations);

  std::vector<AgentFrom> agents_;       // one for each time in which the same models answered
  loop::StartBody start_;
  std::vector<Told> told_;
  std::vector<std::string> verdicts_;   // bodies of hooks_said
  std::optional<loop::AgentRun> run_;
  std::map<std::string, std::int64_t> since_ms_;   // by the path of the operation that waits
  std::int64_t told_ms_ = 0;                       // the time of the last fact that the run was told
  std::optional<AgentMark> noted_;
  AgentMark seen_;
};

}  // namespace ptcvm::cli
