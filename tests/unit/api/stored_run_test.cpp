// Stored runs in steps: several calls in flight, deferred tools, sessions that go on, and runs that are opened by id.
#include "run_fixture.h"

namespace ptcvm {
namespace {

class StoredRunTest : public ApiTest {
 protected:
  void SetUp() override { tools_.defer("fetch", "(n :int) -> :any", {.effect = Effect::Idempotent}).value(); }

  StoredRun started_stored(std::string_view source) {
    auto run = StoredRun::start(engine_, store_, tools_, source, options_);
    if (!run) ADD_FAILURE() << run.error().message;
    return std::move(*run);
  }
  StoredRun opened() {
    auto run = StoredRun::open(engine_, store_, tools_, options_);
    if (!run) ADD_FAILURE() << run.error().message;
    return std::move(*run);
  }
  static std::string ended(StoredRun& run) {
    const auto step = run.step();
    if (!step) return "error: " + step.error().message;
    if (*step != StoredStep::Done) return "not done";
    const StoredOutcome& seen = run.outcome();
    if (seen.end == StoredEnd::Suspended) return "suspended";
    if (seen.end == StoredEnd::InDoubt) return "in doubt";
    return seen.outcome.diagnostic ? seen.outcome.diagnostic->kind : seen.outcome.value.to_edn();
  }

  Store store_ = Store::in_memory();
  StoredOptions options_{.id = "r"};
};

constexpr const char* kThree = "(pmap #(tool/fetch {:n %}) [1 2 3])";

TEST_F(StoredRunTest, ARunThatMayMakeNoCallIsRefused) {
  options_.parallel_calls = 0;   // a step would wait for ever for calls that are never handed out
  const auto run = StoredRun::start(engine_, store_, tools_, kThree, options_);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, Errc::invalid_value);
  EXPECT_NE(run.error().message.find("parallel_calls"), std::string::npos);
}

TEST_F(StoredRunTest, HandsOutAllCallsAndTakesAnswersInAnyOrder) {
  StoredRun run = started_stored(kThree);
  ASSERT_EQ(*run.step(), StoredStep::Waits);
  const std::vector<WaitingCall> calls = run.calls();
  ASSERT_EQ(calls.size(), 3u);
  for (const std::size_t i : {2u, 0u, 1u}) {
    EXPECT_EQ(calls[i].attempt, 1u);
    EXPECT_TRUE(calls[i].is_deferred);
    ASSERT_TRUE(run.answer(calls[i].id, Value::of(static_cast<std::int64_t>(10 * (i + 1)))));
    if (i != 1) {
      EXPECT_EQ(*run.step(), StoredStep::Waits) << "others are in flight";
    }
  }
  EXPECT_EQ(run.answer(calls[0].id, {}).error().code, Errc::wrong_state);
  EXPECT_EQ(ended(run), "[10 20 30]");
}

TEST_F(StoredRunTest, AValueThatIsNotReadIsTextAlone) {
  options_.reads_value = false;
  StoredRun run = started_stored("[1 2]");
  ASSERT_EQ(*run.step(), StoredStep::Done);
  EXPECT_TRUE(run.outcome().outcome.value.view().is_nil());
  EXPECT_EQ(run.outcome().value_edn, "[1 2]");
}

TEST_F(StoredRunTest, AResultNeedsRoomForItsTextTwice) {
  options_.limits.memory_bytes = 16u << 20;
  StoredRun run = started_stored("(range 1500000)");   // a text of 10.9 MB
  EXPECT_EQ(ended(run), "memory_exceeded");
  options_.id = "s";
  StoredRun smaller = started_stored("(range 1000000)");
  ASSERT_EQ(*smaller.step(), StoredStep::Done);
  EXPECT_FALSE(smaller.outcome().outcome.diagnostic.has_value());
}

TEST_F(StoredRunTest, HandsOutNoMoreCallsAtOnceThanWanted) {
  options_.parallel_calls = 2;
  StoredRun run = started_stored(kThree);
  for (const std::size_t in_flight : {2u, 2u, 1u}) {
    ASSERT_EQ(*run.step(), StoredStep::Waits);
    ASSERT_EQ(run.calls().size(), in_flight);
    ASSERT_TRUE(run.answer(run.calls()[0].id, Value::of(7)));
  }
  EXPECT_EQ(ended(run), "[7 7 7]");
}

TEST_F(StoredRunTest, MakesCallsOfToolsThatHaveACallable) {
  tool("twice", "(n :int) -> :int", [](ToolCall& call) { return call.value(*call.arg("n").as_int() * 2); });
  StoredRun run = started_stored("(pcalls #(tool/twice {:n 4}) #(tool/fetch {:n 1}))");
  ASSERT_EQ(*run.step(), StoredStep::Waits);
  const std::vector<WaitingCall> calls = run.calls();
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_FALSE(calls[0].is_deferred);
  EXPECT_TRUE(run.make(calls[0].id));
  EXPECT_EQ(run.make(calls[1].id).error().code, Errc::not_available) << "fetch is deferred";
  ASSERT_TRUE(run.answer_error(calls[1].id, "no such page"));
  EXPECT_EQ(ended(run), "pcalls_error");
}

TEST_F(StoredRunTest, CallsThatWereOpenWhenAProcessEndedAreMadeAgain) {
  {
    StoredRun run = started_stored(kThree);
    ASSERT_EQ(*run.step(), StoredStep::Waits);
    ASSERT_TRUE(run.answer(run.calls()[1].id, Value::of(20)));
  }
  StoredRun run = opened();
  ASSERT_EQ(*run.step(), StoredStep::Waits);
  const std::vector<WaitingCall> calls = run.calls();
  ASSERT_EQ(calls.size(), 2u) << "the answer of the second one is in the store";
  for (const WaitingCall& call : calls) ASSERT_TRUE(run.answer(call.id, Value::of(1)));
  EXPECT_EQ(ended(run), "[1 20 1]");
}

TEST_F(StoredRunTest, AnUnknownAnswerOfAnUnsafeToolIsADoubt) {
  tools_.defer("pay", "(cents :int) -> :any").value();
  bool has_fault = false;
  options_.hooks.on_error = [&](const Diagnostic&) { has_fault = true; };
  StoredRun run = started_stored("(task \"pay\" (tool/pay {:cents 5}))");
  ASSERT_EQ(*run.step(), StoredStep::Waits);
  ASSERT_TRUE(run.answer_unknown(run.calls()[0].id, "the line went dead"));
  EXPECT_EQ(ended(run), "in doubt");
  StoredRun again = opened();
  EXPECT_EQ(ended(again), "in doubt");
  EXPECT_FALSE(has_fault) << "nothing failed, and nothing ran";
  EXPECT_EQ(again.outcome().outcome.state, RunState::Suspended);
  EXPECT_FALSE(again.outcome().outcome.diagnostic);
  ASSERT_EQ(again.outcome().doubts.size(), 1u);
  const std::string key = again.outcome().doubts[0].key;
  EXPECT_EQ(run.outcome().doubts.at(0).key, key);
  ASSERT_TRUE(again.settle(key, DoubtAnswer::Happened, Value::of("receipt")));
  EXPECT_EQ(ended(again), "\"receipt\"");
}

TEST_F(StoredRunTest, OperationsShowProgressAndAreResolved) {
  tools_.defer("mail", "() -> :any", {.mode = ToolMode::Async}).value();
  StoredRun run = started_stored("(let [m (tool/mail {})] (await-signal \"look\") [(:percent m) (await m)])");
  ASSERT_EQ(*run.step(), StoredStep::Waits);
  ASSERT_TRUE(run.answer_pending(run.calls()[0].id, "m1"));
  EXPECT_EQ(ended(run), "suspended");
  ASSERT_TRUE(run.progress("m1", *Value::from_edn("{:percent 50}")));
  ASSERT_TRUE(store_.put("r", "look", {}));
  EXPECT_EQ(ended(run), "suspended");
  ASSERT_TRUE(run.resolve("m1", Value::of("yes")));
  EXPECT_EQ(run.resolve_error("m1", "lost").error().code, Errc::already_resolved);
  EXPECT_EQ(run.resolve_cancelled("m1").error().code, Errc::already_resolved);
  EXPECT_EQ(ended(run), "[50 \"yes\"]");
}

TEST_F(StoredRunTest, APersonDecidesAboutACall) {
  options_.hooks.before_tool = [](ToolCall&) { return HookVerdict::ask("fetch?"); };
  StoredRun run = started_stored("(tool/fetch {:n 1})");
  EXPECT_EQ(ended(run), "suspended");
  ASSERT_EQ(run.outcome().questions.size(), 1u);
  const StoredWait question = run.outcome().questions[0];
  EXPECT_EQ(run.decide(question.key, true, {}, "Bo", "{\"n\" 9}").error().code, Errc::refused);
  ASSERT_TRUE(run.decide(question.key, true, {}, "Bo", question.args_edn));
  ASSERT_EQ(*run.step(), StoredStep::Waits);
  ASSERT_TRUE(run.answer(run.calls()[0].id, Value::of(1)));
  EXPECT_EQ(ended(run), "1");
}

TEST_F(StoredRunTest, DefinitionsAreThereInTheNextTurnAlsoAfterAProcessEndedInIt) {
  options_.keeps_session = true;
  StoredRun first = started_stored("(def total 40)");
  ASSERT_EQ(*first.step(), StoredStep::Done);
  const char* const source = "(+ total (tool/fetch {:n 1}))";
  {
    StoredRun dies = started_stored(source);
    ASSERT_EQ(*dies.step(), StoredStep::Waits);
  }
  StoredRun second = started_stored(source);
  ASSERT_EQ(*second.step(), StoredStep::Waits);
  ASSERT_TRUE(second.answer(second.calls()[0].id, Value::of(2)));
  EXPECT_EQ(ended(second), "42");
}

TEST_F(StoredRunTest, DefinitionsAreMadeAgainFromAnImportedLogWithoutACall) {
  options_.keeps_session = options_.again = true;
  StoredRun first = started_stored("(def total (tool/fetch {:n 1}))");
  ASSERT_EQ(*first.step(), StoredStep::Waits);
  ASSERT_TRUE(first.answer(first.calls()[0].id, Value::of(40)));
  ASSERT_EQ(*first.step(), StoredStep::Done);
  const std::string log = store_.log_json("r").value();
  for (const char* const name : {"r", "s/t"}) {
    Store other = Store::in_memory();
    ASSERT_TRUE(other.import_log(name, log));
    options_.id = name;
    StoredRun next = StoredRun::start(engine_, other, tools_, "(+ total 2)", options_).value();
    EXPECT_EQ(ended(next), "42") << name;
  }
}

TEST_F(StoredRunTest, OpeningHonoursTheLimitsOfTheLogAndSmallerOnesOfTheHost) {
  constexpr const char* kLong = "(do (await-signal \"go\") (loop [i 0] (if (< i 15000) (recur (inc i)) i)))";
  for (const std::uint32_t own : {20'000u, 2'000u}) {
    options_ = {.id = std::to_string(own)};
    options_.limits.loop = 20'000;                 // more than the default of 10,000
    StoredRun begun = started_stored(kLong);
    EXPECT_EQ(ended(begun), "suspended");
    ASSERT_TRUE(store_.put(options_.id, "go", {}));
    options_.limits = {};
    if (own < 20'000) options_.limits.loop = own;
    StoredRun run = opened();
    EXPECT_EQ(ended(run), own < 20'000 ? "loop_limit_exceeded" : "15000");
  }
}

TEST_F(StoredRunTest, OpeningHonoursTheSignatureOfTheLog) {
  options_.signature = "() -> :int";
  StoredRun begun = started_stored("(str (await-signal \"go\"))");
  EXPECT_EQ(ended(begun), "suspended");
  ASSERT_TRUE(store_.put("r", "go", {}));
  options_.signature = {};
  StoredRun run = opened();
  EXPECT_NE(ended(run), "\"\"") << "a text is no int";
  EXPECT_TRUE(run.outcome().outcome.diagnostic);
}

TEST_F(StoredRunTest, TwoCannotExecuteARunAtOnce) {
  StoredRun first = started_stored(kThree);
  ASSERT_EQ(*first.step(), StoredStep::Waits);
  StoredRun second = opened();
  EXPECT_EQ(second.step().error().code, Errc::busy);
  EXPECT_EQ(second.last_step().error().code, Errc::busy);
  EXPECT_EQ(*first.last_step(), StoredStep::Waits);
}

TEST_F(StoredRunTest, RunStoredAnswersNoDeferredCalls) {
  const auto refused = run_stored(engine_, store_, tools_, "1", options_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::not_available);
}

TEST_F(StoredRunTest, TakesACompiledProgramDataAsTextAndAPlan) {
  options_.data_edn = "{\"n\" 4}";
  options_.plan = read_plan("[\"look\" [\"buy\" \"Buy it\"]]").value();
  auto run = StoredRun::start(engine_, store_, tools_, compiled("(step-done \"1\" \"seen\") data/n"), options_);
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(ended(*run), "4");
  EXPECT_EQ(run->outcome().value_edn, "4");
  const RunJournal journal = store_.journal("r").value();
  ASSERT_EQ(journal.plan.size(), 2u);
  EXPECT_EQ(journal.plan[1].description, "Buy it");
  options_.again = true;
  EXPECT_EQ(ended(*run), "4");
  options_.plan = read_plan("[\"other\"]").value();
  StoredRun other = started_stored("1");
  EXPECT_EQ(other.step().error().code, Errc::refused);
  EXPECT_EQ(read_plan("{}").error().code, Errc::invalid_value);
}

TEST_F(StoredRunTest, KeepsTheShapeOfTheResultInItsLog) {
  options_.float_precision = 1;
  options_.strict_task_ids = true;
  {
    StoredRun run = started_stored("[(tool/fetch {:n 1}) 1.26]");
    ASSERT_EQ(*run.step(), StoredStep::Waits);
  }
  options_ = {.id = "r"};
  StoredRun run = opened();
  ASSERT_EQ(*run.step(), StoredStep::Waits);
  ASSERT_TRUE(run.answer(run.calls()[0].id, {}));
  EXPECT_EQ(ended(run), "[nil 1.3]");
  options_.float_precision = -1;
  EXPECT_EQ(StoredRun::start(engine_, store_, tools_, "1", options_).error().code, Errc::invalid_value);
}

TEST_F(StoredRunTest, BoundsOfTheHostCountWhereTheyAreTheDefaults) {
  options_.limits.loop = 2 * Limits().loop;
  const std::string jumps = std::to_string(Limits().loop + 5);
  const std::string source = "(await-signal \"go\") (loop [i 0] (if (< i " + jumps + ") (recur (inc i)) i))";
  for (const bool is_bounded : {false, true}) {
    StoredOptions here = options_;
    here.id = is_bounded ? "bounded" : "free";
    StoredRun first = StoredRun::start(engine_, store_, tools_, source, here).value();
    ASSERT_EQ(ended(first), "suspended");
    ASSERT_TRUE(store_.put(here.id, "go", {}));
    here.limits = {};
    if (is_bounded) here.most_limits = Limits();
    StoredRun second = StoredRun::open(engine_, store_, tools_, here).value();
    EXPECT_EQ(ended(second), is_bounded ? "loop_limit_exceeded" : jumps);
  }
}

TEST_F(StoredRunTest, TheLogHasTheNameOfTheSource) {
  options_.name = "order.ptc";
  StoredRun first = started_stored("(await-signal \"go\")");
  EXPECT_EQ(first.name(), "order.ptc");
  ASSERT_EQ(ended(first), "suspended");
  EXPECT_EQ(StoredRun::open(engine_, store_, tools_, {.id = "r"})->name(), "order.ptc");
}

TEST_F(StoredRunTest, ResetsNeedReasonsWhenAskedTo) {
  options_.resets_need_reasons = true;
  StoredRun run = started_stored("(task \"a\" (tool/fetch {:n 1})) (task-reset \"a\") 1");
  ASSERT_EQ(*run.step(), StoredStep::Waits);
  ASSERT_TRUE(run.answer(run.calls()[0].id, {}));
  EXPECT_NE(ended(run), "1");
}

TEST_F(StoredRunTest, AResultWithFunctionsHasItsText) {
  StoredRun run = started_stored("[1 inc]");
  EXPECT_EQ(ended(run), "nil");
  EXPECT_TRUE(run.outcome().value_edn.starts_with("[1 ")) << run.outcome().value_edn;
}

}  // namespace
}  // namespace ptcvm
