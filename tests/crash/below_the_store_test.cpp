// kill -9 below the store: at each operation of SQLite on its files. What a call of the store had said then holds, and
// whatever it was in the middle of is there or not.
#include <gtest/gtest.h>

#include <map>

#include "tests/crash/crash_program.h"
#include "tests/store/fault_vfs.h"

namespace ptc {
namespace {

// A disk that is used by one process, which is killed on it: nothing of it is destroyed.
FaultVfs& disk_of_this_process(CrashPoints& points) {
  static FaultVfs disk;
  disk.watch([&points](const char* when, const char* operation, const std::string& path) {
    const std::string_view file = path.ends_with("-wal") ? "log" : path.ends_with("-journal") ? "journal" : "database";
    points.reach(std::string(when) + ' ' + operation + " of the " + std::string(file));
  });
  return disk;
}

TEST(BelowTheStore, SixTasksLoseNothingAndRepeatNothing) {
  CrashOptions options = crash_options(kSixTasks);
  options.points_at_writes = false;
  options.points_at_tools = false;
  options.open = [](const std::string& path, CrashPoints& points) -> std::unique_ptr<FactStore> {
    SqliteOptions wanted;
    if (points.armed()) wanted.vfs = disk_of_this_process(points).name();
    auto store = SqliteStore::open(path, wanted);
    auto* const good = std::get_if<std::unique_ptr<SqliteStore>>(&store);
    return good == nullptr ? nullptr : std::move(*good);
  };
  const CrashReport report = Crash(options).every_boundary();
  EXPECT_TRUE(report.ok()) << report.table();
  std::map<std::string, int> kinds;
  for (const CrashRow& row : report.rows) {
    if (!row.deaths.empty()) ++kinds[row.deaths.front()];
  }
  for (const char* const kind : {"before write of the log", "halfway through write of the log",
                                 "after write of the log", "before sync of the log", "after sync of the log",
                                 "after write of the database"}) {
    EXPECT_GT(kinds[kind], 0) << kind;
  }
  for (const auto& [kind, count] : kinds) std::printf("%5d kills %s\n", count, kind.c_str());
  EXPECT_GT(report.asked(), 0);
  EXPECT_GT(report.repeats(), 0u);
}

}  // namespace
}  // namespace ptc
