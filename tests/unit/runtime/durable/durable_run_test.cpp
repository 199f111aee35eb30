// Runs with a log: what is kept, what is not repeated, what is asked. Processes die here by a store that stops working,
// before or after a write took effect.
#include "dying_store.h"
#include "durable_fixture.h"

namespace ptc {
namespace {

TEST_F(DurableRunTest, EveryStepIsInTheLogBeforeTheNext) {
  tool("pay", EffectClass::Keyed);
  const DurableOutcome done = run("(task \"a\" (tool/pay {:n 1}))");
  ASSERT_EQ(done.end, DurableEnd::Ended) << done.error.message;
  EXPECT_EQ(done.outcome.value_edn, "101");
  EXPECT_EQ(kinds(), "run_started intent effect_settled task_committed turn_ended ");
}

TEST_F(DurableRunTest, ARunThatEndedWellIsNotRunAgain) {
  tool("pay", EffectClass::Keyed);
  run("(task \"a\" (tool/pay {:n 1}))");
  const DurableOutcome again = run("(task \"a\" (tool/pay {:n 1}))");
  EXPECT_EQ(again.end, DurableEnd::EndedBefore);
  EXPECT_EQ(again.outcome.value_edn, "101");
  EXPECT_EQ(calls_, 1);
}

TEST_F(DurableRunTest, WhatWasCommittedSurvivesALaterFault) {
  tool("pay", EffectClass::Unsafe);
  const char* const source = "(do (task \"a\" (tool/pay {:n 1})) (+ 1 \"x\"))";
  EXPECT_EQ(run(source).outcome.status, OutcomeStatus::Error);
  EXPECT_EQ(journal(), "a=101 ");
  EXPECT_EQ(run(source).outcome.status, OutcomeStatus::Error);
  EXPECT_EQ(calls_, 1);
}

TEST_F(DurableRunTest, PureToolsLeaveNoTrace) {
  tool("look", EffectClass::Pure);
  run("(tool/look {})");
  EXPECT_EQ(kinds(), "run_started turn_ended ");
}

// Before and after every write of a program with tasks and bare calls: nothing is lost, nothing is done twice, and what
// cannot be known is asked.
TEST_F(DurableRunTest, WhereverItDiesMoneyMovesOnce) {
  const char* const source =
      "(let [a (task \"a\" (tool/pay {:n 1})) b (tool/pay {:n 2})]"
      "  (doseq [x [3 4]] (task (str \"t\" x) (tool/send {:n x})))"
      "  (task-reset \"t3\") (step-done \"s\" \"sent\") [(task \"t3\" 5) a])";
  int doubts = 0, writes = 0;
  for (const bool after : {false, true}) {
    for (int n = 0;; ++n) {
      begin_anew();
      tool("pay", EffectClass::Unsafe);
      tool("send", EffectClass::Keyed);
      DyingStore dying(store(), n, after);
      DurableOutcome seen = run(source, dying);
      const bool died = dying.died();
      EXPECT_EQ(seen.end == DurableEnd::StoreFailed, died);
      for (int k = 0; k < 5 && seen.end != DurableEnd::Ended && seen.end != DurableEnd::EndedBefore; ++k) {
        seen = run(source);
        for (const LoggedEffect& doubt : seen.doubts) {
          ++doubts;
          EXPECT_EQ(doubt.tool, "pay");
          const bool happened = ledger_.count(doubt.key) != 0;
          EXPECT_TRUE(says(doubt.key, happened ? DoubtAnswer::Happened : DoubtAnswer::DidNot, happened ? "101" : ""));
        }
      }
      ASSERT_TRUE(seen.end == DurableEnd::Ended || seen.end == DurableEnd::EndedBefore) << n << seen.error.message;
      EXPECT_EQ(seen.outcome.value_edn, "[5 101]") << "dead at write " << n;
      for (const auto& [key, count] : ledger_) {
        const bool is_keyed = key.starts_with("r1/task:t");
        EXPECT_LE(count, is_keyed ? 2 : 1) << key << ", dead at write " << n;
      }
      EXPECT_EQ(ledger_.size(), 4u);
      EXPECT_TRUE(journal().starts_with("a=101 t4=")) << journal();
      if (!died) {
        writes = n;
        break;
      }
    }
  }
  EXPECT_GE(writes, 11);
  EXPECT_GE(doubts, 4);
}

TEST_F(DurableRunTest, AnUnsafeCallInDoubtWaitsForAPerson) {
  tool("pay", EffectClass::Unsafe);
  const char* const source = "(task \"a\" (tool/pay {:n 1}))";
  DyingStore dying(store(), 2, false);   // the intent is there, the answer is not
  run(source, dying);
  EXPECT_EQ(calls_, 1);
  for (int k = 0; k < 2; ++k) {
    const DurableOutcome asked = run(source);
    ASSERT_EQ(asked.end, DurableEnd::InDoubt);
    ASSERT_EQ(asked.doubts.size(), k == 0 ? 1u : 1u);
    EXPECT_EQ(asked.doubts[0].args, "{\"n\" 1}");
  }
  EXPECT_EQ(calls_, 1);
  EXPECT_FALSE(says("no such key", DoubtAnswer::DidNot));
  EXPECT_TRUE(says("r1/task:a#0", DoubtAnswer::Happened, "\"tx9\""));
  EXPECT_FALSE(says("r1/task:a#0", DoubtAnswer::DidNot));
  EXPECT_EQ(run(source).outcome.value_edn, "\"tx9\"");
  EXPECT_EQ(calls_, 1);
}

TEST_F(DurableRunTest, ADoubtMayEndInANewCallOrInNone) {
  tool("pay", EffectClass::Unsafe);
  const char* const source = "(task \"a\" (tool/pay {:n 1}))";
  DyingStore first(store(), 2, false);
  run(source, first);
  run(source);
  EXPECT_TRUE(says("r1/task:a#0", DoubtAnswer::DidNot));
  DyingStore second(store(), 2, false);   // run_started, intent of the second attempt
  run(source, second);
  EXPECT_EQ(calls_, 2);
  EXPECT_EQ(run(source).end, DurableEnd::InDoubt);
  EXPECT_TRUE(says("r1/task:a#0", DoubtAnswer::GiveUp));
  const DurableOutcome end = run(source);
  EXPECT_EQ(end.outcome.status, OutcomeStatus::Error);
  EXPECT_NE(end.outcome.fault.message.find("given up"), std::string::npos) << end.outcome.fault.message;
  EXPECT_EQ(calls_, 2);
}

TEST_F(DurableRunTest, AFailedCallIsMadeAgainInTheNextTurn) {
  tool("pay", EffectClass::Unsafe, true);
  const char* const source = "(task \"a\" (tool/pay {:n 1}))";
  EXPECT_EQ(run(source).outcome.status, OutcomeStatus::Error);
  failing_ = false;
  EXPECT_EQ(run(source).outcome.value_edn, "101");
  EXPECT_EQ(kinds(), "run_started intent effect_settled turn_ended "
                     "run_started intent effect_settled task_committed turn_ended ");
}

TEST_F(DurableRunTest, AnotherIntentUnderTheSameIdIsAConflict) {
  tool("pay", EffectClass::Keyed);
  DyingStore dying(store(), 3, false);   // the first answer is there, the commit is not
  run("(task \"a\" [(tool/pay {:n 1}) (tool/pay {:n 9})])", dying);
  const DurableOutcome other = run("(task \"a\" [(tool/pay {:n 2}) (tool/pay {:n 9})])");
  EXPECT_EQ(other.outcome.status, OutcomeStatus::Error);
  EXPECT_EQ(other.outcome.fault.kind, FaultKind::TaskIdConflict);
  EXPECT_EQ(run("(task \"a\" [(tool/pay {:n 1}) (tool/pay {:n 9})])").outcome.value_edn, "[101 202]");
  EXPECT_EQ(calls_, 3);                  // the second call was open when its process died: again, with the same key
}

constexpr const char* kTwoCalls =
    "(let [a (task \"a\" (tool/call {:to 1})) b (task \"b\" (await (tool/call {:to 2})))] [(await a) b])";

TEST_F(DurableRunTest, ASuspendedRunIsParkedAndGoesOn) {
  async_tool("call");
  EXPECT_EQ(run(kTwoCalls).end, DurableEnd::Suspended);
  EXPECT_EQ(run(kTwoCalls).end, DurableEnd::Suspended);   // nothing has come
  EXPECT_TRUE(std::get<std::vector<std::string>>(store().woken(kNow, 9)).empty());
  answer("c2", "20");
  EXPECT_EQ(std::get<std::vector<std::string>>(store().woken(kNow, 9)).size(), 1u);
  EXPECT_EQ(run(kTwoCalls).end, DurableEnd::Suspended);
  EXPECT_EQ(journal(), "a=(pending \"c1\") b=20 ");
  answer("c1", "10");
  const DurableOutcome done = run(kTwoCalls);
  EXPECT_EQ(done.end, DurableEnd::Ended);
  EXPECT_EQ(done.outcome.value_edn, "[10 20]");
  EXPECT_EQ(calls_, 2);
}

// The parked state is a cache: without it the program runs from the top and comes to the same.
TEST_F(DurableRunTest, FromTheTopItComesToTheSame) {
  const auto play = [&](bool forgets) {
    begin_anew();
    async_tool("call");
    std::string text;
    const auto forget = [&] {   // a snapshot that no engine reads
      if (!forgets) return;
      const auto claim = std::get<Claim>(store().claim("r1", "test", kNow, 1'000));
      Parked nothing;
      nothing.continuation = "x";
      nothing.snapshot = {1, 2, 3};
      nothing.observed_seq = 1'000;
      store().park("r1", {claim.token, 1'000}, {}, nothing);
      store().release("r1", claim.token);
    };
    run(kTwoCalls);
    forget();
    answer("c2", "20");
    run(kTwoCalls);
    forget();
    answer("c1", "10");
    text = run(kTwoCalls).outcome.value_edn;
    for (const Fact& fact : facts()) {
      if (fact_class(fact.kind) == FactClass::Control || fact_class(fact.kind) == FactClass::Decision) continue;
      text += '\n' + std::string(fact_name(fact.kind)) + ' ' + fact.key + ' ' + fact.value;
    }
    return text + '\n' + std::to_string(calls_);
  };
  const std::string fast = play(false), slow = play(true);
  EXPECT_EQ(fast, slow);
  EXPECT_TRUE(fast.starts_with("[10 20]")) << fast;
}

TEST_F(DurableRunTest, AnAnswerThatComesBeforeItIsParkedIsSeen) {
  async_tool("call");
  during_call_ = [this] { answer("c1", "7"); };
  const DurableOutcome done = run("(await (tool/call {}))");
  EXPECT_EQ(done.end, DurableEnd::Ended);
  EXPECT_EQ(done.outcome.value_edn, "7");
}

TEST_F(DurableRunTest, WhereverItDiesAnAsyncProgramComesToItsEnd) {
  for (const bool after : {false, true}) {
    for (int n = 0;; ++n) {
      begin_anew();
      async_tool("call");
      DyingStore dying(store(), n, after);
      DurableOutcome seen = run(kTwoCalls, dying);
      const bool died = dying.died();
      for (int k = 0; k < 6 && seen.end != DurableEnd::Ended && seen.end != DurableEnd::EndedBefore; ++k) {
        RunLog log;
        for (const Fact& fact : facts()) log.add(fact);
        for (const LoggedOperation& operation : log.operations()) {
          if (operation.status.empty()) answer(operation.id.c_str(), operation.args == "{\"to\" 1}" ? "10" : "20");
        }
        seen = run(kTwoCalls);
      }
      ASSERT_EQ(seen.outcome.value_edn, "[10 20]")
          << "dead at write " << n << ": " << seen.error.message << seen.outcome.fault.message;
      EXPECT_EQ(ledger_.size(), 2u);
      if (!died) break;
    }
  }
}

// What a resumed run did before its process died is in the log, not in what was parked.
TEST_F(DurableRunTest, WhereverAResumedRunDiesItGoesOn) {
  const char* const source =
      "(let [x (await (tool/call {:to 1}))]"
      "  (task \"dice\" (tool/dice {})) (task \"pay\" (tool/pay {:n x})) (println \"paid\") (task \"end\" x))";
  for (const bool after : {false, true}) {
    for (int n = 0;; ++n) {
      begin_anew();
      async_tool("call");
      tool("dice", EffectClass::Pure);   // another answer each time
      tool("pay", EffectClass::Keyed);
      EXPECT_EQ(run(source).end, DurableEnd::Suspended);
      answer("c1", "5");
      DyingStore dying(store(), n, after);
      DurableOutcome seen = run(source, dying);
      const bool died = dying.died();
      const std::string before = journal();
      if (died) seen = run(source);
      ASSERT_TRUE(seen.end == DurableEnd::Ended || seen.end == DurableEnd::EndedBefore) << n << seen.error.message;
      EXPECT_EQ(seen.outcome.value_edn, "5");
      EXPECT_TRUE(journal().starts_with(before)) << before << " became " << journal();
      EXPECT_LE(ledger_["r1/task:pay#0"], 2);
      if (!died) break;
    }
  }
}

TEST_F(DurableRunTest, AValueFromOutsideIsSeenWhenTheRunGoesOn) {
  async_tool("call");
  const char* const source = "(do (await (tool/call {})) (task \"decision\" \"mine\"))";
  EXPECT_EQ(run(source).end, DurableEnd::Suspended);
  Fact said;
  said.kind = FactKind::ExternalValue;
  said.author = FactAuthor::Person;
  said.source = "manager";
  said.key = external_key("decision", 1);
  said.id = "decision";
  said.value = "\"theirs\"";
  store().put("r1", Cut::blind(), {&said, 1});
  answer("c1", "1");
  EXPECT_EQ(run(source).outcome.value_edn, "\"theirs\"");
}

TEST_F(DurableRunTest, OneExecutesTheOtherIsTold) {
  tool("pay", EffectClass::Keyed);
  const Claim held = std::get<Claim>(store().claim("r1", "somebody", kNow, 5'000));
  DurableOutcome busy = run_durably(engine_, store(), tools_, "1", options());
  EXPECT_EQ(busy.end, DurableEnd::Busy);
  EXPECT_EQ(busy.holder.owner, "somebody");
  now_ += 5'000;
  EXPECT_EQ(run_durably(engine_, store(), tools_, "1", options()).end, DurableEnd::Ended);
  EXPECT_FALSE(std::get<bool>(store().release("r1", held.token)));
}

TEST_F(DurableRunTest, SummariesCountWhenTheTurnEndsWell) {
  run("(do (step-done \"1\" \"one\") (+ 1 \"x\"))");
  EXPECT_EQ(kinds(), "run_started turn_ended ");
  run("(do (step-done \"1\" \"one\") 2)");
  EXPECT_EQ(kinds(), "run_started turn_ended run_started step_done turn_ended ");
}

}  // namespace
}  // namespace ptc
