// examples/programs/wire-transfer under kill -9 at every point: money moves at most once, never after a rejection, and
// the run comes to its end.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include "tests/crash/crash_program.h"
#include "tests/crash/watched_disk.h"

namespace ptc {
namespace {

constexpr const char* kDecision = "manager_decision_bob_5000";

// When the manager decides: while the run is parked, or as soon as the question is there, before the run can wait.
enum class Moment : std::uint8_t { Parked, Asked };

class WireTransfer {
 public:
  WireTransfer(std::string decision, Moment moment) : decision_(std::move(decision)), moment_(moment) {
    std::ifstream file(PTC_EXAMPLES "/wire-transfer/transfer.ptc");
    options_ = crash_options("");
    options_.source.assign(std::istreambuf_iterator<char>(file), {});
    options_.durable.session.run_id = "may";
    options_.durable.context = R"({"transfer" {"from" "acme" "to" "bob" "amount" 5000}})";
    options_.open = [this](const std::string& path, CrashPoints&) {
      auto store = open_sqlite(path);
      store_ = store.get();
      return store;
    };
    options_.tools = [this](ToolRegistry& tools, Ledger& ledger, CrashPoints&) { add_tools(tools, ledger); };
    options_.answer = [this](const LoggedOperation&, const Ledger&) {
      return std::optional(CrashAnswer{"ok", decision_, {}, kDecision});
    };
  }
  WireTransfer(const WireTransfer&) = delete;
  WireTransfer& operator=(const WireTransfer&) = delete;

  const CrashOptions& options() const { return options_; }

 private:
  static ToolDefinition defined(const char* name, EffectClass effect) {
    ToolDefinition definition;
    definition.name = name;
    definition.effect = effect;
    return definition;
  }

  void add_tools(ToolRegistry& tools, Ledger& ledger) {
    tools.add(defined("balance", EffectClass::Pure), [](const ToolCall& call) {
      return ToolReply::value(std::get<Value>(read_edn(call.heap, R"({"balance" 20000})")));
    });
    tools.add(defined("charge", EffectClass::Keyed),
              [&ledger](const ToolCall& call) { return ledger.happened(call, R"({"receipt" "R-1"})"); });
    tools.add(defined("ask_manager", EffectClass::Idempotent), [this, &ledger](const ToolCall& call) {
      if (moment_ == Moment::Asked) put_external(*store_, "may", kDecision, decision_, std::nullopt, {"manager", 1});
      return ledger.happened(call, "{}");
    });
    tools.add(defined("transfer", EffectClass::Unsafe),
              [&ledger](const ToolCall& call) { return ledger.happened(call, R"({"wire" "W-1"})"); });
    tools.add(defined("notify", EffectClass::Idempotent),
              [&ledger](const ToolCall& call) { return ledger.happened(call, "{}"); });
    tools.add(defined("refund", EffectClass::Reconcilable),
              [&ledger](const ToolCall& call) { return ledger.happened(call, "{}"); },
              [&ledger](const ToolCall& call) {
                return ledger.find(call.meta.idempotency_key) ? Reconciled{Reconciled::State::Happened, Value::nil()}
                                                              : Reconciled{Reconciled::State::DidNot, Value::nil()};
              });
  }

  const std::string decision_;
  const Moment moment_;
  CrashOptions options_;
  FactStore* store_ = nullptr;   // of this process, while it is open
};

std::size_t count_of(const CrashRow& row, const std::string& tool) {
  return static_cast<std::size_t>(std::count_if(row.effects.begin(), row.effects.end(),
                                                [&tool](const LedgerEntry& entry) { return entry.tool == tool; }));
}

// The bank takes a charge once under a key, so charges are counted by key; what is sent or given back is counted.
void expect_money_moved_once(const CrashRow& row, bool is_approved) {
  const std::string where = CrashReport::row_text(row);
  EXPECT_TRUE(row.ok() && row.finished) << where;
  EXPECT_EQ(count_of(row, "transfer"), is_approved ? 1u : 0u) << where;
  EXPECT_EQ(count_of(row, "refund"), is_approved ? 0u : 1u) << where;
  std::set<std::string> charges;
  for (const LedgerEntry& entry : row.effects) {
    if (entry.tool == "charge") charges.insert(entry.key);
  }
  EXPECT_EQ(charges.size(), 1u) << where;
  EXPECT_EQ(row.ended, is_approved ? "return {:status :sent :wire \"W-1\"}" : "return {:status :rejected}") << where;
}

void kill_everywhere(const char* decision, Moment moment, bool is_approved) {
  const WireTransfer transfer(decision, moment);
  const CrashReport report = Crash(transfer.options()).every_boundary();
  EXPECT_GT(report.rows.size(), 45u) << report.table();
  for (const CrashRow& row : report.rows) expect_money_moved_once(row, is_approved);
  // Asked is about the transfer alone: its intent is written, before its call, after it, before its answer is written.
  EXPECT_EQ(report.asked(), is_approved ? 4 : 0) << report.table();
}

TEST(WireTransfer, IsSentOnceWhenItIsApprovedLater) { kill_everywhere("\"approved\"", Moment::Parked, true); }
TEST(WireTransfer, IsSentOnceWhenItIsApprovedAtOnce) { kill_everywhere("\"approved\"", Moment::Asked, true); }
TEST(WireTransfer, IsNeverSentWhenItIsRejectedLater) { kill_everywhere("\"too much\"", Moment::Parked, false); }
TEST(WireTransfer, IsNeverSentWhenItIsRejectedAtOnce) { kill_everywhere("\"too much\"", Moment::Asked, false); }

// The process that puts things in order dies, too.
TEST(WireTransfer, SurvivesASecondKillOnTheWay) {
  for (const bool is_approved : {true, false}) {
    const WireTransfer transfer(is_approved ? "\"approved\"" : "\"too much\"", Moment::Parked);
    Crash crash(transfer.options());
    for (std::uint64_t point = 1;; ++point) {
      const CrashRow row = crash.with_kills({CrashKill{point}, CrashKill{point % 9 + 1}});
      if (row.deaths.empty()) break;
      expect_money_moved_once(row, is_approved);
    }
  }
}

}  // namespace
}  // namespace ptc
