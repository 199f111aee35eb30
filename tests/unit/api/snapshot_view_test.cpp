// Snapshots for readers: operations, fibers, frames, values and budgets, without tools and without running anything.
#include "run_fixture.h"

namespace ptcvm {
namespace {

class SnapshotViewTest : public ApiTest {
 protected:
  void SetUp() override {
    tools_.add("ask", "(who :string) -> :string", [](ToolCall& call) { return call.pending(); },
               {.mode = ToolMode::Async})
        .value();
  }
  // The snapshot of a run that waits at 1,000 ms.
  std::vector<std::byte> parked(const std::string& source) {
    RunOptions options;
    options.id = "order-7";
    options.time_ms = 1'000;
    options.limits.fuel = 12'345;
    Run run = started(source, options);
    EXPECT_EQ(run.step(), RunState::Suspended);
    return run.snapshot();
  }
  SnapshotView opened(std::span<const std::byte> bytes) {
    auto view = SnapshotView::open(engine_, bytes);
    if (!view) ADD_FAILURE() << view.error().message;
    return std::move(*view);
  }

  static constexpr const char* kBranches =
      "(def limit 10)\n"
      "(println \"begins\")\n"
      "(task \"first\" {:a 1})\n"
      "(let [n (+ 1 2)]\n"
      "  (pmap (fn [who] (let [asked (tool/ask {:who who})] [(await asked) asked])) [\"Ann\" \"Ben\"]))";
};

TEST_F(SnapshotViewTest, FactsSayWhereTheRunIsAndWhatItHasUsed) {
  const SnapshotView view = opened(parked(kBranches));
  const SnapshotView::Facts facts = view.facts();
  EXPECT_EQ(facts.run_id, "order-7");
  EXPECT_EQ(facts.turn, 1u);
  EXPECT_EQ(facts.place, SnapshotView::Place::Suspended);
  EXPECT_EQ(facts.limits.fuel, 12'345u);
  EXPECT_EQ(facts.tool_calls, 2u);
  EXPECT_EQ(facts.suspensions, 1u);
  EXPECT_EQ(facts.print_bytes, 7u);
  EXPECT_GT(facts.fuel, 0u);
  EXPECT_GT(facts.memory_bytes, 0u);
  EXPECT_EQ(view.prints(), std::vector<std::string>{"begins"});
}

TEST_F(SnapshotViewTest, ValuesHaveNames) {
  const SnapshotView view = opened(parked(kBranches));
  ASSERT_EQ(view.definitions().size(), 1u);
  EXPECT_EQ(view.definitions()[0].name, "limit");
  EXPECT_EQ(view.definitions()[0].value.as_int(), 10);
  ASSERT_EQ(view.journal().size(), 1u);
  EXPECT_EQ(view.journal()[0].name, "first");
  EXPECT_EQ(view.journal()[0].value.to_text(), "{:a 1}");
}

TEST_F(SnapshotViewTest, OperationsSayWhatTheyWaitFor) {
  const SnapshotView view = opened(parked("(let [a (tool/ask {:who \"Ann\"})] (sleep 500) (await a))"));
  const auto operations = view.operations();
  ASSERT_EQ(operations.size(), 2u);
  EXPECT_EQ(operations[0].id, "op1");
  EXPECT_EQ(operations[0].tool, "ask");
  EXPECT_EQ(operations[0].status, "waiting");
  EXPECT_EQ(operations[0].args.to_edn(), "{\"who\" \"Ann\"}");
  EXPECT_EQ(operations[0].since_ms, 1'000);
  EXPECT_FALSE(operations[0].is_awaited || operations[0].is_sleep);
  EXPECT_TRUE(operations[1].is_awaited && operations[1].is_sleep);
  EXPECT_EQ(operations[1].due_ms, 1'500);
}

TEST_F(SnapshotViewTest, FibersHavePlacesAndFramesHaveLocals) {
  const SnapshotView view = opened(parked(kBranches));
  const auto fibers = view.fibers();
  ASSERT_EQ(fibers.size(), 3u);
  EXPECT_FALSE(fibers[0].parent);
  EXPECT_EQ(fibers[0].state, SnapshotView::FiberState::WaitsForBranches);
  EXPECT_EQ(fibers[2].parent, std::size_t{0});
  EXPECT_EQ(fibers[2].state, SnapshotView::FiberState::WaitsForOperations);
  EXPECT_EQ(fibers[2].line, 5u);
  EXPECT_NE(view.excerpt(2).find("(await asked)"), std::string::npos) << view.excerpt(2);
  const auto frames = view.frames(2);
  ASSERT_EQ(frames.size(), fibers[2].frame_count);
  EXPECT_EQ(frames[0].function, "await");
  EXPECT_EQ(frames[0].line, 0u);
  ASSERT_FALSE(frames.back().locals.empty());
  EXPECT_EQ(frames.back().locals.back().name, "asked");
  EXPECT_EQ(frames.back().locals.back().value.to_text(), "(pending \"op1.1.1\")");
  EXPECT_EQ(view.frames(0).back().function, "the program");
  EXPECT_EQ(view.frames(2, 1).size(), 1u);
  EXPECT_TRUE(view.frames(3).empty());
  EXPECT_EQ(view.excerpt(3), "");
}

TEST_F(SnapshotViewTest, BothFacesAreWrittenFromEither) {
  const std::vector<std::byte> bytes = parked(kBranches);
  const SnapshotView view = opened(bytes);
  EXPECT_TRUE(view.bytes() == bytes);
  const std::string json = view.json();
  SnapshotView again = opened(std::as_bytes(std::span(json)));
  EXPECT_EQ(again.json(), json);
  EXPECT_TRUE(again.bytes() == bytes);
  const SnapshotView moved = std::move(again);
  EXPECT_EQ(moved.facts().run_id, "order-7");
}

TEST_F(SnapshotViewTest, BetweenTurnsNoFiberRuns) {
  Session session = std::move(*Session::create(engine_));
  session.eval("(def x 1)");
  const SnapshotView view = opened(session.snapshot());
  EXPECT_EQ(view.facts().place, SnapshotView::Place::BetweenTurns);
  EXPECT_TRUE(view.fibers().empty());
  EXPECT_EQ(view.definitions().size(), 1u);
}

TEST_F(SnapshotViewTest, RefusalsNameTheirReason) {
  std::vector<std::byte> bytes = parked(kBranches);
  EXPECT_EQ(SnapshotView::open(engine_, bytes, 10).error().code, Errc::too_large);
  EXPECT_EQ(SnapshotView::open(engine_, {}).error().code, Errc::invalid_snapshot);
  bytes[bytes.size() / 2] ^= std::byte{255};
  bytes.resize(bytes.size() - 8);
  const auto damaged = SnapshotView::open(engine_, bytes);
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().code, Errc::invalid_snapshot);
  EXPECT_TRUE(damaged.error().detail.starts_with("snapshot_")) << damaged.error().detail;
}

TEST_F(SnapshotViewTest, TheBeginningOfAFileSaysThatItIsNoSnapshot) {
  const std::vector<std::byte> bytes = parked(kBranches);
  const std::string json = opened(bytes).json();
  for (std::size_t size = 0; size <= bytes.size(); size += 8) {
    EXPECT_TRUE(may_be_snapshot(std::span(bytes).first(size))) << size;
  }
  const auto may_be = [](std::string_view text) { return may_be_snapshot(std::as_bytes(std::span(text))); };
  for (std::size_t size = 0; size <= json.size(); ++size) EXPECT_TRUE(may_be(std::string_view(json).substr(0, size)));
  for (const std::string_view other :
       {"{\"a\": [{}, {}", "{\"limits\": {}, \"colour\": 1", "[{}, {}, {}, {}", "PK\3\4 zipped"}) {
    EXPECT_FALSE(may_be(other)) << other;
    EXPECT_FALSE(SnapshotView::open(engine_, std::as_bytes(std::span(other)))) << other;
  }
}

TEST_F(SnapshotViewTest, AProgramThatIsOnlyNamedMustBeKnown) {
  RunOptions options;
  options.tools = tools_;
  auto run = Run::start(engine_, compiled("(await (tool/ask {:who \"Ann\"}))"), options);
  run->step();
  const std::vector<std::byte> bytes = run->snapshot(false);
  EXPECT_TRUE(engine_.load(compiled("(await (tool/ask {:who \"Ann\"}))").bytecode()));
  EXPECT_TRUE(SnapshotView::open(engine_, bytes));
  EXPECT_EQ(SnapshotView::open(Engine(), bytes).error().detail, "snapshot_missing_program");
}

TEST_F(SnapshotViewTest, TextForPeopleIsShort) {
  const Value wide = Value::from_edn("[" + std::string(10'000, '1') + " 2]").value();
  EXPECT_LT(wide.view().to_text(100).size(), wide.view().to_text().size());
  EXPECT_EQ(ValueView().to_text(), "nil");
}

}  // namespace
}  // namespace ptcvm
