// Sealed logs in queues of PostgreSQL: jobs, claims, orders to cancel, schedules, and runs that arrive.
#include <gtest/gtest.h>

#include "runtime/log/run_move.h"
#include "tests/postgres/sealed_postgres.h"
#include "tests/store/queue_conformance.h"

namespace ptc {
namespace {

[[maybe_unused]] const bool kSealedQueueConforms =
    queue_conformance("SealedPostgresQueue", [] { return open_empty(sealer(ring())); }, EndsJobs::InTwoCalls);

class PostgresSealedQueue : public PostgresSeal {
 protected:
  void SetUp() override { open_empty(with_); }
  static Job job_of(std::string log, std::string tenant = "acme") {
    Job out;
    out.log = std::move(log);
    out.tenant = std::move(tenant);
    out.start = start_fact();
    return out;
  }
  static NodeRow joined(PostgresStore& store) {
    NodeInfo info;
    info.name = info.owner = "tester";
    info.format = 99;
    info.lease_ms = kStoreLease;
    return taken(store.queue()->join(info, kStoreNow));
  }
  static std::vector<ClaimedRun> claim_by(PostgresStore& store, std::size_t most = 9) {
    return taken(store.queue()->claim_next(joined(store).id, "default", {}, most, kStoreNow));
  }
};

TEST_F(PostgresSealedQueue, RunsOfAnyTenantAreClaimedAndCancelled) {
  const auto store = open_with(with_);
  const std::vector<Job> jobs{job_of("a"), job_of("b", "umbrella"), job_of("c", "")};
  taken(store->queue()->enqueue(jobs, kStoreNow));
  const auto runs = claim_by(*store);
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_TRUE(taken(open_with(with_)->queue()->cancel("b", "umbrella", "why", "me", kStoreNow)));
  for (const ClaimedRun& run : runs) {
    EXPECT_EQ(taken(store->read(run.log, 0, 9)).size(), run.log == "b" ? 2u : 1u);
    put_one(*store, run.log, run.token, task_fact("task/one#1"));
  }
  EXPECT_EQ(claim_of("a", with_), "");
  EXPECT_EQ(claim_of("b", with_), "wrong_tenant");
  EXPECT_EQ(claim_of("b", sealer(keys_, "umbrella")), "");
}

TEST_F(PostgresSealedQueue, ARunThatGotAnotherTenantIsRefused) {
  const auto store = open_with(with_);
  taken(store->queue()->enqueue(std::vector<Job>{job_of("a")}, kStoreNow));
  change("UPDATE ptcvm.job SET tenant = 'umbrella'");
  ASSERT_EQ(claim_by(*store).size(), 1u);
  EXPECT_EQ(refusal_of(store->read("a", 0, 9)), "wrong_tenant");
}

// Without a ring, a claim brings what opening the run reads. With one, it is read and checked.
TEST_F(PostgresSealedQueue, AClaimBringsNothingThatWasNotChecked) {
  taken(open_with(with_)->queue()->enqueue(std::vector<Job>{job_of("a"), job_of("b")}, kStoreNow));
  taken(open_with(with_)->queue()->enqueue(std::vector<Job>{job_of("c")}, kStoreNow));
  change("UPDATE ptcvm.fact SET body = '\\x0011' WHERE run = 2");
  const auto store = open_with(with_);
  const auto runs = claim_by(*store);
  ASSERT_EQ(runs.size(), 3u);
  for (const ClaimedRun& run : runs) {
    EXPECT_FALSE(run.opening) << run.log;
    EXPECT_EQ(refusal_of(store->opening(run.log)), run.log == "b" ? "fact_changed" : "") << run.log;
  }
  taken(open_with(nullptr)->queue()->enqueue(std::vector<Job>{job_of("d")}, kStoreNow));
  const auto plain = claim_by(*open_with(nullptr));
  ASSERT_EQ(plain.size(), 1u);
  EXPECT_TRUE(plain[0].opening);
}

TEST_F(PostgresSealedQueue, OpeningReadsWhatTheLogHas) {
  const auto store = open_with(with_);
  fill(*store);
  const std::uint64_t token = claimed(*store, "a");
  const Opening found = taken(store->opening("a"));
  EXPECT_EQ(found.head, 7u);
  ASSERT_EQ(found.open_calls.size(), 1u);
  EXPECT_EQ(found.open_calls[0].idempotency_key, "y");
  ASSERT_TRUE(found.parked);
  EXPECT_EQ(found.parked->snapshot, (std::vector<std::uint8_t>{1, 2, 3}));
  EXPECT_EQ(found.notable.size(), taken(store->read_notable("a", 0, 99)).size());
  EXPECT_TRUE(found.later.empty());
  put_one(*open_with(with_), "a", 0, outside_fact("external/late#1"));
  put_one(*store, "a", token, task_fact("task/two#1"));
  EXPECT_EQ(taken(store->opening("a")).head, 9u);
  EXPECT_EQ(taken(store->opening("none")).head, 0u);
}

TEST_F(PostgresSealedQueue, OneWithoutARingLeavesSealedRunsAlone) {
  const auto with = open_with(with_), without = open_with(nullptr);
  taken(with->queue()->enqueue(std::vector<Job>{job_of("a")}, kStoreNow));
  EXPECT_TRUE(claim_by(*without).empty());
  EXPECT_EQ(refusal_of(without->queue()->cancel("a", "acme", "why", "me", kStoreNow)), "keys_needed");
  EXPECT_FALSE(taken(without->queue()->enqueue(std::vector<Job>{job_of("a")}, kStoreNow)).at(0).is_new);
  EXPECT_EQ(claim_by(*with).size(), 1u);
}

TEST_F(PostgresSealedQueue, WhatWasEnqueuedWithoutARingIsRefused) {
  taken(open_with(nullptr)->queue()->enqueue(std::vector<Job>{job_of("a")}, kStoreNow));
  change("SELECT ptcvm.enqueue_program('b', '(+ 1 2)', tenant => 'acme')");
  const auto store = open_with(with_);
  const auto runs = claim_by(*store);
  ASSERT_EQ(runs.size(), 2u);
  for (const ClaimedRun& run : runs) EXPECT_EQ(refusal_of(store->read(run.log, 0, 9)), "not_sealed") << run.log;
  EXPECT_EQ(refusal_of(store->queue()->cancel("a", "acme", "why", "me", kStoreNow)), "not_sealed");
}

TEST_F(PostgresSealedQueue, ACancelMeetsAnotherWriter) {
  const auto store = open_with(with_), other = open_with(with_);
  taken(store->queue()->enqueue(std::vector<Job>{job_of("a")}, kStoreNow));
  taken(store->read("a", 0, 9));
  put_one(*other, "a", 0, outside_fact("external/late#1"));
  EXPECT_TRUE(taken(store->queue()->cancel("a", "acme", "why", "me", kStoreNow)));
  EXPECT_FALSE(taken(store->queue()->cancel("a", "acme", "why", "me", kStoreNow)));
  EXPECT_EQ(claim_of("a", with_), "");
}

// A worker remembers the run that was pruned, and goes on with the new one of that id.
TEST_F(PostgresSealedQueue, AnIdThatWasPrunedCanBeEnqueuedAgain) {
  const auto store = open_with(with_);
  Job job = job_of("a");
  taken(store->queue()->enqueue({&job, 1}, kStoreNow));
  const auto first = claim_by(*store);
  ASSERT_EQ(first.size(), 1u);
  put_one(*store, "a", first[0].token, task_fact("task/one#1"));
  taken(store->ended("a", Cut::blind(first[0].token), {}));
  EXPECT_TRUE(taken(store->queue()->finish("a", first[0].token, {Finish::Kind::Over, 0, {}}, kStoreNow)));
  EXPECT_EQ(taken(open_with(with_)->queue()->prune(0, false, 9, kStoreNow + 1)).size(), 1u);
  job.start.time_ms = kStoreNow + 2;
  taken(open_with(with_)->queue()->enqueue({&job, 1}, kStoreNow + 2));
  const auto again = claim_by(*store);
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(taken(store->read("a", 0, 9)).size(), 1u);
  put_one(*store, "a", again[0].token, task_fact("task/one#1"));
}

// A schedule is sealed, too: else a worker would seal a program that somebody put into its row.
TEST_F(PostgresSealedQueue, AScheduleThatSomebodyChangedIsRefused) {
  const auto refused = [](const Sealer& with) {
    const auto rows = taken(open_with(with)->queue()->schedules());
    return rows.size() == 1 ? std::string(rows[0].refused) : "no row";
  };
  ScheduleRow row;
  row.name = "daily";
  row.spec = "{}";
  row.next_ms = kStoreNow;
  row.job = job_of("");
  taken(open_with(with_)->queue()->set_schedule(row));
  EXPECT_EQ(refused(with_), "");
  EXPECT_EQ(refused(nullptr), "keys_needed");
  EXPECT_EQ(refused(sealer(ring())), "bad_signature");
  EXPECT_EQ(refusal_of(open_with(nullptr)->queue()->set_schedule(row)), "keys_needed");
  const std::vector<Job> due{job_of("daily/1")};
  EXPECT_TRUE(taken(open_with(with_)->queue()->fire("daily", {kStoreNow, kStoreNow, kStoreNow + 9}, due, kStoreNow)));
  EXPECT_EQ(claim_of("daily/1", with_), "");
  for (const char* const sql : {"spec = '{ }'", "queue = 'x'", "priority = 7", "most_attempts = 1", "needs = '{x}'",
                                "seal = (SELECT seal FROM ptcvm.run LIMIT 1)"}) {
    taken(open_with(with_)->queue()->set_schedule(row));
    change("UPDATE ptcvm.schedule SET " + std::string(sql));
    EXPECT_TRUE(refused(with_) == "schedule_changed" || refused(with_) == "wrong_run") << sql << ' ' << refused(with_);
  }
  taken(open_with(with_)->queue()->set_schedule(row));
  change("UPDATE ptcvm.schedule SET tenant = 'umbrella'");
  EXPECT_EQ(refused(with_), "wrong_tenant");
}

TEST_F(PostgresSealedQueue, ARunThatArrivesIsSealed) {
  Arrival run;
  run.log = "a";
  run.facts = {start_fact(), task_fact("task/one#1")};
  run.state = LogState::Parked;
  run.parked = waiting_for({"k"}, 2);
  run.token = 4;
  EXPECT_TRUE(taken(open_with(with_)->arrive(run, kStoreNow)));
  const auto store = open_with(with_);
  EXPECT_EQ(claimed(*store, "a"), 5u);
  EXPECT_EQ(taken(store->parked("a"))->wait_keys.size(), 1u);
  EXPECT_FALSE(taken(open_with(with_)->arrive(run, kStoreNow))) << "it is there";
}

}  // namespace
}  // namespace ptc
