// A run is claimed by somebody else while a call is made, and the answer comes afterwards.
#include <memory>
#include <string>

#include "tests/unit/runtime/durable/durable_fixture.h"

namespace ptc {
namespace {

constexpr const char* kPayOne = "(+ 1 (tool/pay {}))";

class LateAnswersTest : public DurableRunTest {
 protected:
  // Each run has tools of its own, as in a process of its own.
  std::unique_ptr<DurableRun> opened(EffectClass effect, const char* source = kPayOne) {
    const auto tools = std::make_shared<ToolRegistry>();
    ToolDefinition definition;
    definition.name = "pay";
    definition.effect = effect;
    definition.deferred = true;
    tools->add(std::move(definition), {});
    DurableOptions wanted = options();
    wanted.dead_token = last_token();
    return std::make_unique<DurableRun>(engine_, store(), tools, source, std::move(wanted));
  }
  // Opens the run as another process, and returns the key of the call that is in doubt there.
  std::string doubt() {
    const auto second = opened(EffectClass::Unsafe);
    EXPECT_EQ(second->step(), DurableStep::Done);
    return second->outcome().doubts.at(0).key;
  }
  static bool answer(DurableRun& run, int value, std::size_t at = 0) {
    auto call = run.calls().begin();
    std::advance(call, at);
    return run.answer(call->first, ToolReply::value(Value::integer(value)));
  }
  static void expect_fenced(DurableRun& run, std::size_t kept) {
    ASSERT_EQ(run.step(), DurableStep::Done);
    ASSERT_EQ(run.outcome().end, DurableEnd::StoreFailed);
    EXPECT_EQ(run.outcome().error.kind, StoreError::Kind::Fenced);
    EXPECT_EQ(run.late_answers(), kept);
  }
  void expect_end(EffectClass effect, const char* value) {
    const auto last = opened(effect);
    ASSERT_EQ(last->step(), DurableStep::Done);
    EXPECT_EQ(last->outcome().end, DurableEnd::Ended);
    EXPECT_EQ(last->outcome().outcome.value_edn, value);
  }
};

TEST_F(LateAnswersTest, TheyWakeARunInDoubt) {
  const auto first = opened(EffectClass::Unsafe);
  ASSERT_EQ(first->step(), DurableStep::Waits);
  const auto second = opened(EffectClass::Unsafe);
  ASSERT_EQ(second->step(), DurableStep::Done);
  ASSERT_EQ(second->outcome().end, DurableEnd::InDoubt);
  EXPECT_TRUE(std::get<std::vector<std::string>>(store().woken(kNow, 10)).empty());
  ASSERT_TRUE(answer(*first, 7));
  expect_fenced(*first, 1);
  EXPECT_EQ(std::get<std::vector<std::string>>(store().woken(kNow, 10)), std::vector<std::string>{"r1"});
  expect_end(EffectClass::Unsafe, "8");
  EXPECT_EQ(facts().back().kind, FactKind::TurnEnded);
}

TEST_F(LateAnswersTest, ARunThatIsOpenedAfterThemNeverDoubts) {
  const auto first = opened(EffectClass::Unsafe);
  ASSERT_EQ(first->step(), DurableStep::Waits);
  ASSERT_TRUE(std::get<Claim>(store().claim("r1", "another", kNow, 1, last_token())).granted);
  ASSERT_TRUE(answer(*first, 7));
  expect_fenced(*first, 1);
  expect_end(EffectClass::Unsafe, "8");
  EXPECT_EQ(kinds().find("effect_doubted"), std::string::npos);
}

TEST_F(LateAnswersTest, AFailureIsAnAnswer) {
  const auto first = opened(EffectClass::Unsafe);
  ASSERT_EQ(first->step(), DurableStep::Waits);
  ASSERT_EQ(opened(EffectClass::Unsafe)->step(), DurableStep::Done);
  ASSERT_TRUE(first->answer(first->calls().begin()->first, ToolReply::error("declined")));
  expect_fenced(*first, 1);
  EXPECT_EQ(std::get<std::vector<LoggedEffect>>(open_doubts(store(), "r1")).size(), 0u);
}

TEST_F(LateAnswersTest, WhatAPersonSaidFirstCounts) {
  const auto first = opened(EffectClass::Unsafe);
  ASSERT_EQ(first->step(), DurableStep::Waits);
  ASSERT_TRUE(says(doubt(), DoubtAnswer::Happened, "41"));
  ASSERT_TRUE(answer(*first, 7));
  expect_fenced(*first, 0);
  expect_end(EffectClass::Unsafe, "42");
}

TEST_F(LateAnswersTest, ACallThatIsMadeAgainKeepsItsOwnAnswer) {
  const auto first = opened(EffectClass::Keyed);
  ASSERT_EQ(first->step(), DurableStep::Waits);
  const auto second = opened(EffectClass::Keyed);
  ASSERT_EQ(second->step(), DurableStep::Waits);
  ASSERT_TRUE(answer(*first, 7));
  expect_fenced(*first, 0);
  ASSERT_TRUE(answer(*second, 9));
  ASSERT_EQ(second->step(), DurableStep::Done);
  EXPECT_EQ(second->outcome().outcome.value_edn, "10");
}

TEST_F(LateAnswersTest, ACallOfANewerAttemptIsNotAnswered) {
  const auto first = opened(EffectClass::Unsafe);
  ASSERT_EQ(first->step(), DurableStep::Waits);
  ASSERT_TRUE(says(doubt(), DoubtAnswer::DidNot));
  const auto third = opened(EffectClass::Unsafe);
  ASSERT_EQ(third->step(), DurableStep::Waits);
  ASSERT_TRUE(answer(*first, 7));
  expect_fenced(*first, 0);
  ASSERT_TRUE(answer(*third, 9));
  ASSERT_EQ(third->step(), DurableStep::Done);
  EXPECT_EQ(third->outcome().outcome.value_edn, "10");
}

TEST_F(LateAnswersTest, EachOfSeveralIsKept) {
  constexpr const char* kPayTwo = "(reduce + (pmap (fn [i] (tool/pay {:i i})) [1 2]))";
  const auto first = opened(EffectClass::Unsafe, kPayTwo);
  ASSERT_EQ(first->step(), DurableStep::Waits);
  ASSERT_EQ(first->calls().size(), 2u);
  const auto second = opened(EffectClass::Unsafe, kPayTwo);
  ASSERT_EQ(second->step(), DurableStep::Done);
  ASSERT_TRUE(answer(*first, 30));   // written at once, because the other call is in flight
  ASSERT_TRUE(answer(*first, 4));
  expect_fenced(*first, 2);
  const auto last = opened(EffectClass::Unsafe, kPayTwo);
  ASSERT_EQ(last->step(), DurableStep::Done);
  EXPECT_EQ(last->outcome().outcome.value_edn, "34");
}

}  // namespace
}  // namespace ptc
