// What the crash kit must find: programs, tools and stores that break the promise.
#include <gtest/gtest.h>

#include <unistd.h>

#include <csignal>

#include "api/store_access.h"
#include "runtime/log/forwarding_store.h"
#include "runtime/log/sqlite/sqlite_store.h"
#include "tests/crash/crash_program.h"

namespace ptcvm::crash {
namespace {

// Says that facts of one kind are written, and writes all others.
class ForgetfulStore final : public ptc::ForwardingStore {
 public:
  ForgetfulStore(std::unique_ptr<ptc::FactStore> store, ptc::FactKind forgotten)
      : ForwardingStore(*store), store_(std::move(store)), forgotten_(forgotten) {}

  ptc::StoreResult<ptc::Written> put(std::string_view log, ptc::Cut cut, std::span<const ptc::Fact> facts,
                                     ptc::Durability durability) override {
    std::vector<ptc::Fact> kept;
    for (const ptc::Fact& fact : facts) {
      if (fact.kind != forgotten_) kept.push_back(fact);
    }
    if (kept.size() == facts.size()) return ForwardingStore::put(log, cut, facts, durability);
    ptc::Written told{{}, cut.seq, {}, false};   // the log has not grown
    if (!kept.empty()) {
      auto written = ForwardingStore::put(log, cut, kept, durability);
      if (!std::holds_alternative<ptc::Written>(written)) return written;
      told = std::get<ptc::Written>(std::move(written));
    }
    for (std::size_t k = 0; k < facts.size(); ++k) {
      if (facts[k].kind != forgotten_) continue;
      told.puts.insert(told.puts.begin() + static_cast<std::ptrdiff_t>(k), ptc::Put{facts[k], true});
      told.puts[k].fact.seq = cut.seq;
    }
    return told;
  }

 private:
  const std::unique_ptr<ptc::FactStore> store_;
  const ptc::FactKind forgotten_;
};

Options forgetting(ptc::FactKind kind) {
  Options options = crash_options("(do (task \"a\" (tool/transfer {:n 1})) (task \"b\" (tool/charge {:n 2})))");
  options.open = [kind](const std::string& path, Points&) -> Result<Store> {
    auto store = ptc::SqliteStore::open(path, {});
    return StoreAccess::made(std::make_unique<ForgetfulStore>(
        std::get<std::unique_ptr<ptc::SqliteStore>>(std::move(store)), kind));
  };
  return options;
}

// A program of one call of a tool that the test makes.
Options calling(Effect effect, std::function<ToolReply(ToolCall&, Ledger&)> handler) {
  Options options = crash_options("(task \"a\" (tool/pay {:n 1}))");
  options.tools = [effect, handler](Tools& tools, Ledger& ledger, Points&) {
    add_tool(tools, "pay", effect, [handler, &ledger](ToolCall& call) { return handler(call, ledger); });
  };
  return options;
}
ToolReply pays(ToolCall& call, Ledger& ledger) { return ledger.happened(call, "1"); }

// The same with a tool that can be asked what became of a call.
Options calling_with_reconcile(bool lies) {
  Options options = crash_options("(task \"a\" (tool/pay {:n 1}))");
  options.tools = [lies](Tools& tools, Ledger& ledger, Points&) {
    ToolOptions asked{.effect = Effect::Reconcilable};
    asked.reconcile = [&ledger, lies](ToolCall& call) {
      const bool happened = !lies && ledger.find(call.idempotency_key());
      return happened ? Reconciled{Reconciled::State::Happened, Value::of(1)}
                      : Reconciled{Reconciled::State::DidNot};
    };
    tools.add("pay", "", [&ledger](ToolCall& call) { return pays(call, ledger); }, asked).value();
  };
  return options;
}

// Every complaint of a report, a line each.
std::string complaints(const Report& report) {
  std::string text;
  for (const Row& row : report.rows) {
    for (const std::string& complaint : row.complaints) text += complaint + '\n';
  }
  return text;
}
std::string complaints_of(Options options) { return complaints(Kit(std::move(options)).every_boundary()); }

bool says(const std::string& text, const char* what) { return text.find(what) != std::string::npos; }

TEST(BrokenPrograms, AnEffectThatIsNotDeclaredIsFound) {
  const std::string found = complaints_of(calling(Effect::Pure, pays));
  EXPECT_TRUE(says(found, "it happened, and the log has no intent: pay")) << found;
}

TEST(BrokenPrograms, AToolThatMakesItsOwnKeysIsFound) {
  const std::string found = complaints_of(calling(Effect::Keyed, [](ToolCall& call, Ledger& ledger) {
    ledger.record("pay", "{\"n\" 1}", "key of process " + std::to_string(getpid()));
    return call.value(1);
  }));
  EXPECT_TRUE(says(found, "it happened, and the log has no intent: pay")) << found;
}

TEST(BrokenPrograms, AnAnswerWithoutAnEffectIsFound) {
  const std::string found = complaints_of(calling(Effect::Keyed, [](ToolCall& call, Ledger&) {
    return call.value(1);
  }));
  EXPECT_TRUE(says(found, "the log has it, and it did not happen: pay")) << found;
}

TEST(BrokenPrograms, AStoreThatForgetsIntentsIsFound) {
  const std::string found = complaints_of(forgetting(ptc::FactKind::Intent));
  EXPECT_TRUE(says(found, "lost: intent/")) << found;
}

TEST(BrokenPrograms, AStoreThatForgetsAnswersIsFound) {
  const std::string found = complaints_of(forgetting(ptc::FactKind::EffectSettled));
  EXPECT_TRUE(says(found, "lost: effect/")) << found;
}

TEST(BrokenPrograms, AStoreThatForgetsCommitsIsFound) {
  const std::string found = complaints_of(forgetting(ptc::FactKind::TaskCommitted));
  EXPECT_TRUE(says(found, "lost: task/a#1")) << found;
}

// The path depends on something that the journal does not hold: here, on the process.
TEST(BrokenPrograms, AProgramThatGoesAnotherWayIsFound) {
  Options options = crash_options("(task (str \"pay \" (tool/dice {})) (tool/charge {:n 1}))");
  options.tools = [](Tools& tools, Ledger& ledger, Points&) {
    add_crash_tools(tools, ledger);
    add_tool(tools, "dice", Effect::Pure, [](ToolCall& call) { return call.value(getpid()); });
  };
  Kit kit(options);
  EXPECT_TRUE(kit.undisturbed().ok());
  const std::string found = complaints(kit.every_boundary());
  EXPECT_TRUE(says(found, "effect is missing: charge")) << found;
  EXPECT_TRUE(says(found, "task is there only because of the kill: pay ")) << found;
}

TEST(BrokenPrograms, ProcessesThatHangOrCrashAreFound) {
  Options hanging = calling(Effect::Keyed, [](ToolCall&, Ledger&) -> ToolReply {
    for (;;) pause();
  });
  hanging.most_time = std::chrono::seconds(1);
  EXPECT_EQ(complaints_of(hanging), "a process hangs\n");
  EXPECT_EQ(complaints_of(calling(Effect::Keyed, [](ToolCall&, Ledger&) -> ToolReply {
              kill(getpid(), SIGTERM);
              for (;;) pause();
            })),
            "a process crashed: signal 15\n");
}

TEST(BrokenPrograms, ARunThatNobodyAnswersIsFound) {
  Options options = crash_options("(await (tool/call {}))");
  options.answer = [](const Operation&, const Ledger&) { return std::nullopt; };
  options.run.limits.operation_ttl_ms = 0;
  EXPECT_EQ(complaints_of(options), "the run waits, and nobody answers\n");
}

TEST(BrokenPrograms, AToolThatForgetsWhatItDidIsFound) {
  const std::string found = complaints_of(calling_with_reconcile(true));
  EXPECT_TRUE(says(found, "it happened 2 times, and nobody allowed that: pay")) << found;
}

// And what it must not complain about.
TEST(SoundPrograms, WhoeverAllowsARepetitionGetsIt) {
  Options options = calling(Effect::Unsafe, pays);
  options.settle = [](const Doubt&, const Ledger&) { return Word{DoubtAnswer::DidNot, {}}; };
  const Report report = Kit(options).every_boundary();
  EXPECT_TRUE(report.ok()) << report.table();
  EXPECT_EQ(report.repeats(), 2u) << report.table();   // killed after the call, and before its record
}

TEST(SoundPrograms, APersonMayGiveUp) {
  Options options = calling(Effect::Unsafe, pays);
  options.repeatable = false;
  options.settle = [](const Doubt&, const Ledger&) { return Word{DoubtAnswer::GiveUp, {}}; };
  const Report report = Kit(options).every_boundary();
  EXPECT_TRUE(report.ok()) << report.table();
  EXPECT_TRUE(says(report.table(), "given up")) << report.table();
  EXPECT_EQ(report.repeats(), 0u);
}

TEST(SoundPrograms, WhoCanBeAskedIsAskedBeforePeople) {
  const Report report = Kit(calling_with_reconcile(false)).every_boundary();
  EXPECT_TRUE(report.ok()) << report.table();
  EXPECT_EQ(report.asked(), 0) << report.table();
  EXPECT_EQ(report.repeats(), 0u) << report.table();
}

TEST(SoundPrograms, AToolMayNotKnow) {
  const Report report = Kit(calling(Effect::Unsafe, [](ToolCall& call, Ledger& ledger) {
                               if (ledger.find(call.idempotency_key())) return ledger.happened(call, "1");
                               ledger.record(call, "1");
                               return call.unknown("the line is dead");
                             })).every_boundary();
  EXPECT_TRUE(report.ok()) << report.table();
  EXPECT_EQ(report.rows.front().asked, 1);
  EXPECT_EQ(report.rows.front().ended, "completed 1");
  EXPECT_EQ(report.repeats(), 0u) << report.table();
}

TEST(SoundPrograms, ASleepingRunIsWokenByItsClock) {
  Options options = crash_options("(do (await (tool/call {}) {:timeout-ms 3600000 :default 1}) (tool/note {}))");
  options.answer = [](const Operation&, const Ledger&) { return std::nullopt; };
  const Report report = Kit(options).every_boundary();
  EXPECT_TRUE(report.ok()) << report.table();
  EXPECT_GT(report.rows.size(), 20u) << report.table();
}

TEST(SoundPrograms, GroupCommitKeepsWhatWasFlushed) {
  Options options = crash_options(kSixTasks);
  options.durability = Durability::Group;
  const Report report = Kit(options).every_boundary();
  EXPECT_TRUE(report.ok()) << report.table();
  EXPECT_GT(report.rows.size(), 48u) << report.table();
  EXPECT_TRUE(says(report.table(), "before write flush")) << report.table();
}

}  // namespace
}  // namespace ptcvm::crash
