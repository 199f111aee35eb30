// Connections that break around a commit, and servers that go away: each call has one fate, and the caller knows it.
// Random calls run in lock-step with a store in memory, which says what each must answer.
#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "runtime/log/memory_store.h"
#include "runtime/log/postgres/postgres_schema.h"
#include "runtime/log/postgres/postgres_store.h"
#include "tests/postgres/cutting_proxy.h"
#include "tests/store/queue_steps.h"
#include "tests/store/store_facts.h"
#include "tests/support/postgres_server.h"

namespace ptc {
namespace {

std::unique_ptr<PostgresStore> opened(const std::string& url, std::size_t connections = 1) {
  PostgresOptions options;
  options.connections = connections;
  options.clock = PostgresClock::Caller;
  options.patience = std::chrono::seconds(30);
  auto store = PostgresStore::open(url, options);
  if (auto* good = std::get_if<std::unique_ptr<PostgresStore>>(&store)) return std::move(*good);
  ADD_FAILURE() << std::get<StoreError>(store).message;
  return nullptr;
}

// Makes the same calls of both stores.
class LockStep {
 public:
  LockStep(FactStore& model, FactStore& store, unsigned seed) : model_(model), store_(store), random_(seed) {}

  void step() {
    switch (below(10)) {
      case 0:
        return claim();
      case 1:
        return outside();
      case 2:
        return decide();
      case 3:
        return park();
      case 4:
        return end();
      case 5:
        return release();
      default:
        return put();
    }
  }
  void compare() {
    for (const std::string& log : {std::string("a"), std::string("b")}) {
      EXPECT_EQ(taken(store_.read(log, 0, 10'000)), taken(model_.read(log, 0, 10'000)));
      EXPECT_EQ(taken(store_.open_calls(log)), taken(model_.open_calls(log)));
      EXPECT_EQ(taken(store_.woken(kStoreNow, 9)), taken(model_.woken(kStoreNow, 9)));
      const auto found = taken(store_.info(log)), wanted = taken(model_.info(log));
      ASSERT_EQ(found.has_value(), wanted.has_value());
      if (!found) continue;
      EXPECT_EQ(found->state, wanted->state);
      EXPECT_EQ(found->owner, wanted->owner);
    }
  }

 private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  std::string log() { return below(2) == 0 ? "a" : "b"; }

  void compare(const Written& found, const Written& wanted) {
    EXPECT_EQ(found.head, wanted.head);
    EXPECT_EQ(found.others, wanted.others);
    ASSERT_EQ(found.puts.size(), wanted.puts.size());
    for (std::size_t i = 0; i < found.puts.size(); ++i) {
      EXPECT_EQ(found.puts[i].fact, wanted.puts[i].fact);
      EXPECT_EQ(found.puts[i].mine, wanted.puts[i].mine);
    }
  }
  template <class T>
  bool both_good(const StoreResult<T>& found, const StoreResult<T>& wanted) {
    EXPECT_EQ(error_of(found), error_of(wanted));
    return error_of(found).empty() && error_of(wanted).empty();
  }
  Fact some_effect() {
    Fact fact = task_fact(below(3) == 0 ? "" : "t" + std::to_string(below(60)), std::to_string(random_()));
    if (below(3) != 0) return fact;
    fact.kind = FactKind::Intent;
    fact.idempotency_key = "c" + std::to_string(below(6));
    fact.number = 1 + below(2);
    return fact;
  }
  void claim() {
    const std::string name = log();
    const Claim found = taken(store_.claim(name, "o", kStoreNow, 0)),
                wanted = taken(model_.claim(name, "o", kStoreNow, 0));
    EXPECT_EQ(found.granted, wanted.granted);
    EXPECT_EQ(found.token, wanted.token);
    if (found.granted) tokens_[name] = found.token;
  }
  void put() {
    const std::string name = log();
    std::vector<Fact> facts(1 + below(3));
    for (Fact& fact : facts) fact = some_effect();
    const Cut cut = below(2) == 0 ? Cut::blind(tokens_[name]) : Cut{tokens_[name], head(name)};
    const auto found = store_.put(name, cut, facts), wanted = model_.put(name, cut, facts);
    if (both_good(found, wanted)) compare(std::get<Written>(found), std::get<Written>(wanted));
  }
  void outside() {
    const std::string name = log();
    const Fact fact = outside_fact("k" + std::to_string(below(20)), std::to_string(random_()));
    compare(taken(store_.put(name, Cut::blind(), {&fact, 1})), taken(model_.put(name, Cut::blind(), {&fact, 1})));
  }
  void decide() {
    const std::string name = log();
    const Fact fact = step_fact(below(2) == 0 ? "" : "d" + std::to_string(below(20)));
    const Cut cut{tokens_[name], below(2) == 0 ? 0 : head(name)};
    const auto found = store_.decide(name, cut, {&fact, 1}), wanted = model_.decide(name, cut, {&fact, 1});
    if (!both_good(found, wanted)) return;
    compare(std::get<Decided>(found), std::get<Decided>(wanted));
    EXPECT_EQ(std::get<Decided>(found).conflict, std::get<Decided>(wanted).conflict);
  }
  void park() {
    const std::string name = log();
    const Parked run = waiting_for({"k" + std::to_string(below(20))}, below(2) == 0 ? 0 : head(name));
    const Cut cut{tokens_[name], run.observed_seq};
    const Fact why = fact_of(FactKind::RunSuspended, "");
    const std::span<const Fact> facts(&why, below(2));
    const auto found = store_.park(name, cut, facts, run), wanted = model_.park(name, cut, facts, run);
    if (!both_good(found, wanted)) return;
    const auto &mine = std::get<ParkResult>(found), &theirs = std::get<ParkResult>(wanted);
    compare(mine, theirs);
    EXPECT_EQ(mine.parked, theirs.parked);
    EXPECT_EQ(mine.arrived, theirs.arrived);
    EXPECT_EQ(mine.conflict, theirs.conflict);
  }
  void end() {
    const std::string name = log();
    const Cut cut = Cut::blind(tokens_[name]);
    const Fact over = start_fact();
    const bool resumes = below(2) == 0;
    const auto found = resumes ? store_.resumed(name, cut, {&over, 1}) : store_.ended(name, cut, {&over, 1});
    const auto wanted = resumes ? model_.resumed(name, cut, {&over, 1}) : model_.ended(name, cut, {&over, 1});
    if (both_good(found, wanted)) compare(std::get<Written>(found), std::get<Written>(wanted));
  }
  void release() {
    const std::string name = log();
    EXPECT_EQ(taken(store_.release(name, tokens_[name])), taken(model_.release(name, tokens_[name])));
  }
  std::uint64_t head(const std::string& name) { return head_of(model_, name); }

  FactStore &model_, &store_;
  std::mt19937 random_;
  std::map<std::string, std::uint64_t> tokens_;   // 0: none yet
};

struct Place {
  test::PostgresServer server;
  std::string url = server.new_database("store");
  Place() { taken(migrate_postgres(url)); }
};

TEST(PostgresFailures, AWriteWhoseConnectionBreaksHasOneFate) {
  Place place;
  test::CuttingProxy proxy(place.server.socket());
  {
    const auto store = opened(proxy.url("store"));
    MemoryStore model;
    LockStep both(model, *store, 7);
    std::mt19937 random(8);
    for (int i = 0; i < 300 && !testing::Test::HasFailure(); ++i) {
      SCOPED_TRACE(i);
      if (random() % 3 == 0) proxy.cut_next(static_cast<test::CutPlace>(1 + random() % 3));
      both.step();
    }
    proxy.cut_next(test::CutPlace::Nowhere);
    both.compare();
    EXPECT_GT(store->reconnects(), 40u);
  }
  EXPECT_GT(proxy.cuts(), 40);
}

// Parking a large run takes many calls of the server, which are one transaction.
TEST(PostgresFailures, ALargeRunIsParkedOnceWhereverTheConnectionBreaks) {
  Place place;
  test::CuttingProxy proxy(place.server.socket());
  const auto store = opened(proxy.url("store"));
  const std::uint64_t token = started(*store, "a");
  Parked run = waiting_for({"k"}, 1);
  std::mt19937 random(9);
  for (int i = 0; i < 20 && !testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE(i);
    run.snapshot.assign((1 << 20) + random() % 1'000, static_cast<std::uint8_t>(i));
    proxy.cut_next(static_cast<test::CutPlace>(1 + random() % 3), 2 * i);
    const Fact why = fact_of(FactKind::RunSuspended, "");
    const ParkResult done = taken(store->park("a", {token, run.observed_seq}, {&why, 1}, run));
    EXPECT_TRUE(done.parked);
    EXPECT_EQ(done.head, run.observed_seq + 1) << "the fact is there once";
    proxy.cut_next(test::CutPlace::Nowhere);
    proxy.cut_next(static_cast<test::CutPlace>(1 + random() % 3), static_cast<int>(random() % 3));
    EXPECT_TRUE(taken(store->parked("a"))->snapshot == run.snapshot);
    proxy.cut_next(test::CutPlace::Nowhere);
    run.observed_seq = done.head;
  }
  EXPECT_GT(store->reconnects(), 20u);
  place.server.run("DO $$ BEGIN ASSERT (SELECT count(*) = 0 FROM pg_largeobject_metadata); END $$", "store");
}

// A store without patience gives up at once: the caller is told that nobody knows, and goes on.
std::unique_ptr<PostgresStore> impatient(const std::string& url) {
  PostgresOptions options;
  options.connections = 1;
  options.clock = PostgresClock::Caller;
  options.patience = std::chrono::milliseconds(0);
  return taken(PostgresStore::open(url, options));
}

// A node, and a way to the same store that breaks.
struct NodeBehindProxy {
  Place place;
  test::CuttingProxy proxy{place.server.socket()};
  const std::unique_ptr<PostgresStore> direct = opened(place.url);
  const std::uint64_t node = joined(*direct);
};

TEST(PostgresFailures, ARunIsGivenBackAfterAWriteOfUnknownFate) {
  NodeBehindProxy at;
  for (const auto cut : {test::CutPlace::BeforeCall, test::CutPlace::AfterCall, test::CutPlace::BeforeAnswer}) {
    const std::string log = "run " + std::to_string(static_cast<int>(cut));
    enqueued(*at.direct, job_of(log));
    // A new store has told no worker of anything. Its call after the claim is the one that is cut.
    const auto store = impatient(at.proxy.url("store"));
    const ClaimedRun run = claims(*store, at.node).at(0);
    const Fact end = fact_of(FactKind::TurnEnded, "");
    at.proxy.cut_next(cut);
    EXPECT_EQ(error_of(store->ended(log, Cut::blind(run.token), {&end, 1})), "store_unknown");
    EXPECT_TRUE(finished(*store, run)) << "the claim is still the newest";
    EXPECT_NE(state_of(*store, log), "held");
    const Finish given_up{Finish::Kind::GiveUp, 0, ""};
    for (const ClaimedRun& left : claims(*at.direct, at.node)) finished(*at.direct, left, given_up);
  }
}

// The store asks again: the end is there once, whether the first attempt came through or not.
TEST(PostgresFailures, AJobThatEndsWhileTheConnectionBreaksEndsOnce) {
  NodeBehindProxy at;
  for (const auto cut : {test::CutPlace::BeforeCall, test::CutPlace::AfterCall, test::CutPlace::BeforeAnswer}) {
    const std::string log = "run " + std::to_string(static_cast<int>(cut));
    enqueued(*at.direct, job_of(log));
    const auto store = opened(at.proxy.url("store"));
    const ClaimedRun run = claims(*store, at.node).at(0);
    at.proxy.cut_next(cut);
    const auto done = taken(store->end_job(log, {run.token, 1}, fact_of(FactKind::TurnEnded, ""), kStoreNow));
    ASSERT_TRUE(done) << log;
    EXPECT_EQ(done->head, 2u);
    EXPECT_EQ(head_of(*at.direct, log), 2u);
    EXPECT_EQ(state_of(*at.direct, log), "done");
    EXPECT_EQ(store->reconnects(), 1u);
  }
}

TEST(PostgresFailures, AnEndOfAJobOfUnknownFateIsFencedByTheNextWrite) {
  NodeBehindProxy at;
  enqueued(*at.direct, job_of("a"));
  const auto store = impatient(at.proxy.url("store"));
  const ClaimedRun run = claims(*store, at.node).at(0);
  const auto nonce = [&] {
    at.place.server.run("CREATE TABLE IF NOT EXISTS nonces (nonce uuid UNIQUE); "
                        "INSERT INTO nonces SELECT nonce FROM ptcvm.run", "store");   // another one than each before
  };
  nonce();
  at.proxy.cut_next(test::CutPlace::BeforeCall);
  const Fact end = fact_of(FactKind::TurnEnded, "");
  EXPECT_EQ(error_of(store->end_job("a", {run.token, 1}, end, kStoreNow)), "store_unknown");
  EXPECT_FALSE(taken(store->end_job("a", {run.token, 1}, end, kStoreNow))) << "ended() says more";
  EXPECT_EQ(taken(store->ended("a", {run.token, 1}, {&end, 1})).head, 2u);
  nonce();
  EXPECT_TRUE(finished(*store, run, kOver));
  EXPECT_EQ(state_of(*at.direct, "a"), "done");
}

TEST(PostgresFailures, AWriteAfterOneOfUnknownFateFencesIt) {
  Place place;
  test::CuttingProxy proxy(place.server.socket());
  const auto store = impatient(proxy.url("store"));
  const std::uint64_t token = started(*store, "a");
  place.server.run("CREATE TABLE nonces (nonce uuid UNIQUE); INSERT INTO nonces SELECT nonce FROM ptcvm.run", "store");
  for (const auto cut : {test::CutPlace::BeforeCall, test::CutPlace::AfterCall, test::CutPlace::BeforeAnswer}) {
    const Fact lost = task_fact("lost " + std::to_string(static_cast<int>(cut)));
    proxy.cut_next(cut);
    EXPECT_EQ(error_of(store->put("a", Cut::blind(token), {&lost, 1})), "store_unknown");
    EXPECT_TRUE(put_one(*store, "a", token, task_fact("")).mine);
    place.server.run("INSERT INTO nonces SELECT nonce FROM ptcvm.run", "store");   // another one than each before
    EXPECT_TRUE(taken(store->renew("a", token, kStoreNow, 1'000)));
  }
  EXPECT_TRUE(taken(store->release("a", token)));
}

TEST(PostgresFailures, AServerThatRestartsCostsNoCall) {
  Place place;
  const auto store = opened(place.url);
  const std::uint64_t token = started(*store, "a");
  std::thread writer([&] {
    for (int i = 0; i < 300; ++i) EXPECT_TRUE(put_one(*store, "a", token, task_fact("")).mine);
  });
  place.server.crash();
  place.server.start();   // here, because a server ends with the thread that started it
  writer.join();
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(put_one(*store, "a", token, task_fact("")).mine);
  EXPECT_EQ(head_of(*store, "a"), 311u);
  EXPECT_GT(store->reconnects(), 0u);
}

TEST(PostgresFailures, BackendsThatAreEndedCostNoCall) {
  Place place;
  const auto store = opened(place.url);
  const std::uint64_t token = started(*store, "a");
  for (int i = 0; i < 50; ++i) {
    place.server.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'ptcvm'");
    EXPECT_TRUE(put_one(*store, "a", token, task_fact("")).mine);
  }
  EXPECT_EQ(head_of(*store, "a"), 51u);
}

TEST(PostgresFailures, AServerThatTakesNoWritesLosesNothing) {
  Place place;
  const auto store = opened(place.url);
  const std::uint64_t token = started(*store, "a");
  const Fact fact = task_fact("t");
  place.server.run("ALTER DATABASE store SET default_transaction_read_only = on");
  place.server.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'ptcvm'");
  const auto refused = store->put("a", Cut::blind(token), {&fact, 1});
  EXPECT_FALSE(error_of(refused).empty());
  place.server.run("ALTER DATABASE store RESET default_transaction_read_only");
  place.server.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'ptcvm'");
  EXPECT_EQ(taken(opened(place.url)->read("a", 0, 9)).size(), 1u) << "and the store can be read and written again";
}

}   // namespace
}   // namespace ptc
