// The crash kit itself: what it says when it cannot work, random kills, and drives of a host.
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/crash/crash_program.h"

namespace ptcvm::crash {
namespace {

std::string first_complaint(const Report& report) {
  for (const Row& row : report.rows) {
    if (!row.ok()) return row.complaints.front();
  }
  return {};
}

bool begins_with(const std::string& text, const char* what) { return text.starts_with(what); }

TEST(Kit, SaysWhenNothingWasKilled) {
  Options options = crash_options("(+ 1 2)");
  options.points_at_writes = options.points_at_tools = false;
  const Report report = Kit(options).every_boundary();
  EXPECT_FALSE(report.ok());
  EXPECT_EQ(first_complaint(report), "nothing was killed: the run passes no point");
}

TEST(Kit, SaysWhyItCannotStart) {
  Options options = crash_options("(+ 1 2)");
  options.folder = "/no/such/folder";
  const Report report = Kit(options).every_boundary();
  EXPECT_TRUE(begins_with(first_complaint(report), "the kit cannot start: no folder can be made in /no/such/folder"))
      << report.table();
}

TEST(Kit, SaysWhyAProcessCouldNotGoOn) {
  const Report report = Kit(crash_options("(task \"a\" (tool/nobody {}))")).every_boundary();
  EXPECT_TRUE(report.ok()) << report.table();   // a fault of the program is an end like any other
  EXPECT_TRUE(begins_with(report.rows.front().ended, "failed Unknown tool: nobody")) << report.table();

  Options held = crash_options("(+ 1 2)");
  held.drive = [](const Engine&, Store&, const Tools&, std::string_view, const StoredOptions&) {
    return Result<StoredOutcome>(Error{Errc::busy, "somebody has it", {}});
  };
  EXPECT_EQ(first_complaint(Kit(held).every_boundary()), "a process could not go on: busy: somebody has it");
  Options closed = crash_options("(+ 1 2)");
  closed.open = [](const std::string&, Points&) { return Result<Store>(Error{Errc::store_failed, "closed", {}}); };
  EXPECT_EQ(first_complaint(Kit(closed).every_boundary()), "the log cannot be read: closed");
}

// An exception that leaves the child's code must not run the caller's code in the child.
TEST(Kit, TakesAnExceptionForACrash) {
  Options options = crash_options("(+ 1 2)");
  options.tools = [](Tools&, Ledger&, Points&) { throw std::runtime_error("not today"); };
  EXPECT_EQ(first_complaint(Kit(options).every_boundary()), "a process crashed: signal 6");
}

TEST(Kit, KillsAtRandomUntilThereWereEnoughKills) {
  Kit kit(crash_options(kSixTasks));
  const Report report = kit.random_kills(20, 7);
  EXPECT_TRUE(report.ok()) << report.table();
  EXPECT_GE(report.kills(), 20u);
  EXPECT_LT(report.kills(), 26u);   // a run has six kills at most
}

// Keys have the id of the run with "/" and "~" escaped.
TEST(Kit, FindsTheEntriesOfARunWithAnyId) {
  Options options = crash_options(kSixTasks);
  options.run.id = "eu/order~1";
  const Report report = Kit(options).every_boundary(3);
  EXPECT_TRUE(report.ok()) << report.table();
}

TEST(Kit, DrivesARunAsItsHostDoes) {
  Options options = crash_options(kSixTasks);
  options.drive = [](const Engine& engine, Store& store, const Tools& tools, std::string_view source,
                     const StoredOptions& run) {
    auto known = store.runs();
    const bool is_begun = known && !known->empty() && store.log_json(run.id)->find("run_started") != std::string::npos;
    return is_begun ? continue_stored(engine, store, tools, run) : run_stored(engine, store, tools, source, run);
  };
  const Report report = Kit(options).every_boundary(3);
  EXPECT_TRUE(report.ok()) << report.table();
  EXPECT_GT(report.kills(), 14u);
}

}  // namespace
}  // namespace ptcvm::crash
