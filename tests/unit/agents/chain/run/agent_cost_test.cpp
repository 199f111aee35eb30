// What the agent of a step has used is in the cost of the task, whether the agent succeeded or failed.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "agents/chain/run/chain_run.h"

namespace ptcvm::chain {
namespace {

// Runs a task with a step for an agent, which uses three requests and two calls of tools; returns the cost of the task.
boost::json::object cost_of_task(bool is_good) {
  const Engine engine;
  const Store store = Store::in_memory();
  ChainOptions options;
  options.id = "T";
  options.input = "Do it";
  options.replans = false;
  ChainRun run = ChainRun::start(engine, store, options).value();
  const ModelUsage used{.input_tokens = 30, .output_tokens = 4, .calls = 3, .tool_calls = 2};
  while (run.step().value() != ChainState::Done) {
    for (const ChainOperation& operation : run.operations()) {
      if (operation.purpose == "step") {
        const auto told = is_good ? run.answer(operation.id, "ok", {}, used)
                                  : run.answer_error(operation.id, "no_word: none", {}, used);
        EXPECT_TRUE(told);
      } else {
        const char* const plan = R"({"steps":[{"id":"a","type":"action","description":"Think"}]})";
        run.answer(operation.id, boost::json::value(operation.purpose == "plan" ? plan : "")).value();
      }
    }
  }
  EXPECT_EQ(run.outcome()->report.at("success").as_bool(), is_good);
  return run.outcome()->report.at("cost").as_object();
}

TEST(AgentCost, requests_tokens_and_calls_of_the_agent_of_a_step_are_counted) {
  for (const bool is_good : {true, false}) {
    const boost::json::object cost = cost_of_task(is_good);
    EXPECT_EQ(cost.at("modelCalls").to_number<int>(), 2 + 3) << is_good;   // the intent and the plan, too
    EXPECT_EQ(cost.at("toolCalls").to_number<int>(), 2) << is_good;
    EXPECT_EQ(cost.at("inputTokens").to_number<int>(), 30) << is_good;
    EXPECT_EQ(cost.at("outputTokens").to_number<int>(), 4) << is_good;
  }
}

}  // namespace
}  // namespace ptcvm::chain
