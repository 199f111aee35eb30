// kill -9 while several calls of one run are open, each with its intent on the disk.
#include <gtest/gtest.h>

#include <set>

#include "tests/crash/crash_program.h"

namespace ptcvm::crash {
namespace {

Options in_flight(std::size_t calls, std::uint64_t seed) {
  Options options = crash_options(kFanOut);
  options.drive = stepping(calls, seed);
  return options;
}

TEST(InFlight, EightCallsLoseNothingAndRepeatNothing) {
  Kit kit(in_flight(8, 1));
  const Report report = kit.every_boundary();
  ASSERT_TRUE(report.ok()) << report.table();
  const Row& undisturbed = report.rows.front();
  EXPECT_EQ(undisturbed.calls_in_flight, 8u);
  EXPECT_EQ(undisturbed.effects.size(), 13u);
  EXPECT_EQ(undisturbed.journal.size(), 11u);
  EXPECT_EQ(undisturbed.asked, 0);
  EXPECT_GT(report.rows.size(), 60u) << report.table();
  int most_asked = 0;
  std::size_t most_repeats = 0;
  for (const Row& row : report.rows) {
    EXPECT_EQ(row.ended, undisturbed.ended) << row.text();
    most_asked = std::max(most_asked, row.asked);
    most_repeats = std::max(most_repeats, row.repeats());
  }
  // Somebody is asked about two transfers and two bookings among eight open calls.
  EXPECT_EQ(most_asked, 4) << report.table();
  EXPECT_GE(most_repeats, 1u) << report.table();
}

TEST(InFlight, NoMoreCallsAreOpenThanTheHostAllows) {
  for (const std::size_t calls : {1u, 3u}) {
    Kit kit(in_flight(calls, 1));
    EXPECT_TRUE(kit.undisturbed().ok()) << kit.undisturbed().text();
    EXPECT_EQ(kit.undisturbed().calls_in_flight, calls);
  }
}

TEST(InFlight, TheOrderOfTheCallsIsNotSeen) {
  std::set<std::string> ends;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Kit kit(in_flight(8, seed));
    EXPECT_TRUE(kit.undisturbed().ok()) << kit.undisturbed().text();
    ends.insert(kit.undisturbed().ended);
  }
  EXPECT_EQ(ends, std::set<std::string>{"completed 8"});
}

TEST(InFlight, ProcessesThatTidyUpDieToo) {
  Kit kit(in_flight(8, 2));
  const Report report = kit.random_kills(60, 11);
  EXPECT_TRUE(report.ok()) << report.table();
  EXPECT_GT(report.asked(), 0);
}

}  // namespace
}  // namespace ptcvm::crash
