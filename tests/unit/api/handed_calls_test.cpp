// Runs that hand out the calls of all tools: the host answers them, or lets the library make them.
#include "run_fixture.h"

namespace ptcvm {
namespace {

class HandedCallsTest : public ApiTest {
 protected:
  void SetUp() override {
    tool("twice", "(n :int) -> :int", [](ToolCall& call) { return call.value(*call.arg("n").as_int() * 2); });
    tools_.defer("fetch", "(n :int) -> :any", {.cache = true}).value();
    options_.hands_out_calls = true;
  }

  RunOptions options_;
};

TEST_F(HandedCallsTest, ToolsWithCallablesAreHandedOutToo) {
  Run run = started("(pcalls #(tool/twice {:n 4}) #(tool/fetch {:n 1}))", options_);
  ASSERT_EQ(run.step(), RunState::Yielded);
  const auto calls = run.calls();
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].tool, "twice");
  EXPECT_FALSE(calls[0].is_deferred);
  EXPECT_TRUE(calls[1].is_deferred);
  EXPECT_FALSE(calls[0].key.empty());
  EXPECT_FALSE(calls[0].deadline) << "there is no timeout";
  EXPECT_EQ(run.make(calls[1].id).error().code, Errc::not_available);
  EXPECT_TRUE(run.make(calls[0].id));
  EXPECT_EQ(run.make(calls[0].id).error().code, Errc::wrong_state) << "it is answered";
  EXPECT_TRUE(run.answer(calls[1].id, Value::of(7)));
  EXPECT_EQ(run.step(), RunState::Completed);
  EXPECT_EQ(run.result().to_edn(), "[8 7]");
}

TEST_F(HandedCallsTest, NoMoreCallsAreHandedOutThanTheLimitsHaveRoomFor) {
  options_.limits.tool_calls = 2;
  Run run = started("(pmap #(tool/fetch {:n %}) [1 2 3])", options_);
  ASSERT_EQ(run.step(), RunState::Yielded);
  const auto calls = run.calls();
  ASSERT_EQ(calls.size(), 2u);
  for (const WaitingCall& call : calls) ASSERT_TRUE(run.answer(call.id, {}));
  EXPECT_EQ(run.step(), RunState::Failed);
  EXPECT_EQ(run.diagnostic()->kind, "tool_call_limit_exceeded");
}

TEST_F(HandedCallsTest, AHandleShowsProgressAndExpires) {
  tools_.defer("mail", "() -> :any", {.mode = ToolMode::Async}).value();
  options_.time_ms = 1'000;
  Run run = started("(let [m (tool/mail {})] [(:percent m) (await m)])", options_);
  ASSERT_EQ(run.step(), RunState::Yielded);
  const Value progress = Value::from_edn("{:percent 50}").value();
  ASSERT_TRUE(run.answer_pending(run.calls()[0].id, "m1", {.progress = progress, .ttl = std::chrono::seconds(5)}));
  ASSERT_EQ(run.step(), RunState::Suspended);
  ASSERT_EQ(run.pending().size(), 1u);
  EXPECT_EQ(run.pending()[0].progress.to_edn(), "{:percent 50}");
  run.set_time(5'999);
  EXPECT_EQ(run.step(), RunState::Suspended);
  run.set_time(6'001);
  EXPECT_NE(run.step(), RunState::Suspended);
}

TEST_F(HandedCallsTest, EventsShowHowLongACallTook) {
  struct Times : Observer {
    Verdict on_event(const Event& event) override {
      if (event.kind == EventKind::ToolEnd) micros = event.micros;
      return Verdict::Continue;
    }
    std::uint64_t micros = 0;
  } times;
  options_.observer = &times;
  Run run = started("(tool/fetch {:n 1})", options_);
  run.step();
  ASSERT_TRUE(run.answer(run.calls()[0].id, {}, {.took = std::chrono::microseconds(1'234)}));
  run.step();
  EXPECT_EQ(times.micros, 1'234u);
}

TEST_F(HandedCallsTest, TimeOfCallsCountsAsTimeOfTheTurn) {
  options_.limits.timeout_ms = 60'000;
  Run run = started("(tool/fetch {:n 1})", options_);
  run.step();
  EXPECT_TRUE(run.calls()[0].deadline);
  run.count_time(std::chrono::minutes(2));
  EXPECT_EQ(run.step(), RunState::Failed);
  EXPECT_EQ(run.diagnostic()->kind, "timeout");
}

TEST_F(HandedCallsTest, ARestoredRunHandsThemOutWhenAskedTo) {
  Run run = started("(tool/twice {:n 4})", options_);
  ASSERT_EQ(run.step(), RunState::Yielded);
  Run elsewhere = moved_elsewhere(std::move(run), {.hands_out_calls = true});
  ASSERT_EQ(elsewhere.step(), RunState::Yielded);
  ASSERT_EQ(elsewhere.calls().size(), 1u);
  EXPECT_TRUE(elsewhere.make(elsewhere.calls()[0].id));
  EXPECT_EQ(elsewhere.step(), RunState::Completed);
}

TEST_F(HandedCallsTest, AnOperationOfARestoredRunHasItsWholeTime) {
  tools_.defer("mail", "() -> :any", {.mode = ToolMode::Async}).value();
  options_.time_ms = 1'000;
  options_.limits.operation_ttl_ms = 5'000;
  Run run = started("(await (tool/mail {}))", options_);
  ASSERT_EQ(run.step(), RunState::Yielded);
  Run elsewhere = moved_elsewhere(std::move(run), {.time_ms = 100'000, .hands_out_calls = true});
  elsewhere.set_time(200'000);
  ASSERT_EQ(elsewhere.step(), RunState::Yielded);
  ASSERT_EQ(elsewhere.calls().size(), 1u);
  ASSERT_TRUE(elsewhere.answer_pending(elsewhere.calls()[0].id, "m1"));
  elsewhere.set_time(204'999);
  EXPECT_EQ(elsewhere.step(), RunState::Suspended);
  elsewhere.set_time(205'001);
  EXPECT_NE(elsewhere.step(), RunState::Suspended);
}

TEST_F(HandedCallsTest, AStoredRunCountsThemToo) {
  Store store = Store::in_memory();
  StoredOptions options;
  options.limits.timeout_ms = 60'000;
  auto run = StoredRun::start(engine_, store, tools_, "(tool/fetch {:n 1})", options).value();
  ASSERT_EQ(*run.step(), StoredStep::Waits);
  EXPECT_TRUE(run.calls()[0].deadline);
  run.count_time(std::chrono::minutes(2));
  ASSERT_EQ(*run.step(), StoredStep::Done);
  ASSERT_EQ(run.outcome().end, StoredEnd::InDoubt) << "the call may have happened";
  ASSERT_EQ(run.outcome().doubts.size(), 1u);
  EXPECT_EQ(run.outcome().doubts[0].text, "execution exceeded 60000ms limit");
}

}  // namespace
}  // namespace ptcvm
