// A task has one report, also when the host cannot keep it at first, and when the process dies there.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "agents/chain/run/chain_run.h"

namespace ptcvm::chain {
namespace {

constexpr const char* kPlan = R"({"steps":[{"id":"a","tool":"do"}]})";

class ReportOnceTest : public testing::Test {
 protected:
  ReportOnceTest() {
    options_.id = "T";
    options_.input = "Do it";
    options_.tools = {{.name = "do", .signature = "", .description = "", .effect = Effect::Unsafe}};
    options_.clock = [this] { return now_ += 1'000; };   // a report that is made again would have another time
    open_again();
  }
  void open_again() {
    run_.reset();
    run_.emplace(ChainRun::start(engine_, store_, options_).value());
  }
  // Steps until the report waits to be kept, or the task is over; nullopt: it is over.
  std::optional<ChainOperation> report() {
    while (run_->step().value() != ChainState::Done) {
      for (const ChainOperation& operation : run_->operations()) {
        if (operation.kind == OperationKind::Report) return operation;
        calls_ += operation.kind == OperationKind::Tool;
        run_->answer(operation.id, boost::json::value(operation.purpose == "plan" ? kPlan : "ok")).value();
      }
    }
    return std::nullopt;
  }
  std::ptrdiff_t kept_reports() const {
    const std::vector<JournalTask> tasks = store_.journal("T").value().tasks;
    return std::count_if(tasks.begin(), tasks.end(),
                         [](const JournalTask& task) { return task.id.starts_with("T/report@"); });
  }

  const Engine engine_;
  const Store store_ = Store::in_memory();
  ChainOptions options_;
  std::int64_t now_ = 1'000;
  int calls_ = 0;
  std::optional<ChainRun> run_;
};

TEST_F(ReportOnceTest, a_report_that_could_not_be_kept_is_offered_again) {
  const auto first = report();
  ASSERT_TRUE(first);
  EXPECT_FALSE(run_->outcome());
  EXPECT_TRUE(run_->answer_error(first->id, "the disk is full"));
  const auto again = report();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->key, first->key);
  EXPECT_EQ(again->args, first->args);
  open_again();   // the process dies before it is kept
  const auto later = report();
  ASSERT_TRUE(later);
  EXPECT_EQ(later->key, first->key);
  run_->answer(later->id, nullptr).value();
  EXPECT_FALSE(report());
  EXPECT_TRUE(run_->outcome()->report.at("success").as_bool());
  EXPECT_EQ(calls_, 1);
}

TEST_F(ReportOnceTest, a_report_that_was_kept_is_not_offered_again) {
  run_->answer(report()->id, nullptr).value();
  ASSERT_FALSE(report());
  const boost::json::object kept = run_->outcome()->report;
  EXPECT_EQ(kept_reports(), 1);
  open_again();
  EXPECT_FALSE(report());
  EXPECT_EQ(run_->outcome()->report, kept);
  EXPECT_EQ(kept_reports(), 1);
  EXPECT_EQ(calls_, 1);
}

}  // namespace
}  // namespace ptcvm::chain
