// kill -9 at every point of programs on SQLite, each time finished by new processes.
#include <gtest/gtest.h>

#include "tests/crash/crash_program.h"

namespace ptcvm::crash {
namespace {

// The points at which a call is open come in a row: after its intent, before and after call, before its answer.
bool lies_in_call(const Report& report, std::size_t row, std::string& tool) {
  for (const std::size_t near : {row, row + 1, row - 1}) {
    if (near == 0 || near >= report.rows.size()) continue;
    const std::string& where = report.rows[near].deaths.front();
    tool = open_call_at(where);
    if (tool.empty()) continue;
    const std::string& here = report.rows[row].deaths.front();
    const bool is_intent = here.starts_with("after write intent/");
    const bool is_answer = here.starts_with("before write effect/");
    if (near == row || (near == row + 1 && is_intent) || (near == row - 1 && is_answer)) return true;
  }
  return false;
}

TEST(EveryBoundary, TwentyTasksLoseNothingAndRepeatNothing) {
  Kit kit(crash_options(kTwentyTasks));
  const Report report = kit.every_boundary();
  ASSERT_TRUE(report.ok()) << report.table();
  EXPECT_EQ(report.rows.front().journal.size(), 20u);
  EXPECT_GT(report.rows.size(), 146u) << report.table();
  const std::size_t effects = report.rows.front().effects.size();
  EXPECT_EQ(effects, 18u);
  for (std::size_t k = 1; k < report.rows.size(); ++k) {
    const Row& row = report.rows[k];
    std::string tool;
    const bool is_open = lies_in_call(report, k, tool) && tool != "look";
    const std::string where = row.deaths.front() + ", in a call of " + tool;
    EXPECT_EQ(row.asked, is_open && is_asked_about(tool) ? 1 : 0) << where;
    const bool has_happened = where.starts_with("after call") || where.starts_with("before write effect/");
    EXPECT_EQ(row.repeats(), is_open && has_happened && !is_asked_about(tool) ? 1u : 0u) << where;
    EXPECT_EQ(row.effects.size(), effects + row.repeats()) << where;
    EXPECT_EQ(row.ended, report.rows.front().ended) << where;
  }
}

// The task is committed before the turn has ended: a run from the top ends there again.
TEST(EveryBoundary, NothingRunsBehindAReturn) {
  const Report report =
      Kit(crash_options("(do (task \"t\" (return (tool/charge {:n 1}))) (tool/transfer {:n 9}))")).every_boundary();
  EXPECT_TRUE(report.ok()) << report.table();
}

TEST(EveryBoundary, ATaskThatWasResetIsDoneAgain) {
  const char* const source =
      "(do (task \"a\" (tool/charge {:n 1})) (task-reset \"a\") (task \"a\" (tool/charge {:n 1})))";
  const Report report = Kit(crash_options(source)).every_boundary();
  EXPECT_TRUE(report.ok()) << report.table();
  EXPECT_EQ(report.rows.front().effects.size(), 2u);
}

}  // namespace
}  // namespace ptcvm::crash
