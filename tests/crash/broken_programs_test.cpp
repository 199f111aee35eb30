// What the crash kit must find: programs, tools and stores that break the promise.
#include <gtest/gtest.h>

#include <climits>

#include "tests/crash/crash_program.h"
#include "tests/crash/watched_disk.h"
#include "tests/unit/runtime/durable/dying_store.h"

namespace ptc {
namespace {

// Says that facts of one kind are written, and writes all others.
class ForgetfulStore final : public DyingStore {
 public:
  ForgetfulStore(std::unique_ptr<FactStore> store, FactKind forgotten)
      : DyingStore(*store, INT_MAX, false), store_(std::move(store)), forgotten_(forgotten) {}

  StoreResult<Written> put(std::string_view log, Cut cut, std::span<const Fact> facts,
                           Durability durability) override {
    if (facts.front().kind != forgotten_) return DyingStore::put(log, cut, facts, durability);
    Fact told = facts.front();
    told.seq = cut.seq;   // the log has not grown
    return Written{{{told, true}}, cut.seq, {}, false};
  }

 private:
  const std::unique_ptr<FactStore> store_;
  const FactKind forgotten_;
};

CrashOptions forgetting(FactKind kind) {
  CrashOptions options = crash_options("(do (task \"a\" (tool/transfer {:n 1})) (task \"b\" (tool/charge {:n 2})))");
  options.open = [kind](const std::string& path, CrashPoints&) -> std::unique_ptr<FactStore> {
    return std::make_unique<ForgetfulStore>(open_sqlite(path), kind);
  };
  return options;
}

// A program of one call of a tool that the test makes.
CrashOptions calling(EffectClass effect, std::function<ToolReply(const ToolCall&, Ledger&)> handler) {
  CrashOptions options = crash_options("(task \"a\" (tool/pay {:n 1}))");
  options.tools = [effect, handler](ToolRegistry& tools, Ledger& ledger, CrashPoints&) {
    ToolDefinition definition;
    definition.name = "pay";
    definition.effect = effect;
    tools.add(std::move(definition), [handler, &ledger](const ToolCall& call) { return handler(call, ledger); });
  };
  return options;
}

// The same with a tool that can be asked what became of a call.
CrashOptions calling_with_reconcile(bool lies) {
  CrashOptions options = crash_options("(task \"a\" (tool/pay {:n 1}))");
  options.tools = [lies](ToolRegistry& tools, Ledger& ledger, CrashPoints&) {
    ToolDefinition definition;
    definition.name = "pay";
    definition.effect = EffectClass::Reconcilable;
    const auto pay = [&ledger](const ToolCall& call) { return ledger.happened(call, "1"); };
    tools.add(std::move(definition), pay, [&ledger, lies](const ToolCall& call) {
      const bool happened = !lies && ledger.find(call.meta.idempotency_key);
      return happened ? Reconciled{Reconciled::State::Happened, Value::integer(1)}
                      : Reconciled{Reconciled::State::DidNot, Value::nil()};
    });
  };
  return options;
}

// Every complaint of a report, a line each.
std::string complaints(const CrashReport& report) {
  std::string text;
  for (const CrashRow& row : report.rows) {
    for (const std::string& complaint : row.complaints) text += complaint + '\n';
  }
  return text;
}
std::string complaints_of(CrashOptions options) { return complaints(Crash(std::move(options)).every_boundary()); }

bool says(const std::string& text, const char* what) { return text.find(what) != std::string::npos; }

TEST(BrokenPrograms, AnEffectThatIsNotDeclaredIsFound) {
  const std::string found = complaints_of(calling(EffectClass::Pure, [](const ToolCall& call, Ledger& ledger) {
    return ledger.happened(call, "1");
  }));
  EXPECT_TRUE(says(found, "it happened, and the log has no intent: pay")) << found;
}

TEST(BrokenPrograms, AToolThatMakesItsOwnKeysIsFound) {
  const std::string found = complaints_of(calling(EffectClass::Keyed, [](const ToolCall&, Ledger& ledger) {
    ledger.record("pay", "{\"n\" 1}", "key of process " + std::to_string(getpid()));
    return ToolReply::value(Value::integer(1));
  }));
  EXPECT_TRUE(says(found, "it happened, and the log has no intent: pay")) << found;
}

TEST(BrokenPrograms, AnAnswerWithoutAnEffectIsFound) {
  const std::string found = complaints_of(calling(EffectClass::Keyed, [](const ToolCall&, Ledger&) {
    return ToolReply::value(Value::integer(1));
  }));
  EXPECT_TRUE(says(found, "the log has it, and it did not happen: pay")) << found;
}

TEST(BrokenPrograms, AStoreThatForgetsIntentsIsFound) {
  const std::string found = complaints_of(forgetting(FactKind::Intent));
  EXPECT_TRUE(says(found, "lost: intent/")) << found;
}

TEST(BrokenPrograms, AStoreThatForgetsAnswersIsFound) {
  const std::string found = complaints_of(forgetting(FactKind::EffectSettled));
  EXPECT_TRUE(says(found, "lost: effect/")) << found;
}

TEST(BrokenPrograms, AStoreThatForgetsCommitsIsFound) {
  const std::string found = complaints_of(forgetting(FactKind::TaskCommitted));
  EXPECT_TRUE(says(found, "lost: task/a#1")) << found;
}

// The path depends on something that the journal does not hold: here, on the process.
TEST(BrokenPrograms, AProgramThatGoesAnotherWayIsFound) {
  CrashOptions options = crash_options("(task (str \"pay \" (tool/dice {})) (tool/charge {:n 1}))");
  options.tools = [](ToolRegistry& tools, Ledger& ledger, CrashPoints&) {
    add_crash_tools(tools, ledger);
    ToolDefinition dice;
    dice.name = "dice";
    dice.effect = EffectClass::Pure;
    tools.add(std::move(dice), [](const ToolCall&) { return ToolReply::value(Value::integer(getpid())); });
  };
  Crash crash(options);
  EXPECT_TRUE(crash.undisturbed().ok());
  const std::string found = complaints(crash.every_boundary());
  EXPECT_TRUE(says(found, "effect is missing: charge")) << found;
  EXPECT_TRUE(says(found, "task is there only because of the kill: pay ")) << found;
}

TEST(BrokenPrograms, ProcessesThatHangOrCrashAreFound) {
  CrashOptions hanging = calling(EffectClass::Keyed, [](const ToolCall&, Ledger&) -> ToolReply {
    for (;;) pause();
  });
  hanging.most_seconds = 1;
  EXPECT_EQ(complaints_of(hanging), "a process hangs\n");
  EXPECT_EQ(complaints_of(calling(EffectClass::Keyed, [](const ToolCall&, Ledger&) -> ToolReply {
              kill(getpid(), SIGTERM);
              for (;;) pause();
            })),
            "a process crashed: signal 15\n");
}

TEST(BrokenPrograms, ARunThatNobodyAnswersIsFound) {
  CrashOptions options = crash_options("(await (tool/call {}))");
  options.answer = [](const LoggedOperation&, const Ledger&) { return std::nullopt; };
  options.durable.session.limits.operation_ttl_ms = 0;
  EXPECT_EQ(complaints_of(options), "the run waits, and nobody answers\n");
}

TEST(BrokenPrograms, AToolThatForgetsWhatItDidIsFound) {
  const std::string found = complaints_of(calling_with_reconcile(true));
  EXPECT_TRUE(says(found, "it happened 2 times, and nobody allowed that: pay")) << found;
}

// And what it must not complain about.
TEST(SoundPrograms, WhoeverAllowsARepetitionGetsIt) {
  CrashOptions options = calling(EffectClass::Unsafe, [](const ToolCall& call, Ledger& ledger) {
    return ledger.happened(call, "1");
  });
  options.settle = [](const LoggedEffect&, const Ledger&) { return CrashWord{DoubtAnswer::DidNot, {}}; };
  const CrashReport report = Crash(options).every_boundary();
  EXPECT_TRUE(report.ok()) << report.table();
  EXPECT_EQ(report.repeats(), 2u) << report.table();   // killed after the call, and before its record
}

TEST(SoundPrograms, APersonMayGiveUp) {
  CrashOptions options = calling(EffectClass::Unsafe, [](const ToolCall& call, Ledger& ledger) {
    return ledger.happened(call, "1");
  });
  options.repeatable = false;
  options.settle = [](const LoggedEffect&, const Ledger&) { return CrashWord{DoubtAnswer::GiveUp, {}}; };
  const CrashReport report = Crash(options).every_boundary();
  EXPECT_TRUE(report.ok()) << report.table();
  EXPECT_TRUE(says(report.table(), "given up")) << report.table();
  EXPECT_EQ(report.repeats(), 0u);
}

TEST(SoundPrograms, WhoCanBeAskedIsAskedBeforePeople) {
  const CrashReport report = Crash(calling_with_reconcile(false)).every_boundary();
  EXPECT_TRUE(report.ok()) << report.table();
  EXPECT_EQ(report.asked(), 0) << report.table();
  EXPECT_EQ(report.repeats(), 0u) << report.table();
}

TEST(SoundPrograms, AToolMayNotKnow) {
  const CrashReport report = Crash(calling(EffectClass::Unsafe, [](const ToolCall& call, Ledger& ledger) {
                               if (ledger.find(call.meta.idempotency_key)) return ledger.happened(call, "1");
                               ledger.record(call, "1");
                               return ToolReply::unknown("the line is dead");
                             })).every_boundary();
  EXPECT_TRUE(report.ok()) << report.table();
  EXPECT_EQ(report.rows.front().asked, 1);
  EXPECT_EQ(report.rows.front().ended, "ok 1");
  EXPECT_EQ(report.repeats(), 0u) << report.table();
}

TEST(SoundPrograms, ASleepingRunIsWokenByItsClock) {
  CrashOptions options = crash_options("(do (await (tool/call {}) {:timeout-ms 3600000 :default 1}) (tool/note {}))");
  options.answer = [](const LoggedOperation&, const Ledger&) { return std::nullopt; };
  const CrashReport report = Crash(options).every_boundary();
  EXPECT_TRUE(report.ok()) << report.table();
  EXPECT_GT(report.rows.size(), 20u) << report.table();
}

TEST(SoundPrograms, GroupCommitKeepsWhatWasFlushed) {
  CrashOptions options = crash_options(kSixTasks);
  options.durable_at_once = false;
  options.open = [](const std::string& path, CrashPoints&) {
    SqliteOptions group;
    group.mode = SqliteMode::Group;
    return open_sqlite(path, group);
  };
  const CrashReport report = Crash(options).every_boundary();
  EXPECT_TRUE(report.ok()) << report.table();
  EXPECT_GT(report.rows.size(), 60u) << report.table();
}

}  // namespace
}  // namespace ptc
