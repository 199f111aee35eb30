// The store in PostgreSQL: what every store must do, and what this one does besides.
#include "runtime/log/postgres/postgres_store.h"

#include <libpq-fe.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <tuple>

#include "runtime/log/postgres/postgres_jobs.h"
#include "runtime/log/postgres/postgres_schema.h"
#include "runtime/log/memory_store.h"
#include "runtime/log/run_queue.h"
#include "tests/store/conformance.h"
#include "tests/store/queue_conformance.h"
#include "tests/store/queue_steps.h"
#include "tests/store/store_facts.h"
#include "tests/support/postgres_server.h"

namespace ptc {
namespace {

test::PostgresServer& server() {
  static test::PostgresServer one;
  return one;
}

const std::string& migrated_url() {
  static const std::string url = [] {
    const std::string fresh = server().new_database("store");
    EXPECT_EQ(taken(migrate_postgres(fresh)), 0);
    return fresh;
  }();
  return url;
}

void empty_store() {
  server().run(
      "TRUNCATE ptcvm.dependent, ptcvm.schedule, ptcvm.run, ptcvm.fact, ptcvm.open_call, ptcvm.parked, "
      "ptcvm.waiting, ptcvm.node, ptcvm.queue, ptcvm.job RESTART IDENTITY",
      "store");
}

std::unique_ptr<PostgresStore> opened(PostgresClock clock, const std::string& url = migrated_url()) {
  PostgresOptions options;
  options.clock = clock;
  auto store = PostgresStore::open(url, options);
  if (auto* good = std::get_if<std::unique_ptr<PostgresStore>>(&store)) return std::move(*good);
  ADD_FAILURE() << std::get<StoreError>(store).message;
  return nullptr;
}

std::unique_ptr<PostgresStore> fresh_store(PostgresClock clock = PostgresClock::Caller) {
  auto out = opened(clock);
  empty_store();
  return out;
}

[[maybe_unused]] const bool kConforms = store_conformance("Postgres", [] { return fresh_store(); });

[[maybe_unused]] const bool kQueueConforms = queue_conformance("PostgresQueue", [] { return fresh_store(); });

TEST(PostgresQueues, AnswerAsTheStoreInMemoryDoes) {
  for (unsigned seed = 101; seed <= 110; ++seed) {
    MemoryStore memory;
    compare_queues(memory, *fresh_store(), seed, 300);
    if (testing::Test::HasFailure()) return;
  }
}

// The fact of an answer has the time of another machine, whose clock may be days off.
TEST(PostgresQueues, WakeByTheClockOfTheDatabase) {
  constexpr std::int64_t kDay = 86'400'000;
  for (const std::int64_t ahead : {-2 * kDay, 2 * kDay}) {
    const auto store = fresh_store(PostgresClock::Database);
    enqueued(*store, job_of("a"));
    const ClaimedRun run = claims(*store, joined(*store)).at(0);
    EXPECT_TRUE(is_parked(*store, "a", run.token, waiting_for({"k"}, 1)));
    EXPECT_TRUE(finished(*store, run));
    Fact answer = outside_fact("k");
    answer.time_ms = taken(store->queue()->time(0)) + ahead;
    put_one(*store, "a", 0, answer);
    EXPECT_LT(std::abs(row_of(*store, "a").at_ms - taken(store->queue()->time(0))), kDay);
    const auto again = claims(*store, joined(*store)).at(0);
    ASSERT_TRUE(again.wake_ms);
    EXPECT_LT(*again.wake_ms, kDay);
  }
}

TEST(PostgresSchema, IsMadeOnceAndCheckedWhenOpened) {
  const std::string url = server().new_database("fresh");
  const auto without = PostgresStore::open(url);
  EXPECT_EQ(error_of(without), "store_version");
  EXPECT_NE(std::get<StoreError>(without).message.find("ptcvm store migrate"), std::string::npos);
  EXPECT_EQ(taken(migrate_postgres(url)), 0);
  EXPECT_EQ(taken(migrate_postgres(url)), kPostgresStoreVersion) << "again";
  put_one(*opened(PostgresClock::Database, url), "a", 0, outside_fact("k"));
  EXPECT_EQ(taken(migrate_postgres(url)), kPostgresStoreVersion);
  EXPECT_EQ(head_of(*opened(PostgresClock::Database, url), "a"), 1u) << "facts stay";
  server().run("UPDATE ptcvm.meta SET version = 99", "fresh");
  EXPECT_EQ(error_of(PostgresStore::open(url)), "store_version");
  EXPECT_EQ(error_of(migrate_postgres(url)), "store_version") << "never backwards";
}

// Makes the tables what they were in version 7, except that bodies of facts stay compact.
constexpr char kToVersionSeven[] =
    "ALTER TABLE ptcvm.fact ALTER op TYPE uuid USING gen_random_uuid(); "
    "ALTER TABLE ptcvm.parked ALTER op TYPE uuid USING gen_random_uuid(); "
    "UPDATE ptcvm.waiting w SET keys = p.wait_keys FROM ptcvm.parked p WHERE p.run = w.run AND w.keys IS NULL; "
    "ALTER TABLE ptcvm.job DROP CONSTRAINT job_pkey, ADD UNIQUE (run), ALTER op TYPE uuid USING gen_random_uuid(), "
    "ADD COLUMN id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY; "
    "UPDATE ptcvm.dependent d SET job = j.id FROM ptcvm.job j WHERE j.run = d.job; "
    "DROP INDEX ptcvm.job_ready; CREATE INDEX job_ready ON ptcvm.job (queue, priority, pass, id) WHERE state = 0; "
    "CREATE TABLE ptcvm.wait_key (run bigint, key bytea, PRIMARY KEY (run, key)); "
    "INSERT INTO ptcvm.wait_key SELECT run, unnest(keys) FROM ptcvm.waiting; "
    "ALTER TABLE ptcvm.waiting DROP COLUMN keys, ADD CONSTRAINT waiting_since_key UNIQUE (since); "
    "DROP INDEX ptcvm.job_rest, ptcvm.fact_notable; CREATE INDEX job_state ON ptcvm.job (state, id); "
    "CREATE INDEX fact_notable ON ptcvm.fact (run, seq) WHERE rank > 0; UPDATE ptcvm.meta SET version = 7";

// Version 7 had the keys of runs that wait in a table of their own.
TEST(PostgresSchema, OfVersionSevenIsMigrated) {
  const std::string url = server().new_database("version_7");
  taken(migrate_postgres(url));
  const auto before = opened(PostgresClock::Database, url);
  EXPECT_TRUE(is_parked(*before, "b", started(*before, "b"), waiting_for({"j", "k"}, 1)));
  server().run(kToVersionSeven, "version_7");
  EXPECT_EQ(error_of(PostgresStore::open(url)), "store_version");
  EXPECT_EQ(taken(migrate_postgres(url)), 7);
  const auto store = opened(PostgresClock::Database, url);
  put_one(*store, "b", 0, outside_fact("k"));
  EXPECT_EQ(taken(store->woken(kStoreNow, 9)), std::vector<std::string>{"b"});
  EXPECT_EQ(taken(store->read_notable("b", 0, 9)).size(), 2u) << "the first fact, and the other one";
}

// Version 1 had no queues.
TEST(PostgresSchema, OfVersionOneIsMigrated) {
  const std::string url = server().new_database("version_1");
  taken(migrate_postgres(url));
  put_one(*opened(PostgresClock::Database, url), "a", 0, outside_fact("k"));
  server().run(kToVersionSeven, "version_1");
  server().run("DROP TABLE ptcvm.node, ptcvm.queue, ptcvm.job, ptcvm.dependent, ptcvm.schedule CASCADE; "
               "UPDATE ptcvm.meta SET version = 1", "version_1");
  EXPECT_EQ(error_of(PostgresStore::open(url)), "store_version");
  EXPECT_EQ(taken(migrate_postgres(url)), 1);
  const auto store = opened(PostgresClock::Database, url);
  EXPECT_EQ(head_of(*store, "a"), 1u);
  EXPECT_TRUE(taken(store->queue()->queues()).empty());
}

// Version 2 had no order of jobs and no schedules; its jobs stay.
TEST(PostgresSchema, OfVersionTwoIsMigrated) {
  const std::string url = server().new_database("version_2");
  taken(migrate_postgres(url));
  Job job;
  job.log = "a";
  job.start = start_fact();
  taken(opened(PostgresClock::Database, url)->queue()->enqueue({&job, 1}, 0));
  server().run(kToVersionSeven, "version_2");
  server().run("DROP TABLE ptcvm.dependent, ptcvm.schedule CASCADE; DROP INDEX ptcvm.job_over; "
               "ALTER TABLE ptcvm.job DROP COLUMN blockers CASCADE; UPDATE ptcvm.meta SET version = 2", "version_2");
  EXPECT_EQ(taken(migrate_postgres(url)), 2);
  const auto store = opened(PostgresClock::Database, url);
  EXPECT_EQ(taken(store->queue()->job("a"))->blockers, 0);
  EXPECT_TRUE(taken(store->queue()->schedules()).empty());
}

TEST(PostgresSchema, IsWhatTheScriptSays) {
  const std::string url = server().new_database("by_script");
  server().run(postgres_sql(), "by_script");
  EXPECT_TRUE(put_one(*opened(PostgresClock::Database, url), "a", 0, outside_fact("k")).mine);
}

TEST(PostgresSchema, IsMadeByOneOfTwoAtOnce) {
  const std::string url = server().new_database("twice");
  std::thread other([&] { taken(migrate_postgres(url)); });
  taken(migrate_postgres(url));
  other.join();
  EXPECT_TRUE(put_one(*opened(PostgresClock::Database, url), "a", 0, outside_fact("k")).mine);
}

TEST(PostgresSchema, AWorkerNeedsNoRightToTheTables) {
  const std::string url = server().new_database("rights");
  taken(migrate_postgres(url));
  server().run("CREATE ROLE worker LOGIN; GRANT USAGE ON SCHEMA ptcvm TO worker", "rights");
  EXPECT_EQ(error_of(PostgresStore::open(server().url("rights", "worker"))), "store_io") << "no right to call yet";
  server().run("GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ptcvm TO worker", "rights");
  const auto store = opened(PostgresClock::Database, server().url("rights", "worker"));
  ASSERT_NE(store, nullptr);
  const std::uint64_t token = started(*store, "a");
  EXPECT_TRUE(is_parked(*store, "a", token, waiting_for({"k"}, 1)));
  put_one(*store, "a", 0, outside_fact("k"));
  EXPECT_EQ(taken(store->woken(kStoreNow, 9)).size(), 1u);
}

TEST(PostgresSchema, AServerThatLosesCommitsIsRefused) {
  const auto found = taken(examine_postgres(migrated_url()));   // the server of these tests has fsync=off
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].is_refused);
  EXPECT_NE(found[0].message.find("fsync"), std::string::npos);
}

TEST(PostgresClaims, GoByTheClockOfTheDatabase) {
  const auto store = fresh_store(PostgresClock::Database);
  const Claim held = taken(store->claim("a", "one", 0, 60'000));
  EXPECT_TRUE(held.granted);
  EXPECT_GT(held.until_ms, kStoreNow) << "the caller's clock says 1970";
  const Claim early = taken(store->claim("a", "two", held.until_ms + 86'400'000, 60'000));
  EXPECT_FALSE(early.granted) << "a clock that is a day ahead steals nothing";
  EXPECT_TRUE(taken(store->renew("a", held.token, 0, 120'000)));
  EXPECT_EQ((taken(store->claim("a", "two", 0, 1)).until_ms - held.until_ms) / 60'000, 1) << "a minute or more";
  Parked run = waiting_for({}, 1);
  run.deadline_ms = kStoreNow;
  EXPECT_TRUE(is_parked(*store, "b", started(*store, "b"), run));
  EXPECT_EQ(taken(store->woken(0, 9)), std::vector<std::string>{"b"});
}

TEST(PostgresClaims, ATokenThatIsGivenAgainDoesNotFool) {
  const auto zombie = fresh_store(), other = opened(PostgresClock::Caller);
  const std::uint64_t token = started(*zombie, "a");
  // An asynchronous standby takes over and has not seen the claim: the same token goes to somebody else.
  server().run("UPDATE ptcvm.run SET token = token - 1, owner = '', nonce = NULL", "store");
  EXPECT_EQ(claimed(*other, "a"), token);
  const Fact effect = task_fact("t");
  EXPECT_EQ(error_of(zombie->put("a", Cut::blind(token), {&effect, 1})), "store_fenced");
  EXPECT_FALSE(taken(zombie->renew("a", token, kStoreNow, 1)));
  EXPECT_FALSE(taken(zombie->release("a", token)));
  EXPECT_TRUE(put_one(*other, "a", token, effect).mine);
}

// A connection of a host, with a transaction of its own.
class HostConnection {
 public:
  HostConnection() : connection_(PQconnectdb(migrated_url().c_str()), &PQfinish) { run("BEGIN"); }
  bool run(const std::string& sql) {   // false: the server did not do it
    const std::unique_ptr<PGresult, decltype(&PQclear)> out(PQexec(connection_.get(), sql.c_str()), &PQclear);
    return PQresultStatus(out.get()) != PGRES_FATAL_ERROR;
  }
  StoreResult<std::vector<Enqueued>> enqueue(const std::string& log, const std::string& tenant = "") {
    Job job;
    job.log = log;
    job.tenant = tenant;
    job.start = start_fact();
    return enqueue_on(connection_.get(), {&job, 1});
  }

 private:
  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
};

TEST(PostgresEnqueue, IsPartOfTheTransactionOfTheHost) {
  const auto store = fresh_store();
  {
    HostConnection host;
    EXPECT_TRUE(taken(host.enqueue("a"))[0].is_new);
    EXPECT_FALSE(taken(host.enqueue("a"))[0].is_new);
    EXPECT_FALSE(taken(store->queue()->job("a"))) << "nobody sees it before the commit";
    host.run("ROLLBACK");
  }
  EXPECT_FALSE(taken(store->queue()->job("a")));
  EXPECT_EQ(head_of(*store, "a"), 0u);
  HostConnection host;
  EXPECT_TRUE(taken(host.enqueue("a", "one"))[0].is_new);
  EXPECT_EQ(error_of(host.enqueue("a", "two")), "store_wrong_tenant");
  EXPECT_TRUE(taken(host.enqueue("b", "two"))[0].is_new) << "a refusal leaves the transaction as it was";
  host.run("COMMIT");
  EXPECT_EQ(taken(store->queue()->job("a"))->tenant, "one");
  EXPECT_TRUE(taken(store->queue()->job("b")));
  EXPECT_EQ(head_of(*store, "b"), 1u);
}

// Two transactions do not see each other's jobs. They wait when one makes a run and the other one a part of it.
TEST(PostgresEnqueue, ARunAndItsPartAreNotMadeByTwoTenantsAtOnce) {
  const auto store = fresh_store();
  for (const bool part_first : {true, false}) {
    for (const bool is_kept : {true, false}) {
      const std::string run = std::string(part_first ? "p" : "r") + (is_kept ? "1" : "2"), part = run + "/a/b";
      HostConnection host;
      EXPECT_TRUE(taken(host.enqueue(part_first ? part : run, "one"))[0].is_new);
      EXPECT_TRUE(taken(host.enqueue(run + "/c", "one"))[0].is_new);
      std::atomic<bool> has_answered{false};
      std::thread other([&] {
        const Job job = job_of(part_first ? run : part, "two");
        const auto answer = store->queue()->enqueue({&job, 1}, kStoreNow);
        has_answered = true;
        EXPECT_EQ(is_kept ? error_of(answer) : taken(answer)[0].is_new ? "new" : "old",
                  is_kept ? "store_wrong_tenant" : "new") << job.log;
      });
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      EXPECT_FALSE(has_answered) << run;
      EXPECT_TRUE(!part_first || taken(host.enqueue(run + "/d", "one"))[0].is_new) << "it waits for nobody";
      host.run(is_kept ? "COMMIT" : "ROLLBACK");
      other.join();
    }
  }
}

TEST(PostgresEnqueue, PartsOfOneRunDoNotWaitForEachOther) {
  const auto store = fresh_store();
  HostConnection one, two, first;
  EXPECT_TRUE(taken(first.enqueue("first"))[0].is_new);
  first.run("COMMIT");   // it made the queue, for which others would wait
  EXPECT_TRUE(taken(one.enqueue("order/1"))[0].is_new);
  EXPECT_TRUE(taken(two.enqueue("order/2"))[0].is_new);
  EXPECT_TRUE(taken(one.enqueue("order/3"))[0].is_new);
  EXPECT_TRUE(enqueued(*store, job_of("order/4")));
  one.run("COMMIT"), two.run("COMMIT");
  EXPECT_TRUE(enqueued(*store, job_of("order")));
}

TEST(PostgresEnqueue, TakesAProgramAsText) {
  const auto store = fresh_store();
  server().run("BEGIN; SELECT ptcvm.enqueue_program('gone', '1'); ROLLBACK; "
               "SELECT ptcvm.enqueue_program('b\"\\é', '(tool/mail {})', tenant => 't', data_edn => '{\"n\" 1}', "
               "needs => array['mail'], delay => interval '1 day', priority => -2)", "store");
  EXPECT_FALSE(taken(store->queue()->job("gone")));
  const auto job = taken(store->queue()->job("b\"\\é"));
  ASSERT_TRUE(job);
  EXPECT_EQ(job->needs, std::vector<std::string>{"mail"});
  EXPECT_EQ(std::tuple(job->tenant, job->priority, job->state), std::tuple("t", -2, JobState::Timer));
  const auto facts = taken(store->read("b\"\\é", 0, 9));
  ASSERT_EQ(facts.size(), 1u);
  EXPECT_EQ(facts[0].kind, FactKind::RunStarted);
  EXPECT_EQ(facts[0].text, "(tool/mail {})");
  EXPECT_EQ(facts[0].value, "{\"n\" 1}");
}

TEST(PostgresEnqueue, TakesNoProgramThatTheCommandWouldRefuse) {
  const auto store = fresh_store();
  HostConnection host;
  host.run("COMMIT");
  for (const std::string arguments : {"'ptcvm/evil', '1'", "'a', '1', needs => array['']", "'a', '1', attempts => 0",
                                      "'a', '1', needs => array[repeat('n', 201)]"}) {
    EXPECT_FALSE(host.run("SELECT ptcvm.enqueue_program(" + arguments + ")")) << arguments;
  }
  EXPECT_TRUE(host.run("SELECT ptcvm.enqueue_program('ptcvm', '1')"));
  EXPECT_EQ(taken(store->queue()->jobs(JobState::Ready, 0, 9)).size(), 1u);
}

// A large snapshot is a large object while it is written, and nothing afterwards.
void expect_no_objects() {
  server().run("DO $$ BEGIN ASSERT (SELECT count(*) = 0 FROM pg_largeobject_metadata); END $$", "store");
}

TEST(PostgresSnapshots, OfAnySizeComeBackAsTheyWere) {
  const auto store = fresh_store();
  const std::uint64_t token = started(*store, "a");
  constexpr std::size_t kPiece = 128 << 10, kLarge = 1 << 20;
  for (const std::size_t size : {std::size_t{0}, kPiece - 1, kPiece, kPiece + 1, kLarge - 1, kLarge, kLarge + 1,
                                 2 * kLarge + 5}) {
    Parked run = waiting_for({"k", "l"}, 1);
    run.deadline_ms = kStoreNow + 1;
    run.snapshot.resize(size);
    for (std::size_t i = 0; i < size; ++i) run.snapshot[i] = static_cast<std::uint8_t>(i * 31 + i / 251);
    EXPECT_TRUE(is_parked(*store, "a", token, run));
    const auto back = taken(store->parked("a"));
    ASSERT_TRUE(back);
    EXPECT_TRUE(back->snapshot == run.snapshot) << size;
    EXPECT_EQ(std::tie(back->continuation, back->deadline_ms, back->observed_seq, back->wait_keys),
              std::tie(run.continuation, run.deadline_ms, run.observed_seq, run.wait_keys));
  }
  EXPECT_FALSE(taken(store->parked("b")));
  expect_no_objects();
}

TEST(PostgresSnapshots, ThatAreLargeAndRefusedLeaveNothing) {
  const auto store = fresh_store();
  const std::uint64_t token = started(*store, "a");
  Parked run = waiting_for({"k"}, 1);
  run.snapshot.resize(2 << 20, 7);
  run.observed_seq = 99;
  EXPECT_EQ(error_of(store->park("a", {token, 99}, {}, run)), "store_misuse");
  run.observed_seq = 1;
  server().run("ALTER TABLE ptcvm.parked ADD CONSTRAINT small CHECK (length(snapshot) < 1000)", "store");
  EXPECT_EQ(error_of(store->park("a", {token, 1}, {}, run)), "store_io") << "the transaction is taken back";
  server().run("ALTER TABLE ptcvm.parked DROP CONSTRAINT small", "store");
  EXPECT_FALSE(taken(store->parked("a")));
  expect_no_objects();
  EXPECT_TRUE(is_parked(*store, "a", token, run)) << "over the same connection";
}

TEST(PostgresLimits, LongIdsAreRefusedByName) {
  const auto store = fresh_store();
  const std::string longest(kMaxPostgresLogBytes, 'i');
  EXPECT_TRUE(put_one(*store, longest, 0, outside_fact("k")).mine);
  const Fact fact = outside_fact("k");
  const auto refused = store->put(longest + "i", Cut::blind(), {&fact, 1});
  EXPECT_EQ(error_of(refused), "store_misuse");
  EXPECT_NE(std::get<StoreError>(refused).message.find("2001 bytes"), std::string::npos);
}

TEST(PostgresFailures, NoServerIsNamed) {
  const auto refused = PostgresStore::open("postgresql://ptc@/x?host=/nowhere");
  EXPECT_EQ(error_of(refused), "store_io");
  EXPECT_NE(std::get<StoreError>(refused).message.find("/nowhere"), std::string::npos);
}

}   // namespace
}   // namespace ptc
