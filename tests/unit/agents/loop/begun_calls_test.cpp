// Calls of async tools that are under way: their programs go on, and need not wait for one to begin the next.
#include <gtest/gtest.h>

#include "agents/loop/agent_run.h"
#include "agents/loop/stored_agent.h"
#include "tests/unit/agents/loop/program_reply.h"

namespace ptcvm::loop {
namespace {

constexpr std::string_view kTwoCalls = R"((let [a (tool/call {:to "ann"}) b (tool/call {:to "bo"})]
  (return (str (await b) (await a)))))";

using Paths = std::vector<std::string>;

std::string agent_file(const std::string& effect, const std::string& more = {}) {
  return R"({"name": "a", "prompt": "P", "signature": "() -> :string", )" + more +
         R"("tools": [{"name": "call", "signature": "(to :string) -> :string", "mode": "async", "effect": ")" + effect +
         R"("}, {"name": "now", "signature": "() -> :int"}]})";
}

Paths calls_of(const AgentRun& run) {
  Paths paths;
  for (const Operation& operation : run.operations()) {
    if (operation.kind == OperationKind::Tool) paths.push_back(operation.path);
  }
  return paths;
}

class BegunCallsTest : public testing::Test {
 protected:
  Agent made(const std::string& file) { return Agent::make(engine_, read_agent_text(file).value()).value(); }
  static AgentRun begun(const Agent& agent, std::string_view program, const AgentStart& start = {.id = "r"}) {
    AgentRun run = AgentRun::start(agent, start).value();
    run.step();
    EXPECT_TRUE(run.resolve_model("model", writes(program)));
    run.step();
    EXPECT_TRUE(run.begin_call("call"));
    run.step();
    return run;
  }
  StoredAgent opened(const Agent& agent) {
    return StoredAgent::open(agent, store_, {.start = {.id = "r"}}).value();
  }
  // A process that dies when both calls are under way.
  void die_in_both_calls(const Agent& agent) {
    StoredAgent stored = opened(agent);
    ASSERT_TRUE(stored.step());
    ASSERT_EQ(stored.take_orders().size(), 1u);
    ASSERT_TRUE(stored.resolve_model("model", writes(kTwoCalls)));
    for (const char* const path : {"call", "call#2"}) {
      ASSERT_TRUE(stored.step());
      const auto orders = stored.take_orders();
      ASSERT_EQ(orders.size(), 1u) << "the call is in the log before the host makes it, and made once";
      EXPECT_EQ(orders.front().path, path);
      ASSERT_TRUE(stored.begin_call(path));
    }
    ASSERT_TRUE(stored.step());
  }

  Engine engine_;
  Store store_ = Store::in_memory();
};

TEST_F(BegunCallsTest, a_program_begins_the_next_call_before_the_first_one_is_answered) {
  AgentRun run = begun(made(agent_file("keyed")), kTwoCalls);
  EXPECT_EQ(calls_of(run), (Paths{"call", "call#2"}));
  ASSERT_TRUE(run.begin_call("call#2"));
  ASSERT_TRUE(run.begin_call("call#2")) << "once more changes nothing";
  run.step();
  EXPECT_EQ(calls_of(run), (Paths{"call", "call#2"}));
  EXPECT_EQ(run.operations().front().args_json, R"({"to":"ann"})");
  ASSERT_TRUE(run.resolve("call#2", Value::of("2")));
  ASSERT_TRUE(run.resolve("call", Value::of("1")));
  EXPECT_EQ(run.step(), AgentState::Ended);
  EXPECT_EQ(run.outcome().result_json, "\"21\"");
}

TEST_F(BegunCallsTest, the_turn_ends_when_its_calls_are_answered) {
  for (const bool is_answered : {true, false}) {
    AgentRun run = begun(made(agent_file("unsafe")), R"((do (tool/call {:to "ann"}) (return "x")))");
    EXPECT_EQ(run.state(), AgentState::Waiting);
    EXPECT_EQ(calls_of(run), Paths{"call"});
    ASSERT_TRUE(is_answered ? run.resolve("call", Value::of("1")) : run.reject("call", "busy"));
    EXPECT_EQ(run.step(), AgentState::Ended);
    EXPECT_EQ(run.outcome().result_json, "\"x\"");
  }
}

TEST_F(BegunCallsTest, a_fault_beside_an_effect_that_happened_is_followed_by_a_closing_turn) {
  for (const bool has_happened : {true, false}) {
    AgentRun run = begun(made(agent_file("unsafe")), R"((do (tool/call {:to "ann"}) (/ 1 0)))");
    ASSERT_TRUE(has_happened ? run.resolve("call", Value::of("1")) : run.reject("call", "busy"));
    run.step();
    const std::string request(run.operations().at(0).body);
    EXPECT_NE(request.find("division"), std::string::npos) << request.substr(request.size() - 600);
    EXPECT_EQ(run.operations().at(0).callable.empty(), has_happened);
  }
}

// The call of another program has another key, so only calls that may be made under any key leave the turns open.
TEST_F(BegunCallsTest, the_class_of_a_call_says_whether_a_fault_behind_it_closes_the_run) {
  struct Case {
    std::string effect;
    std::uint32_t rules;
    bool is_closing;
  };
  for (const Case& one : {Case{"unsafe", kAgentRules, true}, Case{"reconcilable", kAgentRules, true},
                          Case{"keyed", kAgentRules, false}, Case{"idempotent", kAgentRules, false},
                          Case{"pure", kAgentRules, false}, Case{"reconcilable", 9, false}, Case{"unsafe", 9, true}}) {
    AgentRun run = begun(made(agent_file(one.effect)), R"((do (await (tool/call {:to "ann"})) (/ 1 0)))",
                         {.id = "r", .rules = one.rules});
    ASSERT_TRUE(run.resolve("call", Value::of("1")));
    run.step();
    EXPECT_EQ(run.operations().at(0).callable.empty(), one.is_closing) << one.effect << ' ' << one.rules;
  }
}

TEST_F(BegunCallsTest, only_calls_of_async_tools_are_begun) {
  const Agent agent = made(agent_file("keyed"));
  AgentRun run = AgentRun::start(agent, {.id = "r"}).value();
  run.step();
  ASSERT_TRUE(run.resolve_model("model", writes("(return (str (tool/now {})))")));
  run.step();
  EXPECT_EQ(run.begin_call("now").error().code, Errc::wrong_state);
  EXPECT_EQ(run.begin_call("call").error().code, Errc::unknown_operation);
  EXPECT_EQ(run.begin_call("model").error().code, Errc::unknown_operation);
}

TEST_F(BegunCallsTest, an_answer_of_the_wrong_shape_is_an_error_of_the_call) {
  AgentRun run = begun(made(agent_file("keyed")), R"((return (await (tool/call {:to "ann"}))))");
  ASSERT_TRUE(run.resolve("call", Value::of(std::int64_t{5})));
  EXPECT_EQ(run.step(), AgentState::Waiting);
  ASSERT_FALSE(run.operations().empty());
  const std::string request(run.operations().at(0).body);
  EXPECT_NE(request.find("does not fit"), std::string::npos);
}

TEST_F(BegunCallsTest, a_tool_may_say_that_its_result_comes_later) {
  AgentRun run = begun(made(agent_file("keyed")), kTwoCalls);
  ASSERT_TRUE(run.pend("call"));
  ASSERT_TRUE(run.pend("call#2"));
  run.step();
  EXPECT_EQ(calls_of(run), Paths());
  EXPECT_EQ(run.pending(), (Paths{"call", "call#2"}));
  EXPECT_FALSE(run.begin_call("call"));
  ASSERT_TRUE(run.resolve("call", Value::of("1")));
  ASSERT_TRUE(run.resolve("call#2", Value::of("2")));
  EXPECT_EQ(run.step(), AgentState::Ended);
  EXPECT_EQ(run.outcome().result_json, "\"21\"");
}

TEST_F(BegunCallsTest, both_faces_of_the_document_have_the_calls_that_are_under_way) {
  const Agent agent = made(agent_file("keyed"));
  AgentRun run = begun(agent, kTwoCalls);
  ASSERT_TRUE(run.begin_call("call#2"));
  run.step();
  const auto bytes = run.snapshot();
  const std::string text = run.snapshot_json();
  EXPECT_NE(text.find("\"is_begun\""), std::string::npos);
  for (const auto snapshot : {std::span<const std::byte>(bytes), std::as_bytes(std::span(text))}) {
    AgentRun again = AgentRun::restore(agent, snapshot).value();
    EXPECT_EQ(again.snapshot(), bytes);
    EXPECT_EQ(calls_of(again), (Paths{"call", "call#2"}));
    ASSERT_TRUE(again.resolve("call", Value::of("1")));
    ASSERT_TRUE(again.resolve("call#2", Value::of("2")));
    EXPECT_EQ(again.step(), AgentState::Ended);
    EXPECT_EQ(again.outcome().result_json, "\"21\"");
  }
}

TEST_F(BegunCallsTest, a_document_without_such_calls_is_written_as_before_there_were_any) {
  const Agent agent = made(agent_file("keyed"));
  AgentRun run = begun(agent, kTwoCalls, {.id = "r", .rules = 0});   // an earlier version began it
  EXPECT_NE(run.snapshot_json().find("\"version\":6"), std::string::npos);
  ASSERT_TRUE(run.resolve("call", Value::of("1")));
  ASSERT_TRUE(run.pend("call#2"));
  run.step();
  EXPECT_NE(run.snapshot_json().find("\"version\":5"), std::string::npos);
}

TEST_F(BegunCallsTest, calls_that_may_be_repeated_are_made_again_after_a_death) {
  const Agent agent = made(agent_file("keyed"));
  die_in_both_calls(agent);
  StoredAgent again = opened(agent);
  ASSERT_TRUE(again.step());
  const auto orders = again.take_orders();
  ASSERT_EQ(orders.size(), 2u);
  EXPECT_TRUE(orders[0].is_begun && orders[1].is_begun);
  ASSERT_TRUE(again.resolve("call#2", Value::of("2")));
  ASSERT_TRUE(again.resolve("call", Value::of("1")));
  EXPECT_EQ(*again.step(), AgentState::Ended);
  EXPECT_EQ(again.run().outcome().result_json, "\"21\"");
  EXPECT_EQ(again.run().usage().tool_calls, 2u);
}

TEST_F(BegunCallsTest, calls_that_may_not_be_repeated_are_in_doubt_after_a_death) {
  const Agent agent = made(agent_file("unsafe"));
  die_in_both_calls(agent);
  StoredAgent again = opened(agent);
  ASSERT_TRUE(again.step());
  EXPECT_TRUE(again.take_orders().empty());
  EXPECT_EQ(again.run().pending(), (Paths{"doubt:call", "doubt:call#2"}));
  ASSERT_TRUE(again.resolve("doubt:call", Value::of("1")));
  ASSERT_TRUE(again.reject("doubt:call#2", "it did not"));
  ASSERT_TRUE(again.step());
  const auto orders = again.take_orders();
  ASSERT_EQ(orders.size(), 1u) << "it is made";
  EXPECT_EQ(orders.front().path, "call#2");
  ASSERT_TRUE(again.resolve("call#2", Value::of("2")));
  EXPECT_EQ(*again.step(), AgentState::Ended);
  EXPECT_EQ(again.run().outcome().result_json, "\"21\"");
}

TEST_F(BegunCallsTest, a_run_that_was_left_in_its_calls_comes_to_the_same_bytes) {
  const Agent agent = made(agent_file("keyed"));
  die_in_both_calls(agent);
  const auto left = opened(agent);
  AgentRun straight = begun(agent, kTwoCalls);
  ASSERT_TRUE(straight.begin_call("call#2"));
  straight.step();
  EXPECT_EQ(left.run().snapshot(), straight.snapshot());
}

TEST_F(BegunCallsTest, a_call_in_doubt_outlives_the_deadline) {
  const Agent agent = made(agent_file("unsafe", R"("limits": {"deadline_ms": 1000}, )"));
  AgentRun run = begun(agent, kTwoCalls);
  ASSERT_TRUE(run.doubt("call"));
  run.advance(1'001);
  EXPECT_EQ(run.step(), AgentState::Waiting);
  EXPECT_EQ(run.operations().front().due_ms, 0) << "no process comes for it";
  ASSERT_TRUE(run.resolve("doubt:call", Value::of("1")));
  EXPECT_EQ(run.step(), AgentState::Waiting) << "nobody has said what became of the other call";
  ASSERT_TRUE(run.reject("call#2", kNotBegun));
  EXPECT_EQ(run.step(), AgentState::Ended);
  EXPECT_EQ(run.outcome().reason, "mission_timeout");
}

}  // namespace
}  // namespace ptcvm::loop
