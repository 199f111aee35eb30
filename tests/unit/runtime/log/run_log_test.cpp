// What a log says about its run.
#include "runtime/log/run_log.h"

#include <gtest/gtest.h>

namespace ptc {
namespace {

class Log {
 public:
  Log& add(Fact fact) {
    fact.seq = ++seq_;
    log.add(fact);
    return *this;
  }
  Log& task(const char* id, const char* value) { return add(fact(FactKind::TaskCommitted, id, value)); }
  Log& reset(const char* id) {
    Fact made = fact(FactKind::TaskReset, id, "");
    made.number = log.epoch(id);
    return add(made);
  }
  Log& intent(const char* key, std::uint64_t attempt, std::uint64_t writer = 1) {
    Fact made = call(FactKind::Intent, key, attempt, "");
    made.tool = "pay";
    made.args = "{}";
    made.writer = writer;
    return add(made);
  }
  Log& settled(const char* key, std::uint64_t attempt, const char* status, const char* value = "") {
    Fact made = call(FactKind::EffectSettled, key, attempt, status);
    made.value = value;
    return add(made);
  }
  Log& said(const char* key, std::uint64_t attempt, const char* status) {
    return add(call(FactKind::DoubtSettled, key, attempt, status));
  }
  Log& ended(const char* status) {
    Fact made = fact(FactKind::TurnEnded, "", "");
    made.status = status;
    return add(made);
  }
  Log& started() { return add(fact(FactKind::RunStarted, "", "")); }
  static Fact fact(FactKind kind, const char* id, const char* value) {
    Fact made;
    made.kind = kind;
    made.id = id;
    made.value = value;
    return made;
  }

  RunLog log;

 private:
  static Fact call(FactKind kind, const char* key, std::uint64_t attempt, const char* status) {
    Fact made;
    made.kind = kind;
    made.idempotency_key = key;
    made.number = attempt;
    made.status = status;
    return made;
  }
  std::uint64_t seq_ = 0;
};

std::string tasks_of(const RunLog& log) {
  std::string text;
  for (const LoggedTask& task : log.tasks()) {
    text += task.id + '=' + task.value_edn + (task.source.empty() ? "" : '@' + task.source) + ' ';
  }
  return text;
}

TEST(RunLog, TasksAreInTheOrderOfTheirCommits) {
  Log log;
  log.task("b", "1").task("a", "nil").task("b", "2");
  EXPECT_EQ(tasks_of(log.log), "b=1 a=nil ");
  EXPECT_EQ(log.log.task("a")->value_edn, "nil");
  EXPECT_EQ(log.log.task("c"), nullptr);
  EXPECT_EQ(log.log.head(), 3u);
}

TEST(RunLog, AResetMakesTheNextEpoch) {
  Log log;
  EXPECT_EQ(log.log.epoch("a"), 1u);
  log.task("a", "1").task("b", "2").reset("a");
  EXPECT_EQ(tasks_of(log.log), "b=2 ");
  EXPECT_EQ(log.log.epoch("a"), 2u);
  log.task("a", "3").reset("a").reset("a");
  EXPECT_EQ(log.log.epoch("a"), 4u);
  EXPECT_EQ(log.log.epoch("b"), 1u);
  log.task("a", "5");
  EXPECT_EQ(tasks_of(log.log), "b=2 a=5 ");
}

TEST(RunLog, AValueFromOutsideSaysWhoSaidIt) {
  Log log;
  Fact said = Log::fact(FactKind::ExternalValue, "decision", "\"yes\"");
  said.source = "manager";
  log.add(said).task("decision", "\"no\"");
  EXPECT_EQ(tasks_of(log.log), "decision=\"yes\"@manager ");
}

TEST(RunLog, AnIntentIsOpenUntilItIsSettled) {
  Log log;
  log.intent("k", 1);
  EXPECT_EQ(log.log.effect("k")->state, EffectState::Intended);
  EXPECT_TRUE(log.log.unsettled(1).empty());            // under the present claim the call is going on
  ASSERT_EQ(log.log.unsettled(2).size(), 1u);           // its process is gone
  EXPECT_EQ(log.log.unsettled(2)[0]->tool, "pay");
  log.settled("k", 1, "committed", "\"tx\"");
  EXPECT_TRUE(log.log.unsettled(2).empty());
  EXPECT_EQ(log.log.effect("k")->value, "\"tx\"");
  EXPECT_EQ(log.log.effect("other"), nullptr);
}

TEST(RunLog, WhatIsSettledStaysSo) {
  Log log;
  log.intent("k", 1).settled("k", 1, "committed", "1").settled("k", 1, "failed").said("k", 1, "not_done");
  EXPECT_EQ(log.log.effect("k")->state, EffectState::Committed);
  EXPECT_EQ(log.log.effect("k")->value, "1");
}

TEST(RunLog, ADoubtIsSettledByAPerson) {
  Log log;
  log.intent("k", 1).settled("k", 1, "in_doubt");
  EXPECT_EQ(log.log.unsettled(2).size(), 1u);
  log.said("k", 1, "not_done");
  EXPECT_TRUE(log.log.unsettled(2).empty());
  EXPECT_EQ(log.log.effect("k")->state, EffectState::NotDone);
  log.intent("k", 2, 2);
  EXPECT_EQ(log.log.effect("k")->state, EffectState::Intended);
  EXPECT_EQ(log.log.effect("k")->attempt, 2u);
  log.said("k", 1, "given_up").settled("k", 2, "no_such_state");
  EXPECT_EQ(log.log.effect("k")->state, EffectState::Intended);
  EXPECT_EQ(log.log.unsettled(3).size(), 1u);
}

TEST(RunLog, AnIntentKnowsTheEndsBeforeIt) {
  Log log;
  log.started().intent("a", 1).ended("error").started().intent("b", 1);
  EXPECT_EQ(log.log.effect("a")->ends_before, 0u);
  EXPECT_EQ(log.log.effect("b")->ends_before, 1u);
  EXPECT_EQ(log.log.ends(), 1u);
}

TEST(RunLog, ATurnIsNamedByItsStart) {
  Log log;
  EXPECT_EQ(log.log.turn(), 0u);
  log.started();
  EXPECT_EQ(log.log.turn(), 1u);
  Fact next = Log::fact(FactKind::RunStarted, "b.ptc", "{:x 1}");
  next.number = 2;
  next.text = "(+ 1 2)";
  log.add(next);
  EXPECT_EQ(log.log.turn(), 2u);
  EXPECT_EQ(log.log.last_start()->source, "(+ 1 2)");
  EXPECT_EQ(log.log.last_start()->source_name, "b.ptc");
  EXPECT_EQ(log.log.last_start()->context, "{:x 1}");
}

TEST(RunLog, NewsIsWhatOthersSayAfterTheEnd) {
  Log log;
  log.add(Log::fact(FactKind::ExternalValue, "x", "1")).started().ended("ok");
  EXPECT_FALSE(log.log.has_news());
  log.add(Log::fact(FactKind::OperationResolved, "op1", "1"));
  EXPECT_FALSE(log.log.has_news());
  log.add(Log::fact(FactKind::ExternalValue, "y", "1"));
  EXPECT_TRUE(log.log.has_news());
  log.started().ended("ok");
  EXPECT_FALSE(log.log.has_news());
}

TEST(RunLog, AValueFromOutsideGivesWayToANewerOneOnly) {
  Log log;
  Fact value = Log::fact(FactKind::ExternalValue, "d", "1");
  value.source = "ann";
  value.number = 1;
  log.add(value);
  EXPECT_EQ(log.log.external_version("d"), 1u);
  value.value = "2";
  log.add(value);
  EXPECT_EQ(log.log.task("d")->value_edn, "1");
  value.number = 2;
  log.add(value);
  EXPECT_EQ(log.log.task("d")->value_edn, "2");
  log.add(Log::fact(FactKind::TaskCommitted, "t", "7"));
  value.id = "t";
  log.add(value);
  EXPECT_EQ(log.log.task("t")->value_edn, "7");
}

TEST(RunLog, AResetForgetsWhatTheCallsOfATaskCameTo) {
  Log log;
  Fact intent = Log::fact(FactKind::Intent, "", "");
  intent.idempotency_key = "k";
  intent.number = 1;
  intent.task = "t";
  log.add(intent);
  EXPECT_TRUE(log.log.has_effects("t"));
  Fact reset = Log::fact(FactKind::TaskReset, "t", "");
  reset.number = 1;
  log.add(reset);
  EXPECT_FALSE(log.log.has_effects("t"));
  EXPECT_EQ(log.log.effect("k")->state, EffectState::Reset);
  EXPECT_EQ(log.log.epoch("t"), 2u);
}

TEST(RunLog, WhatWasDeliveredIsKnownOnceTheProgramWentOn) {
  Log log;
  Fact resumed = Log::fact(FactKind::RunResumed, "", "");
  resumed.number = 1;
  log.started().add(resumed);
  EXPECT_FALSE(log.log.delivered(1));
  log.add(resumed);            // it did not go on by the first
  resumed.number = 2;
  log.add(resumed);
  EXPECT_EQ(log.log.delivered(1), 3u);
  EXPECT_FALSE(log.log.delivered(2));
  log.ended("error").started();
  EXPECT_FALSE(log.log.delivered(1));
}

TEST(RunLog, WhatIsRecalledIsWhatWasAdded) {
  Fact intent = Log::fact(FactKind::Intent, "", "");
  intent.idempotency_key = "k";
  intent.number = 1;
  Fact doubted = Log::fact(FactKind::EffectDoubted, "", "");
  doubted.idempotency_key = "k";
  doubted.number = 1;
  doubted.status = "in_doubt";
  Log whole, part;
  whole.started().add(intent).add(doubted).ended("error");
  part.started();
  doubted.seq = 3;
  part.log.add(doubted);
  Fact end = Log::fact(FactKind::TurnEnded, "", "");
  end.seq = 4;
  part.log.add(end);
  EXPECT_EQ(part.log.effect("k"), nullptr);
  intent.seq = 2;
  part.log.recall(intent);   // the doubt was added before it
  for (const RunLog* log : {&whole.log, &part.log}) {
    EXPECT_EQ(log->effect("k")->state, EffectState::InDoubt);
    EXPECT_EQ(log->effect("k")->ends_before, 0u);
    EXPECT_EQ(log->unsettled(9).size(), 1u);
    EXPECT_EQ(log->head(), 4u);
  }
}

TEST(RunLog, OwnOperationsAreCountedUpToTheLastEnd) {
  Log log;
  log.started().add(Log::fact(FactKind::OperationOpened, "op12.0.3", "")).add(
      Log::fact(FactKind::OperationOpened, "call_77", ""));
  EXPECT_EQ(log.log.operations_before(), 0u);
  log.ended("error");
  EXPECT_EQ(log.log.operations_before(), 12u);
}

TEST(RunLog, ARunIsOverUntilItIsStartedAgain) {
  Log log;
  EXPECT_FALSE(log.log.is_over());
  log.started().ended("ok");
  EXPECT_TRUE(log.log.is_over());
  EXPECT_EQ(log.log.last_end()->status, "ok");
  log.started();
  EXPECT_FALSE(log.log.is_over());
}

TEST(RunLog, OperationsAreResolvedOnce) {
  Log log;
  Fact opened = Log::fact(FactKind::OperationOpened, "op1", "");
  opened.tool = "call";
  opened.time_ms = 7;
  Fact answer = Log::fact(FactKind::OperationResolved, "op1", "1");
  answer.status = "ok";
  answer.source = "worker";
  Fact other = answer;
  other.value = "2";
  log.add(opened).add(answer).add(other);
  ASSERT_EQ(log.log.operations().size(), 1u);
  EXPECT_EQ(log.log.operation("op1")->value, "1");
  EXPECT_EQ(log.log.operation("op1")->opened_ms, 7);
  EXPECT_EQ(log.log.operation("op1")->resolved_seq, 2u);
  EXPECT_EQ(log.log.operation("op2"), nullptr);
  Fact early = Log::fact(FactKind::OperationResolved, "op2", "3");
  early.status = "error";
  log.add(early);
  EXPECT_EQ(log.log.operation("op2")->status, "error");
  EXPECT_FALSE(log.log.operation("op2")->is_opened);
  Fact late = opened;
  late.id = "op2";
  log.add(late);
  EXPECT_TRUE(log.log.operation("op2")->is_opened);
  EXPECT_EQ(log.log.operation("op2")->tool, "call");
  EXPECT_EQ(log.log.operation("op2")->value, "3");
}

TEST(RunLog, PlanAndSummaries) {
  Log log;
  Fact done = Log::fact(FactKind::StepDone, "1", "");
  done.text = "charged";
  log.add(Log::fact(FactKind::PlanSet, "", "[\"Charge\"]"));
  log.add(Log::fact(FactKind::PlanSet, "", "[\"Other\"]")).add(done);
  ASSERT_TRUE(log.log.plan());
  EXPECT_EQ(log.log.plan()->at(0).description, "Charge");
  EXPECT_EQ(log.log.summaries(), (StepSummaries{{"1", "charged"}}));
}

TEST(RunLog, KeysAreAsDocumented) {
  EXPECT_EQ(task_key("a b", 2), "task/a b#2");
  EXPECT_EQ(reset_key("a", 1), "reset/a#1");
  EXPECT_EQ(intent_key("task:a#0", 3), "intent/task:a#0#3");
  EXPECT_EQ(effect_key("k", 1), "effect/k#1");
  EXPECT_EQ(doubt_key("k", 1), "doubt/k#1");
  EXPECT_EQ(operation_key("op1"), "operation/op1");
  EXPECT_EQ(resolved_key("op1"), "resolved/op1");
  EXPECT_EQ(external_key("decision", 2), "external/decision#2");
}

TEST(RunLog, StatesHaveNames) {
  for (int k = 0; k < 9; ++k) {
    const auto state = static_cast<EffectState>(k);
    EXPECT_EQ(find_effect_state(effect_state_name(state)), state);
  }
  EXPECT_EQ(find_effect_state("x"), std::nullopt);
}

}  // namespace
}  // namespace ptc
