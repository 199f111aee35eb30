// Durable runs: what effect classes decide, what others say from outside, and when a program begins anew.
#include "durable_fixture.h"
#include "dying_store.h"

namespace ptc {
namespace {

class DurableEffectsTest : public DurableRunTest {
 protected:
  DurableOutcome run_with(std::string_view source, const std::function<void(DurableOptions&)>& change) {
    DurableOptions wanted = options();
    wanted.dead_token = last_token();
    change(wanted);
    return run_durably(engine_, store(), tools_, source, wanted);
  }
  ExternalPut put(const char* id, const char* value, std::optional<std::string> instead_of = std::nullopt) {
    return std::get<ExternalPut>(put_external(store(), "r1", id, value, instead_of, {"manager", now_}));
  }
  LogState state() { return std::get<std::optional<RunInfo>>(store().info("r1"))->state; }
  std::size_t woken() { return std::get<std::vector<std::string>>(store().woken(now_, 9)).size(); }
};

constexpr const char* kPay = "(task \"a\" (tool/pay {:n 1}))";

TEST_F(DurableEffectsTest, ARunInDoubtIsParkedAndWokenByTheAnswer) {
  tool("pay", EffectClass::Unsafe);
  DyingStore dying(store(), 2, false);
  run(kPay, dying);
  EXPECT_EQ(run(kPay).end, DurableEnd::InDoubt);
  EXPECT_EQ(state(), LogState::Parked);
  EXPECT_EQ(woken(), 0u);
  EXPECT_TRUE(says("r1/task:a#0", DoubtAnswer::DidNot));
  EXPECT_EQ(woken(), 1u);
  EXPECT_EQ(run(kPay).outcome.value_edn, "201");
}

TEST_F(DurableEffectsTest, AReconcilableToolIsAskedFirst) {
  for (const auto said : {Reconciled::State::Happened, Reconciled::State::DidNot, Reconciled::State::Unknown}) {
    begin_anew();
    answering(
        "pay", EffectClass::Reconcilable, [](const ToolCall&) { return ToolReply::value(Value::integer(1)); },
        [said](const ToolCall& call) {
          EXPECT_EQ(call.meta.idempotency_key, "r1/task:a#0");
          return Reconciled{said, Value::integer(7)};
        });
    DyingStore dying(store(), 2, false);
    run(kPay, dying);
    const DurableOutcome end = run(kPay);
    EXPECT_EQ(end.end, said == Reconciled::State::Unknown ? DurableEnd::InDoubt : DurableEnd::Ended);
    if (end.end == DurableEnd::Ended) {
      EXPECT_EQ(end.outcome.value_edn, said == Reconciled::State::Happened ? "7" : "1");
    }
    EXPECT_EQ(calls_, said == Reconciled::State::DidNot ? 2 : 1);
  }
}

TEST_F(DurableEffectsTest, APartialEffectIsKept) {
  answering("pay", EffectClass::Unsafe, [](const ToolCall&) { return ToolReply::partial(Value::integer(3)); });
  EXPECT_EQ(run("(do (tool/pay {}) (+ 1 \"x\"))").outcome.status, OutcomeStatus::Error);
  EXPECT_EQ(run("(do (tool/pay {}) (+ 1 \"x\"))").outcome.status, OutcomeStatus::Error);
  EXPECT_EQ(calls_, 1);
  EXPECT_EQ(facts().at(2).status, "partial");
}

TEST_F(DurableEffectsTest, ATurnThatFailedIsTheSameTurnWhenItIsTriedAgain) {
  tool("pay", EffectClass::Unsafe);
  tool("flaky", EffectClass::Unsafe, true);
  const char* const source = "[(tool/pay {}) (tool/flaky {})]";
  EXPECT_EQ(run(source).outcome.status, OutcomeStatus::Error);
  failing_ = false;
  EXPECT_EQ(run(source).outcome.value_edn, "[101 102]");
  EXPECT_EQ(ledger_, (std::map<std::string, int>{{"run:r1@1#0", 1}, {"run:r1@1#1", 1}}));
}

TEST_F(DurableEffectsTest, AnotherSourceAfterTheEndIsTheNextTurn) {
  tool("pay", EffectClass::Unsafe);
  EXPECT_EQ(run("(tool/pay {})").outcome.value_edn, "101");
  EXPECT_EQ(run("(do (tool/pay {}))").outcome.value_edn, "102");
  EXPECT_EQ(ledger_.count("run:r1@2#0"), 1u);
}

TEST_F(DurableEffectsTest, AgainIsANewTurnAndTasksAreHits) {
  tool("pay", EffectClass::Unsafe);
  const char* const source = "[(task \"a\" (tool/pay {})) (tool/pay {})]";
  EXPECT_EQ(run(source).outcome.value_edn, "[101 102]");
  EXPECT_EQ(run(source).end, DurableEnd::EndedBefore);
  EXPECT_EQ(run_with(source, [](DurableOptions& o) { o.again = true; }).outcome.value_edn, "[101 103]");
}

TEST_F(DurableEffectsTest, TheNavigatorGoesOnAfterAnExternalEvent) {
  tool("charge", EffectClass::Unsafe);
  tool("ship", EffectClass::Unsafe);
  EXPECT_EQ(run("(do (task \"charge_42\" (tool/charge {:order 42})) (return {:status :waiting}))").outcome.value_edn,
            "{:status :waiting}");
  EXPECT_TRUE(put("payment_confirmed_42", "true").is_written);
  const DurableOutcome next = run(
      "(do (task \"charge_42\" (tool/charge {:order 42}))"
      "    (when (task \"payment_confirmed_42\" nil) (task \"ship_42\" (tool/ship {:order 42})))"
      "    (return {:status :shipped}))");
  EXPECT_EQ(next.outcome.value_edn, "{:status :shipped}");
  EXPECT_EQ(calls_, 2);
  EXPECT_EQ(journal(), "charge_42=101 payment_confirmed_42=true ship_42=102 ");
}

TEST_F(DurableEffectsTest, AValueFromOutsideBringsTheSameProgramToRunAgain) {
  tool("charge", EffectClass::Unsafe);
  const char* const source = "(do (task \"charge\" (tool/charge {})) (task-reset \"none\") 1)";
  run(source);
  EXPECT_EQ(run(source).end, DurableEnd::EndedBefore);
  put("decision", "1");
  EXPECT_EQ(run(source).end, DurableEnd::Ended);
  EXPECT_EQ(run(source).end, DurableEnd::EndedBefore);
  EXPECT_EQ(calls_, 1);
}

TEST_F(DurableEffectsTest, ASignalIsAValueFromOutside) {
  const char* const source = "(await-signal \"manager_decision\")";
  EXPECT_EQ(run(source).end, DurableEnd::Suspended);
  EXPECT_EQ(woken(), 0u);
  EXPECT_TRUE(put("manager_decision", ":approved").is_written);
  EXPECT_EQ(woken(), 1u);
  EXPECT_EQ(run(source).outcome.value_edn, ":approved");
}

TEST_F(DurableEffectsTest, ASignalThatIsThereBeforeTheProgramWaitsIsSeen) {
  put("manager_decision", ":approved");
  EXPECT_EQ(run("(await-signal \"manager_decision\")").outcome.value_edn, ":approved");
}

TEST_F(DurableEffectsTest, AnIdKeepsItsFirstValueUnlessTheWriterSawIt) {
  EXPECT_TRUE(put("d", "1").is_written);
  EXPECT_FALSE(put("d", "1").is_written);
  const ExternalPut refused = put("d", "2");
  EXPECT_FALSE(refused.is_written);
  EXPECT_EQ(refused.held->value_edn, "1");
  EXPECT_EQ(refused.held->source, "manager");
  EXPECT_FALSE(put("d", "2", "9").is_written);
  EXPECT_TRUE(put("d", "2", "1").is_written);
  EXPECT_EQ(journal(), "d=2 ");
  EXPECT_FALSE(put("e", "2", "1").is_written);
}

TEST_F(DurableEffectsTest, WhatTheProgramCommittedIsNotReplacedFromOutside) {
  run("(task \"d\" 1)");
  EXPECT_FALSE(put("d", "2", "1").is_written);
  EXPECT_EQ(journal(), "d=1 ");
}

TEST_F(DurableEffectsTest, AResetFromOutsideWantsAReasonWhereThereWereEffects) {
  tool("pay", EffectClass::Unsafe);
  run(kPay);
  const auto reset = [this](const char* reason) {
    return std::get<TaskResetEnd>(reset_task(store(), "r1", "a", reason, {"ann", now_}));
  };
  EXPECT_EQ(std::get<TaskResetEnd>(reset_task(store(), "r1", "b", "why", {"ann", now_})), TaskResetEnd::NoTask);
  EXPECT_EQ(reset(""), TaskResetEnd::NeedsReason);
  EXPECT_EQ(reset("it was refunded"), TaskResetEnd::Done);
  EXPECT_EQ(facts().back().text, "it was refunded");
  EXPECT_EQ(journal(), "");
  EXPECT_EQ(run(kPay).outcome.value_edn, "102");
  EXPECT_EQ(ledger_.count("r1/task:a#0@2"), 1u);
}

TEST_F(DurableEffectsTest, ATaskWithoutEffectsIsResetWithoutAReason) {
  run("(task \"a\" 1)");
  EXPECT_EQ(std::get<TaskResetEnd>(reset_task(store(), "r1", "a", "", {"ann", now_})), TaskResetEnd::Done);
  EXPECT_EQ(run("(task \"a\" 2)").outcome.value_edn, "2");
}

TEST_F(DurableEffectsTest, AHostMayAskForReasonsOfResets) {
  tool("pay", EffectClass::Unsafe);
  const auto strict = [](DurableOptions& o) { o.session.resets_need_reasons = true; };
  const DurableOutcome refused = run_with("(do (task \"a\" (tool/pay {})) (task-reset \"a\"))", strict);
  EXPECT_EQ(refused.outcome.fault.kind, FaultKind::ResetNeedsReason);
  EXPECT_EQ(run_with("(do (task \"a\" (tool/pay {})) (task-reset \"a\" \"refunded\") (task \"a\" 5))", strict)
                .outcome.value_edn,
            "5");
  EXPECT_EQ(run_with("(do (task \"b\" 1) (task-reset \"b\"))", strict).outcome.value_edn, "nil");
}

// The first task is a hit of its first epoch when the program runs again, the reset is known, the second is a hit, too.
TEST_F(DurableEffectsTest, AProgramThatRunsAgainComesToItsOwnResetsAgain) {
  tool("pay", EffectClass::Unsafe);
  const char* const source =
      "[(task \"a\" (tool/pay {:n 1})) (task-reset \"a\") (task \"a\" (tool/pay {:n 2})) (tool/pay {:n 3})]";
  for (int writes = 0;; ++writes) {
    begin_anew();
    tool("pay", EffectClass::Unsafe);
    DyingStore dying(store(), writes, true);
    run(source, dying);
    for (int k = 0; k < 4 && run(source).end == DurableEnd::InDoubt; ++k) {
      for (const Fact& fact : facts()) {
        if (fact.kind != FactKind::Intent || !ledger_.contains(fact.idempotency_key)) continue;
        says(fact.idempotency_key, DoubtAnswer::Happened, "0");
      }
      for (const Fact& fact : facts()) {
        if (fact.kind == FactKind::Intent) says(fact.idempotency_key, DoubtAnswer::DidNot);
      }
    }
    EXPECT_EQ(run(source).end, DurableEnd::EndedBefore) << "dead at write " << writes;
    EXPECT_EQ(calls_, 3) << "dead at write " << writes;
    if (!dying.died()) break;
  }
}

TEST_F(DurableEffectsTest, AMissingToolIsRefusedAndWhatWasParkedStays) {
  async_tool("call");
  EXPECT_EQ(run("(await (tool/call {}))").end, DurableEnd::Suspended);
  tools_ = {};
  const std::size_t before = facts().size();
  const DurableOutcome refused = run("(await (tool/call {}))");
  EXPECT_EQ(refused.end, DurableEnd::Refused);
  EXPECT_NE(refused.message.find("call is missing"), std::string::npos) << refused.message;
  EXPECT_EQ(facts().size(), before);
  async_tool("call");
  answer("c1", "5");
  EXPECT_EQ(run("(await (tool/call {}))").outcome.value_edn, "5");
}

TEST_F(DurableEffectsTest, ASourceThatIsRefusedLeavesNoTrace) {
  EXPECT_EQ(run("(+ 1").outcome.fault.kind, FaultKind::ParseError);
  EXPECT_TRUE(facts().empty());
}

TEST_F(DurableEffectsTest, APlanNeverChanges) {
  const auto with = [](const char* text) {
    return [text](DurableOptions& o) { o.plan = Plan{{"1", text}}; };
  };
  EXPECT_EQ(run_with("1", with("Charge")).end, DurableEnd::Ended);
  EXPECT_EQ(run_with("2", with("Ship")).end, DurableEnd::Refused);
  EXPECT_EQ(run_with("2", with("Charge")).end, DurableEnd::Ended);
}

TEST_F(DurableEffectsTest, ASleepIsAsOldAsItWasWhenTheProgramRunsFromTheTop) {
  const char* const source = "(do (sleep 1000) :awake)";
  const auto fixed = [this](DurableOptions& o) { o.session.fixed_clock_millis = now_; };
  DyingStore dying(store(), 2, false);   // the sleep is in the log, nothing is parked
  DurableOptions wanted = options();
  wanted.session.fixed_clock_millis = now_;
  run_durably(engine_, dying, tools_, source, wanted);
  now_ += 900;
  EXPECT_EQ(run_with(source, fixed).outcome.next_deadline_ms, kNow + 1000);
  now_ += 100;
  EXPECT_EQ(run_with(source, fixed).outcome.value_edn, ":awake");
}

TEST_F(DurableEffectsTest, AnOperationOfAFailedTurnIsNotTakenForANewOne) {
  async_tool("call");
  const char* const source = "(await (tool/call {:to 1}))";
  EXPECT_EQ(run(source).end, DurableEnd::Suspended);
  answer_operation(store(), "r1", "c1", "error", "", "busy", {"worker", now_});
  EXPECT_EQ(run(source).outcome.status, OutcomeStatus::Error);
  EXPECT_EQ(run(source).end, DurableEnd::Suspended);   // called again
  answer("c2", "7");
  EXPECT_EQ(run(source).outcome.value_edn, "7");
}

TEST_F(DurableEffectsTest, AFunctionThatATaskCameToIsThereInTheNextProcess) {
  tool("pay", EffectClass::Unsafe);
  EXPECT_EQ(run("(do (task \"f\" (fn [x] (* 2 x))) (+ 1 \"x\"))").outcome.status, OutcomeStatus::Error);
  EXPECT_EQ(run("(do (tool/pay {}) ((task \"f\" nil) 21))").outcome.value_edn, "42");
  EXPECT_EQ(calls_, 1);
}

// Another claim wrote something after the process died that had made the call.
TEST_F(DurableEffectsTest, AnOpenCallIsFoundWhateverWasWrittenAfterIt) {
  tool("pay", EffectClass::Unsafe);
  DyingStore dying(store(), 2, false);
  run(kPay, dying);
  EXPECT_EQ(calls_, 1);
  const auto claim = std::get<Claim>(store().claim("r1", "other", kNow, 1'000, last_token()));
  ASSERT_TRUE(claim.granted);
  Fact noted;
  noted.kind = FactKind::RunResumed;
  store().put("r1", Cut::blind(claim.token), {&noted, 1});
  store().release("r1", claim.token);
  EXPECT_EQ(run(kPay).end, DurableEnd::InDoubt);
  EXPECT_EQ(calls_, 1);
}

// Older versions wrote the id of the run into keys as it is.
TEST_F(DurableEffectsTest, ACallOfAnOlderLogKeepsItsKey) {
  tool("pay", EffectClass::Keyed);
  const auto claim = std::get<Claim>(store().claim("a/b", "older", kNow, 1'000));
  Fact intent;
  intent.kind = FactKind::Intent;
  intent.idempotency_key = "a/b/task:a#0";
  intent.key = intent_key(intent.idempotency_key, 1);
  intent.number = 1;
  intent.tool = "pay";
  intent.args = "{\"n\" 1}";
  intent.effect = "keyed";
  intent.task = "a";
  store().put("a/b", Cut::blind(claim.token), {&intent, 1});
  store().release("a/b", claim.token);
  DurableOptions wanted = options();
  wanted.session.run_id = "a/b";
  const std::string source = std::string(kPay) + "(task \"b\" (tool/pay {:n 2})) (tool/pay {:n 3})";
  EXPECT_EQ(run_durably(engine_, store(), tools_, source, wanted).outcome.status, OutcomeStatus::Ok);
  EXPECT_EQ(ledger_, (std::map<std::string, int>{
                         {"a/b/task:a#0", 1}, {"a~1b/task:b#0", 1}, {"run:a~1b@1#0", 1}}));
}

}  // namespace
}  // namespace ptc
