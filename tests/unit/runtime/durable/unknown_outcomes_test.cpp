// Calls whose outcome nobody knows although the process of the run lives: the tool was cut off. The run says the same
// as when it is opened again later, and nothing is repeated.
#include <atomic>

#include "durable_fixture.h"
#include "dying_store.h"

namespace ptc {
namespace {

constexpr const char* kPays = "(task \"a\" (tool/pay {:n 1}))";
constexpr const char* kKey = "r1/task:a#0";

class UnknownOutcomesTest : public DurableRunTest {
 protected:
  // The first call of the tool is cut off, and the others answer 5.
  std::function<ToolReply(const ToolCall&)> cut_off_once() {
    return [this](const ToolCall&) {
      return calls_ == 1 ? ToolReply::unknown("cut off") : ToolReply::value(Value::integer(5));
    };
  }
  void deferred(const char* name, EffectClass effect) {
    ToolDefinition definition;
    definition.name = name;
    definition.effect = effect;
    definition.deferred = true;
    tools_.add(std::move(definition), {});
  }
  std::unique_ptr<DurableRun> stepped(std::string source, const std::function<void(DurableOptions&)>& change = {}) {
    DurableOptions wanted = options();
    wanted.dead_token = last_token();
    if (change) change(wanted);
    const std::shared_ptr<const ToolRegistry> tools(std::shared_ptr<void>(), &tools_);
    return std::make_unique<DurableRun>(engine_, store(), tools, std::move(source), std::move(wanted));
  }
};

TEST_F(UnknownOutcomesTest, AnUnsafeCallIsADoubtInThisRunAndInTheNext) {
  answering("pay", EffectClass::Unsafe, cut_off_once());
  for (int times = 0; times < 3; ++times) {
    const DurableOutcome asked = run(kPays);
    ASSERT_EQ(asked.end, DurableEnd::InDoubt);
    ASSERT_EQ(asked.doubts.size(), 1u);
    EXPECT_EQ(asked.doubts[0].key, kKey);
  }
  EXPECT_EQ(calls_, 1);
  EXPECT_EQ(kinds().substr(0, 47), "run_started intent effect_doubted run_suspended");
  EXPECT_EQ(facts().at(2).text, "cut off");
  EXPECT_TRUE(says(kKey, DoubtAnswer::Happened, "5"));
  EXPECT_EQ(run(kPays).outcome.value_edn, "5");
  EXPECT_EQ(calls_, 1);
}

TEST_F(UnknownOutcomesTest, WhatAPersonSaysDecides) {
  for (const DoubtAnswer said : {DoubtAnswer::DidNot, DoubtAnswer::GiveUp}) {
    begin_anew();
    answering("pay", EffectClass::Unsafe, cut_off_once());
    ASSERT_EQ(run(kPays).end, DurableEnd::InDoubt);
    EXPECT_TRUE(says(kKey, said));
    const DurableOutcome end = run(kPays);
    EXPECT_EQ(end.end, DurableEnd::Ended);
    EXPECT_EQ(end.outcome.status, said == DoubtAnswer::DidNot ? OutcomeStatus::Ok : OutcomeStatus::Error);
    EXPECT_EQ(calls_, said == DoubtAnswer::DidNot ? 2 : 1);
  }
}

TEST_F(UnknownOutcomesTest, AKeyedCallFailsAndIsMadeAgainUnderItsKey) {
  answering("pay", EffectClass::Keyed, cut_off_once());
  EXPECT_EQ(run(kPays).outcome.fault.kind, FaultKind::ToolError);
  EXPECT_EQ(run(kPays).outcome.value_edn, "5");
  EXPECT_EQ(ledger_, (std::map<std::string, int>{{kKey, 2}}));
}

TEST_F(UnknownOutcomesTest, RetryIsForCallsThatMayBeRepeated) {
  for (const EffectClass effect : {EffectClass::Pure, EffectClass::Idempotent, EffectClass::Keyed}) {
    begin_anew();
    answering("pay", effect, cut_off_once(), {}, {3, 0, 0, 1, 0});
    EXPECT_EQ(run(kPays).outcome.value_edn, "5");
    EXPECT_EQ(calls_, 2);
  }
  for (const EffectClass effect : {EffectClass::Unsafe, EffectClass::Reconcilable}) {
    begin_anew();
    answering("pay", effect, cut_off_once(), {}, {3, 0, 0, 1, 0});
    EXPECT_EQ(run(kPays).end, DurableEnd::InDoubt);
    EXPECT_EQ(calls_, 1);
  }
}

TEST_F(UnknownOutcomesTest, TheToolOfAReconcilableCallIsAskedAtOnce) {
  using State = Reconciled::State;
  for (const State said : {State::Happened, State::DidNot, State::Unknown}) {
    begin_anew();
    answering("pay", EffectClass::Reconcilable, cut_off_once(),
              [said](const ToolCall&) { return Reconciled{said, Value::integer(7)}; });
    const DurableOutcome end = run(kPays);
    EXPECT_EQ(end.end, said == State::Unknown ? DurableEnd::InDoubt : DurableEnd::Ended);
    EXPECT_EQ(end.outcome.value_edn, said == State::Happened ? "7" : "");
    EXPECT_EQ(end.outcome.fault.message, said == State::DidNot ? "Tool 'pay' failed: cut off" : "");
    EXPECT_EQ(calls_, 1);
    if (said != State::DidNot) continue;
    EXPECT_EQ(run(kPays).outcome.value_edn, "5");   // the next attempt
  }
}

TEST_F(UnknownOutcomesTest, ACallThatDidNotHappenIsRetried) {
  answering("pay", EffectClass::Reconcilable, cut_off_once(),
            [](const ToolCall&) { return Reconciled{Reconciled::State::DidNot, Value::nil()}; }, {3, 0, 0, 1, 0});
  EXPECT_EQ(run(kPays).outcome.value_edn, "5");
  EXPECT_EQ(ledger_, (std::map<std::string, int>{{kKey, 2}}));
}

TEST_F(UnknownOutcomesTest, OtherCallsInFlightAreWaitedForAndNoFurtherOneBegins) {
  deferred("pay", EffectClass::Unsafe);
  const char* const source = "(pmap (fn [i] (tool/pay {:i i})) [1 2 3])";
  const auto two = [](DurableOptions& options) { options.most_in_flight = 2; };
  const auto first = stepped(source, two);
  ASSERT_EQ(first->step(), DurableStep::Waits);
  ASSERT_EQ(first->calls().size(), 2u);
  const std::uint64_t lost = first->calls().begin()->first;
  EXPECT_TRUE(first->answer(lost, ToolReply::unknown("cut off")));
  ASSERT_EQ(first->step(), DurableStep::Waits);
  ASSERT_EQ(first->calls().size(), 1u);
  EXPECT_TRUE(first->answer(first->calls().begin()->first, ToolReply::value(Value::integer(2))));
  ASSERT_EQ(first->step(), DurableStep::Done);
  ASSERT_EQ(first->outcome().end, DurableEnd::InDoubt);
  EXPECT_TRUE(says(first->outcome().doubts.at(0).key, DoubtAnswer::Happened, "1"));
  const auto second = stepped(source, two);
  ASSERT_EQ(second->step(), DurableStep::Waits);
  ASSERT_EQ(second->calls().size(), 1u) << "the third one";
  EXPECT_TRUE(second->answer(second->calls().begin()->first, ToolReply::value(Value::integer(3))));
  ASSERT_EQ(second->step(), DurableStep::Done);
  EXPECT_EQ(second->outcome().outcome.value_edn, "[1 2 3]");
}

TEST_F(UnknownOutcomesTest, ADoubtCountsMoreThanTheFaultOfAnotherBranch) {
  deferred("pay", EffectClass::Unsafe);
  const char* const source = "(pmap (fn [i] (task (str i) (+ 1 (tool/pay {:i i})))) [1 2])";
  const auto going_on = [](DurableOptions& options) { options.branches_go_on = true; };
  const auto first = stepped(source, going_on);
  ASSERT_EQ(first->step(), DurableStep::Waits);
  const auto calls = first->calls();
  EXPECT_TRUE(first->answer(calls.begin()->first, ToolReply::unknown("cut off")));
  EXPECT_TRUE(first->answer(calls.rbegin()->first, ToolReply::value(Value::nil())));
  while (first->step() != DurableStep::Done) {
  }
  EXPECT_EQ(first->outcome().end, DurableEnd::InDoubt);
  EXPECT_EQ(stepped(source, going_on)->step(), DurableStep::Done);
}

TEST_F(UnknownOutcomesTest, ACallThatOutlivesTheTimeOfItsRunIsADoubt) {
  deferred("pay", EffectClass::Unsafe);
  const auto hurried = [](DurableOptions& options) { options.session.limits.timeout_ms = 20; };
  const auto first = stepped(kPays, hurried);
  ASSERT_EQ(first->step(), DurableStep::Waits);
  first->session()->clock().add_active_micros(30'000);
  ASSERT_EQ(first->step(), DurableStep::Done);
  ASSERT_EQ(first->outcome().end, DurableEnd::InDoubt);
  EXPECT_NE(facts().at(2).text.find("20ms"), std::string::npos) << facts().at(2).text;
  EXPECT_TRUE(says(kKey, DoubtAnswer::Happened, "5"));
  const auto second = stepped(kPays, hurried);
  ASSERT_EQ(second->step(), DurableStep::Done);
  EXPECT_EQ(second->outcome().outcome.value_edn, "5");
}

TEST_F(UnknownOutcomesTest, ARunThatIsCancelledEnds) {
  deferred("pay", EffectClass::Unsafe);
  std::atomic<bool> cancelled{false};
  const auto run = stepped(kPays, [&](DurableOptions& options) { options.cancelled = &cancelled; });
  ASSERT_EQ(run->step(), DurableStep::Waits);
  EXPECT_TRUE(run->answer(run->calls().begin()->first, ToolReply::unknown("stopped")));
  cancelled = true;
  ASSERT_EQ(run->step(), DurableStep::Done);
  EXPECT_EQ(run->outcome().end, DurableEnd::Ended);
  EXPECT_EQ(run->outcome().outcome.fault.kind, FaultKind::Cancelled);
  EXPECT_EQ(stepped(kPays)->step(), DurableStep::Done);
}

// What was parked knows the log up to a place; a doubt does not move the place.
TEST_F(UnknownOutcomesTest, AResetBeforeTheDoubtIsNotMadeTwice) {
  const char* const source =
      "(do (task \"a\" (tool/pay {:n 1})) (await-signal \"go\") (task-reset \"a\") (task \"a\" (tool/pay {:n 2})))";
  for (const bool dies : {false, true}) {
    begin_anew();
    answering("pay", EffectClass::Unsafe, [this, dies](const ToolCall&) {
      return calls_ == 2 && !dies ? ToolReply::unknown("cut off") : ToolReply::value(Value::integer(calls_));
    });
    ASSERT_EQ(run(source).end, DurableEnd::Suspended);
    const auto put = put_external(store(), "r1", "go", "1", std::nullopt, {"ann", now_});
    ASSERT_TRUE(std::holds_alternative<ExternalPut>(put));
    if (dies) {
      DyingStore dying(store(), 2, false);
      run(source, dying);
      ASSERT_TRUE(dying.died());
    }
    ASSERT_EQ(run(source).end, DurableEnd::InDoubt);
    ASSERT_EQ(calls_, 2);
    EXPECT_TRUE(says("r1/task:a#0@2", DoubtAnswer::Happened, "7"));
    EXPECT_EQ(run(source).outcome.value_edn, "7");
    EXPECT_EQ(calls_, 2) << kinds();
  }
}

}  // namespace
}  // namespace ptc
