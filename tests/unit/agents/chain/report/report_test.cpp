#include "agents/chain/report/report.h"

#include <gtest/gtest.h>

#include "agents/chain/report/report_text.h"
#include "agents/chain/run/feedback.h"

namespace ptcvm::chain {
namespace {

StepResult result(std::string id, StepStatus status, std::string output = "", std::string error = "") {
  StepResult made;
  made.step_id = std::move(id);
  made.status = status;
  made.output = std::move(output);
  made.error = std::move(error);
  return made;
}

const TaskEnd kEnded{"T", "Do it", std::nullopt, ""};

TEST(Report, SucceedsWhenEveryStepIsCompleted) {
  const TaskReport report = make_report(kEnded, {}, {result("a", StepStatus::Completed, "x")});
  EXPECT_TRUE(report.success);
  EXPECT_EQ(report.summary, "Completed 1/1 steps.");
  EXPECT_EQ(report.intent_summary, "Do it");
  EXPECT_TRUE(report.follow_ups.empty());
}

TEST(Report, DoesNotSucceedWithStepsThatNobodyTried) {
  const TaskReport report =
      make_report(kEnded, {}, {result("a", StepStatus::Completed, "x"), result("b", StepStatus::Skipped)});
  EXPECT_FALSE(report.success);
}

TEST(Report, DoesNotSucceedWhenTheTaskFailedBehindGoodSteps) {
  TaskEnd failed = kEnded;
  failed.error = "LIMIT_REACHED";
  const TaskReport report = make_report(failed, {}, {result("a", StepStatus::Completed, "x")});
  EXPECT_FALSE(report.success);
  EXPECT_EQ(report.outputs, std::vector<std::string>{"x"});
  EXPECT_EQ(make_report(failed, {}, {}).verification_notes,
            std::vector<std::string>{"Failure at final: LIMIT_REACHED"});
}

TEST(Report, KeepsNotesOfEarlierRevisionsAndOfOpenChecks) {
  StepResult open = result("a", StepStatus::Completed, "x");
  open.pending_checks = {"looks right"};
  const TaskReport report = make_report(kEnded, {}, {open}, {"Failure at a: bad thing"});
  EXPECT_TRUE(report.success);
  EXPECT_EQ(report.verification_notes,
            (std::vector<std::string>{"Failure at a: bad thing", "Not checked at a: looks right"}));
}

TEST(Report, SteersNoTerminal) {
  const TaskReport report =
      make_report(kEnded, {}, {result("a", StepStatus::Completed, "1\x1b[31m2\u009b31m3\u202e4\u2066\u20ac")});
  const std::string text = report_text(report_json(report));
  EXPECT_NE(text.find("1 [31m2 31m3 4 \u20ac"), std::string::npos) << text;
}

TEST(Feedback, KeepsCorrections) {
  const auto feedback = read_feedback("rating=negative; correction=use pnpm; correction= no sudo ;comment=slow");
  ASSERT_TRUE(feedback);
  EXPECT_EQ(feedback->corrections, (std::vector<std::string>{"use pnpm", "no sudo"}));
  EXPECT_EQ(feedback->comment, "slow");
}

}  // namespace
}  // namespace ptcvm::chain
