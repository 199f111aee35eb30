// Runs that move between stores in memory and in files.
#include "runtime/log/run_move.h"

#include "runtime/log/memory_store.h"
#include "tests/store/file_store.h"
#include "tests/store/move_conformance.h"

namespace ptc {
namespace {

// The files of the last test go when the next one begins.
std::unique_ptr<FactStore> fresh_file(bool is_target) {
  static std::unique_ptr<StoreFile> files[2];
  return store_in(files[is_target ? 1 : 0]);
}
std::unique_ptr<FactStore> fresh_memory(bool) { return std::make_unique<MemoryStore>(); }

[[maybe_unused]] const bool kMovesInMemory = move_conformance("MovesInMemory", fresh_memory);
[[maybe_unused]] const bool kMovesBetweenFiles = move_conformance("MovesBetweenFiles", fresh_file);
[[maybe_unused]] const bool kMovesToAFile = move_conformance(
    "MovesFromMemoryToAFile", [](bool is_target) { return is_target ? fresh_file(true) : fresh_memory(false); });
[[maybe_unused]] const bool kMovesToMemory = move_conformance(
    "MovesFromAFileToMemory", [](bool is_target) { return is_target ? fresh_memory(true) : fresh_file(false); });

// Three stores: what went to one does not go to another one.
TEST(RunMove, ARunThatWentElsewhereIsRefusedByThatPlace) {
  MemoryStore from, to, third;
  const std::uint64_t token = started(from, "a");
  taken(from.release("a", token));
  EXPECT_EQ(taken(move_run(from, to, "a", {"Ann", "second.db", kStoreNow, std::nullopt})).end, MoveEnd::Done);
  const MoveOutcome out = taken(move_run(from, third, "a", {"Ann", "third.db", kStoreNow, std::nullopt}));
  EXPECT_EQ(out.end, MoveEnd::Elsewhere);
  EXPECT_EQ(out.place, "second.db");
  EXPECT_FALSE(taken(third.info("a")));
}

// The two handles are one file: the identity tells.
TEST(RunMove, OneFileUnderTwoHandlesIsOneStore) {
  const StoreFile file;
  auto one = taken(SqliteStore::open(file.path(), {})), two = taken(SqliteStore::open(file.path(), {}));
  const std::uint64_t token = started(*one, "a");
  taken(one->release("a", token));
  EXPECT_EQ(taken(move_run(*one, *two, "a", {})).end, MoveEnd::SameStore);
  EXPECT_EQ(taken(one->info("a"))->state, LogState::Running);
}

// A mover read the run, and slept until the run had gone, come back and gone on: its arrival does nothing.
TEST(RunMove, AnArrivalThatComesLateDoesNothing) {
  MemoryStore from, to;
  const std::uint64_t token = started(from, "a");
  taken(from.release("a", token));
  ASSERT_EQ(taken(move_run(from, to, "a", {"", "to", kStoreNow, std::nullopt})).end, MoveEnd::Done);
  Arrival late;
  late.log = "a";
  late.facts = taken(from.read("a", 0, 10));
  late.token = late.facts.back().writer;
  ASSERT_EQ(taken(move_run(to, from, "a", {"", "from", kStoreNow, std::nullopt})).end, MoveEnd::Done);
  EXPECT_FALSE(taken(to.arrive(late, kStoreNow)));
  EXPECT_FALSE(taken(from.arrive(late, kStoreNow)));
  EXPECT_FALSE(taken(from.settle_departure("a", late.facts.back().key))) << "it is here again";
  EXPECT_EQ(taken(from.info("a"))->state, LogState::Running);
  EXPECT_EQ(taken(to.info("a"))->state, LogState::Moved);
}

TEST(RunMove, AnArrivalWithoutSenseIsRefused) {
  MemoryStore store;
  Arrival empty;
  empty.log = "a";
  EXPECT_EQ(error_of(store.arrive(empty, kStoreNow)), "store_misuse");
  Arrival waits = empty;
  waits.facts = {start_fact()};
  waits.state = LogState::Parked;
  EXPECT_EQ(error_of(store.arrive(waits, kStoreNow)), "store_misuse") << "nothing is parked";
  const std::uint64_t token = started(store, "b");
  EXPECT_EQ(error_of(store.depart("b", Cut::blind(token), start_fact())), "store_misuse");
  EXPECT_EQ(error_of(store.depart("b", Cut::blind(), fact_of(FactKind::RunMoved, "moved/1"))), "store_misuse");
  EXPECT_EQ(error_of(store.depart("b", Cut::blind(token + 1), fact_of(FactKind::RunMoved, "moved/1"))), "store_fenced");
}

// A claim without a fact is somebody who begins a run of that id.
TEST(RunMove, ARunDoesNotArriveWhereSomebodyBeginsOne) {
  MemoryStore from, to;
  const std::uint64_t token = started(from, "a");
  taken(from.release("a", token));
  claimed(to, "a");
  EXPECT_EQ(taken(move_run(from, to, "a", {"", "to", kStoreNow, std::nullopt})).end, MoveEnd::Exists);
  EXPECT_EQ(taken(from.info("a"))->state, LogState::Moving);
  taken(to.release("a", 1));
  EXPECT_EQ(taken(move_run(from, to, "a", {"", "to", kStoreNow, std::nullopt})).end, MoveEnd::Done);
}

}  // namespace
}  // namespace ptc
