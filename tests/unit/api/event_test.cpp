// The stream of events: order, back-pressure, forms.
#include "run_fixture.h"

namespace ptcvm {
namespace {

class EventTest : public ApiTest {
 protected:
  void SetUp() override {
    tool("one", "() -> :int", [] { return 1; });
    tool("page", "() -> :any", [](ToolCall& call) { return call.pending(); }, {.mode = ToolMode::Async});
    options_.observer = &events_;
  }
  EventList events_;
  RunOptions options_;
};

TEST_F(EventTest, TellsWhatHappensInOrder) {
  Run run = started("(do (println \"hi\") (task \"t\" (tool/one)) (step-done \"s\" \"well\") (await (tool/page)))",
                    options_);
  EXPECT_EQ(run.step(), RunState::Suspended);
  EXPECT_EQ(events_.text, "run_start print tool_start(one) tool_end(one) progress(s) commit tool_start(page) "
                          "tool_end(page) open(page) suspend ");
  events_.text.clear();
  ASSERT_TRUE(run.progress("op1", Value::of("half")));
  ASSERT_TRUE(run.resolve("op1", Value::of(2)));
  run.step();
  EXPECT_EQ(events_.text, "progress(page) resolve(page) resume run_end ");
  for (std::size_t i = 0; i < events_.sequences.size(); ++i) EXPECT_EQ(events_.sequences[i], i + 1);
}

TEST_F(EventTest, StepsEndAfterTheirEvents) {
  events_.steps_end = true;
  Run run = started("(do (println 1) (println 2) (await (tool/page)) (println 3))", options_);
  EXPECT_EQ(run.step(), RunState::Suspended);
  EXPECT_EQ(events_.text, "run_start print print tool_start(page) tool_end(page) | open(page) suspend | ");
  events_.text.clear();
  ASSERT_TRUE(run.resolve("op1", Value::of(2)));
  EXPECT_EQ(run.step(), RunState::Completed);
  EXPECT_EQ(events_.text, "resolve(page) resume print run_end | ");
}

TEST_F(EventTest, FaultsAndLimitsAreToldApart) {
  Run fault = started("(+ 1 :k)", options_);
  fault.step();
  EXPECT_EQ(events_.text, "run_start fault(type_error) run_end ");
  events_.text.clear();
  options_.limits.loop = 3;
  Run limit = started("(loop [i 0] (recur (inc i)))", options_);
  limit.step();
  EXPECT_EQ(events_.text, "run_start limit(loop_limit_exceeded) run_end ");
}

TEST_F(EventTest, FaultsShowTheValueThatDidNotFit) {
  Run run = started("(+ 1 {:cents 5})", options_);
  run.step();
  EXPECT_EQ(events_.found, "{:cents 5}");
  EXPECT_EQ(run.diagnostic()->found, "{:cents 5}");
}

TEST_F(EventTest, PauseComesBackAtTheEndOfTheSlice) {
  events_.pause_at = EventKind::ToolEnd;
  Run run = started("[(tool/one) (tool/one)]", options_);
  EXPECT_EQ(run.step(), RunState::Yielded);
  EXPECT_EQ(events_.text, "run_start tool_start(one) tool_end(one) ");
  EXPECT_EQ(run.step(), RunState::Yielded);
  EXPECT_EQ(run.step(), RunState::Completed);
}

TEST_F(EventTest, CancelEndsTheTurn) {
  events_.cancel_at = EventKind::ToolEnd;
  Run run = started("[(tool/one) (tool/one)]", options_);
  EXPECT_EQ(run.step(), RunState::Failed);
  EXPECT_EQ(run.diagnostic()->kind, "cancelled");
  EXPECT_EQ(events_.text, "run_start tool_start(one) tool_end(one) fault(cancelled) run_end ");
}

TEST_F(EventTest, FormsAreShownWhenAskedFor) {
  const char* source = "(def f (fn [n]\n  (if (< n 3)\n    (f (inc n))\n    n)))\n(f 0)";
  Run silent = started(source, options_);
  silent.step();
  EXPECT_TRUE(events_.forms.empty());
  events_.traces_forms = true;
  Run traced = started(source, options_);
  EXPECT_EQ(traced.step(), RunState::Completed);
  EXPECT_EQ(events_.forms, (std::vector<std::string>{"1:8", "3:5"}));
  EXPECT_TRUE(traced.result() == silent.result());
  EXPECT_EQ(traced.usage().fuel, silent.usage().fuel);
}

// Looking on changes nothing that the program or its snapshot can show.
TEST_F(EventTest, AWatchedRunIsTheSameRun) {
  const char* source = "(let [m (into {} (map (fn [i] [(str i) i]) (range 50)))] (task \"m\" m) (await (tool/page)))";
  RunOptions plain;
  plain.time_ms = options_.time_ms = 1'000;
  Run watched = started(source, options_), alone = started(source, plain);
  watched.step();
  alone.step();
  EXPECT_EQ(watched.snapshot(), alone.snapshot());
}

TEST_F(EventTest, AnEventIsALineOfJson) {
  struct Lines : Observer {
    Verdict on_event(const Event& event) override {
      lines.push_back(event_json(event));
      return Verdict::Continue;
    }
    std::vector<std::string> lines;
  } lines;
  options_.observer = &lines;
  Run run = started("(tool/one)", options_);
  run.step();
  ASSERT_EQ(lines.lines.size(), 4u);
  for (const std::string& line : lines.lines) EXPECT_TRUE(Value::from_json(line)) << line;
  EXPECT_EQ(Value::from_json(lines.lines[2]).value().view()["event"].as_string(), "tool_end");
}

}  // namespace
}  // namespace ptcvm
