// Runs: what step() comes to, budgets, moving, snapshots.
#include "ptcvm/sealing.hpp"
#include "run_fixture.h"

namespace ptcvm {
namespace {

class RunTest : public ApiTest {};

TEST_F(RunTest, EveryWayToEnd) {
  Run completed = started("(+ 1 2)"), returned = started("(do (return 7) 8)"), failed = started("(fail {:why 1})"),
      faulted = started("(+ 1 \"x\")");
  EXPECT_EQ(completed.step(), RunState::Completed);
  EXPECT_EQ(completed.result().as_int(), 3);
  EXPECT_EQ(returned.step(), RunState::Returned);
  EXPECT_EQ(returned.result().as_int(), 7);
  EXPECT_EQ(failed.step(), RunState::Failed);
  EXPECT_EQ(failed.result().to_edn(), "{:why 1}");
  EXPECT_FALSE(failed.diagnostic());
  EXPECT_EQ(faulted.step(), RunState::Failed);
  ASSERT_TRUE(faulted.diagnostic());
  EXPECT_EQ(faulted.diagnostic()->kind, "type_error");
  EXPECT_EQ(faulted.diagnostic()->line, 1u);
  EXPECT_EQ(faulted.step(), RunState::Failed);   // over is over
}

TEST_F(RunTest, AResultIsWrittenWithinTheMemoryOfItsRun) {
  Run small = started("{:a [1 2 \"x\"]}");
  EXPECT_FALSE(small.result_edn()) << "the run is not over";
  small.step();
  EXPECT_EQ(small.result_edn(), "{:a [1 2 \"x\"]}");
  EXPECT_EQ(small.result_json(), R"({"a":[1,2,"x"]})");
  EXPECT_EQ(small.state(), RunState::Completed);
  RunOptions options;
  options.limits.memory_bytes = 1u << 24;
  for (const bool as_json : {false, true}) {
    Run wide = started("(vec (repeat 2000 (bit-shift-left 1 65000)))", options);
    EXPECT_EQ(wide.step(), RunState::Completed);
    EXPECT_FALSE(as_json ? wide.result_json() : wide.result_edn());
    EXPECT_EQ(wide.state(), RunState::Failed);
    ASSERT_TRUE(wide.diagnostic());
    EXPECT_EQ(wide.diagnostic()->kind, "memory_exceeded");
    EXPECT_FALSE(wide.outcome().value.view().as_int());
    EXPECT_FALSE(wide.result_edn()) << "a run with a fault has no result";
  }
}

TEST_F(RunTest, ABudgetOfASliceYields) {
  Run run = started("(loop [i 0] (if (< i 5000) (recur (inc i)) i))");
  int slices = 1;
  while (run.step(100) == RunState::Yielded) ++slices;
  EXPECT_GT(slices, 10);
  EXPECT_EQ(run.result().as_int(), 5000);
}

TEST_F(RunTest, SlicesChangeNothing) {
  const char* source = "(reduce + (map #(* % %) (range 1000)))";
  Run whole = started(source), sliced = started(source);
  whole.step();
  while (sliced.step(1) == RunState::Yielded) {
  }
  EXPECT_TRUE(whole.result() == sliced.result());
  EXPECT_EQ(whole.usage().fuel, sliced.usage().fuel);
}

TEST_F(RunTest, LimitsAreNamedFaults) {
  RunOptions options;
  options.limits.fuel = 1'000;
  Run run = started("(loop [i 0] (recur (inc i)))", options);
  run.step();
  EXPECT_EQ(run.diagnostic()->kind, "fuel_exhausted");
  EXPECT_TRUE(run.diagnostic()->is_limit);
}

TEST_F(RunTest, ALimitOutOfItsRangeIsRefusedByName) {
  RunOptions options;
  options.limits.depth = 0;
  const Error error = Run::start(engine_, compiled("1"), options).error();
  EXPECT_EQ(error.code, Errc::invalid_value);
  EXPECT_EQ(error.message, "the limit depth must be a whole number from 1 to 4294967295 (calls); found 0");
  options.limits = {};
  options.limits.timeout_ms = -1;
  EXPECT_EQ(Run::start(engine_, compiled("1"), options).error().code, Errc::invalid_value);
  EXPECT_EQ(Session::create(engine_, options).error().code, Errc::invalid_value);
  RestoreOptions restore;
  restore.limits.depth = 0;
  EXPECT_EQ(Run::restore(engine_, {}, restore).error().code, Errc::invalid_value);
}

TEST_F(RunTest, DataIsCopiedIn) {
  RunOptions options;
  options.data_json = R"({"names": ["a", "b"]})";
  Run from_json = started("(count data/names)", options);
  from_json.step();
  EXPECT_EQ(from_json.result().as_int(), 2);
  RunOptions from_value;
  {
    const Value data = Value::from_edn("{:n 4}").value();
    from_value.data = data;
    Run run = started("data/n", from_value);
    run.step();
    EXPECT_EQ(run.result().as_int(), 4);
  }
  const Value list = Value::from_edn("[1]").value();
  from_value.data = list;
  EXPECT_EQ(Run::start(engine_, compiled("1"), from_value).error().code, Errc::invalid_value);
}

// Says whether `->view()` of this compiles. A view of a result that has no name would dangle.
template <class T>
concept HasArrow = requires(T&& result) { std::forward<T>(result)->view(); };

static_assert(!HasArrow<decltype(Value::from_edn(""))> && !HasArrow<decltype(Value::from_json(""))>);
static_assert(!HasArrow<const ValueResult> &&
              !HasArrow<decltype(std::declval<const Signature&>().bind_params(std::declval<ValueView>()))>);
static_assert(HasArrow<ValueResult&> && HasArrow<const ValueResult&>);

// Says whether a host that assigns this to the data of a run compiles.
template <class Options, class T>
concept TakesData = requires(Options options, T&& given) { options.data = std::forward<T>(given); };

template <class Options>
constexpr bool keeps_no_dangling_view() {
  using View = decltype(std::declval<Value>().view());             // the value is destroyed
  using Part = decltype(std::declval<View>()["name"]);
  using Read = decltype(*std::declval<Result<Value>>());
  return !TakesData<Options, Value> && !TakesData<Options, const Value> && !TakesData<Options, View> &&
         !TakesData<Options, View&> && !TakesData<Options, Part> && !TakesData<Options, Read>;
}
template <class Options>
constexpr bool takes_named_values() {
  using View = decltype(std::declval<Value&>().view());
  using Read = decltype(*std::declval<Result<Value>&>());
  return TakesData<Options, Value&> && TakesData<Options, const Value&> && TakesData<Options, ValueView> &&
         TakesData<Options, View> && TakesData<Options, Read> && TakesData<Options, const ValueView&>;
}
static_assert(keeps_no_dangling_view<RunOptions>() && keeps_no_dangling_view<StoredOptions>());
static_assert(takes_named_values<RunOptions>() && takes_named_values<StoredOptions>());

// Says whether a host that assigns this to the JSON data of a run compiles.
template <class T>
concept TakesJson = requires(RunOptions options, T&& given) { options.data_json = std::forward<T>(given); };

static_assert(!TakesJson<std::string> && !TakesJson<const std::string>);
static_assert(TakesJson<std::string&> && TakesJson<const std::string&> && TakesJson<std::string_view> &&
              TakesJson<const char*> && TakesJson<const char (&)[3]>);

TEST_F(RunTest, ViewsOfTemporariesAreViewsElsewhere) {
  EXPECT_EQ(Value::of(std::vector<int>{1, 2}).view()[1].as_int(), 2);
  EXPECT_EQ(Value::of(Value::of(7).view()).to_edn(), "7");
  const Value kept = Value::copy_of(Value::from_edn("{:a {:b 1}}").value().view()["a"]["b"]);
  EXPECT_EQ(kept.to_edn(), "1");
}

TEST_F(RunTest, ASignatureThatCannotBeReadIsRefused) {
  RunOptions options;
  options.signature = "{a :nonsense}";
  EXPECT_EQ(Run::start(engine_, compiled("1"), options).error().code, Errc::invalid_signature);
  options.signature = "{a :int}";
  Run run = started("{:a \"x\"}", options);
  run.step();
  EXPECT_EQ(run.diagnostic()->kind, "validation_error");
}

TEST_F(RunTest, CancelEndsIt) {
  Run run = started("(loop [i 0] (recur (inc i)))");
  run.step(10);
  run.cancel();
  EXPECT_EQ(run.step(), RunState::Failed);
  EXPECT_EQ(run.diagnostic()->kind, "cancelled");
}

TEST_F(RunTest, SuspendsMovesAndGoesOn) {
  tool("page", "(to :string) -> :any", [](ToolCall& call) { return call.pending(); }, {.mode = ToolMode::Async});
  Run run = started("(let [h (tool/page {:to \"bo\"})] [(await h) (await h)])");
  ASSERT_EQ(run.step(), RunState::Suspended);
  ASSERT_EQ(run.pending().size(), 1u);
  EXPECT_EQ(run.pending()[0].id, "op1");
  EXPECT_TRUE(run.pending()[0].is_awaited);
  EXPECT_EQ(run.step(), RunState::Suspended);
  Run elsewhere = moved_elsewhere(std::move(run));
  EXPECT_EQ(elsewhere.state(), RunState::Suspended);
  EXPECT_EQ(elsewhere.resolve("op9", Value::of(1)).error().code, Errc::unknown_operation);
  ASSERT_TRUE(elsewhere.resolve("op1", Value::of("yes")));
  EXPECT_TRUE(elsewhere.resolve("op1", Value::of("yes")));
  EXPECT_EQ(elsewhere.resolve("op1", Value::of("no")).error().code, Errc::already_resolved);
  ASSERT_EQ(elsewhere.step(), RunState::Completed);
  EXPECT_EQ(elsewhere.result().to_edn(), "[\"yes\" \"yes\"]");
}

TEST_F(RunTest, BothFacesOfASnapshotAreTheSame) {
  tool("page", "() -> :any", [](ToolCall& call) { return call.pending(); }, {.mode = ToolMode::Async});
  Run run = started("(await (tool/page))");
  run.step();
  const std::string json = run.snapshot_json();
  auto restored = Run::restore(engine_, std::as_bytes(std::span(json)), {.tools = tools_});
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(restored->snapshot(), run.snapshot());
}

TEST_F(RunTest, AParkedRunGoesOnAsIfNothingHadHappened) {
  tool("page", "(to :string) -> :any", [](ToolCall& call) { return call.pending(); }, {.mode = ToolMode::Async});
  RunOptions options;
  options.id = "r7";
  options.limits.fuel = 5'000;
  options.time_ms = 1'000;
  const char* const source =
      "(def rows (mapv (fn [i] {:id i}) (range 20)))"
      "(println \"asks\")"
      "[(await (tool/page {:to \"bo\"})) (count rows)]";
  EventList events;
  options.observer = &events;
  Run straight = started(source, options), parked = started(source, options);
  EXPECT_FALSE(parked.park());                       // it does not wait yet
  for (Run* run : {&straight, &parked}) ASSERT_EQ(run->step(), RunState::Suspended);
  EXPECT_TRUE(parked.park());
  EXPECT_TRUE(parked.park());
  EXPECT_EQ(parked.state(), RunState::Suspended);
  EXPECT_EQ(parked.id(), "r7");
  EXPECT_EQ(parked.prints(), straight.prints());
  EXPECT_EQ(parked.memory_bytes(), straight.memory_bytes());
  EXPECT_TRUE(parked.park());
  EXPECT_EQ(parked.snapshot(), straight.snapshot());
  EXPECT_TRUE(parked.park());
  EXPECT_EQ(parked.step(), RunState::Suspended);     // nothing has come
  EXPECT_EQ(straight.step(), RunState::Suspended);
  for (Run* run : {&straight, &parked}) {
    if (run == &parked) EXPECT_TRUE(run->park());
    ASSERT_TRUE(run->resolve("op1", Value::of("yes")));
    if (run == &parked) EXPECT_TRUE(run->park());
    ASSERT_EQ(run->step(), RunState::Completed);
    EXPECT_EQ(run->result().to_edn(), "[\"yes\" 20]");
  }
  EXPECT_FALSE(parked.park());
  EXPECT_EQ(parked.usage().fuel, straight.usage().fuel);
  EXPECT_EQ(parked.usage().peak_bytes, straight.usage().peak_bytes);
  EXPECT_EQ(parked.usage().tool_calls, 1u);
}

TEST_F(RunTest, ASnapshotCanGoOutInPieces) {
  for (const char* const source : {"(await-signal \"go\")", "(let [v (mapv (fn [i] (str \"text number \" i)) "
                                                           "(range 120000))] (await-signal \"go\") (count v))"}) {
    Run run = started(source);
    ASSERT_EQ(run.step(), RunState::Suspended);
    const std::vector<std::byte> whole = run.snapshot();
    std::vector<std::byte> out;
    const ByteSink sink = [&out](std::span<const std::byte> piece) {
      out.insert(out.end(), piece.begin(), piece.end());
      return true;
    };
    EXPECT_TRUE(run.write_snapshot(sink));
    EXPECT_EQ(out, whole);
    EXPECT_FALSE(run.write_snapshot([](std::span<const std::byte>) { return false; }));

    KeyRing keys;
    ASSERT_TRUE(keys.rotate({.id = "k", .time_ms = 0}));
    const SealLabel label{.tenant = "acme", .run_id = "r", .sequence = 3};
    out.clear();
    ASSERT_TRUE(run.write_sealed_snapshot(sink, keys, label));
    EXPECT_EQ(out, seal(whole, keys, label).value());
    EXPECT_EQ(run.write_sealed_snapshot([](std::span<const std::byte>) { return false; }, keys, label).error().code,
              Errc::store_failed);
    EXPECT_EQ(run.write_sealed_snapshot(sink, KeyRing(), label).error().code, Errc::seal_refused);

    std::vector<std::byte> spent = whole;
    auto again = Run::restore_from(engine_, spent);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->snapshot(), whole);
  }
}

TEST_F(RunTest, ARunWhoseEngineForgotItsProgramCanBeParked) {
  tool("ask", "(n :int) -> :int", [](ToolCall& call) { return call.pending(); }, {.mode = ToolMode::Auto});
  engine_ = Engine({.cached_programs = 0, .shelved_programs = 1});
  Run run = started("(+ 1 (tool/ask {:n 1}))");
  ASSERT_EQ(run.step(), RunState::Suspended);
  ASSERT_TRUE(run.park());
  for (int i = 0; i < 4; ++i) {
    Run other = started("(+ " + std::to_string(i) + " (tool/ask {:n 1}))");
    other.step();
    (void)moved_elsewhere(std::move(other));
  }
  ASSERT_TRUE(run.resolve("op1", Value::of(41)));
  run.cancel();
  EXPECT_EQ(run.step(), RunState::Failed);
  EXPECT_EQ(run.diagnostic()->kind, "cancelled");
}

TEST_F(RunTest, ALargeValueIsFreedOverManySteps) {
  const char* const source =
      "(let [rows (mapv (fn [i] {:id i :tags [i (str \"tag\" i)]}) (range 60000))] (count rows))"
      "(loop [i 0] (if (< i 9000) (recur (inc i)) i))";
  RunOptions options;
  Run straight = started(source, options), sliced = started(source, options);
  ASSERT_EQ(straight.step(), RunState::Completed);
  int frees = 0;
  std::uint64_t fuel = 0;
  while (sliced.step(1'000) == RunState::Yielded) {
    frees += sliced.usage().fuel == fuel ? 1 : 0;
    fuel = sliced.usage().fuel;
    ASSERT_LT(frees, 1'000);
  }
  EXPECT_GT(frees, 20);
  EXPECT_EQ(sliced.usage().fuel, straight.usage().fuel);
  EXPECT_EQ(sliced.usage().peak_bytes, straight.usage().peak_bytes);
  EXPECT_EQ(sliced.result().to_edn(), "9000");
}

TEST_F(RunTest, AMissingToolIsRefusedWithAReport) {
  tool("page", "() -> :any", [](ToolCall& call) { return call.pending(); }, {.mode = ToolMode::Async});
  Run run = started("(await (tool/page))");
  run.step();
  const auto refused = Run::restore(engine_, run.snapshot());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::refused);
  EXPECT_NE(refused.error().message.find("tool page is missing"), std::string::npos);
}

TEST_F(RunTest, BytesThatAreNoSnapshotAreRefused) {
  EXPECT_EQ(Run::restore(engine_, {}).error().code, Errc::invalid_snapshot);
  std::vector<std::byte> bytes = started("1").snapshot();
  bytes.resize(bytes.size() / 2);
  EXPECT_EQ(Run::restore(engine_, bytes).error().code, Errc::invalid_snapshot);
  EXPECT_EQ(Run::restore(engine_, bytes, {.max_bytes = 10}).error().code, Errc::too_large);
}

TEST_F(RunTest, ProgramsTravelAsBytes) {
  const Program program = compiled("(+ 20 1)");
  auto loaded = Engine().load(program.bytecode());
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->sha256(), program.sha256());
  Run run = Run::start(engine_, *loaded).value();
  run.step();
  EXPECT_EQ(run.result().as_int(), 21);
  EXPECT_EQ(engine_.load({}).error().code, Errc::invalid_program);
}

TEST_F(RunTest, OneSourceIsCompiledOnce) {
  compiled("(+ 1 1)");
  compiled("(+ 1 1)");
  EXPECT_EQ(engine_.statistics().compiled, 1u);
  EXPECT_EQ(engine_.statistics().cache_hits, 1u);
}

TEST_F(RunTest, UnknownToolsAreFoundWhenTheToolsAreKnown) {
  const auto refused = engine_.compile("(tool/nothing {})", {.tools = &tools_});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().diagnostic->kind, "unknown_tool");
}

TEST_F(RunTest, AnOutcomeOutlivesItsRun) {
  Outcome outcome;
  {
    Run run = started("(println \"hello\") (step-done \"s\" \"done\") [1 2]");
    run.step();
    outcome = run.outcome();
  }
  EXPECT_EQ(outcome.value.to_edn(), "[1 2]");
  EXPECT_EQ(outcome.prints, std::vector<std::string>{"hello"});
  ASSERT_EQ(outcome.summaries.size(), 1u);
  EXPECT_GT(outcome.usage.fuel, 0u);
}

// A run with it could not be parked: its snapshot would be refused.
TEST_F(RunTest, AnIdThatIsNoTextIsRefused) {
  for (const char* id : {"\xff", "run\xc3", "\xed\xa0\x80"}) {
    const auto run = Run::start(engine_, compiled("1"), {.id = id});
    ASSERT_FALSE(run);
    EXPECT_EQ(run.error().code, Errc::invalid_value);
    EXPECT_EQ(run.error().message, "the id of a run must be UTF-8");
  }
  EXPECT_FALSE(Session::create(engine_, {.id = "\xff"}));
}

TEST_F(RunTest, SleepsSayWhenToComeBack) {
  RunOptions options;
  options.time_ms = 1'000;
  Run run = started("(sleep 500)", options);
  ASSERT_EQ(run.step(), RunState::Suspended);
  EXPECT_EQ(run.wake_time_ms(), 1'500);
  run.set_time(1'500);
  EXPECT_EQ(run.step(), RunState::Completed);
}

TEST_F(RunTest, ASessionKeepsWhatWasDefined) {
  Session session = Session::create(engine_).value();
  EXPECT_EQ(session.eval("(def x 20)").state, RunState::Completed);
  EXPECT_EQ(session.eval("(+ x 1)").value.view().as_int(), 21);
  EXPECT_EQ(session.eval("(do (def x 0) (+ 1 \"x\"))").state, RunState::Failed);
  EXPECT_EQ(session.eval("[x *1]").value.to_edn(), "[20 21]");
  const Outcome refused = session.eval("(+ 1");
  ASSERT_TRUE(refused.diagnostic);
  EXPECT_TRUE(refused.diagnostic->is_incomplete);
  Session elsewhere = Session::restore(Engine(), session.snapshot()).value();
  EXPECT_EQ(elsewhere.eval("(* x 2)").value.view().as_int(), 40);
}

}  // namespace
}  // namespace ptcvm
