// What a host sees of the journal while a program runs: each commit at once, resets, in their order.
#include <gtest/gtest.h>

#include "runtime/session/session.h"
#include "vm/exec/run.h"
#include "vm/snapshot/snapshot.h"
#include "vm/value/print.h"

namespace ptc {
namespace {

std::shared_ptr<const Program> compiled(std::string_view source) {
  static const Engine engine;
  CompileRequest request;
  request.source = source;
  CompileAnswer answer = engine.compile(request);
  EXPECT_NE(answer.program, nullptr) << answer.error.message;
  return answer.program;
}

// What the run shows each time it comes back to its host: "id id | print print".
struct Seen {
  std::vector<std::string> stops;
  std::string end;
  std::uint64_t fuel = 0;
};

std::string shown(Run& run) {
  std::string text;
  for (const Journal::Entry& entry : run.environment().journal.entries()) text += entry.id + ' ';
  text += '|';
  for (const std::string& print : run.environment().prints) text += ' ' + print;
  return text;
}

Seen run_to_end(const char* source, bool yields, bool hops, std::uint64_t slice = UINT64_MAX) {
  Seen seen;
  Run run(RunLimits{});
  run.enable_journal();
  run.set_yields_at_commits(yields);
  run.start(compiled(source));
  while (run.step(slice) == StepStatus::Yielded) {
    seen.stops.push_back(shown(run));
    if (!hops) continue;
    auto result = restore_snapshot(write_snapshot(run, {}));
    if (const auto* error = std::get_if<RestoreError>(&result)) return {{error->message}, "refused", 0};
    run = std::move(std::get<Restored>(result).run);
    run.set_yields_at_commits(yields);
  }
  append_edn(seen.end, run.result(), run.heap());
  seen.fuel = run.fuel_used();
  return seen;
}

constexpr const char* kThree =
    "(println \"a\") (task \"one\" (do (println \"b\") (task \"inner\" 1))) (println \"c\") (task \"two\" 2) [3]";

TEST(TaskCommit, TheRunComesBackBeforeTheNextInstruction) {
  EXPECT_EQ(run_to_end(kThree, true, false).stops,
            (std::vector<std::string>{"inner | a b", "inner one | a b", "inner one two | a b c"}));
}

TEST(TaskCommit, NothingElseChanges) {
  const Seen straight = run_to_end(kThree, false, false);
  EXPECT_TRUE(straight.stops.empty());
  for (const bool hops : {false, true}) {
    const Seen seen = run_to_end(kThree, true, hops);
    EXPECT_EQ(seen.end, straight.end);
    EXPECT_EQ(seen.fuel, straight.fuel);
    EXPECT_EQ(seen.stops.size(), 3u);
  }
}

TEST(TaskCommit, EachBranchComesBackAtItsOwn) {
  const char* const source = "(pmap (fn [x] (task (str \"t\" x) (* x x))) [1 2 3])";
  const Seen straight = run_to_end(source, false, false);
  for (const bool hops : {false, true}) {
    const Seen seen = run_to_end(source, true, hops);
    EXPECT_EQ(seen.stops, (std::vector<std::string>{"t1 |", "t1 t2 |", "t1 t2 t3 |"}));
    EXPECT_EQ(seen.end, straight.end);
    EXPECT_EQ(seen.fuel, straight.fuel);
  }
}

TEST(TaskCommit, SmallSlicesDoNotHideOne) {
  const Seen seen = run_to_end(kThree, true, true, 1);
  EXPECT_NE(std::find(seen.stops.begin(), seen.stops.end(), "inner | a b"), seen.stops.end());
  EXPECT_EQ(seen.end, "[3]");
}

TEST(TaskCommit, AHitIsNoCommit) {
  EXPECT_EQ(run_to_end("[(task \"a\" 1) (task \"a\" 2)]", true, false).stops, (std::vector<std::string>{"a |"}));
}

class Listener : public OutboxReader {
 public:
  void read(OutboxItem item) override {
    if (item.kind == OutboxItem::Kind::Reset) events.push_back("reset " + item.id);
    if (item.kind != OutboxItem::Kind::Committed) return;
    std::string& text = events.emplace_back(item.id + '=');
    append_edn(text, item.value.get(), item.value.heap());
  }
  std::vector<std::string> events;
};

TEST(TaskCommit, ReadersGetEveryChangeInItsOrder) {
  const Engine engine;
  Session session(engine, {});
  Listener listener;
  EXPECT_EQ(session.journal().load("{\"before\" 0}"), std::nullopt);
  session.set_reader(&listener);
  session.turn("(do (task \"before\" 9) (task \"a\" 1) (task-reset \"a\") (task \"a\" 2) (task-reset \"none\"))");
  EXPECT_EQ(listener.events, (std::vector<std::string>{"a=1", "reset a", "a=2"}));
  session.turn("(task-reset \"before\") (task \"b\" [1 2])");
  EXPECT_EQ(listener.events.size(), 5u);
  EXPECT_EQ(listener.events.back(), "b=[1 2]");
}

}  // namespace
}  // namespace ptc
