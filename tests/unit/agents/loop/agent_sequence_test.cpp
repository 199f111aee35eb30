// Agents one after the other, and agents that have a program in the place of a model.
#include "agents/loop/agent_sequence.h"

#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "agents/loop/agent_run.h"
#include "agents/replay/reply_bytes.h"

namespace ptcvm::loop {
namespace {

constexpr std::string_view kFind = R"({"name": "find", "prompt": "Find {{who}}.",
  "signature": "(who :string) -> {id :int, mail :string}"})";
constexpr std::string_view kWrite = R"({"name": "write", "prompt": "Write to {{mail}}.",
  "signature": "(mail :string) -> {sent :bool}"})";

AgentDefinition parsed(std::string_view text) { return read_agent_text(text).value(); }

class AgentSequenceTest : public testing::Test {
 protected:
  static ModelReply says(const std::string& program) {
    replay::SaidReply said;
    said.calls.push_back({"c1", "run_program", boost::json::serialize(boost::json::object{{"program", program}})});
    return {200, {}, replay::reply_document(wire::Protocol::Chat, said), false};
  }
  Agent made(AgentDefinition definition) { return Agent::make(engine_, std::move(definition)).value(); }
  Engine engine_;
};

TEST_F(AgentSequenceTest, what_one_returns_is_what_the_next_works_on) {
  const Agent both = made(agent_sequence({parsed(kFind), parsed(kWrite)}).value());
  AgentRun run = AgentRun::start(both, {.data_json = R"({"who": "ann"})"}).value();
  run.step();
  EXPECT_EQ(run.operations().at(0).path, "find/model");
  ASSERT_TRUE(run.resolve_model("find/model", says(R"x((return {:id 7 :mail "ann@x"}))x")));
  run.step();
  // The whole sequence is one document, and it goes on from there.
  run = AgentRun::restore(both, run.snapshot()).value();
  run.step();
  ASSERT_EQ(run.operations().at(0).path, "write/model");
  EXPECT_NE(run.operations().at(0).body.find("ann@x"), std::string_view::npos);
  ASSERT_TRUE(run.resolve_model("write/model", says("(return {:sent true})")));
  EXPECT_EQ(run.step(), AgentState::Ended);
  EXPECT_EQ(run.outcome().result_json, R"({"sent":true})");
  EXPECT_EQ(run.usage().model_calls, 2u);
}

TEST_F(AgentSequenceTest, a_step_that_fails_ends_the_run_with_its_reason_and_asks_nobody_further) {
  const Agent both = made(agent_sequence({parsed(kFind), parsed(kWrite)}).value());
  AgentRun run = AgentRun::start(both, {.data_json = R"({"who": "ann"})"}).value();
  run.step();
  ASSERT_TRUE(run.resolve_model("find/model", says(R"x((fail {:reason :unknown_person :message "no Ann"}))x")));
  EXPECT_EQ(run.step(), AgentState::Ended);
  EXPECT_EQ(run.outcome().reason, "chained_failure");
  for (const char* const part : {"find", "unknown_person", "no Ann"}) {
    EXPECT_NE(run.outcome().message.find(part), std::string::npos) << run.outcome().message;
  }
  EXPECT_EQ(run.usage().model_calls, 1u);
}

TEST_F(AgentSequenceTest, a_parameter_that_the_step_before_does_not_return_is_refused) {
  const auto missing = agent_sequence({parsed(kWrite), parsed(kFind)});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message,
            "chain_error: find wants the argument \"who\", and write, the agent before it, returns {sent :bool} "
            "without it");
  const auto other = agent_sequence({parsed(kFind), parsed(R"({"prompt": "x", "signature": "(mail :int) -> :int"})")});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message,
            "chain_error: step-2 wants the argument \"mail\" as :int, and find, the agent before it, returns it as "
            ":string");
  const auto text = agent_sequence({parsed(R"({"prompt": "x", "signature": "() -> :string"})"), parsed(kWrite)});
  ASSERT_FALSE(text);
  EXPECT_NE(text.error().message.find("write wants the argument \"mail\", and step-1, the agent before it, returns "
                                      ":string without it"),
            std::string::npos);
}

TEST_F(AgentSequenceTest, a_parameter_that_may_be_missing_need_not_be_returned) {
  const AgentDefinition next = parsed(R"({"prompt": "x", "signature": "(id :int, note :string?) -> :int"})");
  EXPECT_TRUE(agent_sequence({parsed(kFind), next}));
}

TEST_F(AgentSequenceTest, an_agent_file_names_what_goes_on) {
  boost::json::object file = agent_json(parsed(kFind));
  file["then"] = agent_json(parsed(kWrite));
  file["then"].get_object()["then"] = boost::json::object{{"name", "count"}, {"prompt", "Count {{sent}}."}};
  const auto read = read_agent(file);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->name, "find-then-write-then-count");
  EXPECT_EQ(read->signature, "(who :string) -> :any");
  EXPECT_EQ(read->limits.depth, 4u);
  // What is written down is the sequence, and it is read as the same one.
  EXPECT_EQ(agent_json(read_agent(agent_json(*read)).value()), agent_json(*read));
  file["then"] = 3;
  EXPECT_FALSE(read_agent(file));
}

TEST_F(AgentSequenceTest, two_steps_of_one_name_are_told_apart) {
  const AgentDefinition same = parsed(R"({"name": "a", "prompt": "x"})");
  const auto twice = agent_sequence({same, same});
  ASSERT_TRUE(twice);
  EXPECT_TRUE(twice->children.contains("a") && twice->children.contains("step-2"));
}

TEST_F(AgentSequenceTest, an_agent_with_a_program_asks_no_model) {
  const Agent fixed = made(parsed(R"x({"program": "(return {:n (count (tool/rows {:of data/who}))})",
    "signature": "(who :string) -> {n :int}", "max_turns": 1,
    "tools": [{"name": "rows", "signature": "(of :string) -> [:int]", "effect": "pure"}]})x"));
  AgentRun run = AgentRun::start(fixed, {.data_json = R"({"who": "ann"})"}).value();
  run.step();
  ASSERT_EQ(run.operations().at(0).path, "rows");
  ASSERT_TRUE(run.resolve("rows", Value::from_json("[1, 2, 3]").value()));
  EXPECT_EQ(run.step(), AgentState::Ended);
  EXPECT_EQ(run.outcome().result_json, R"({"n":3})");
  EXPECT_EQ(run.usage().model_calls, 0u);
}

TEST_F(AgentSequenceTest, a_program_that_cannot_end_the_task_ends_with_an_error) {
  const auto reason = [&](const std::string& program) {
    boost::json::object file{{"program", program}, {"signature", "() -> :int"}};
    AgentRun run = AgentRun::start(made(read_agent(file).value())).value();
    EXPECT_EQ(run.step(), AgentState::Ended);
    return run.outcome().reason;
  };
  EXPECT_EQ(reason("(+ 1 2)"), "llm_required");
  EXPECT_EQ(reason("(return \"x\")"), "validation_error");
  EXPECT_EQ(reason("(return (+ 1 \"x\"))"), "type_error");
  EXPECT_EQ(reason("(fail {:reason :tired})"), "tired");
  EXPECT_EQ(reason("(return 3)"), "");
}

TEST_F(AgentSequenceTest, a_program_that_does_not_compile_is_refused_before_a_run_begins) {
  const auto wrong = Agent::make(engine_, parsed(R"x({"program": "(return (tool/nobody {}))"})x"));
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("agent: \"program\":"), std::string::npos) << wrong.error().message;
  EXPECT_FALSE(read_agent_text(R"({"name": "neither"})"));
}

constexpr std::string_view kPlanner = R"({"name": "plan", "prompt": "Plan the mail to {{who}}."})";
constexpr std::string_view kWorker = R"({"name": "work", "prompt": "Write to {{who}}.", "max_turns": 3,
  "signature": "(who :string) -> {sent :bool}"})";

TEST_F(AgentSequenceTest, what_a_planner_returns_is_the_plan_of_the_agent) {
  const Agent both = made(planned_agent(parsed(kPlanner), parsed(kWorker)).value());
  AgentRun run = AgentRun::start(both, {.data_json = R"({"who": "ann"})"}).value();
  run.step();
  ASSERT_EQ(run.operations().at(0).path, "plan/model");
  EXPECT_NE(run.operations().at(0).body.find("ann"), std::string_view::npos);
  ASSERT_TRUE(run.resolve_model("plan/model", says(R"((return {:steps [{:id "find" :text "Find the address"}
      {:id "send" :text "Send it"}]}))")));
  run.step();
  run = AgentRun::restore(both, run.snapshot()).value();
  run.step();
  ASSERT_EQ(run.operations().at(0).path, "work/model");
  EXPECT_NE(run.operations().at(0).body.find("- [ ] find. Find the address"), std::string_view::npos);
  EXPECT_EQ(run.operations().at(0).body.find("_plan"), std::string_view::npos) << "the plan is no data for the model";
  ASSERT_TRUE(run.resolve_model("work/model", says(R"((step-done "find" "ann@x"))")));
  run.step();
  EXPECT_NE(run.operations().at(0).body.find("- [x] find. Find the address"), std::string_view::npos);
  ASSERT_TRUE(run.resolve_model("work/model", says("(return {:sent true})")));
  EXPECT_EQ(run.step(), AgentState::Ended);
  EXPECT_EQ(run.outcome().result_json, R"({"sent":true})");
}

TEST_F(AgentSequenceTest, a_planner_that_returns_no_plan_is_told_or_ends_the_run) {
  const Agent both = made(planned_agent(parsed(kPlanner), parsed(kWorker)).value());
  AgentRun run = AgentRun::start(both, {.data_json = R"({"who": "ann"})"}).value();
  run.step();
  ASSERT_TRUE(run.resolve_model("plan/model", says("(return {:steps 7})")));
  run.step();
  EXPECT_EQ(run.operations().at(0).path, "plan/model") << "it does not fit the signature: the planner is told";

  const Agent loose = made(planned_agent(
      parsed(R"({"name": "plan", "prompt": "P", "signature": "() -> :any"})"), parsed(kWorker)).value());
  run = AgentRun::start(loose, {.data_json = R"({"who": "ann"})"}).value();
  run.step();
  ASSERT_TRUE(run.resolve_model("plan/model", says("(return [])")));
  EXPECT_EQ(run.step(), AgentState::Ended);
  EXPECT_EQ(run.outcome().reason, "chained_failure");
  EXPECT_NE(run.outcome().message.find("plan_invalid"), std::string::npos) << run.outcome().message;
}

TEST_F(AgentSequenceTest, a_planner_in_a_file_is_read_and_what_cannot_be_planned_is_refused) {
  const std::string planned = R"({"name": "work", "prompt": "W {{who}}", "planner": {"prompt": "P"}})";
  const Agent agent = made(parsed(planned));
  EXPECT_EQ(read_agent(agent_json(agent.definition())).value().program, agent.definition().program);
  EXPECT_TRUE(agent.definition().children.contains("planner"));
  const auto refusal = [](std::string_view file) {
    const auto read = read_agent_text(file);
    return read ? std::string() : read.error().message;
  };
  EXPECT_NE(refusal(R"({"prompt": "W", "plan": ["a"], "planner": {"prompt": "P"}})").find("a plan and a planner"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"prompt": "W", "planner": {"prompt": "P", "signature": "() -> :int"}})").find("returns :int"),
            std::string::npos);
}

}  // namespace
}  // namespace ptcvm::loop
