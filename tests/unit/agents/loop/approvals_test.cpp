// Calls of async tools that ask a person: the program goes on, so several are asked about at once.
#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "agents/loop/agent_run.h"
#include "agents/replay/reply_bytes.h"

namespace ptcvm::loop {
namespace {

using Paths = std::vector<std::string>;

constexpr std::string_view kAskingFile = R"({"name": "a", "prompt": "P", "signature": "() -> :any",
  "limits": {"tool_calls": 2}, "tools": [{"name": "pay", "signature": "(to :string) -> :int", "effect": "unsafe",
  "mode": "async", "ask": true}]})";
constexpr std::string_view kPaysTwo = R"((let [a (tool/pay {:to "ann"}) b (tool/pay {:to "bo"})]
  (return [(await b) (await a)])))";

class ApprovalsTest : public testing::Test {
 protected:
  AgentRun with_program(std::string_view program, const AgentStart& start = {.id = "r"}) {
    AgentRun run = AgentRun::start(agent_, start).value();
    run.step();
    replay::SaidReply said;
    const std::string arguments = boost::json::serialize(boost::json::object{{"program", program}});
    said.calls.push_back({"c1", "run_program", arguments});
    EXPECT_TRUE(run.resolve_model("model", {200, {}, replay::reply_document(wire::Protocol::Chat, said), false}));
    run.step();
    return run;
  }

  Engine engine_;
  Agent agent_ = Agent::make(engine_, read_agent_text(kAskingFile).value()).value();
};

TEST_F(ApprovalsTest, several_calls_of_a_program_are_asked_about_at_once) {
  AgentRun first = with_program(kPaysTwo);
  ASSERT_EQ(first.pending(), (Paths{"approve:pay", "approve:pay#2"}));
  EXPECT_EQ(first.operations()[1].args_json, R"({"to":"bo"})");
  EXPECT_EQ(first.usage().tool_calls, 0u) << "nothing is called yet";
  AgentRun run = AgentRun::restore(agent_, first.snapshot()).value();
  ASSERT_TRUE(run.resolve("approve:pay#2", Value::of(true)));
  run.step();
  EXPECT_EQ(run.pending(), (Paths{"approve:pay", "pay#2"}));
  EXPECT_EQ(run.operations()[1].kind, OperationKind::Tool);
  EXPECT_TRUE(run.operations()[1].is_begun);
  ASSERT_TRUE(run.resolve("approve:pay", Value::of(true)));
  ASSERT_TRUE(run.resolve("pay#2", Value::of(std::int64_t{2})));
  ASSERT_TRUE(run.resolve("pay", Value::of(std::int64_t{1})));
  EXPECT_EQ(run.step(), AgentState::Ended);
  EXPECT_EQ(run.outcome().result_json, "[2,1]");
  EXPECT_EQ(run.usage().tool_calls, 2u);
}

TEST_F(ApprovalsTest, a_call_that_is_refused_is_an_error_where_the_program_waits) {
  AgentRun run = with_program(R"((return (await (tool/pay {:to "ann"}))))");
  ASSERT_TRUE(run.reject("approve:pay", "not this month"));
  EXPECT_EQ(run.step(), AgentState::Waiting);
  const std::string request(run.operations().at(0).body);
  EXPECT_NE(request.find("not this month"), std::string::npos) << request;
  EXPECT_FALSE(run.operations().at(0).callable.empty()) << "no effect has happened";
}

TEST_F(ApprovalsTest, a_program_that_does_not_wait_ends_when_its_calls_are_decided) {
  AgentRun run = with_program(R"((do (tool/pay {:to "ann"}) (return 3)))");
  EXPECT_EQ(run.state(), AgentState::Waiting);
  ASSERT_TRUE(run.resolve("approve:pay", Value::of(true)));
  EXPECT_EQ(run.step(), AgentState::Waiting) << "the call is made, and answered";
  ASSERT_TRUE(run.resolve("pay", Value::of(std::int64_t{1})));
  EXPECT_EQ(run.step(), AgentState::Ended);
  EXPECT_EQ(run.outcome().result_json, "3");
}

TEST_F(ApprovalsTest, nobody_is_asked_behind_a_fault) {
  AgentRun run = with_program(R"((do (tool/pay {:to "ann"}) (/ 1 0)))");
  EXPECT_EQ(run.pending(), Paths{"model"});
  EXPECT_EQ(run.resolve("approve:pay", Value::of(true)).error().code, Errc::unknown_operation);
}

TEST_F(ApprovalsTest, a_call_beyond_the_limit_is_an_error_when_it_is_allowed) {
  AgentRun run = with_program(R"((let [calls (doall (map (fn [to] (tool/pay {:to to})) ["a" "b" "c"]))]
    (return (map :status (await-settled calls)))))");
  ASSERT_EQ(run.pending().size(), 3u);
  for (const char* const path : {"approve:pay", "approve:pay#2", "approve:pay#3"}) {
    ASSERT_TRUE(run.resolve(path, Value::of(true)));
  }
  run.step();
  ASSERT_TRUE(run.resolve("pay", Value::of(std::int64_t{1})));
  ASSERT_TRUE(run.resolve("pay#2", Value::of(std::int64_t{1})));
  EXPECT_EQ(run.step(), AgentState::Ended);
  EXPECT_EQ(run.outcome().result_json, R"(["ok","ok","error"])");
}

TEST_F(ApprovalsTest, a_run_that_an_earlier_version_began_waits_at_its_first_call) {
  AgentRun run = with_program(kPaysTwo, {.id = "r", .rules = 0});
  EXPECT_EQ(run.pending(), Paths{"approve:pay"});
}

}  // namespace
}  // namespace ptcvm::loop
