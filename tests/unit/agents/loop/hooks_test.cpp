// Hooks of the host around turns, requests, replies and calls: what each verdict does, and that it is recorded.
#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <stdexcept>

#include "agents/loop/stored_agent.h"
#include "agents/loop/stored_facts.h"
#include "agents/replay/reply_bytes.h"

namespace ptcvm::loop {
namespace {

constexpr std::string_view kHookedFile = R"({"prompt": "Do it.", "signature": "() -> :any", "max_turns": 6,
  "tools": [{"name": "add", "signature": "(a :int) -> :int", "effect": "pure"}]})";

HookVerdict change(std::string_view edn) { return HookVerdict::change(Value::from_edn(edn).value()); }

class HooksTest : public testing::Test {
 protected:
  static ModelReply says(const std::string& program) {
    replay::SaidReply said;
    const std::string arguments = boost::json::serialize(boost::json::object{{"program", program}});
    said.calls.push_back({"c1", "run_program", arguments});
    return {200, {}, replay::reply_document(wire::Protocol::Chat, said), false};
  }
  AgentRun begin() {
    agent_.emplace(Agent::make(engine_, read_agent_text(kHookedFile).value(), options_).value());
    AgentRun run = AgentRun::start(*agent_, {.id = "r"}).value();
    run.step();
    return run;
  }
  // Goes on from the document of the run, as another process would, with each face in turn.
  void hop(AgentRun& run) {
    const auto bytes = run.snapshot();
    const std::string text = run.snapshot_json();
    run = AgentRun::restore(*agent_, is_json_ ? std::as_bytes(std::span(text)) : std::span(bytes)).value();
    is_json_ = !is_json_;
    run.step();
  }
  static void tell(AgentRun& run, const std::string& program) {
    ASSERT_TRUE(run.resolve_model("model", says(program)));
    run.step();
  }
  static std::string request(const AgentRun& run) { return std::string(run.operations().at(0).body); }

  Engine engine_;
  AgentOptions options_;
  std::optional<Agent> agent_;
  bool is_json_ = false;
};

TEST_F(HooksTest, a_hook_before_a_turn_says_something_to_the_model) {
  options_.hooks.before_turn = [](std::string_view path, std::uint32_t turn) {
    EXPECT_EQ(path, "");
    return turn == 2 ? change(R"({"say" "Mind the gap."})") : HookVerdict::allow();
  };
  AgentRun run = begin();
  EXPECT_EQ(request(run).find("Mind the gap."), std::string::npos);
  tell(run, "1");
  hop(run);
  EXPECT_NE(request(run).find("Mind the gap."), std::string::npos);
}

TEST_F(HooksTest, a_hook_changes_one_request_and_not_the_next) {
  options_.model.name = "small";
  options_.hooks.before_model = [](std::string_view, const wire::Request& request) {
    if (request.items.size() > 1) return HookVerdict::allow();
    return change(R"({"note" "Only today." "model" "large" "temperature" 0.5 "most_output_tokens" 99})");
  };
  AgentRun run = begin();
  hop(run);
  EXPECT_EQ(run.operations().at(0).model.name, "large");
  for (const char* const part : {"Only today.", "\"model\":\"large\"", "\"temperature\":5E-1", ":99"}) {
    EXPECT_NE(request(run).find(part), std::string::npos) << part << " in " << request(run);
  }
  tell(run, "1");
  EXPECT_EQ(run.operations().at(0).model.name, "small");
  EXPECT_EQ(request(run).find("Only today."), std::string::npos);
}

TEST_F(HooksTest, a_hook_puts_another_program_into_a_reply) {
  options_.hooks.after_model = [](std::string_view, const wire::Reply& reply) {
    EXPECT_EQ(reply.tool_calls.size(), 1u);
    return change(R"x({"program" "(return 2)" "text" "Changed."})x");
  };
  AgentRun run = begin();
  tell(run, "(return 1)");
  EXPECT_EQ(run.outcome().result_json, "2");
  EXPECT_EQ(run.turns().at(0).program, "(return 2)");
  EXPECT_EQ(run.turns().at(0).reply, "Changed.");
}

TEST_F(HooksTest, a_hook_changes_what_the_model_is_told_about_a_turn) {
  options_.hooks.after_turn = [](std::string_view, std::uint32_t, std::string_view feedback) {
    EXPECT_NE(feedback.find("user=> 41"), std::string_view::npos);
    return change(R"({"feedback" "user=> [hidden]"})");
  };
  AgentRun run = begin();
  tell(run, "41");
  EXPECT_NE(request(run).find("[hidden]"), std::string::npos);
  EXPECT_EQ(request(run).find("user=> 41"), std::string::npos);
}

TEST_F(HooksTest, a_hook_changes_arguments_and_answers_of_a_tool) {
  options_.hooks.before_tool = [](std::string_view, const AgentTool& tool, ToolCall&) {
    EXPECT_EQ(tool.name, "add");
    return change(R"({"a" 5})");
  };
  options_.hooks.after_tool = [](std::string_view, const AgentTool& tool, ValueView answer) {
    EXPECT_EQ(tool.name, "add");
    return std::optional(Value::of(*answer.as_int() + 100));
  };
  AgentRun run = begin();
  tell(run, "(return (tool/add {:a 1}))");
  EXPECT_EQ(run.operations().at(0).args_json, R"({"a":5})");
  ASSERT_TRUE(run.resolve("add", Value::of(6)));
  run.step();
  EXPECT_EQ(run.outcome().result_json, "106");
}

TEST_F(HooksTest, what_is_denied_ends_the_run_and_a_denied_reply_is_told_to_the_model) {
  options_.hooks.before_turn = [](std::string_view, std::uint32_t) { return HookVerdict::deny("no turn"); };
  AgentRun run = begin();
  EXPECT_EQ(run.outcome().reason, "denied");
  EXPECT_EQ(run.outcome().message, "no turn");
  EXPECT_EQ(run.usage().model_calls, 0u);

  options_.hooks = {};
  options_.hooks.before_model = [](auto, const wire::Request&) { return HookVerdict::deny("no request"); };
  EXPECT_EQ(begin().outcome().message, "no request");

  options_.hooks = {};
  options_.hooks.after_turn = [](auto, std::uint32_t, auto) { return HookVerdict::deny("not this value"); };
  run = begin();
  tell(run, "(return 1)");
  EXPECT_EQ(run.state(), AgentState::Ended);
  EXPECT_EQ(run.outcome().reason, "denied");
  EXPECT_EQ(run.outcome().result_json, "null");

  options_.hooks = {};
  options_.hooks.after_model = [](auto, const wire::Reply&) { return HookVerdict::deny("it names a customer"); };
  run = begin();
  tell(run, "(return 1)");
  EXPECT_EQ(run.state(), AgentState::Waiting);
  EXPECT_EQ(run.turn_kind(1), "not_run");
  EXPECT_NE(request(run).find("it names a customer"), std::string::npos);
}

[[noreturn]] void fail_to_judge() { throw std::runtime_error("no policy"); }

TEST_F(HooksTest, a_hook_that_throws_ends_the_run_by_name) {
  AgentHooks turn, request, reply, turn_end;
  turn.before_turn = [](auto, std::uint32_t) -> HookVerdict { fail_to_judge(); };
  request.before_model = [](auto, const wire::Request&) -> HookVerdict { fail_to_judge(); };
  reply.after_model = [](auto, const wire::Reply&) -> HookVerdict { fail_to_judge(); };
  turn_end.after_turn = [](auto, std::uint32_t, auto) -> HookVerdict { fail_to_judge(); };
  for (const auto& [hooks, at] : {std::pair(turn, "turn:1"), std::pair(request, "model:1"), std::pair(reply, "reply:1"),
                                  std::pair(turn_end, "turn-end:1")}) {
    options_.hooks = hooks;
    AgentRun run = begin();
    if (run.state() == AgentState::Waiting) {
      ASSERT_TRUE(run.resolve_model("model", says("(return 7)")));
    }
    EXPECT_EQ(run.step(), AgentState::Ended) << at;
    EXPECT_EQ(run.outcome().reason, "hook_failed");
    EXPECT_EQ(run.outcome().message, std::string("the hook at ") + at + " threw: no policy");
    EXPECT_EQ(run.outcome().result_json, "null");
  }
}

TEST_F(HooksTest, a_hook_that_throws_about_a_call_or_its_answer_is_a_tool_error) {
  options_.hooks.before_tool = [](auto, const AgentTool&, ToolCall&) -> HookVerdict { fail_to_judge(); };
  AgentRun run = begin();
  tell(run, "(return (tool/add {:a 1}))");
  EXPECT_NE(request(run).find("hook_failed: the hook at call:"), std::string::npos) << "nobody is called";
  options_.hooks = {};
  options_.hooks.after_tool = [](auto, const AgentTool&, ValueView) -> std::optional<Value> { fail_to_judge(); };
  run = begin();
  tell(run, "(return (tool/add {:a 1}))");
  ASSERT_TRUE(run.resolve("add", Value::of(6)));
  run.step();
  EXPECT_NE(request(run).find("hook_failed: the hook at answer:"), std::string::npos);
}

TEST_F(HooksTest, a_log_remembers_that_a_hook_failed) {
  const Store store = Store::in_memory();
  AgentOptions options;
  options.hooks.before_turn = [](auto, std::uint32_t) -> HookVerdict { fail_to_judge(); };
  const auto definition = read_agent_text(kHookedFile).value();
  {
    auto stored = StoredAgent::open(Agent::make(engine_, definition, options).value(), store, {.start = {.id = "r"}});
    ASSERT_TRUE(stored->step());
    EXPECT_EQ(stored->run().outcome().reason, "hook_failed");
  }
  auto again = StoredAgent::open(Agent::make(engine_, definition).value(), store, {.start = {.id = "r"}});
  ASSERT_TRUE(again->step());
  EXPECT_EQ(again->run().outcome().reason, "hook_failed");
}

TEST_F(HooksTest, a_renderer_of_the_progress_that_throws_has_failed) {
  options_.progress = [](const ProgressInput&) -> Result<ProgressOutput> { fail_to_judge(); };
  EXPECT_EQ(begin().outcome().reason, "progress_failed");
}

// Asks at one point, and goes on over documents.
class AskingHooksTest : public HooksTest {
 protected:
  void ask_at(std::string_view what) {
    if (what == "turn:1") options_.hooks.before_turn = [](auto, std::uint32_t) { return question(); };
    if (what == "model:1") options_.hooks.before_model = [](auto, const wire::Request&) { return question(); };
    if (what == "reply:1") options_.hooks.after_model = [](auto, const wire::Reply&) { return question(); };
    if (what == "turn-end:1") options_.hooks.after_turn = [](auto, std::uint32_t, auto) { return question(); };
  }
  static HookVerdict question() { return HookVerdict::ask("May it?"); }
  // Runs until somebody is asked; returns the path.
  std::string until_asked(AgentRun& run) {
    for (int i = 0; i < 3; ++i) {
      const auto operations = run.operations();
      if (operations.empty()) return {};
      if (operations.at(0).kind == OperationKind::Approval) {
        EXPECT_EQ(operations.at(0).args_json, "\"May it?\"");
        return operations.at(0).path;
      }
      tell(run, "(return 7)");
    }
    return {};
  }
};

TEST_F(AskingHooksTest, what_a_person_allows_goes_on) {
  for (const std::string at : {"turn:1", "model:1", "reply:1", "turn-end:1"}) {
    options_.hooks = {};
    ask_at(at);
    AgentRun run = begin();
    const std::string path = until_asked(run);
    ASSERT_EQ(path, "approve:" + at);
    hop(run);
    hop(run);
    EXPECT_EQ(run.pending(), std::vector<std::string>{path});
    EXPECT_FALSE(run.resolve(path, Value::of("yes"))) << at;
    ASSERT_TRUE(run.resolve(path, Value::of(true))) << at;
    EXPECT_TRUE(run.resolve(path, Value::of(true))) << "the same answer twice";
    EXPECT_FALSE(run.resolve(path, Value::of(false)));
    run.step();
    if (run.state() == AgentState::Waiting) tell(run, "(return 7)");
    EXPECT_EQ(run.outcome().result_json, "7") << at << " " << run.outcome().reason;
    EXPECT_EQ(run.usage().turns, 1u);
  }
}

TEST_F(AskingHooksTest, what_a_person_refuses_does_not) {
  for (const std::string at : {"turn:1", "model:1", "turn-end:1"}) {
    options_.hooks = {};
    ask_at(at);
    AgentRun run = begin();
    const std::string path = until_asked(run);
    hop(run);
    ASSERT_TRUE(run.reject(path, "not today")) << at;
    EXPECT_EQ(run.step(), AgentState::Ended);
    EXPECT_EQ(run.outcome().reason, "denied");
    EXPECT_EQ(run.outcome().message, "not today");
  }
  options_.hooks = {};
  ask_at("reply:1");
  AgentRun run = begin();
  ASSERT_TRUE(run.reject(until_asked(run), "not today"));
  run.step();
  EXPECT_NE(request(run).find("not today"), std::string::npos);
}

TEST_F(AskingHooksTest, a_document_that_asks_about_nothing_is_refused) {
  ask_at("reply:1");
  AgentRun run = begin();
  until_asked(run);
  std::string text = run.snapshot_json();
  const auto at = text.find("reply:1");
  ASSERT_NE(at, std::string::npos);
  for (const char* const other : {"turn:11", "model:1", "nothing"}) {
    std::string changed = text;
    changed.replace(at, 7, other);
    EXPECT_FALSE(AgentRun::restore(*agent_, std::as_bytes(std::span(changed)))) << other;
  }
}

// Counts how often hooks were asked, and gives another answer each time.
struct Counting {
  int asked = 0;
  AgentHooks hooks() {
    AgentHooks out;
    out.before_turn = [this](auto, std::uint32_t) { return change("{\"say\" \"note " + number() + "\"}"); };
    out.before_model = [this](auto, const wire::Request&) { return change("{\"note\" \"n" + number() + "\"}"); };
    out.after_model = [this](auto, const wire::Reply&) { return ++asked, HookVerdict::allow(); };
    out.after_turn = [this](auto, std::uint32_t, auto said) {
      return change("{\"feedback\" " + Value::of(std::string(said) + number()).to_edn() + "}");
    };
    out.before_tool = [this](auto, const AgentTool&, ToolCall&) { return change("{\"a\" " + number() + "}"); };
    out.after_tool = [this](auto, const AgentTool&, ValueView) { return std::optional(Value::of(++asked)); };
    return out;
  }
  std::string number() { return std::to_string(++asked); }
};

TEST_F(HooksTest, a_stored_run_asks_each_hook_once_and_comes_to_the_same_bytes) {
  const Store store = Store::in_memory();
  Counting first, second;
  const auto agent_with = [&](Counting& counting) {
    AgentOptions options;
    options.hooks = counting.hooks();
    return Agent::make(engine_, read_agent_text(kHookedFile).value(), options).value();
  };
  std::vector<std::byte> left;
  {
    auto stored = StoredAgent::open(agent_with(first), store, {.start = {.id = "r"}}).value();
    for (int turn = 0; turn < 3; ++turn) {
      ASSERT_TRUE(stored.step());
      ASSERT_TRUE(stored.resolve_model("model", says("(tool/add {:a 1})")));
      ASSERT_TRUE(stored.step());
      ASSERT_TRUE(stored.resolve(stored.run().operations().at(0).path, Value::of(1)));
    }
    ASSERT_TRUE(stored.step());
    left = stored.run().snapshot();
    ASSERT_GT(first.asked, 15);
    // The process dies here: nothing is parked.
  }
  const auto facts = HostLog::of(store, "r").read(0, 1'000).value();
  AgentRun made = AgentRun::start(agent_with(second), {.id = "r"}).value();
  for (const HostFact& fact : facts) recall_verdicts(made, fact.name, fact.body);
  for (const HostFact& fact : facts) {
    if (fact.name != kModelSettled && fact.name != kResolved) continue;
    made.step();
    ASSERT_TRUE(apply_fact(made, fact.name, fact.body));
  }
  made.step();
  EXPECT_EQ(made.snapshot(), left);
  EXPECT_EQ(second.asked, 0);
  auto again = StoredAgent::open(agent_with(second), store, {.start = {.id = "r"}});
  ASSERT_TRUE(again);
  EXPECT_EQ(second.asked, 0);
  ASSERT_TRUE(again->step());
  EXPECT_EQ(second.asked, 1) << "only about the request that is sent again, because its reply was lost";
  EXPECT_EQ(again->run().usage().turns, 3u);
}

}  // namespace
}  // namespace ptcvm::loop
