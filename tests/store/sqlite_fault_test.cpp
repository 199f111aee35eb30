// One run of a script for each operation of the disk that can fail, until the fault finds no operation any more. What
// every call said must be so afterwards: after an orderly end, and after a loss of power.
#include <gtest/gtest.h>

#include "runtime/log/sqlite/sqlite_store.h"
#include "tests/store/fault_vfs.h"
#include "tests/store/store_facts.h"
#include "tests/store/store_file.h"
#include "tests/store/store_script.h"
#include "tests/support/sweep.h"

namespace ptc {
namespace {

struct Plan {
  const char* name;
  DiskFault fault;
  bool stays;           // all operations from there on, until it is repaired
  bool power_loss;      // at the end; otherwise the disk is repaired and the store closed
  SqliteMode mode;
};



void PrintTo(const Plan& plan, std::ostream* out) { *out << plan.name; }   // by GoogleTest's name

class Disk : public testing::TestWithParam<Plan> {
 protected:
  StoreResult<std::unique_ptr<SqliteStore>> open(const StoreFile& file) const {
    SqliteOptions options;
    options.mode = GetParam().mode;
    options.group_window = std::chrono::hours(1);
    options.vfs = vfs_.name();
    return SqliteStore::open(file.path(), options);
  }

  // Whether the fault has hit.
  bool run(std::uint64_t at) {
    const Plan& plan = GetParam();
    const StoreFile file;
    const std::uint64_t token = StoreScript::prepare(*taken(open(file)));
    StoreScript script(token);
    vfs_.arm(plan.fault, at, plan.stays);
    bool fired = false;
    {
      const auto opened = open(file);
      if (auto* store = std::get_if<std::unique_ptr<SqliteStore>>(&opened)) {
        script.run(**store, plan.mode == SqliteMode::Group);
        fired = vfs_.fired();
        if (plan.power_loss) {
          cut_power();
        } else {
          repair(**store);
        }
      } else {
        fired = vfs_.fired();
        EXPECT_TRUE(fired) << std::get<StoreError>(opened).message;
      }
    }
    fired = fired || vfs_.fired();
    vfs_.disarm();
    if (plan.power_loss) vfs_.lose_power(at % 5);
    const auto again = open(file);
    const auto* store = std::get_if<std::unique_ptr<SqliteStore>>(&again);
    if (plan.fault == DiskFault::LostSync) {
      if (store != nullptr) script.check_beginning(**store);
    } else {
      EXPECT_NE(store, nullptr) << error_of(again);
      if (store != nullptr) script.check(**store);
    }
    return fired;
  }

  // The same for a file that is made.
  bool create(std::uint64_t at) {
    const Plan& plan = GetParam();
    const StoreFile file;
    vfs_.arm(plan.fault, at, plan.stays);
    bool fired = false, said = false;
    {
      const auto opened = open(file);
      if (auto* store = std::get_if<std::unique_ptr<SqliteStore>>(&opened)) {
        const Fact fact = outside_fact("k");
        said = error_of((*store)->put("a", Cut::blind(), {&fact, 1})).empty() && error_of((*store)->flush()).empty();
      }
      fired = vfs_.fired();
      EXPECT_TRUE(said || fired);
      if (plan.power_loss) cut_power();
    }
    fired = fired || vfs_.fired();
    vfs_.disarm();
    if (plan.power_loss) vfs_.lose_power(at % 5);
    const auto again = open(file);
    const auto* store = std::get_if<std::unique_ptr<SqliteStore>>(&again);
    if (plan.fault == DiskFault::LostSync) return fired;
    EXPECT_NE(store, nullptr) << error_of(again);
    if (store == nullptr) return fired;
    EXPECT_TRUE(!said || taken((*store)->find("a", "k")));
    put_one(**store, "a", 0, outside_fact("afterwards"));
    EXPECT_EQ(taken((*store)->read("a", 0, 9)).size(), head_of(**store, "a"));
    return fired;
  }

  // After the fault. When it has not hit yet, it may do so while the store is closed, where the log goes into the file.
  void cut_power() {
    if (vfs_.fired()) vfs_.arm(DiskFault::PowerCut, 1, true);
  }

  // A store goes on when its disk does; one that has lost a group does so when it is opened again.
  void repair(SqliteStore& store) {
    vfs_.disarm();
    const Fact fact = outside_fact("");
    if (GetParam().mode != SqliteMode::Sync) return;
    EXPECT_EQ(error_of(store.put("repaired", Cut::blind(), {&fact, 1})), "");
  }

  FaultVfs vfs_;
};

TEST_P(Disk, KeepsWhatWasSaid) {
  std::uint64_t at = 1;
  for (; run(at); at += kSweepStep) {
    ASSERT_LT(at, 5'000u);
    ASSERT_FALSE(HasFailure()) << GetParam().name << " at operation " << at;
  }
  EXPECT_GT(at, 3u) << "no operation was hit";
}

TEST_P(Disk, KeepsAFileThatIsMade) {
  std::uint64_t at = 1;
  for (; create(at); at += kSweepStep) {
    ASSERT_LT(at, 5'000u);
    ASSERT_FALSE(HasFailure()) << GetParam().name << " at operation " << at;
  }
}

constexpr auto kSyncMode = SqliteMode::Sync;
constexpr auto kGroupMode = SqliteMode::Group;
constexpr Plan kPlans[] = {
    {"ReadError", DiskFault::ReadError, false, false, kSyncMode},
    {"ReadErrors", DiskFault::ReadError, true, false, kSyncMode},
    {"WriteError", DiskFault::WriteError, false, false, kSyncMode},
    {"WriteErrors", DiskFault::WriteError, true, false, kSyncMode},
    {"WriteErrorThenPowerLoss", DiskFault::WriteError, false, true, kSyncMode},
    {"WriteErrorsThenPowerLoss", DiskFault::WriteError, true, true, kSyncMode},
    {"WrittenError", DiskFault::WrittenError, false, false, kSyncMode},
    {"WrittenErrors", DiskFault::WrittenError, true, false, kSyncMode},
    {"WrittenErrorThenPowerLoss", DiskFault::WrittenError, false, true, kSyncMode},
    {"WrittenErrorsThenPowerLoss", DiskFault::WrittenError, true, true, kSyncMode},
    {"NoSpace", DiskFault::NoSpace, false, false, kSyncMode},
    {"NoSpaceForLong", DiskFault::NoSpace, true, false, kSyncMode},
    {"NoSpaceThenPowerLoss", DiskFault::NoSpace, true, true, kSyncMode},
    {"ShortWrite", DiskFault::ShortWrite, false, false, kSyncMode},
    {"ShortWrites", DiskFault::ShortWrite, true, false, kSyncMode},
    {"ShortWriteThenPowerLoss", DiskFault::ShortWrite, false, true, kSyncMode},
    {"SyncError", DiskFault::SyncError, false, false, kSyncMode},
    {"SyncErrors", DiskFault::SyncError, true, false, kSyncMode},
    {"SyncErrorThenPowerLoss", DiskFault::SyncError, false, true, kSyncMode},
    {"SyncErrorsThenPowerLoss", DiskFault::SyncError, true, true, kSyncMode},
    {"LostSyncThenPowerLoss", DiskFault::LostSync, false, true, kSyncMode},
    {"LostSyncsThenPowerLoss", DiskFault::LostSync, true, true, kSyncMode},
    {"PowerCut", DiskFault::PowerCut, true, true, kSyncMode},
    {"GroupReadError", DiskFault::ReadError, false, false, kGroupMode},
    {"GroupWriteError", DiskFault::WriteError, false, false, kGroupMode},
    {"GroupWriteErrors", DiskFault::WriteError, true, false, kGroupMode},
    {"GroupWrittenErrorThenPowerLoss", DiskFault::WrittenError, false, true, kGroupMode},
    {"GroupNoSpace", DiskFault::NoSpace, false, false, kGroupMode},
    {"GroupSyncErrorThenPowerLoss", DiskFault::SyncError, false, true, kGroupMode},
    {"GroupPowerCut", DiskFault::PowerCut, true, true, kGroupMode},
};

INSTANTIATE_TEST_SUITE_P(Fails, Disk, testing::ValuesIn(kPlans),
                         [](const testing::TestParamInfo<Plan>& plan) { return std::string(plan.param.name); });

}  // namespace
}  // namespace ptc
