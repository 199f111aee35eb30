// examples/programs/wire-transfer under kill -9 at every point: money moves at most once, never after a rejection, and
// the run ends.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include "tests/crash/crash_program.h"

namespace ptcvm::crash {
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
    options_.run.id = "may";
    options_.run.data = data_;
    options_.open = [this](const std::string& path, Points&) {
      auto store = open_sqlite(path);
      if (store) store_ = *store;
      return store;
    };
    options_.tools = [this](Tools& tools, Ledger& ledger, Points&) { add_tools(tools, ledger); };
    options_.answer = [this](const Operation&, const Ledger&) {
      return std::optional(Answer{.value = decision_, .id = kDecision});
    };
  }
  WireTransfer(const WireTransfer&) = delete;
  WireTransfer& operator=(const WireTransfer&) = delete;

  const Options& options() const { return options_; }

 private:
  void add_tools(Tools& tools, Ledger& ledger) {
    add_tool(tools, "balance", Effect::Pure,
             [](ToolCall& call) { return call.value(Value::from_edn(R"({"balance" 20000})").value()); });
    add_tool(tools, "charge", Effect::Keyed,
             [&ledger](ToolCall& call) { return ledger.happened(call, R"({"receipt" "R-1"})"); });
    add_tool(tools, "ask_manager", Effect::Idempotent, [this, &ledger](ToolCall& call) {
      // The answer may be there from an earlier attempt.
      if (moment_ == Moment::Asked) (void)store_->put("may", kDecision, Value::from_edn(decision_).value(), "manager");
      return ledger.happened(call, "{}");
    });
    add_tool(tools, "transfer", Effect::Unsafe,
             [&ledger](ToolCall& call) { return ledger.happened(call, R"({"wire" "W-1"})"); });
    add_tool(tools, "notify", Effect::Idempotent,
             [&ledger](ToolCall& call) { return ledger.happened(call, "{}"); });
    ToolOptions asked{.effect = Effect::Reconcilable};
    asked.reconcile = [&ledger](ToolCall& call) {
      const bool happened = ledger.find(call.idempotency_key()).has_value();
      return Reconciled{happened ? Reconciled::State::Happened : Reconciled::State::DidNot};
    };
    tools.add("refund", "", [&ledger](ToolCall& call) { return ledger.happened(call, "{}"); }, asked).value();
  }

  const std::string decision_;
  const Moment moment_;
  const Value data_ = Value::from_edn(R"({"transfer" {"from" "acme" "to" "bob" "amount" 5000}})").value();
  Options options_;
  std::optional<Store> store_;   // this process has it open
};

std::size_t count_of(const Row& row, const std::string& tool) {
  return static_cast<std::size_t>(std::count_if(row.effects.begin(), row.effects.end(),
                                                [&tool](const LedgerEntry& entry) { return entry.tool == tool; }));
}

// The bank takes a charge once under a key, so charges are counted by key; what is sent or given back is counted.
void expect_money_moved_once(const Row& row, bool is_approved) {
  const std::string where = row.text();
  EXPECT_TRUE(row.ok() && row.finished) << where;
  EXPECT_EQ(count_of(row, "transfer"), is_approved ? 1u : 0u) << where;
  EXPECT_EQ(count_of(row, "refund"), is_approved ? 0u : 1u) << where;
  std::set<std::string> charges;
  for (const LedgerEntry& entry : row.effects) {
    if (entry.tool == "charge") charges.insert(entry.key);
  }
  EXPECT_EQ(charges.size(), 1u) << where;
  const char* const sent = "returned {:status :sent :wire \"W-1\"}";
  EXPECT_EQ(row.ended, is_approved ? sent : "returned {:status :rejected}") << where;
}

void kill_everywhere(const char* decision, Moment moment, bool is_approved) {
  const WireTransfer transfer(decision, moment);
  const Report report = Kit(transfer.options()).every_boundary();
  EXPECT_GT(report.rows.size(), 42u) << report.table();
  for (const Row& row : report.rows) expect_money_moved_once(row, is_approved);
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
    Kit kit(transfer.options());
    for (std::uint64_t point = 1;; ++point) {
      const Row row = kit.with_kills({Kill{point}, Kill{point % 9 + 1}});
      if (row.deaths.empty()) break;
      expect_money_moved_once(row, is_approved);
    }
  }
}

}  // namespace
}  // namespace ptcvm::crash
