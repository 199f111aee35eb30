// An agent as a planner of conversations: a model writes programs that read the conversation, call tools, and return
// what should be said.
//
// What the planner consumes at once is one run of the agent. A pass that was killed goes on with this run, so its model
// is not asked again; a pass that lost its commit, or that was cancelled because something new came, tells the run what
// is new, so that effects of its tools are not repeated. After regenerating another run begins: the model decides anew.
#pragma once
#include <memory>
#include <string>
#include <utility>

#include "agents/harness/pass/planner.h"
#include "agents/loop/stored_agent.h"
#include "agents/planner/kept_calls.h"

namespace ptcvm::planner {

// See the top of this file. Belongs to one thread.
//
// The data of a run are {"status": text, "facts": [fact], "unsent_draft": fact or nil}: facts as harness::fact_json()
// writes them. The agent returns a fact with its type, a list of facts, a text that becomes a draft, or nil when there
// is nothing to say. A tool with "ask" asks the person of the conversation, and the pass waits for the answer. The
// person is asked, too, about a call of an unsafe tool that may or may not have happened, and before a tool is called
// again whose call belongs to a proposal that was dropped (kept_calls.h).
class AgentPlanner final : public harness::Planner {
 public:
  // Checks the definition. `driver` asks the model and calls tools; it must outlive the planner. `conversation` is the
  // id of the conversation, the first part of the ids of runs. Errors: as Agent::make().
  static Result<std::unique_ptr<AgentPlanner>> make(const Engine& engine, loop::AgentDefinition definition,
                                                    loop::AgentOptions options, Store store, std::string conversation,
                                                    loop::AgentDriver& driver);

  // Throws std::runtime_error when the store fails or another process executes the run.
  harness::PlanOutput plan(harness::PlanContext& context) override;

 private:
  AgentPlanner(std::shared_ptr<KeptCalls> calls, loop::Agent agent, Store store, std::string conversation)
      : calls_(std::move(calls)),
        agent_(std::move(agent)),
        store_(std::move(store)),
        conversation_(std::move(conversation)) {}
  harness::PlanOutput plan_run(harness::PlanContext& context, std::string id);
  Result<void> drive(loop::StoredAgent& stored);

  std::shared_ptr<KeptCalls> calls_;   // the hooks of the agent have it, too
  loop::Agent agent_;
  Store store_;
  std::string conversation_;
};

}  // namespace ptcvm::planner
