// Facts wait until a run writes them: in one transaction, and never contradicting what the log holds.
#include "runtime/durable/run_facts.h"

#include <gtest/gtest.h>

#include "runtime/durable/effect_facts.h"
#include "runtime/log/memory_store.h"

namespace ptc {
namespace {

class RunFactsTest : public testing::Test {
 protected:
  RunFactsTest() {
    EXPECT_TRUE(writer_.claim("tester")->granted);
    EXPECT_TRUE(writer_.open());
  }
  Fact answer(std::string value) const {
    Fact fact = settlement_fact(writer_, "c", 1, EffectState::Committed);
    fact.value = std::move(value);
    return fact;
  }
  Fact commit(const std::string& task) const {
    Fact fact = writer_.made(FactKind::TaskCommitted, FactAuthor::Program);
    fact.key = task_key(task, 1);
    fact.id = task;
    fact.value = "1";
    return fact;
  }
  std::vector<FactKind> kinds() {
    std::vector<FactKind> out;
    const auto facts = memory_.read("r", 0, 100);
    for (const Fact& fact : std::get<0>(facts)) out.push_back(fact.kind);
    return out;
  }

  MemoryStore memory_;
  LogWriter writer_{memory_, "r", [] { return std::int64_t{1}; }, 60'000};
  RunFacts facts_{writer_, nullptr};
};

TEST_F(RunFactsTest, AnAnswerIsInTheLogWithTheCommitThatFollowsIt) {
  facts_.stage(answer("7"));
  EXPECT_TRUE(facts_.has_staged());
  EXPECT_EQ(kinds(), std::vector<FactKind>());
  facts_.stage(commit("t"));
  EXPECT_TRUE(facts_.write());
  EXPECT_FALSE(facts_.has_staged());
  EXPECT_EQ(kinds(), (std::vector{FactKind::EffectSettled, FactKind::TaskCommitted}));
  EXPECT_TRUE(facts_.write());
  EXPECT_EQ(kinds().size(), 2u) << "nothing waits any more";
}

TEST_F(RunFactsTest, WhatWaitsIsLostWithTheSession) {
  facts_.stage(answer("7"));
  facts_.leave();
  EXPECT_TRUE(facts_.write());
  EXPECT_EQ(kinds(), std::vector<FactKind>());
}

// The program went on with its answer, so it must not go on against another one.
TEST_F(RunFactsTest, AnotherEndOfACallThanTheOneThatWaitsStopsTheWriter) {
  const Fact other = answer("2");
  ASSERT_EQ(memory_.put("r", Cut::blind(writer_.token()), {&other, 1}).index(), 0u);
  facts_.stage(answer("1"));
  EXPECT_FALSE(facts_.write());
  ASSERT_TRUE(writer_.stopped());
  EXPECT_EQ(writer_.error().kind, StoreError::Kind::Unknown);
}

TEST_F(RunFactsTest, TheSameEndOfACallIsWrittenOnce) {
  const Fact same = answer("1");
  ASSERT_EQ(memory_.put("r", Cut::blind(writer_.token()), {&same, 1}).index(), 0u);
  facts_.stage(answer("1"));
  EXPECT_TRUE(facts_.write());
  EXPECT_EQ(kinds().size(), 1u);
}

}  // namespace
}  // namespace ptc
