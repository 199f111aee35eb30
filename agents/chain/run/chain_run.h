// Executes a task chain: intent, context, plan, steps, replanning, report, feedback. Nothing here waits: the chain
// hands operations out, and the host answers them.
//
//   auto run = ptcvm::chain::ChainRun::start(engine, store, options);
//   for (;;) {
//     const auto state = run->step();
//     if (!state || *state == ptcvm::chain::ChainState::Done) break;
//     for (const auto& operation : run->operations()) …            // call the model or the tool, ask the person
//     run->answer(id, value);
//   }
//
// The chain lives in the store as three runs: ID (the driver; where ID is a job of a queue, ID/driver), ID/steps (the
// plan, a turn for each revision) and ID/feedback. What was paid for is in their logs, so a process that dies loses
// nothing: start the chain again with the same options, and it goes on. Tools of the class Unsafe whose process died
// are handed out as doubts.
//
// A ChainRun belongs to one thread at a time.
#pragma once
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agents/chain/chain.h"
#include "agents/chain/risk/operation.h"
#include "agents/chain/run/agent_doubts.h"
#include "agents/chain/text/model_usage.h"
#include "ptcvm/engine.hpp"
#include "ptcvm/store.hpp"

namespace ptcvm::chain {

enum class ChainState : std::uint8_t {
  Yielded,   // the fuel of the step is used up
  Waits,     // operations() must be answered
  Done,      // outcome() says how the task ended; a question for feedback may still be open
};

struct ChainOutcome {
  bool is_completed = false;           // the task ended by itself; says nothing about its success
  std::string error;                   // why the task failed: a name, a colon and a sentence; "" when it did not
  std::uint32_t revision = 1;          // the last revision of the plan that was executed
  boost::json::object report;          // report.h; it has "revision" too
  bool wants_feedback = false;
};

class ChainRun {
 public:
  // Prepares the chain, or goes on with the chain of that id. Nothing is written before the first step. invalid_value:
  // the id or a tool is not possible. invalid_signature: the signature of a tool cannot be read.
  static Result<ChainRun> start(const Engine& engine, const Store& store, ChainOptions options);
  ChainRun(ChainRun&& moved) noexcept;
  ChainRun& operator=(ChainRun&& moved) noexcept;
  ~ChainRun();   // gives the claims back; what is open stays open in the log

  // Goes on for about `fuel` units of work. busy: another process executes the chain. store_failed: step again.
  Result<ChainState> step(std::uint64_t fuel = UINT64_MAX);
  std::vector<ChainOperation> operations() const;
  // Returns whether only people are waited for: the process may end, and start the chain again with the answer.
  bool is_parked() const;

  // Say what became of an operation; wrong_state: there is no such operation. `took` and, for models, `usage` are
  // told in the report.
  //   Model: the reply, a text. Tool: the output. Question: the text of the person. Report: anything.
  Result<void> answer(std::uint64_t operation, boost::json::value value, std::chrono::milliseconds took = {},
                      const ModelUsage& usage = {});
  // The call failed. A report that cannot be kept is handed out again. `usage`: what the agent of a step has used.
  Result<void> answer_error(std::uint64_t operation, std::string message, std::chrono::milliseconds took = {},
                            const ModelUsage& usage = {});
  // Says that no model is asked, because a limit of the task is used up: `error` is a name, a colon and a sentence. A
  // step fails with it, a plan ends the task with it, the intent is guessed from the input, and criteria that a model
  // should judge stay pending.
  Result<void> refuse(std::uint64_t operation, std::string error);
  // The call of a tool may or may not have happened. One that may be made again counts as failed. Otherwise it becomes
  // a Doubt, when the other calls of the steps have their answers.
  Result<void> answer_unknown(std::uint64_t operation, std::string message);
  // The agent that does a step (Model "step") waits for people: nobody knows whether it has made these calls. They are
  // Doubts in operations() until settle(), which tells the agent. Replaces what was said about the agent before.
  Result<void> doubt_calls(std::uint64_t operation, DoubtingAgent agent);
  // A person says what became of a call in doubt, with its output when it happened. Giving up a call of an agent fails
  // the step of the agent (IN_DOUBT), and no revision follows by itself.
  Result<void> settle(std::uint64_t operation, DoubtAnswer answer, boost::json::value output = nullptr);

  // Returns how the task ended, or nullopt when it did not end yet.
  const std::optional<ChainOutcome>& outcome() const;
  // Returns what a person said about the finished task, or nullopt.
  const std::optional<boost::json::object>& feedback() const;
  // Returns the source of the plan program that was started last, or "".
  std::string plan_program() const;
  // Returns the steps of the plan that was made last, as planners write them, or an empty list.
  boost::json::array plan() const;
  // Returns signatures that a person approved for good while this object lived: keep them for other tasks.
  const std::vector<std::string>& lasting_approvals() const;

 private:
  class Impl;
  explicit ChainRun(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ptcvm::chain
