// Runs that move between databases, and between a database and a file.
#include <gtest/gtest.h>

#include "runtime/log/memory_store.h"
#include "runtime/log/postgres/postgres_schema.h"
#include "runtime/log/postgres/postgres_store.h"
#include "runtime/log/run_move.h"
#include "tests/store/file_store.h"
#include "tests/store/move_conformance.h"
#include "tests/support/postgres_server.h"

namespace ptc {
namespace {

test::PostgresServer& movers_server() {
  static test::PostgresServer one;
  return one;
}

const std::string& database(bool is_target) {
  static std::string urls[2];
  std::string& url = urls[is_target ? 1 : 0];
  if (url.empty()) {
    url = movers_server().new_database(is_target ? "target" : "source");
    EXPECT_EQ(taken(migrate_postgres(url)), 0);
  }
  return url;
}

std::unique_ptr<PostgresStore> database_handle(bool is_target) {
  PostgresOptions options;
  options.clock = PostgresClock::Caller;
  return taken(PostgresStore::open(database(is_target), options));
}

std::unique_ptr<FactStore> empty_database(bool is_target) {
  auto out = database_handle(is_target);
  movers_server().run(
      "TRUNCATE ptcvm.dependent, ptcvm.schedule, ptcvm.run, ptcvm.fact, ptcvm.open_call, ptcvm.parked, "
      "ptcvm.waiting, ptcvm.node, ptcvm.queue, ptcvm.job RESTART IDENTITY",
      is_target ? "target" : "source");
  return out;
}

std::unique_ptr<FactStore> empty_file() {
  static std::unique_ptr<StoreFile> file;
  return store_in(file);
}

[[maybe_unused]] const bool kMovesBetweenDatabases = move_conformance("MovesBetweenDatabases", empty_database);
[[maybe_unused]] const bool kMovesFromAFile = move_conformance(
    "MovesFromAFileToADatabase", [](bool is_target) { return is_target ? empty_database(true) : empty_file(); });
[[maybe_unused]] const bool kMovesToAFile = move_conformance(
    "MovesFromADatabaseToAFile", [](bool is_target) { return is_target ? empty_file() : empty_database(false); });

TEST(PostgresMoves, ALargeRunGoesAsItIs) {
  const auto source = empty_database(false), target = empty_database(true);
  const std::uint64_t token = started(*source, "a");
  Parked run = waiting_for({"k"}, 1);
  run.snapshot.resize((1 << 20) + 3, 5);
  EXPECT_TRUE(is_parked(*source, "a", token, run));
  EXPECT_TRUE(taken(source->release("a", token)));
  EXPECT_EQ(taken(move_run(*source, *target, "a", {"", "m", kStoreNow, std::nullopt})).end, MoveEnd::Done);
  EXPECT_TRUE(taken(target->parked("a"))->snapshot == run.snapshot);
}

// The first fact of a program that SQL has enqueued is written as JSON; a run with it goes and comes back.
TEST(PostgresMoves, AProgramThatSqlEnqueuedGoesAndComesBack) {
  const auto store = empty_database(false);
  movers_server().run("SELECT ptcvm.enqueue_program('a', '(+ 1 2)', queue => 'q')", "source");
  MemoryStore other;
  EXPECT_EQ(taken(move_run(*store, other, "a", {"", "m", kStoreNow, std::nullopt})).end, MoveEnd::Done);
  EXPECT_EQ(taken(other.read("a", 0, 1)).front().text, "(+ 1 2)");
  EXPECT_EQ(taken(move_run(other, *store, "a", {"", "p", kStoreNow, std::nullopt})).end, MoveEnd::Done);
  EXPECT_EQ(taken(store->queue()->job("a"))->state, JobState::Ready);
}

TEST(PostgresMoves, OneDatabaseUnderTwoHandlesIsOneStore) {
  const auto one = empty_database(false);
  const auto two = database_handle(false);
  const std::uint64_t token = started(*one, "a");
  taken(one->release("a", token));
  EXPECT_EQ(taken(move_run(*one, *two, "a", {})).end, MoveEnd::SameStore);
}

TEST(PostgresMoves, AMoverThatWasKilledLosesItsClaim) {
  const auto from = empty_database(false);
  MemoryStore to;
  const std::uint64_t token = started(*from, "a");
  taken(from->release("a", token));
  const auto other = database_handle(false);
  const Claim claim = taken(other->claim("a", "ptcvm on elsewhere, process 1, started 1, boot x y", kStoreNow, 15'000));
  ASSERT_TRUE(claim.granted);
  EXPECT_EQ(taken(move_run(*from, to, "a", {"", "m", kStoreNow + 1, std::nullopt})).end, MoveEnd::Busy);
  EXPECT_EQ(taken(move_run(*from, to, "a", {"", "m", kStoreNow + 15'001, std::nullopt})).end, MoveEnd::Done);
  const Fact moved = fact_of(FactKind::RunMoved, "moved/late");
  EXPECT_EQ(error_of(other->depart("a", Cut::blind(claim.token), moved)), "run_moved") << "the late mover is refused";
}

}  // namespace
}  // namespace ptc
