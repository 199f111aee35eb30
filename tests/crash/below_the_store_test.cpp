// kill -9 below the store: at each operation of SQLite on its files. What a call of the store had said then holds, and
// whatever it was in the middle of is there or not.
#include <gtest/gtest.h>

#include <map>

#include "tests/crash/crash_program.h"
#include "tests/crash/watched_disk.h"

namespace ptcvm::crash {
namespace {

// Processes with sanitizers start slowly: there it is a sample.
#if defined(__SANITIZE_ADDRESS__)
constexpr std::uint64_t kStep = 11;
#else
constexpr std::uint64_t kStep = 1;
#endif

TEST(BelowTheStore, SixTasksLoseNothingAndRepeatNothing) {
  Options options = crash_options(kSixTasks);
  options.points_at_writes = false;
  options.points_at_tools = false;
  options.open = open_on_watched_disk;
  const Report report = Kit(options).every_boundary(kStep);
  EXPECT_TRUE(report.ok()) << report.table();
  std::map<std::string, int> kinds;
  for (const Row& row : report.rows) {
    if (!row.deaths.empty()) ++kinds[row.deaths.front()];
  }
  for (const char* const kind : {"before write of the log", "halfway through write of the log",
                                 "after write of the log", "before sync of the log", "after sync of the log",
                                 "after write of the database"}) {
    EXPECT_TRUE(kStep > 1 || kinds[kind] > 0) << kind;
  }
  for (const auto& [kind, count] : kinds) std::printf("%5d kills %s\n", count, kind.c_str());
  EXPECT_GT(report.asked(), 0);
  EXPECT_GT(report.repeats(), 0u);
}

}  // namespace
}  // namespace ptcvm::crash
