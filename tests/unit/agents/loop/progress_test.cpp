// Renderers of the progress, with a state that is part of the run.
#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "agents/loop/agent_run.h"
#include "agents/replay/reply_bytes.h"

namespace ptcvm::loop {
namespace {

ModelReply reply_with(const std::string& program) {
  replay::SaidReply said;
  said.calls.push_back({"c1", "run_program", boost::json::serialize(boost::json::object{{"program", program}})});
  return {200, {}, replay::reply_document(wire::Protocol::Chat, said), false};
}

constexpr std::string_view kPlanned = R"({"prompt": "x", "plan": [["look", "Look it up"]], "max_turns": 9})";

// Returns a function that counts its calls in its state.
boost::json::object counting() {
  auto file = agent_json(read_agent_text(kPlanned).value());
  file["progress"] = "(fn [input state] (let [n (inc (or (get state \"n\") 0))] "
                     "{:text (str \"turn \" (get input \"turn\") \", seen \" n \", done \" "
                     "(count (get input \"summaries\")))"
                     " :state {:n n}}))";
  return file;
}

TEST(ProgressTest, a_function_of_the_file_renders_each_turn_with_its_own_state) {
  const Engine engine;
  const Agent agent = Agent::make(engine, read_agent(counting()).value()).value();
  AgentRun run = AgentRun::start(agent).value();
  run.step();
  EXPECT_NE(run.operations().at(0).body.find("turn 1, seen 1, done 0"), std::string_view::npos);
  ASSERT_TRUE(run.resolve_model("model", reply_with("(step-done \"look\" \"ok\")")));
  run.step();
  run = AgentRun::restore(agent, run.snapshot()).value();   // the state is in the document
  run.step();
  EXPECT_NE(run.operations().at(0).body.find("turn 2, seen 2, done 1"), std::string_view::npos);
  EXPECT_EQ(run.operations().at(0).body.find("- [ ]"), std::string_view::npos);
  // A request that is sent again does not render again.
  ASSERT_TRUE(run.resolve_model("model", {503, {}, "{}", false}));
  run.advance(100'000);
  run.step();
  EXPECT_NE(run.operations().at(0).body.find("turn 2, seen 2, done 1"), std::string_view::npos);
  AgentRun forked = run.fork(1, "f").value();
  forked.step();
  EXPECT_NE(forked.operations().at(0).body.find("turn 2, seen 2, done 1"), std::string_view::npos);
}

TEST(ProgressTest, a_function_that_returns_something_else_ends_the_run) {
  const Engine engine;
  for (const char* const wrong :
       {"(fn [input state] 3)", "(fn [input state] {:text 3})", "(fn [input state] (+ 1 nil))"}) {
    auto file = agent_json(read_agent_text(kPlanned).value());
    file["progress"] = wrong;
    AgentRun run = AgentRun::start(Agent::make(engine, read_agent(file).value()).value()).value();
    EXPECT_EQ(run.step(), AgentState::Ended);
    EXPECT_EQ(run.outcome().reason, "progress_failed") << wrong;
  }
  auto file = agent_json(read_agent_text(kPlanned).value());
  file["progress"] = "(fn [input state";
  EXPECT_FALSE(Agent::make(engine, read_agent(file).value()));
}

TEST(ProgressTest, a_function_of_the_host_keeps_a_state_too) {
  const Engine engine;
  AgentOptions options;
  options.progress = [](const ProgressInput& input) -> Result<ProgressOutput> {
    if (input.state == "aa") return Error{Errc::invalid_value, "enough", std::nullopt, {}};
    return ProgressOutput{"so far " + std::string(input.state) + "|", std::string(input.state) + "a"};
  };
  AgentRun run = AgentRun::start(Agent::make(engine, read_agent_text(kPlanned).value(), options).value()).value();
  run.step();
  for (const char* const so_far : {"so far |", "so far a|"}) {
    EXPECT_NE(run.operations().at(0).body.find(so_far), std::string_view::npos);
    ASSERT_TRUE(run.resolve_model("model", reply_with("1")));
    run.step();
  }
  EXPECT_EQ(run.outcome().message, "enough");
}

}  // namespace
}  // namespace ptcvm::loop
