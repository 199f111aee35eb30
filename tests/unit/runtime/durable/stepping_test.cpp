// A durable run in steps: several calls in flight, pauses that park, deferred tools, kept sessions, progress.
#include <atomic>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/log/forwarding_store.h"
#include "tests/unit/runtime/durable/durable_fixture.h"

namespace ptc {
namespace {

class SteppingTest : public DurableRunTest {
 protected:
  void deferred(const char* name, EffectClass effect, RetryPolicy retry = {}) {
    ToolDefinition definition;
    definition.name = name;
    definition.effect = effect;
    definition.retry = retry;
    definition.deferred = true;
    tools_.add(std::move(definition), {});
  }
  std::unique_ptr<DurableRun> stepped(std::string source, DurableOptions wanted) {
    const std::shared_ptr<const ToolRegistry> tools(std::shared_ptr<void>(), &tools_);
    return std::make_unique<DurableRun>(engine_, store(), tools, std::move(source), std::move(wanted));
  }
  std::unique_ptr<DurableRun> stepped(std::string source) {
    DurableOptions wanted = options();
    wanted.dead_token = last_token();
    return stepped(std::move(source), std::move(wanted));
  }
  std::unique_ptr<DurableRun> going_on(std::string source) {
    DurableOptions wanted = options();
    wanted.dead_token = last_token();
    wanted.branches_go_on = true;
    return stepped(std::move(source), std::move(wanted));
  }
  static std::vector<std::uint64_t> ids(const DurableRun& run) {
    std::vector<std::uint64_t> out;
    for (const auto& [id, call] : run.calls()) out.push_back(id);
    return out;
  }
  // Steps until the run is done; every call is answered with its arguments, the newest first.
  static DurableOutcome echo(DurableRun& run) {
    for (;;) {
      if (run.step() == DurableStep::Done) return run.outcome();
      for (std::vector<std::uint64_t> open = ids(run); !open.empty(); open.pop_back()) {
        EXPECT_TRUE(run.answer(open.back(), ToolReply::value(retained(run.args(open.back())))));
      }
    }
  }
};

constexpr const char* kThree = "(pmap (fn [i] (tool/pay {:i i})) [1 2 3])";

TEST_F(SteppingTest, AllCallsAreInFlightAtOnceEachWithItsIntent) {
  deferred("pay", EffectClass::Unsafe);
  const auto run = stepped(kThree);
  ASSERT_EQ(run->step(), DurableStep::Waits);
  EXPECT_EQ(ids(*run).size(), 3u);
  EXPECT_EQ(kinds(), "run_started intent intent intent ");
  EXPECT_EQ(echo(*run).outcome.value_edn, "[{\"i\" 1} {\"i\" 2} {\"i\" 3}]");
}

TEST_F(SteppingTest, ARunThatIsParkedBehindAnAnswerHasTheOperationOfThatAnswerInItsLog) {
  ToolDefinition pay;
  pay.name = "pay";
  pay.async = AsyncMode::Yes;
  pay.deferred = true;
  tools_.add(std::move(pay), {});
  std::atomic<bool> parks{false};
  DurableOptions wanted = options();
  wanted.parks = &parks;
  const auto run = stepped("(await (tool/pay {:i 1}))", std::move(wanted));
  ASSERT_EQ(run->step(), DurableStep::Waits);
  parks = true;
  EXPECT_TRUE(run->answer(ids(*run)[0], ToolReply::pending("bill")));
  ASSERT_EQ(run->step(), DurableStep::Done);
  EXPECT_EQ(kinds(), "run_started intent effect_settled operation_opened run_suspended ");
}

TEST_F(SteppingTest, TheCapBoundsTheCallsInFlight) {
  deferred("pay", EffectClass::Keyed);
  DurableOptions wanted = options();
  wanted.most_in_flight = 2;
  const auto run = stepped(kThree, std::move(wanted));
  ASSERT_EQ(run->step(), DurableStep::Waits);
  EXPECT_EQ(ids(*run).size(), 2u);
  EXPECT_EQ(echo(*run).outcome.value_edn, "[{\"i\" 1} {\"i\" 2} {\"i\" 3}]");
}

TEST_F(SteppingTest, TheOrderOfTheAnswersDoesNotMatter) {
  deferred("pay", EffectClass::Keyed);
  const auto run = stepped("(let [a (pmap (fn [i] (tool/pay {:i i})) [1 2 3])] (task \"sum\" (count a)))");
  ASSERT_EQ(run->step(), DurableStep::Waits);
  const auto open = ids(*run);
  EXPECT_TRUE(run->answer(open[2], ToolReply::value(Value::integer(3))));
  EXPECT_TRUE(run->answer(open[0], ToolReply::value(Value::integer(1))));
  EXPECT_FALSE(run->answer(open[0], ToolReply::value(Value::integer(9))));
  EXPECT_EQ(run->step(), DurableStep::Waits);
  EXPECT_EQ(ids(*run), std::vector<std::uint64_t>{open[1]});
  EXPECT_TRUE(run->answer(open[1], ToolReply::value(Value::integer(2))));
  EXPECT_EQ(run->step(), DurableStep::Done);
  EXPECT_EQ(journal(), "sum=3 ");
}

constexpr const char* kTwoEach =
    "(pmap (fn [i] [(task (str \"a\" i) (tool/pay {:i i})) (task (str \"b\" i) (tool/pay {:j i}))]) [1 2 3])";

TEST_F(SteppingTest, NothingRunsBeforeAllCallsAreAnsweredUnlessBranchesGoOn) {
  deferred("pay", EffectClass::Unsafe);
  const auto patient = stepped(kTwoEach);
  ASSERT_EQ(patient->step(), DurableStep::Waits);
  const auto first = ids(*patient);
  EXPECT_TRUE(patient->answer(first[1], ToolReply::value(Value::integer(2))));
  EXPECT_EQ(patient->step(), DurableStep::Waits);
  EXPECT_EQ(ids(*patient), (std::vector<std::uint64_t>{first[0], first[2]}));
}

TEST_F(SteppingTest, ABranchGoesOnWithItsOwnAnswerWhileOthersAreOpen) {
  deferred("pay", EffectClass::Unsafe);
  const auto run = going_on(kTwoEach);
  ASSERT_EQ(run->step(), DurableStep::Waits);
  const auto first = ids(*run);
  EXPECT_TRUE(run->answer(first[1], ToolReply::value(Value::integer(2))));
  ASSERT_EQ(run->step(), DurableStep::Waits);
  EXPECT_EQ(journal(), "a2=2 ");
  const auto then = ids(*run);
  ASSERT_EQ(then.size(), 3u);
  EXPECT_EQ(run->calls().at(then[2]).args_edn, "{\"j\" 2}");
  // Its answer and its commit are in the log before the call that comes of them is handed out.
  EXPECT_EQ(kinds(), "run_started intent intent intent effect_settled task_committed intent ");
  EXPECT_EQ(echo(*run).outcome.value_edn, "[[{\"i\" 1} {\"j\" 1}] [2 {\"j\" 2}] [{\"i\" 3} {\"j\" 3}]]");
}

// Answers the calls of two branches, each with two calls of its own, in every order that there is. Branches that wait
// for the task of another one are among them.
TEST_F(SteppingTest, ValueAndFuelDoNotDependOnTheOrderOfAnswers) {
  const std::string source =
      "(pcalls #(task \"a\" (do (tool/pay {:n 1}) (tool/pay {:n 2}))) #(vec [(tool/pay {:n 3}) (tool/pay {:n 4})]) "
      "#(vec [(task \"a\" nil) (tool/pay {:n 5})]) #(tool/pay {:n 6}))";
  std::set<std::pair<std::string, std::uint64_t>> seen;
  std::set<std::vector<std::uint64_t>> orders;
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    begin_anew();
    deferred("pay", EffectClass::Keyed);
    const auto run = going_on(source);
    std::vector<std::uint64_t> order;
    while (run->step() != DurableStep::Done) {
      const auto open = ids(*run);
      order.push_back(open[random() % open.size()]);
      EXPECT_TRUE(run->answer(order.back(), ToolReply::value(retained(run->args(order.back())))));
    }
    orders.insert(order);
    seen.emplace(run->outcome().outcome.value_edn, run->outcome().outcome.fuel);
  }
  EXPECT_GT(orders.size(), 20u);
  EXPECT_EQ(seen.size(), 1u) << seen.begin()->second << " to " << seen.rbegin()->second;
}

TEST_F(SteppingTest, ARunWhoseBranchesGoOnIsDoneAsEverAfterEachDeath) {
  for (const int most : {100, 7, 4, 3, 2, 1}) {   // answers before the process dies
    begin_anew();
    deferred("pay", EffectClass::Keyed);
    std::string value;
    for (int process = 0; value.empty() && process < 100; ++process) {
      const auto run = going_on(kTwoEach);
      for (int answers = 0; answers < most && run->step() != DurableStep::Done; ++answers) {
        const auto open = ids(*run);
        EXPECT_TRUE(run->answer(open.back(), ToolReply::value(retained(run->args(open.back())))));
      }
      if (run->last_step() == DurableStep::Done) value = run->outcome().outcome.value_edn;
    }
    EXPECT_EQ(value, "[[{\"i\" 1} {\"j\" 1}] [{\"i\" 2} {\"j\" 2}] [{\"i\" 3} {\"j\" 3}]]") << most;
  }
}

// Counts the transactions of a run besides its start and its end.
class TransactionCounter final : public ForwardingStore {
 public:
  explicit TransactionCounter(FactStore& store) : ForwardingStore(store) {}
  StoreResult<Written> put(std::string_view log, Cut cut, std::span<const Fact> facts, Durability wanted) override {
    ++puts;
    return ForwardingStore::put(log, cut, facts, wanted);
  }
  int puts = 0;
};

// The answer of the last call in flight and the commit of its task are one write.
TEST_F(SteppingTest, AnAnswerGoesIntoTheLogWithTheCommitOfItsTask) {
  deferred("pay", EffectClass::Keyed);
  TransactionCounter counting(store());
  const std::shared_ptr<const ToolRegistry> tools(std::shared_ptr<void>(), &tools_);
  DurableRun run(engine_, counting, tools, "(do (task \"a\" (tool/pay {})) (task \"b\" (tool/pay {})))", options());
  ASSERT_EQ(run.step(), DurableStep::Waits);
  EXPECT_EQ(kinds(), "run_started intent ");
  const int begun = counting.puts;
  EXPECT_TRUE(run.answer(ids(run)[0], ToolReply::value(Value::integer(7))));
  EXPECT_EQ(kinds(), "run_started intent ");
  ASSERT_EQ(run.step(), DurableStep::Waits);
  EXPECT_EQ(kinds(), "run_started intent effect_settled task_committed intent ");
  EXPECT_EQ(counting.puts - begun, 2);
}

TEST_F(SteppingTest, EveryOpenCallOfADeadProcessIsFoundAndTreatedByItsClass) {
  deferred("pay", EffectClass::Unsafe);
  deferred("put", EffectClass::Keyed);
  const std::string source = "(pcalls #(tool/pay {:a 1}) #(tool/put {:b 1}) #(tool/pay {:a 2}))";
  std::vector<std::string> keys;
  {
    const auto run = stepped(source);
    ASSERT_EQ(run->step(), DurableStep::Waits);
    for (const auto& [id, call] : run->calls()) keys.push_back(call.key);
    ASSERT_EQ(keys.size(), 3u);
    EXPECT_TRUE(run->answer(ids(*run)[0], ToolReply::value(Value::integer(1))));
  }
  const auto again = stepped(source);
  ASSERT_EQ(again->step(), DurableStep::Done);
  EXPECT_EQ(again->outcome().end, DurableEnd::InDoubt);
  ASSERT_EQ(again->outcome().doubts.size(), 1u);
  EXPECT_EQ(again->outcome().doubts[0].key, keys[2]);
  EXPECT_TRUE(says(keys[2], DoubtAnswer::Happened, "3"));
  ASSERT_EQ(again->step(), DurableStep::Waits);
  ASSERT_EQ(ids(*again).size(), 1u);
  EXPECT_EQ(again->calls().begin()->second.key, keys[1]);   // the same key again
  EXPECT_TRUE(again->answer(ids(*again)[0], ToolReply::value(Value::integer(2))));
  EXPECT_EQ(again->step(), DurableStep::Done);
  EXPECT_EQ(again->outcome().outcome.value_edn, "[1 2 3]");
}

TEST_F(SteppingTest, ALongPauseBeforeARetryParksTheRun) {
  RetryPolicy patient;
  patient.max_attempts = 3;
  patient.first_ms = 60'000;
  patient.max_ms = 600'000;
  patient.jitter = 0;
  deferred("flaky", EffectClass::Keyed, patient);
  {
    const auto run = stepped("(tool/flaky {})");
    ASSERT_EQ(run->step(), DurableStep::Waits);
    EXPECT_TRUE(run->answer(ids(*run)[0], ToolReply::error("not now")));
    ASSERT_EQ(run->step(), DurableStep::Done);
    EXPECT_EQ(run->outcome().end, DurableEnd::Suspended);
    EXPECT_EQ(run->outcome().outcome.next_deadline_ms, kNow + 60'000);
  }
  const auto early = stepped("(tool/flaky {})");
  EXPECT_EQ(early->step(), DurableStep::Done);
  EXPECT_EQ(early->outcome().end, DurableEnd::Suspended);
  now_ += 60'000;
  EXPECT_EQ(std::get<std::vector<std::string>>(store().woken(now_, 10)), std::vector<std::string>{"r1"});
  const auto later = stepped("(tool/flaky {})");
  ASSERT_EQ(later->step(), DurableStep::Waits);
  EXPECT_EQ(later->calls().begin()->second.attempt, 2u);
  EXPECT_TRUE(later->answer(ids(*later)[0], ToolReply::value(Value::integer(5))));
  EXPECT_EQ(later->step(), DurableStep::Done);
  EXPECT_EQ(later->outcome().outcome.value_edn, "5");
}

TEST_F(SteppingTest, AttemptsOfAPureToolAreCountedOverProcesses) {
  RetryPolicy twice;
  twice.max_attempts = 2;
  twice.first_ms = 60'000;
  twice.jitter = 0;
  deferred("look", EffectClass::Pure, twice);
  {
    const auto run = stepped("(tool/look {})");
    ASSERT_EQ(run->step(), DurableStep::Waits);
    EXPECT_TRUE(run->answer(ids(*run)[0], ToolReply::error("not now")));
    EXPECT_EQ(run->step(), DurableStep::Done);
  }
  now_ += 60'000;
  const auto later = stepped("(tool/look {})");
  ASSERT_EQ(later->step(), DurableStep::Waits);
  EXPECT_TRUE(later->answer(ids(*later)[0], ToolReply::error("never")));
  EXPECT_EQ(later->step(), DurableStep::Done);
  EXPECT_EQ(later->outcome().outcome.status, OutcomeStatus::Error);
}

TEST_F(SteppingTest, CancellingEndsATurnWhoseCallsAreInFlight) {
  deferred("pay", EffectClass::Keyed);
  std::atomic<bool> stop{false};
  DurableOptions wanted = options();
  wanted.cancelled = &stop;
  const auto run = stepped(kThree, std::move(wanted));
  ASSERT_EQ(run->step(), DurableStep::Waits);
  stop = true;
  EXPECT_EQ(run->step(), DurableStep::Done);
  EXPECT_EQ(run->outcome().outcome.fault.kind, FaultKind::Cancelled);
}

TEST_F(SteppingTest, DefinitionsOfOneTurnAreThereInTheNext) {
  const auto turn = [&](const char* source) {
    DurableOptions wanted = options();
    wanted.session.keeps_session = true;
    wanted.dead_token = last_token();
    return echo(*stepped(source, std::move(wanted)));
  };
  EXPECT_EQ(turn("(def x 20) (defn twice [n] (* 2 n))").end, DurableEnd::Ended);
  EXPECT_EQ(turn("(twice (inc x))").outcome.value_edn, "42");
  EXPECT_EQ(turn("(do (def x 1) (fail \"no\"))").outcome.status, OutcomeStatus::Fail);
  EXPECT_EQ(turn("(do (def y 2) (+ 1 \"a\"))").outcome.status, OutcomeStatus::Error);
  EXPECT_EQ(turn("(twice x)").outcome.value_edn, "2");
}

TEST_F(SteppingTest, DefinitionsAreThereAfterATurnThatWasKilled) {
  deferred("pay", EffectClass::Keyed);
  const auto wanted = [&] {
    DurableOptions out = options();
    out.session.keeps_session = true;
    out.dead_token = last_token();
    return out;
  };
  (void)echo(*stepped("(def x 20)", wanted()));
  { EXPECT_EQ(stepped("(+ x (tool/pay {}))", wanted())->step(), DurableStep::Waits); }
  const auto again = stepped("(+ x (tool/pay {}))", wanted());
  ASSERT_EQ(again->step(), DurableStep::Waits);
  EXPECT_TRUE(again->answer(ids(*again)[0], ToolReply::value(Value::integer(1))));
  EXPECT_EQ(again->step(), DurableStep::Done);
  EXPECT_EQ(again->outcome().outcome.value_edn, "21");
}

TEST_F(SteppingTest, ProgressIsSeenAtTheNextSuspensionAlsoWhenTheProgramRunsAgain) {
  async_tool("call");
  const std::string source =
      "(let [a (tool/call {:n 1}) b (tool/call {:n 2})] [(await a) (:percent b) (await b)])";
  (void)run(source);
  ASSERT_TRUE(std::holds_alternative<Put>(progress_operation(store(), "r1", "c2", "{:percent 50}", {"w", now_})));
  answer("c1", "1");
  (void)run(source);
  ASSERT_TRUE(std::holds_alternative<Put>(progress_operation(store(), "r1", "c2", "{:percent 90}", {"w", now_})));
  answer("c2", "2");
  EXPECT_EQ(run(source).outcome.value_edn, "[1 50 2]");
}

TEST_F(SteppingTest, ALivingOwnerKeepsItsRunAfterTheEndOfItsLease) {
  deferred("pay", EffectClass::Keyed);
  auto run = stepped(kThree, options());
  ASSERT_EQ(run->step(), DurableStep::Waits);
  now_ += 1'000'000;
  auto other = stepped(kThree, options());
  EXPECT_EQ(other->step(), DurableStep::Done);
  EXPECT_EQ(other->outcome().end, DurableEnd::Busy);
  EXPECT_EQ(run->step(), DurableStep::Waits);   // prolongs the claim
  EXPECT_GT(std::get<Claim>(store().claim("r1", "somebody", now_, 1)).until_ms, now_);
  run.reset();
  EXPECT_EQ(other->step(), DurableStep::Waits);
}

}  // namespace
}  // namespace ptc
