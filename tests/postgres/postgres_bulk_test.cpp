// Many jobs in one call, which PostgreSQL takes in another way than a few (bulk_functions.sql).
#include <gtest/gtest.h>
#include <libpq-fe.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "runtime/log/memory_store.h"
#include "runtime/log/postgres/postgres_schema.h"
#include "runtime/log/postgres/postgres_store.h"
#include "runtime/log/run_queue.h"
#include "tests/store/queue_steps.h"
#include "tests/store/store_facts.h"
#include "tests/support/postgres_server.h"

namespace ptc {
namespace {

constexpr int kMany = 150;   // more than the database looks at one by one

class PostgresBulk : public testing::Test {
 protected:
  PostgresBulk() : database_("bulk" + std::to_string(++made_)), url_(server().new_database(database_)) {
    taken(migrate_postgres(url_));
    PostgresOptions options;
    options.clock = PostgresClock::Caller;
    store_ = std::get<std::unique_ptr<PostgresStore>>(PostgresStore::open(url_, options));
  }
  static test::PostgresServer& server() {
    static test::PostgresServer one;
    return one;
  }
  PostgresStore& store() { return *store_; }
  const std::string& url() const { return url_; }
  void empty() { server().run("TRUNCATE ptcvm.run, ptcvm.job, ptcvm.fact", database_); }

 private:
  static inline int made_ = 0;
  std::string database_, url_;
  std::unique_ptr<PostgresStore> store_;
};

std::vector<Job> many(const std::string& beginning, const std::string& tenant) {
  std::vector<Job> out;
  for (int i = 0; i < kMany; ++i) out.push_back(job_of(beginning + std::to_string(i), tenant));
  return out;
}

std::string refusal(FactStore& store, const std::vector<Job>& jobs) {
  const auto out = store.queue()->enqueue(jobs, kStoreNow);
  const auto* const error = std::get_if<StoreError>(&out);
  return error == nullptr ? "" : std::string(store_error_name(error->kind));
}

std::string shown(const JobRow& job) {
  std::string out = job.log + ' ' + job.queue + ' ' + std::string(job_state_name(job.state)) + " pass " +
                    std::to_string(job.pass) + " at " + std::to_string(job.at_ms) + " p" +
                    std::to_string(job.priority) + " b" + std::to_string(job.blockers);
  for (const std::string& need : job.needs) out += " +" + need;
  return out;
}

// Some are there, some come twice, some wait, some have tools or another queue, and some come after others.
std::vector<Job> mixed(int call) {
  std::vector<Job> out;
  for (int i = 0; i < kMany; ++i) {
    Job job = job_of("j" + std::to_string((i * 7 + call * 31) % 210));
    job.priority = i % 3;
    if (i % 11 == 0) job.delay_ms = 60'000;
    if (i % 13 == 0) job.queue = "other";
    if (i % 5 == 0) job.needs = {"mail", "pay" + std::to_string(i)};
    if (call == 2 && i % 17 == 1) job.after = {"j31"};
    out.push_back(std::move(job));
  }
  for (int i = 0; i < kMany; i += 10) out.push_back(out[static_cast<std::size_t>(i)]);
  return out;
}

TEST_F(PostgresBulk, AnswersAndWritesWhatMemoryDoes) {
  MemoryStore memory;
  for (int call = 0; call < 4; ++call) {
    const std::vector<Job> jobs = mixed(call);
    std::string ours, theirs;
    for (const Enqueued& one : taken(store().queue()->enqueue(jobs, kStoreNow + call))) ours += one.is_new ? 'n' : '-';
    for (const Enqueued& one : taken(memory.queue()->enqueue(jobs, kStoreNow + call))) theirs += one.is_new ? 'n' : '-';
    EXPECT_EQ(ours, theirs) << call;
  }
  for (int i = 0; i < 210; ++i) {
    const std::string log = "j" + std::to_string(i);
    const auto ours = taken(store().queue()->job(log)), theirs = taken(memory.queue()->job(log));
    ASSERT_EQ(ours.has_value(), theirs.has_value()) << log;
    if (!ours) continue;
    EXPECT_EQ(shown(*ours), shown(*theirs));
    EXPECT_EQ(head_of(store(), log), head_of(memory, log)) << log;
  }
}

TEST_F(PostgresBulk, HasNoPartOfAnotherTenant) {
  const std::vector<Job> jobs = many("a", "one");
  for (const char* part : {"a7/x", "a7/", "a99/x/y"}) {
    EXPECT_TRUE(enqueued(store(), job_of(part, "two")));
    EXPECT_EQ(refusal(store(), jobs), "store_wrong_tenant") << part;
    EXPECT_FALSE(taken(store().queue()->job("a0"))) << "all or none";
    empty();
  }
  for (const char* other : {"a!/x", "b7/x", "a", "a7-/x"}) {
    EXPECT_TRUE(enqueued(store(), job_of(other, "two"))) << other;
  }
  EXPECT_EQ(refusal(store(), jobs), "");
}

// An id that is the beginning of another one, with a byte below "/" between them.
TEST_F(PostgresBulk, LooksBehindTheLastId) {
  std::vector<Job> jobs = many("a!", "one");
  jobs.push_back(job_of("a", "one"));
  EXPECT_TRUE(enqueued(store(), job_of("a/x", "two")));
  EXPECT_EQ(refusal(store(), jobs), "store_wrong_tenant");
}

// More ids of others between than the one look takes.
TEST_F(PostgresBulk, FindsAPartAmongManyOthers) {
  for (const char* beginning : {"b-", "b.", "b/"}) EXPECT_EQ(refusal(store(), many(beginning, "two")), "");
  std::vector<Job> jobs = many("c", "one");
  EXPECT_EQ(refusal(store(), jobs), "");
  jobs = many("a", "one");
  jobs.push_back(job_of("b", "one"));
  EXPECT_EQ(refusal(store(), jobs), "store_wrong_tenant");
}

TEST_F(PostgresBulk, WaitsForATransactionThatMakesAPart) {
  for (const bool is_kept : {true, false}) {
    const std::unique_ptr<PGconn, decltype(&PQfinish)> host(PQconnectdb(url().c_str()), &PQfinish);
    const std::string beginning = is_kept ? "k" : "r";
    for (const std::string& sql : {std::string("BEGIN"), "SELECT ptcvm.enqueue_program('" + beginning +
                                                             "9/x', '1', queue => 'q', tenant => 'two')"}) {
      const std::unique_ptr<PGresult, decltype(&PQclear)> out(PQexec(host.get(), sql.c_str()), &PQclear);
      ASSERT_NE(PQresultStatus(out.get()), PGRES_FATAL_ERROR) << PQresultErrorMessage(out.get());
    }
    std::atomic<bool> has_answered{false};
    std::thread other([&] {
      const std::string said = refusal(store(), many(beginning, "one"));
      has_answered = true;
      EXPECT_EQ(said, is_kept ? "store_wrong_tenant" : "");
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    EXPECT_FALSE(has_answered);
    PQclear(PQexec(host.get(), is_kept ? "COMMIT" : "ROLLBACK"));
    other.join();
  }
}

}   // namespace
}   // namespace ptc
