// Steppers for C: stored runs that the host drives, with several calls in flight and nothing that blocks.
#include <vector>

#include "c_fixture.h"

namespace ptcvm {
namespace {

using CStepper = Owned<ptcvm_stepper, ptcvm_stepper_free>;

// [drive]
// Drives a run until it is done, and answers each call with its own arguments. A host that has a loop of its own
// answers when something comes, in any order.
ptcvm_status drive(ptcvm_stepper* stepper, ptcvm_stored** out, ptcvm_error** error) {
  int32_t step = PTCVM_STEP_YIELDED;
  while (step != PTCVM_STEP_DONE) {
    ptcvm_status status = ptcvm_stepper_step(stepper, 50000, &step, error);
    if (status != PTCVM_OK) return status;
    for (size_t i = 0, count = ptcvm_stepper_call_count(stepper); i < count; ++i) {
      ptcvm_waiting_call call;
      PTCVM_INIT(call);
      (void)ptcvm_stepper_call_at(stepper, i, &call);
      status = ptcvm_stepper_answer(stepper, call.id, call.args, error);
      if (status != PTCVM_OK) return status;
    }
  }
  return ptcvm_stepper_take_outcome(stepper, out, error);
}
// [/drive]

class CStepperTest : public CApiTest {
 protected:
  void SetUp() override {
    CApiTest::SetUp();
    ASSERT_EQ(ptcvm_store_in_memory(store_.out(), nullptr), PTCVM_OK);
    options_.id = text("order-7");
  }
  void start(std::string_view source) {
    ASSERT_EQ(ptcvm_stepper_start(engine_, store_, tools_, text(source), &options_, stepper_.out(), error_.out()),
              PTCVM_OK) << message();
  }
  void open() {
    ASSERT_EQ(ptcvm_stepper_open(engine_, store_, tools_, &options_, stepper_.out(), error_.out()), PTCVM_OK)
        << message();
  }
  int32_t step(std::uint64_t fuel = PTCVM_ALL_FUEL) {
    int32_t step = 9;
    EXPECT_EQ(ptcvm_stepper_step(stepper_, fuel, &step, error_.out()), PTCVM_OK) << message();
    return step;
  }
  std::vector<ptcvm_waiting_call> calls() {
    std::vector<ptcvm_waiting_call> out(ptcvm_stepper_call_count(stepper_), initialised<ptcvm_waiting_call>());
    for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(ptcvm_stepper_call_at(stepper_, i, &out[i]), PTCVM_OK);
    return out;
  }
  // Returns how the run ended: its value, or how it is parked.
  std::string outcome() {
    EXPECT_EQ(ptcvm_stepper_take_outcome(stepper_, outcome_.out(), error_.out()), PTCVM_OK) << message();
    auto seen = initialised<ptcvm_diagnostic>();
    if (ptcvm_stored_diagnostic(outcome_, &seen) == 1) return str(seen.kind);
    switch (ptcvm_stored_end(outcome_)) {
      case PTCVM_STORED_END_SUSPENDED: return "suspended";
      case PTCVM_STORED_END_IN_DOUBT: return "in doubt";
      default: return edn(ptcvm_stored_result(outcome_));
    }
  }
  std::string key_of(int32_t what) {
    auto wait = initialised<ptcvm_stored_wait>();
    EXPECT_EQ(ptcvm_stored_wait_at(outcome_, what, 0, &wait), PTCVM_OK);
    return str(wait.key);
  }
  ptcvm_view view(std::string_view as_edn) {
    EXPECT_EQ(ptcvm_value_from_edn(text(as_edn), value_.out(), nullptr), PTCVM_OK);
    return ptcvm_value_view(value_);
  }

  CStore store_;
  CStepper stepper_;
  CStored outcome_;
  CValue value_;
  ptcvm_stored_options options_ = initialised<ptcvm_stored_options>();
};

constexpr const char* kThreeCalls = "(pmap #(tool/fetch {:n %}) [1 2 3])";

TEST_F(CStepperTest, CallsAreInFlightTogetherAndAnsweredInAnyOrder) {
  deferred("fetch");
  start(kThreeCalls);
  EXPECT_EQ(str(ptcvm_stepper_id(stepper_)), "order-7");
  ASSERT_EQ(step(), PTCVM_STEP_WAITS);
  const std::vector<ptcvm_waiting_call> open = calls();
  ASSERT_EQ(open.size(), 3u);
  for (const std::size_t i : {2u, 0u, 1u}) {
    EXPECT_EQ(str(open[i].tool) + edn(open[i].args), "fetch{\"n\" " + std::to_string(i + 1) + "}");
    EXPECT_EQ(open[i].attempt, 1u);
    EXPECT_EQ(open[i].is_deferred, 1);
    EXPECT_NE(str(open[i].key), "");
    const std::string answer = std::to_string(10 * (i + 1));
    EXPECT_EQ(ptcvm_stepper_answer_json(stepper_, open[i].id, text(answer), error_.out()), PTCVM_OK) << message();
  }
  EXPECT_EQ(ptcvm_stepper_answer(stepper_, open[0].id, {}, error_.out()), PTCVM_WRONG_STATE);
  ASSERT_EQ(step(), PTCVM_STEP_DONE);
  EXPECT_EQ(outcome(), "[10 20 30]");
  EXPECT_EQ(ptcvm_stepper_take_outcome(stepper_, outcome_.out(), nullptr), PTCVM_WRONG_STATE) << "it was taken";
}

TEST_F(CStepperTest, ALoopAnswersTheCallsOnItsWay) {
  deferred("echo");
  start("(pmap #(:n (tool/echo {:n %})) (range 5))");
  ASSERT_EQ(drive(stepper_, outcome_.out(), error_.out()), PTCVM_OK) << message();
  EXPECT_EQ(edn(ptcvm_stored_result(outcome_)), "[0 1 2 3 4]");
}

TEST_F(CStepperTest, AnswersAreValuesErrorsAndUnknown) {
  deferred("fetch");
  start("[(tool/fetch {:n 1}) (tool/fetch {:n 2}) (tool/fetch {:n 3})]");
  ASSERT_EQ(step(), PTCVM_STEP_WAITS);
  EXPECT_EQ(ptcvm_stepper_answer(stepper_, calls().at(0).id, view("{:a [1]}"), nullptr), PTCVM_OK);
  ASSERT_EQ(step(), PTCVM_STEP_WAITS);
  EXPECT_EQ(ptcvm_stepper_answer_edn(stepper_, calls().at(0).id, text("{:a"), nullptr), PTCVM_INVALID_VALUE);
  EXPECT_EQ(ptcvm_stepper_answer_edn(stepper_, calls().at(0).id, text("#{1}"), nullptr), PTCVM_OK);
  ASSERT_EQ(step(), PTCVM_STEP_WAITS);
  EXPECT_EQ(ptcvm_stepper_answer_error(stepper_, calls().at(0).id, text("no such page"), nullptr), PTCVM_OK);
  ASSERT_EQ(step(), PTCVM_STEP_DONE);
  EXPECT_EQ(outcome(), "tool_error");
}

TEST_F(CStepperTest, NoMoreCallsThanTheOptionsSayAreInFlight) {
  deferred("fetch");
  options_.parallel_calls = 2;
  start(kThreeCalls);
  ASSERT_EQ(step(), PTCVM_STEP_WAITS);
  ASSERT_EQ(calls().size(), 2u);
  EXPECT_EQ(ptcvm_stepper_answer(stepper_, calls().at(0).id, {}, nullptr), PTCVM_OK);
  ASSERT_EQ(step(), PTCVM_STEP_WAITS);
  EXPECT_EQ(calls().size(), 2u);
}

TEST_F(CStepperTest, MakeCallsTheCallbackInThisThread) {
  tool("twice", "(n :int) -> :int", [](void*, ptcvm_call* call) {
    int64_t n = 0;
    ptcvm_view_int(ptcvm_view_get(ptcvm_call_args(call), text("n")), &n);
    ptcvm_call_answer_json(call, text(std::to_string(2 * n)), nullptr);
  });
  deferred("fetch");
  start("(pcalls #(tool/twice {:n 4}) #(tool/fetch {}))");
  ASSERT_EQ(step(), PTCVM_STEP_WAITS);
  const std::vector<ptcvm_waiting_call> open = calls();
  ASSERT_EQ(open.size(), 2u);
  EXPECT_EQ(open[0].is_deferred, 0);
  EXPECT_EQ(ptcvm_stepper_make(stepper_, open[1].id, nullptr), PTCVM_NOT_AVAILABLE);
  EXPECT_EQ(ptcvm_stepper_make(stepper_, open[0].id, error_.out()), PTCVM_OK) << message();
  EXPECT_EQ(ptcvm_stepper_make(stepper_, open[0].id, nullptr), PTCVM_WRONG_STATE);
  EXPECT_EQ(ptcvm_stepper_answer_json(stepper_, open[1].id, text("\"x\""), nullptr), PTCVM_OK);
  ASSERT_EQ(step(), PTCVM_STEP_DONE);
  EXPECT_EQ(outcome(), "[8 \"x\"]");
}

TEST_F(CStepperTest, OperationsShowProgressAndAreResolved) {
  deferred("mail", PTCVM_ASYNC);
  start("(let [m (tool/mail {}) n (tool/mail {})] (await-signal \"look\") [(:percent m) (await m) (await n)])");
  ASSERT_EQ(step(), PTCVM_STEP_WAITS);
  EXPECT_EQ(ptcvm_stepper_answer_pending(stepper_, calls().at(0).id, text("m1"), nullptr), PTCVM_OK);
  ASSERT_EQ(step(), PTCVM_STEP_WAITS);
  EXPECT_EQ(ptcvm_stepper_answer_pending(stepper_, calls().at(0).id, text("m2"), nullptr), PTCVM_OK);
  ASSERT_EQ(step(), PTCVM_STEP_DONE);
  EXPECT_EQ(outcome(), "suspended");
  EXPECT_EQ(ptcvm_stepper_progress(stepper_, text("m1"), view("{:percent 50}"), text("Bo"), nullptr), PTCVM_OK);
  EXPECT_EQ(ptcvm_store_put(store_, text("order-7"), text("look"), {}, {}, nullptr), PTCVM_OK);
  ASSERT_EQ(step(), PTCVM_STEP_DONE);
  EXPECT_EQ(outcome(), "suspended");
  EXPECT_EQ(ptcvm_stepper_resolve_json(stepper_, text("m1"), text("[1]"), text("Bo"), nullptr), PTCVM_OK);
  EXPECT_EQ(ptcvm_stepper_resolve_edn(stepper_, text("m2"), text(":b"), {}, nullptr), PTCVM_OK);
  EXPECT_EQ(ptcvm_stepper_resolve(stepper_, text("m2"), view(":c"), {}, nullptr), PTCVM_ALREADY_RESOLVED);
  EXPECT_EQ(ptcvm_stepper_resolve_error(stepper_, text("m2"), text("lost"), {}, nullptr), PTCVM_ALREADY_RESOLVED);
  EXPECT_EQ(ptcvm_stepper_resolve_cancelled(stepper_, text("m2"), {}, {}, nullptr), PTCVM_ALREADY_RESOLVED);
  ASSERT_EQ(step(), PTCVM_STEP_DONE);
  EXPECT_EQ(outcome(), "[50 [1] :b]");
}

TEST_F(CStepperTest, APersonDecides) {
  auto asks = initialised<ptcvm_tool_options>();
  asks.question = text("May it pay?");
  ASSERT_EQ(ptcvm_tools_defer(tools_, text("pay"), text("(cents :int) -> :any"), &asks, nullptr), PTCVM_OK);
  start("(tool/pay {:cents 900})");
  ASSERT_EQ(step(), PTCVM_STEP_DONE);
  EXPECT_EQ(outcome(), "suspended");
  const std::string key = key_of(PTCVM_WAIT_QUESTION);
  const ptcvm_text others = text("{\"cents\" 9000}"), seen = text("{\"cents\" 900}");
  EXPECT_EQ(ptcvm_stepper_decide(stepper_, text(key), 1, {}, text("Bo"), &others, nullptr), PTCVM_REFUSED);
  EXPECT_EQ(ptcvm_stepper_decide(stepper_, text(key), 1, {}, text("Bo"), &seen, error_.out()), PTCVM_OK) << message();
  ASSERT_EQ(step(), PTCVM_STEP_WAITS);
  EXPECT_EQ(ptcvm_stepper_answer_json(stepper_, calls().at(0).id, text("\"paid\""), nullptr), PTCVM_OK);
  ASSERT_EQ(step(), PTCVM_STEP_DONE);
  EXPECT_EQ(outcome(), "\"paid\"");
}

TEST_F(CStepperTest, ARunGoesOnInAnotherStepperByItsId) {
  deferred("fetch");
  EXPECT_EQ(ptcvm_stepper_open(engine_, store_, tools_, &options_, stepper_.out(), nullptr), PTCVM_WRONG_STATE)
      << "the run was never begun";
  options_.data = view("{\"last\" 3}");
  start("(do (task \"a\" (println \"once\")) (pmap #(tool/fetch {:n %}) [1 data/last]))");
  ASSERT_EQ(step(), PTCVM_STEP_WAITS);
  EXPECT_EQ(ptcvm_stepper_answer_json(stepper_, calls().at(0).id, text("10"), nullptr), PTCVM_OK);
  stepper_ = CStepper();
  options_.data = {};
  open();
  ASSERT_EQ(step(), PTCVM_STEP_DONE);
  EXPECT_EQ(outcome(), "in doubt") << "nobody knows whether the unsafe call happened";
  const std::string key = key_of(PTCVM_WAIT_DOUBT);
  EXPECT_EQ(ptcvm_stepper_settle(stepper_, text(key), 3, {}, {}, nullptr), PTCVM_INVALID_ARGUMENT);
  EXPECT_EQ(ptcvm_stepper_settle(stepper_, text("no such key"), PTCVM_DOUBT_DID_NOT, {}, {}, nullptr), PTCVM_REFUSED);
  EXPECT_EQ(ptcvm_store_settle(store_, text("order-7"), text(key), PTCVM_DOUBT_HAPPENED, view("30"), {}, nullptr),
            PTCVM_OK);
  ASSERT_EQ(step(), PTCVM_STEP_DONE);
  EXPECT_EQ(outcome(), "[10 30]");
}

TEST_F(CStepperTest, StepsHaveAFuelAndCanBeCancelled) {
  start("(loop [i 0] (if (< i 9000) (recur (inc i)) i))");
  EXPECT_EQ(step(100), PTCVM_STEP_YIELDED);
  EXPECT_EQ(ptcvm_stepper_take_outcome(stepper_, outcome_.out(), nullptr), PTCVM_WRONG_STATE);
  CStepper other;
  ASSERT_EQ(ptcvm_stepper_open(engine_, store_, tools_, &options_, other.out(), nullptr), PTCVM_OK);
  int32_t seen = 9;
  EXPECT_EQ(ptcvm_stepper_step(other, 100, &seen, error_.out()), PTCVM_BUSY);
  EXPECT_EQ(seen, PTCVM_STEP_NONE);
  ptcvm_stepper_cancel(stepper_);
  ASSERT_EQ(step(), PTCVM_STEP_DONE);
  EXPECT_EQ(outcome(), "cancelled");
}

TEST_F(CStepperTest, ARunThatSleepsSaysWhenItWakes) {
  start("(sleep 3600000)");
  int64_t due = 0;
  EXPECT_EQ(ptcvm_stepper_wake_time(stepper_, &due), 0);
  ASSERT_EQ(step(), PTCVM_STEP_DONE);
  ASSERT_EQ(ptcvm_stepper_wake_time(stepper_, &due), 1);
  EXPECT_GT(due, 0);
  EXPECT_EQ(outcome(), "suspended");
  int64_t later = 0, in_outcome = 0;
  EXPECT_EQ(ptcvm_stepper_wake_time(stepper_, &later), 1) << "taking the outcome leaves the time";
  EXPECT_EQ(ptcvm_stored_wake_time(outcome_, &in_outcome), 1);
  EXPECT_EQ(later, due);
  EXPECT_EQ(in_outcome, due);
}

TEST_F(CStepperTest, ASessionGoesFromTurnToTurn) {
  options_.keeps_session = 1;
  start("(def total 40)");
  ASSERT_EQ(step(), PTCVM_STEP_DONE);
  start("(+ total 2)");
  ASSERT_EQ(step(), PTCVM_STEP_DONE);
  EXPECT_EQ(outcome(), "42");
}

TEST_F(CStepperTest, EventsWaitUntilTheHostTakesThem) {
  options_.event_capacity = 3;
  start("(doseq [i (range 20)] (println (reduce + (range 1000)))) (task \"t\" 7)");
  std::vector<std::string> names;
  int yields = 0;
  for (int32_t led_to = PTCVM_STEP_YIELDED; led_to != PTCVM_STEP_DONE;) {
    led_to = step();
    yields += led_to == PTCVM_STEP_YIELDED;
    auto event = initialised<ptcvm_event>();
    while (ptcvm_stepper_next_event(stepper_, &event) == 1) {
      EXPECT_EQ(event.sequence, names.size() + 1);
      names.push_back(str(ptcvm_event_name(event.kind)));
    }
  }
  EXPECT_GE(yields, 1) << "a full queue stops the run";
  ASSERT_EQ(names.size(), 23u);
  EXPECT_EQ(names.front(), "run_start");
  EXPECT_EQ(std::count(names.begin(), names.end(), "print"), 20);
  EXPECT_EQ(std::count(names.begin(), names.end(), "commit"), 1);
  EXPECT_EQ(names.back(), "run_end");
  EXPECT_EQ(outcome(), "7");
}

TEST_F(CStepperTest, AStepperWithAFullQueueDoesNothing) {
  options_.event_capacity = 1;
  deferred("fetch");
  start("(println 1) (tool/fetch {})");
  ASSERT_EQ(step(), PTCVM_STEP_WAITS);
  EXPECT_EQ(step(), PTCVM_STEP_YIELDED);
  auto event = initialised<ptcvm_event>();
  ASSERT_EQ(ptcvm_stepper_next_event(stepper_, &event), 1);
  CBuffer line;
  ASSERT_EQ(ptcvm_stepper_event_json(stepper_, line.out(), nullptr), PTCVM_OK);
  EXPECT_NE(str(ptcvm_buffer_text(line)).find("run_start"), std::string::npos);
  while (ptcvm_stepper_next_event(stepper_, &event) == 1) {
  }
  EXPECT_EQ(step(), PTCVM_STEP_WAITS);
}

TEST_F(CStepperTest, WithoutACapacityThereAreNoEvents) {
  start("(println 1)");
  ASSERT_EQ(step(), PTCVM_STEP_DONE);
  auto event = initialised<ptcvm_event>();
  EXPECT_EQ(ptcvm_stepper_next_event(stepper_, &event), 0);
  CBuffer line;
  EXPECT_EQ(ptcvm_stepper_event_json(stepper_, line.out(), nullptr), PTCVM_INVALID_ARGUMENT);
}

TEST_F(CStepperTest, FactsGoByTheClockOfTheHost) {
  int64_t now = 1'767'225'600'000;
  options_.clock = [](void* data) { return *static_cast<int64_t*>(data); };
  options_.clock_data = &now;
  start("1");
  ASSERT_EQ(step(), PTCVM_STEP_DONE);
  Owned<ptcvm_stored_runs, ptcvm_stored_runs_free> runs;
  ASSERT_EQ(ptcvm_store_runs(store_, {}, 10, runs.out(), nullptr), PTCVM_OK);
  auto run = initialised<ptcvm_stored_run>();
  ASSERT_EQ(ptcvm_stored_runs_at(runs, 0, &run), PTCVM_OK);
  EXPECT_EQ(run.started_ms, now);
}

TEST_F(CStepperTest, AFailedTurnIsToldToTheHost) {
  std::vector<std::string> kinds;
  options_.on_error = [](void* data, const ptcvm_diagnostic* failed) {
    static_cast<std::vector<std::string>*>(data)->push_back(str(failed->kind));
  };
  options_.on_error_data = &kinds;
  start("(+ 1 \"a\")");
  ASSERT_EQ(step(), PTCVM_STEP_DONE);
  ASSERT_EQ(kinds.size(), 1u);
  EXPECT_EQ(outcome(), kinds.front());
}

TEST_F(CStepperTest, ARunWithoutAStepperGivesNoEvents) {
  options_.event_capacity = 1;
  EXPECT_EQ(ptcvm_run_stored(engine_, store_, tools_, text("1"), &options_, outcome_.out(), nullptr),
            PTCVM_INVALID_ARGUMENT);
}

TEST_F(CStepperTest, ACallbackMayNotUseItsStepper) {
  ptcvm_status seen = PTCVM_OK;
  struct Inside {
    CStepper* stepper;
    ptcvm_status* seen;
  } inside{&stepper_, &seen};
  tool("probe", "", [](void* data, ptcvm_call* call) {
    const Inside& mine = *static_cast<Inside*>(data);
    int32_t step = 0;
    *mine.seen = ptcvm_stepper_step(*mine.stepper, 1, &step, nullptr);
    EXPECT_EQ(ptcvm_stepper_call_count(*mine.stepper), 0u);
    ptcvm_call_answer(call, {});
  }, &inside);
  start("(tool/probe {})");
  ASSERT_EQ(step(), PTCVM_STEP_WAITS);
  EXPECT_EQ(ptcvm_stepper_make(stepper_, calls().at(0).id, nullptr), PTCVM_OK);
  EXPECT_EQ(seen, PTCVM_WRONG_STATE);
  EXPECT_EQ(step(), PTCVM_STEP_DONE);
}

TEST_F(CStepperTest, MistakesAreRefused) {
  deferred("fetch");
  CStepper none;
  EXPECT_EQ(ptcvm_stepper_start(nullptr, store_, tools_, text("1"), nullptr, none.out(), nullptr),
            PTCVM_INVALID_ARGUMENT);
  EXPECT_EQ(ptcvm_stepper_start(engine_, nullptr, tools_, text("1"), nullptr, none.out(), nullptr),
            PTCVM_INVALID_ARGUMENT);
  EXPECT_EQ(ptcvm_stepper_start(engine_, store_, tools_, text("1"), nullptr, nullptr, nullptr),
            PTCVM_INVALID_ARGUMENT);
  EXPECT_EQ(ptcvm_stepper_open(engine_, nullptr, tools_, nullptr, none.out(), nullptr), PTCVM_INVALID_ARGUMENT);
  int32_t seen = 9;
  auto call = initialised<ptcvm_waiting_call>();
  EXPECT_EQ(ptcvm_stepper_step(nullptr, 1, &seen, nullptr), PTCVM_INVALID_ARGUMENT);
  EXPECT_EQ(ptcvm_stepper_call_at(nullptr, 0, &call), PTCVM_INVALID_ARGUMENT);
  EXPECT_EQ(ptcvm_stepper_answer(nullptr, 1, {}, nullptr), PTCVM_INVALID_ARGUMENT);
  EXPECT_EQ(ptcvm_stepper_answer_unknown(nullptr, 1, {}, nullptr), PTCVM_INVALID_ARGUMENT);
  EXPECT_EQ(ptcvm_stepper_make(nullptr, 1, nullptr), PTCVM_INVALID_ARGUMENT);
  EXPECT_EQ(ptcvm_stepper_take_outcome(nullptr, outcome_.out(), nullptr), PTCVM_INVALID_ARGUMENT);
  EXPECT_EQ(ptcvm_stepper_progress(nullptr, {}, {}, {}, nullptr), PTCVM_INVALID_ARGUMENT);
  EXPECT_EQ(ptcvm_store_progress(nullptr, {}, {}, {}, {}, nullptr), PTCVM_INVALID_ARGUMENT);
  EXPECT_EQ(ptcvm_store_settle(nullptr, {}, {}, 0, {}, {}, nullptr), PTCVM_INVALID_ARGUMENT);
  int64_t due = 0;
  EXPECT_EQ(ptcvm_stepper_call_count(nullptr), 0u);
  EXPECT_EQ(ptcvm_stepper_wake_time(nullptr, &due), 0);
  auto event = initialised<ptcvm_event>();
  EXPECT_EQ(ptcvm_stepper_next_event(nullptr, &event), 0);
  CBuffer line;
  EXPECT_EQ(ptcvm_stepper_event_json(nullptr, line.out(), nullptr), PTCVM_INVALID_ARGUMENT);
  EXPECT_EQ(ptcvm_stepper_id(nullptr).size, 0u);
  ptcvm_stepper_cancel(nullptr);
  start("(tool/fetch {})");
  EXPECT_EQ(ptcvm_stepper_step(stepper_, 1, nullptr, nullptr), PTCVM_INVALID_ARGUMENT);
  ASSERT_EQ(step(), PTCVM_STEP_WAITS);
  ASSERT_EQ(ptcvm_stepper_call_count(stepper_), 1u);
  EXPECT_EQ(ptcvm_stepper_call_at(stepper_, 1, &call), PTCVM_INVALID_ARGUMENT);
  EXPECT_EQ(ptcvm_stepper_answer(stepper_, 99, {}, nullptr), PTCVM_WRONG_STATE);
}

}  // namespace
}  // namespace ptcvm
