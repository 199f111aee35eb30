// Programs that end while calls of theirs are under way: no call that may have happened is forgotten, and the
// outcome of the program is kept until the turn ends.
#include <gtest/gtest.h>

#include "agents/loop/agent_run.h"
#include "agents/loop/stored_agent.h"
#include "tests/unit/agents/loop/program_reply.h"

namespace ptcvm::loop {
namespace {

using Paths = std::vector<std::string>;

constexpr std::string_view kDesk = R"x("children": {"desk": {"prompt": "Q", "signature": "() -> :int",
  "program": "(return (tool/pay {}))",
  "tools": [{"name": "pay", "signature": "() -> :int", "effect": "unsafe"}]}}, )x";
// A branch that fails while the other one waits for the child.
constexpr std::string_view kFailsBesideDesk = R"((pcalls (fn [] (tool/desk {})) (fn [] (tool/read {}))))";

std::string parent_file(std::string_view more = {}) {
  return std::string(R"({"name": "a", "prompt": "P", "signature": "() -> :any", )").append(kDesk).append(more).append(
      R"("tools": [{"name": "read", "signature": "() -> :int", "effect": "pure"},
                   {"name": "u", "signature": "() -> :int", "effect": "unsafe", "mode": "async"},
                   {"name": "send", "signature": "() -> :int", "effect": "unsafe"},
                   {"name": "file", "signature": "() -> :int", "effect": "keyed"}]})");
}

const Operation* operation_at(const std::vector<Operation>& operations, std::string_view path) {
  for (const Operation& operation : operations) {
    if (operation.path == path) return &operation;
  }
  return nullptr;
}

class SettlingTest : public testing::Test {
 protected:
  Agent made(const std::string& file = parent_file()) {
    return Agent::make(engine_, read_agent_text(file).value()).value();
  }
  static AgentRun with_program(const Agent& agent, std::string_view program, const AgentStart& start = {.id = "r"}) {
    AgentRun run = AgentRun::start(agent, start).value();
    run.step();
    EXPECT_TRUE(run.resolve_model("model", writes(program)));
    run.step();
    return run;
  }
  // The same run in another process, by one face of the document and then by the other.
  static AgentRun hopped(const Agent& agent, const AgentRun& run) {
    AgentRun first = AgentRun::restore(agent, run.snapshot()).value();
    first.step();
    const std::string text = first.snapshot_json();
    AgentRun second = AgentRun::restore(agent, std::as_bytes(std::span(text))).value();
    second.step();
    EXPECT_EQ(second.snapshot(), run.snapshot());
    return second;
  }

  Engine engine_;
  Store store_ = Store::in_memory();
};

TEST_F(SettlingTest, what_a_program_returned_outlives_the_process_that_waits_for_its_call) {
  const Agent agent = made();
  AgentRun run = with_program(agent, "(do (tool/u {}) (return 3))");
  ASSERT_TRUE(run.begin_call("u"));
  run.step();
  ASSERT_TRUE(run.doubt("u"));
  EXPECT_EQ(run.step(), AgentState::Waiting);
  AgentRun again = hopped(agent, run);
  ASSERT_TRUE(again.resolve("doubt:u", Value::of(std::int64_t{1})));
  EXPECT_EQ(again.step(), AgentState::Ended);
  EXPECT_EQ(again.outcome().result_json, "3");
}

TEST_F(SettlingTest, a_fault_and_what_it_defined_outlive_the_process_too) {
  const Agent agent = made();
  AgentRun run = with_program(agent, "(do (println \"seen\") (tool/u {}) (/ 1 0))");
  ASSERT_TRUE(run.begin_call("u"));
  run.step();
  AgentRun again = hopped(agent, run);
  ASSERT_TRUE(again.resolve("u", Value::of(std::int64_t{1})));
  again.step();
  const auto operations = again.operations();
  ASSERT_EQ(operations.size(), 1u);
  const std::string request(operations[0].body);
  EXPECT_NE(request.find("division"), std::string::npos);
  EXPECT_NE(request.find("seen"), std::string::npos);
  EXPECT_TRUE(operations[0].callable.empty()) << "it is a closing turn";
}

TEST_F(SettlingTest, a_handle_outlives_the_turn_that_waits_for_its_call) {
  const Agent agent = made();
  AgentRun run = with_program(agent, "(def h (tool/u {}))");
  ASSERT_TRUE(run.begin_call("u"));
  run.step();
  AgentRun again = hopped(agent, run);
  ASSERT_TRUE(again.resolve("u", Value::of(std::int64_t{7})));
  again.step();
  ASSERT_TRUE(again.resolve_model("model", writes("(return (await h))")));
  EXPECT_EQ(again.step(), AgentState::Ended);
  EXPECT_EQ(again.outcome().result_json, "7");
}

TEST_F(SettlingTest, a_call_of_a_child_is_not_forgotten_with_the_program_of_its_parent) {
  const Agent agent = made();
  for (const bool has_happened : {true, false}) {
    AgentRun run = with_program(agent, kFailsBesideDesk);
    EXPECT_EQ(run.pending(), (Paths{"desk/pay", "read"}));
    ASSERT_TRUE(run.reject("read", "no"));
    EXPECT_EQ(run.step(), AgentState::Waiting);
    ASSERT_EQ(run.pending(), Paths{"desk/pay"});
    EXPECT_TRUE(run.operations().at(0).is_left);
    AgentRun again = hopped(agent, run);
    ASSERT_TRUE(again.doubt("desk/pay"));
    again.step();
    EXPECT_EQ(again.pending(), Paths{"desk/doubt:pay"});
    ASSERT_TRUE(has_happened ? again.resolve("desk/doubt:pay", Value::of(std::int64_t{5}))
                             : again.reject("desk/doubt:pay", "it did not"));
    again.step();
    const auto operations = again.operations();
    ASSERT_EQ(operations.size(), 1u);
    EXPECT_EQ(operations[0].path, "model");
    EXPECT_EQ(operations[0].callable.empty(), has_happened) << "a closing turn";
  }
}

constexpr std::string_view kPayingDesk = R"x({"name": "a", "prompt": "P", "signature": "() -> :any",
  "children": {"desk": {"prompt": "Q", "signature": "() -> :any", "program": "(return (tool/pay {:to \"ann\"}))",
                        "tools": [{"name": "pay", "signature": "(to :string) -> :int", "effect": "unsafe"}]}},
  "tools": [{"name": "read", "signature": "() -> :int", "effect": "pure"},
            {"name": "send", "signature": "(to :string) -> :int", "effect": "reconcilable", "mode": "async"}]})x";

TEST_F(SettlingTest, a_doubt_has_the_arguments_of_its_call_in_every_process) {
  const Agent agent = made(std::string(kPayingDesk));
  AgentRun run = with_program(
      agent, "(do (tool/send {:to \"bo\"}) (pcalls (fn [] (tool/desk {})) (fn [] (tool/read {}))))");
  ASSERT_TRUE(run.begin_call("send"));
  run.step();
  ASSERT_TRUE(run.reject("read", "no"));
  run.step();
  AgentRun again = hopped(agent, run);
  for (const char* path : {"desk/pay", "send"}) ASSERT_TRUE(again.doubt(path));
  again.step();
  AgentRun third = hopped(agent, again);
  ASSERT_EQ(third.pending(), (Paths{"desk/doubt:pay", "doubt:send"}));
  const auto operations = third.operations();
  EXPECT_EQ(operation_at(operations, "desk/doubt:pay")->args_json, R"({"to":"ann"})");
  EXPECT_EQ(operation_at(operations, "doubt:send")->args_json, R"({"to":"bo"})");
}

TEST_F(SettlingTest, a_fault_waits_for_calls_in_other_branches) {
  const Agent agent = made();
  AgentRun run = with_program(agent, "(pcalls (fn [] (tool/send {})) (fn [] (tool/file {})) (fn [] (tool/read {})))");
  ASSERT_TRUE(run.reject("read", "no"));
  run.step();
  ASSERT_EQ(run.pending(), (Paths{"file", "send"}));
  ASSERT_TRUE(run.resolve("send", Value::of(std::int64_t{5})));
  ASSERT_TRUE(run.resolve("file", Value::of(std::int64_t{5})));
  run.step();
  EXPECT_TRUE(run.operations().at(0).callable.empty()) << "a closing turn";
}

TEST_F(SettlingTest, a_call_that_its_host_did_not_begin_holds_nothing) {
  const Agent agent = made();
  AgentRun run = with_program(agent, kFailsBesideDesk);
  ASSERT_TRUE(run.reject("read", "no"));
  run.step();
  ASSERT_TRUE(run.reject("desk/pay", kNotBegun));
  run.step();
  const auto operations = run.operations();
  ASSERT_EQ(operations.size(), 1u);
  EXPECT_FALSE(operations[0].callable.empty()) << "no effect has happened";
}

TEST_F(SettlingTest, the_deadline_waits_for_a_call_that_may_have_happened) {
  const Agent agent = made(parent_file(R"("limits": {"deadline_ms": 1000}, )"));
  AgentRun run = with_program(agent, "(return (pcalls (fn [] (tool/send {})) (fn [] (tool/file {}))))");
  run.advance(1'001);
  ASSERT_TRUE(run.resolve("file", Value::of(std::int64_t{5})));
  EXPECT_EQ(run.step(), AgentState::Waiting);
  const auto operations = run.operations();
  ASSERT_EQ(operations.size(), 1u);
  EXPECT_TRUE(operations[0].is_left && operations[0].due_ms == 0);
  AgentRun again = hopped(agent, run);
  ASSERT_TRUE(again.doubt("send"));
  EXPECT_EQ(again.step(), AgentState::Waiting);
  ASSERT_TRUE(again.reject("doubt:send", "it did not"));
  EXPECT_EQ(again.step(), AgentState::Ended) << "nobody makes it any more";
  EXPECT_EQ(again.outcome().reason, "mission_timeout");
}

TEST_F(SettlingTest, nothing_is_begun_behind_the_deadline_while_a_call_is_in_doubt) {
  const Agent agent = made(parent_file(R"("limits": {"deadline_ms": 1000}, )"));
  AgentRun run = with_program(agent, "(return (pcalls (fn [] (tool/send {})) (fn [] (tool/file {}))))");
  ASSERT_TRUE(run.doubt("send"));
  run.step();
  EXPECT_EQ(operation_at(run.operations(), "file")->deadline_ms, 1'000);
  run.advance(1'000);
  run.step();
  EXPECT_EQ(run.pending(), Paths{"doubt:send"});
}

TEST_F(SettlingTest, a_call_of_a_program_that_has_ended_is_not_made_behind_the_deadline) {
  const Agent agent = made(parent_file(R"("limits": {"deadline_ms": 1000}, )"));
  AgentRun run = with_program(agent, "(do (tool/u {}) (return 3))");
  ASSERT_TRUE(run.begin_call("u"));
  run.step();
  ASSERT_TRUE(run.doubt("u"));
  run.step();
  EXPECT_FALSE(run.operations().at(0).is_left);
  run.advance(1'001);
  run.step();
  EXPECT_TRUE(run.operations().at(0).is_left);
  ASSERT_TRUE(run.reject("doubt:u", "it did not"));
  EXPECT_EQ(run.step(), AgentState::Ended) << "nobody makes it any more";
  EXPECT_EQ(run.outcome().result_json, "3");
}

TEST_F(SettlingTest, a_call_that_is_to_be_made_again_is_left_at_the_deadline) {
  const Agent agent = made(parent_file(R"("limits": {"deadline_ms": 1000}, )"));
  AgentRun run = with_program(agent, "(do (tool/u {}) (return 3))");
  ASSERT_TRUE(run.begin_call("u"));
  run.step();
  ASSERT_TRUE(run.doubt("u"));
  ASSERT_TRUE(run.reject("doubt:u", "it did not"));
  run.step();
  EXPECT_FALSE(run.operations().at(0).is_left) << "there is time";
  run.advance(1'001);
  run.step();
  EXPECT_TRUE(run.operations().at(0).is_left);
}

TEST_F(SettlingTest, a_run_that_an_earlier_version_began_goes_on_as_it_did) {
  const Agent agent = made();
  AgentRun run = with_program(agent, kFailsBesideDesk, {.id = "r", .rules = 0});
  ASSERT_TRUE(run.reject("read", "no"));
  run.step();
  EXPECT_EQ(run.pending(), Paths{"model"});
}

TEST_F(SettlingTest, a_process_that_dies_in_a_call_of_a_child_leaves_a_doubt) {
  const Agent agent = made();
  {
    StoredAgent stored = StoredAgent::open(agent, store_, {.start = {.id = "r"}}).value();
    ASSERT_TRUE(stored.step());
    ASSERT_TRUE(stored.resolve_model("model", writes(kFailsBesideDesk)));
    ASSERT_TRUE(stored.step());
    ASSERT_EQ(stored.take_orders().size(), 2u);
    ASSERT_TRUE(stored.reject("read", "no"));
    ASSERT_TRUE(stored.step());
  }
  StoredAgent again = StoredAgent::open(agent, store_, {.start = {.id = "r"}}).value();
  ASSERT_TRUE(again.step());
  EXPECT_EQ(again.run().pending(), Paths{"desk/doubt:pay"});
  ASSERT_TRUE(again.resolve("desk/doubt:pay", Value::of(std::int64_t{5})));
  ASSERT_TRUE(again.step());
  EXPECT_TRUE(again.run().operations().at(0).callable.empty()) << "a closing turn";
}

}  // namespace
}  // namespace ptcvm::loop
