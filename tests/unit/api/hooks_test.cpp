// Hooks: allow, change, deny, ask. A verdict is given once, and holds for the arguments that were judged.
#include "run_fixture.h"

namespace ptcvm {
namespace {

class HooksTest : public ApiTest {
 protected:
  void SetUp() override {
    tool("pay", "(to :string, amount :int) -> :string", [this](const std::string& to, std::int64_t amount) {
      paid_.push_back(to + ' ' + std::to_string(amount));
      return "paid " + to;
    });
  }
  RunOptions asking() {
    RunOptions options;
    options.hooks.before_tool = [this](ToolCall& call) {
      ++judged_;
      return HookVerdict::ask("pay " + std::to_string(*call.arg("amount").as_int()) + "?");
    };
    return options;
  }

  std::vector<std::string> paid_;
  int judged_ = 0;
};

constexpr const char* kPay = "(tool/pay {:to \"bo\" :amount 5})";

TEST_F(HooksTest, AllowedCallsAreMade) {
  RunOptions options;
  options.hooks.before_tool = [](ToolCall&) { return HookVerdict::allow(); };
  Run run = started(kPay, options);
  EXPECT_EQ(run.step(), RunState::Completed);
  EXPECT_EQ(paid_, std::vector<std::string>{"bo 5"});
}

TEST_F(HooksTest, ChangedCallsAreMadeWithOtherArguments) {
  RunOptions options;
  options.hooks.before_tool = [](ToolCall&) {
    return HookVerdict::change(Value::from_json(R"({"to":"al","amount":1})").value());
  };
  Run run = started(kPay, options);
  EXPECT_EQ(run.step(), RunState::Completed);
  EXPECT_EQ(paid_, std::vector<std::string>{"al 1"});
}

TEST_F(HooksTest, ChangedArgumentsMustFitAsWell) {
  RunOptions options;
  options.hooks.before_tool = [](ToolCall&) { return HookVerdict::change(Value::from_json(R"({"to":"al"})").value()); };
  Run run = started(kPay, options);
  EXPECT_EQ(run.step(), RunState::Failed);
  EXPECT_EQ(run.diagnostic()->kind, "invalid_tool_args");
  EXPECT_TRUE(paid_.empty());
}

TEST_F(HooksTest, ACallThatIsMadeAgainWasJudgedBefore) {
  ToolOptions retried;
  retried.retry = {.max_attempts = 3, .first_delay = std::chrono::milliseconds(0)};
  tool("shaky", "() -> :int", [](ToolCall& call) {
    return call.attempt() < 3 ? call.error("not yet") : call.value(5);
  }, retried);
  RunOptions options;
  options.hooks.before_tool = [this](ToolCall&) {
    ++judged_;
    return HookVerdict::allow();
  };
  Run run = started("(tool/shaky)", options);
  while (run.step() == RunState::Yielded) {
  }
  EXPECT_EQ(run.result().as_int(), 5);
  EXPECT_EQ(judged_, 1);
}

TEST_F(HooksTest, DeniedCallsAreToolErrors) {
  RunOptions options;
  options.hooks.before_tool = [](ToolCall& call) {
    return HookVerdict::deny(std::string(call.name()) + " is forbidden");
  };
  Run run = started(kPay, options);
  EXPECT_EQ(run.step(), RunState::Failed);
  EXPECT_EQ(run.diagnostic()->message, "Tool 'pay' failed: refused: pay is forbidden");
  EXPECT_TRUE(paid_.empty());
}

TEST_F(HooksTest, AHookThatThrowsRefusesTheCall) {
  RunOptions options;
  options.hooks.before_tool = [](ToolCall&) -> HookVerdict { throw std::runtime_error("no policy"); };
  Run run = started(kPay, options);
  EXPECT_EQ(run.step(), RunState::Failed);
  EXPECT_EQ(run.diagnostic()->kind, "tool_error");
  EXPECT_EQ(run.diagnostic()->message, "Tool 'pay' failed: refused: hook_failed: before_tool threw: no policy");
  EXPECT_TRUE(paid_.empty());
}

TEST_F(HooksTest, AHookThatThrowsAboutAnAnswerIsAToolError) {
  RunOptions options;
  options.hooks.after_tool = [](ToolCall&, ValueView) -> std::optional<Value> { throw 5; };
  Run run = started(kPay, options);
  EXPECT_EQ(run.step(), RunState::Failed);
  EXPECT_EQ(run.diagnostic()->kind, "tool_error");
  EXPECT_EQ(run.diagnostic()->message,
            "Tool 'pay' failed: hook_failed: after_tool threw something that is no std::exception");
}

TEST_F(HooksTest, WhatAHookThrowsAboutAFaultIsDropped) {
  RunOptions options;
  options.hooks.on_error = [](const Diagnostic&) { throw std::runtime_error("the pager is gone"); };
  Run run = started("(+ 1 :k)", options);
  EXPECT_EQ(run.step(), RunState::Failed);
  EXPECT_EQ(run.diagnostic()->kind, "type_error");
}

TEST_F(HooksTest, AnswersCanBeReplaced) {
  RunOptions options;
  options.hooks.after_tool = [](ToolCall&, ValueView answer) -> std::optional<Value> {
    return Value::of(std::string(*answer.as_string()) + ", really");
  };
  Run run = started(kPay, options);
  run.step();
  EXPECT_EQ(run.result().as_string(), "paid bo, really");
}

TEST_F(HooksTest, ErrorsAreHeard) {
  std::string heard;
  RunOptions options;
  options.hooks.on_error = [&](const Diagnostic& d) { heard += d.kind + ' ' + std::to_string(d.line); };
  Run run = started("(let [a 1]\n  (+ a :k))", options);
  run.step();
  EXPECT_EQ(heard, "type_error 2");
}

TEST_F(HooksTest, AskingSuspendsUntilSomebodyDecides) {
  Run run = started(kPay, asking());
  ASSERT_EQ(run.step(), RunState::Suspended);
  ASSERT_EQ(run.questions().size(), 1u);
  const WaitingCall question = run.questions()[0];
  EXPECT_EQ(question.question, "pay 5?");
  EXPECT_TRUE(run.calls().empty());
  EXPECT_EQ(run.answer(question.id, Value::of("forged")).error().code, Errc::wrong_state);
  ASSERT_TRUE(run.decide(question.key, true));
  EXPECT_EQ(run.step(), RunState::Completed);
  EXPECT_EQ(paid_, std::vector<std::string>{"bo 5"});
  EXPECT_EQ(judged_, 1);
}

TEST_F(HooksTest, AQuestionTravelsAndNobodyIsAskedTwice) {
  Run run = started(kPay, asking());
  run.step();
  Run elsewhere = moved_elsewhere(std::move(run), {.hooks = asking().hooks});
  ASSERT_EQ(elsewhere.step(), RunState::Suspended);
  EXPECT_EQ(judged_, 1);
  ASSERT_EQ(elsewhere.questions().size(), 1u);
  ASSERT_TRUE(elsewhere.decide(elsewhere.questions()[0].key, true));
  Run third = moved_elsewhere(std::move(elsewhere), {.hooks = asking().hooks});
  EXPECT_EQ(third.step(), RunState::Completed);
  EXPECT_EQ(judged_, 1);
  EXPECT_EQ(paid_.size(), 1u);
}

// Also where the host has no hook any more: what was asked stays a question.
TEST_F(HooksTest, AQuestionIsNotLostWithoutTheHook) {
  Run run = started(kPay, asking());
  run.step();
  Run elsewhere = moved_elsewhere(std::move(run));
  EXPECT_EQ(elsewhere.step(), RunState::Suspended);
  EXPECT_TRUE(paid_.empty());
}

TEST_F(HooksTest, ADeniedQuestionFailsTheCall) {
  Run run = started(kPay, asking());
  run.step();
  const std::string key = run.questions()[0].key;
  ASSERT_TRUE(run.decide(key, false, "too much"));
  EXPECT_EQ(run.decide(key, true).error().code, Errc::refused);
  EXPECT_EQ(run.step(), RunState::Failed);
  EXPECT_EQ(run.diagnostic()->message, "Tool 'pay' failed: refused: too much");
  EXPECT_TRUE(paid_.empty());
}

TEST_F(HooksTest, ADecisionIsAboutTheArgumentsThatWereSeen) {
  Run run = started(kPay, asking());
  run.step();
  const std::string key = run.questions()[0].key;
  EXPECT_EQ(run.decide(key, true, {}, "{\"amount\" 6 \"to\" \"bo\"}").error().code, Errc::refused);
  EXPECT_EQ(run.step(), RunState::Suspended);
  EXPECT_TRUE(run.decide(key, true, {}, run.questions()[0].args.to_edn()));
  EXPECT_EQ(run.decide("nothing", true).error().code, Errc::refused);
  EXPECT_EQ(run.step(), RunState::Completed);
}

// Somebody edits the parked run: what was approved is not what would be called.
TEST_F(HooksTest, ChangedArgumentsAreRefused) {
  Run run = started(kPay, asking());
  run.step();
  ASSERT_TRUE(run.decide(run.questions()[0].key, true));
  std::string json = run.snapshot_json();
  const std::string before = "\"amount\": 5";
  std::size_t edits = 0;
  for (std::size_t at = json.find(before); at != std::string::npos; at = json.find(before, at + 1)) {
    json[at + before.size() - 1] = '9';
    ++edits;
  }
  ASSERT_GT(edits, 0u) << json;
  auto edited = Run::restore(engine_, std::as_bytes(std::span(json)), {.tools = tools_});
  ASSERT_TRUE(edited) << edited.error().message;
  EXPECT_EQ(edited->step(), RunState::Failed);
  EXPECT_NE(edited->diagnostic()->message.find("refused: it was judged as pay"), std::string::npos)
      << edited->diagnostic()->message;
  EXPECT_TRUE(paid_.empty());
}

TEST_F(HooksTest, BranchesAreAskedAboutTogether) {
  Run run = started("(pmap #(tool/pay {:to % :amount 1}) [\"a\" \"b\" \"c\"])", asking());
  ASSERT_EQ(run.step(), RunState::Suspended);
  auto questions = run.questions();
  ASSERT_EQ(questions.size(), 3u);
  ASSERT_TRUE(run.decide(questions[2].key, true));
  EXPECT_EQ(run.step(), RunState::Suspended);
  ASSERT_TRUE(run.decide(questions[0].key, true));
  ASSERT_TRUE(run.decide(questions[1].key, true));
  EXPECT_EQ(run.step(), RunState::Completed);
  EXPECT_EQ(paid_.size(), 3u);
}

}  // namespace
}  // namespace ptcvm
