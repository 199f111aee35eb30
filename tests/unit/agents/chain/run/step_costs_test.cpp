// What a step costs in the log beside its tool: as many facts as a bare task has, and so as many writes.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "agents/chain/run/chain_run.h"
#include "agents/chain/run/steps_run.h"
#include "ptcvm/stored_run.hpp"

namespace ptcvm::chain {
namespace {

std::ptrdiff_t facts(const Store& store, std::string_view run) {
  const std::string log = store.log_json(run).value();
  return std::count(log.begin(), log.end(), '\n');
}

// Returns the facts of the run that executes a plan of so many steps.
std::ptrdiff_t facts_of_steps(int steps, bool is_wide, std::size_t parallel) {
  std::string plan = "{\"steps\":[";
  for (int i = 0; i < steps; ++i) {
    plan += std::string(i == 0 ? "" : ",") + R"({"tool":"do","args":{"n":)" + std::to_string(i) + '}' +
            (is_wide ? R"(,"dependsOn":[]})" : "}");
  }
  plan += "]}";
  const Engine engine;
  const Store store = Store::in_memory();
  ChainOptions options;
  options.id = "T";
  options.input = "Do it";
  options.tools = {{.name = "do", .signature = "", .description = "", .effect = Effect::Keyed}};
  options.parallel = parallel;
  ChainRun run = ChainRun::start(engine, store, options).value();
  while (run.step().value() != ChainState::Done) {
    for (const ChainOperation& operation : run.operations()) {
      run.answer(operation.id, boost::json::value(operation.purpose == "plan" ? plan : "ok")).value();
    }
  }
  EXPECT_TRUE(run.outcome()->report.at("success").as_bool());
  return facts(store, steps_run_id("T"));
}

std::ptrdiff_t facts_of_tasks(int tasks) {
  const Engine engine;
  const Store store = Store::in_memory();
  Tools tools;
  tools.defer("do", "", {.effect = Effect::Keyed}).value();
  const std::string source =
      "(doseq [n (range " + std::to_string(tasks) + ")] (task (str \"T/s\" n) (tool/do {\"n\" n})))";
  StoredRun run = StoredRun::start(engine, store, tools, source, {.id = "T"}).value();
  while (run.step().value() != StoredStep::Done) {
    for (const auto& call : run.calls()) run.answer(call.id, Value::of(std::string("ok"))).value();
  }
  return facts(store, "T");
}

TEST(StepCosts, a_step_has_as_many_facts_as_a_bare_task) {
  const std::ptrdiff_t bare = facts_of_tasks(60) - facts_of_tasks(20);
  EXPECT_EQ(bare, 40 * 3);   // the intent, the answer, the commit
  EXPECT_EQ(facts_of_steps(60, false, 1) - facts_of_steps(20, false, 1), bare);
  EXPECT_EQ(facts_of_steps(60, false, 8) - facts_of_steps(20, false, 8), bare);
  EXPECT_EQ(facts_of_steps(60, true, 8) - facts_of_steps(20, true, 8), bare);
}

}  // namespace
}  // namespace ptcvm::chain
