// Runs that move, forks and copies stay with their tenant.
#include "runtime/durable/run_copy.h"
#include "tests/store/move_steps.h"

namespace ptc {
namespace {

CopyOptions of_ann() { return {"Ann", "here", kStoreNow, std::nullopt, true}; }

std::string move_error(FactStore& from, FactStore& to, std::string_view run) {
  return error_of(move_run(from, to, run, to_there()));
}

std::string enqueue_error(FactStore& store, const Job& job) {
  return error_of(store.queue()->enqueue({&job, 1}, kStoreNow));
}

// Forks.

void a_fork_below_its_run_is_of_its_tenant(FactStore& from, FactStore&) {
  ASSERT_TRUE(enqueued(from, job_of("a", "acme")));
  EXPECT_EQ(taken(fork_run(from, "a", 1, "a/fork", of_ann())), CopyEnd::Done);
  EXPECT_EQ(taken(fork_run(from, "a/fork", 1, "a/fork2", of_ann())), CopyEnd::Done) << "a fork of a part";
}

void a_fork_that_would_leave_its_tenant_is_refused(FactStore& from, FactStore&) {
  ASSERT_TRUE(enqueued(from, job_of("a", "acme")));
  ASSERT_TRUE(enqueued(from, job_of("b", "evil")));
  ASSERT_TRUE(enqueued(from, job_of("free")));
  EXPECT_EQ(taken(fork_run(from, "a", 1, "a/fork", of_ann())), CopyEnd::Done);
  const std::pair<const char*, const char*> refused[] = {
      {"a", "new"}, {"a", "b/fork"}, {"a/fork", "new"}, {"free", "a/x"}, {"a", "free/x"}, {"a", "b"}};
  for (const auto& [run, fork] : refused) {
    EXPECT_EQ(error_of(fork_run(from, run, 1, fork, of_ann())), "store_wrong_tenant") << run << " as " << fork;
    EXPECT_EQ(head_of(from, fork), std::string_view(fork) == "b" ? 1u : 0u) << fork;
  }
  EXPECT_EQ(taken(fork_run(from, "free", 1, "new", of_ann())), CopyEnd::Done);
}

// Moves.

// The job of one tenant does not arrive where `there` is a job of another one.
void does_not_arrive(FactStore& from, FactStore& to, const char* run, const char* there) {
  ASSERT_TRUE(enqueued(from, job_of(run, "acme")));
  ASSERT_TRUE(enqueued(to, job_of(there, "evil")));
  EXPECT_EQ(move_error(from, to, run), "store_wrong_tenant");
  EXPECT_EQ(state_of(from, run), "ready") << "nothing was begun";
  EXPECT_FALSE(taken(to.info(run)));
}

void a_part_does_not_arrive_below_a_run_of_another_tenant(FactStore& from, FactStore& to) {
  does_not_arrive(from, to, "a/part", "a");
}

void a_run_does_not_arrive_above_a_part_of_another_tenant(FactStore& from, FactStore& to) {
  does_not_arrive(from, to, "a", "a/b/c");
}

void a_run_arrives_beside_parts_of_its_tenant(FactStore& from, FactStore& to) {
  ASSERT_TRUE(enqueued(from, job_of("a", "acme")));
  ASSERT_TRUE(enqueued(to, job_of("a/part", "acme")));
  EXPECT_EQ(moved(from, to, "a"), MoveEnd::Done);
  ASSERT_TRUE(enqueued(from, job_of("b/part", "acme")));
  ASSERT_TRUE(enqueued(to, job_of("b", "acme")));
  EXPECT_EQ(moved(from, to, "b/part"), MoveEnd::Done);
}

void a_part_without_a_job_goes_only_to_its_tenant(FactStore& from, FactStore& to) {
  ASSERT_TRUE(enqueued(from, job_of("a", "acme")));
  EXPECT_EQ(taken(fork_run(from, "a", 1, "a/fork", of_ann())), CopyEnd::Done);
  EXPECT_EQ(move_error(from, to, "a/fork"), "store_wrong_tenant");
  EXPECT_EQ(state_in(from, "a/fork"), "running") << "nothing was begun";
  EXPECT_EQ(moved(from, to, "a"), MoveEnd::Done);
  EXPECT_EQ(moved(from, to, "a/fork"), MoveEnd::Done) << "behind its run";
}

// The check of before the move has seen nothing: a store refuses by itself.
void an_arrival_is_refused_in_its_transaction(FactStore&, FactStore& to) {
  ASSERT_TRUE(enqueued(to, job_of("a", "evil")));
  Arrival run;
  run.log = "a/part";
  run.facts.push_back(job_of("a/part").start);
  run.job = JobRow();
  run.job->log = run.log;
  run.job->queue = "q";
  run.job->tenant = "acme";
  run.job->most_attempts = 1;
  EXPECT_EQ(error_of(to.arrive(run, kStoreNow)), "store_wrong_tenant");
  EXPECT_EQ(head_of(to, "a/part"), 0u);
  run.job.reset();
  run.tenant = "acme";
  EXPECT_EQ(error_of(to.arrive(run, kStoreNow)), "store_wrong_tenant") << "a fork";
  EXPECT_EQ(head_of(to, "a/part"), 0u);
  run.tenant = "evil";
  EXPECT_TRUE(taken(to.arrive(run, kStoreNow)));
}

// Copies.

void a_copy_is_of_the_tenant_of_the_run(FactStore& from, FactStore& to) {
  ASSERT_TRUE(enqueued(from, job_of("a", "acme")));
  EXPECT_EQ(taken(fork_run(from, "a", 1, "a/fork", of_ann())), CopyEnd::Done);
  for (const char* const run : {"a/fork", "a"}) {
    EXPECT_EQ(taken(copy_run(from, to, run, of_ann())), CopyEnd::Done);
    EXPECT_EQ(row_of(to, run).tenant, "acme");
    EXPECT_EQ(enqueue_error(to, job_of(run, "evil")), "store_wrong_tenant");
  }
  EXPECT_EQ(enqueue_error(to, job_of("a/part", "evil")), "store_wrong_tenant");
  EXPECT_TRUE(claims(to, joined(to)).empty()) << "no worker gets a copy";
  EXPECT_TRUE(taken(to.queue()->depths()).empty());
  EXPECT_TRUE(taken(to.queue()->queues()).empty());
}

void a_copy_does_not_arrive_at_another_tenant(FactStore& from, FactStore& to) {
  ASSERT_TRUE(enqueued(from, job_of("a/part", "acme")));
  ASSERT_TRUE(enqueued(to, job_of("a", "evil")));
  EXPECT_EQ(error_of(copy_run(from, to, "a/part", of_ann())), "store_wrong_tenant");
  EXPECT_EQ(head_of(to, "a/part"), 0u);
}

void a_copy_is_no_job_and_says_so(FactStore& from, FactStore& to) {
  ASSERT_TRUE(enqueued(from, job_of("a")));
  ASSERT_TRUE(enqueued(to, job_of("z")));
  EXPECT_EQ(taken(copy_run(from, to, "a", of_ann())), CopyEnd::Done);
  Job after = job_of("b");
  after.after = {"z", "a"};
  EXPECT_EQ(enqueue_error(to, job_of("a")), "run_is_copy");
  EXPECT_EQ(enqueue_error(to, after), "run_is_copy");
  EXPECT_FALSE(taken(to.info("b")));
  EXPECT_EQ(error_of(to.queue()->cancel("a", "", "", "", kStoreNow)), "run_is_copy");
  EXPECT_EQ(error_of(to.queue()->retry("a", "", kStoreNow)), "run_is_copy");
}

constexpr MoveCase kTenantCases[] = {
    {"AForkBelowItsRunIsOfItsTenant", a_fork_below_its_run_is_of_its_tenant},
    {"AForkThatWouldLeaveItsTenantIsRefused", a_fork_that_would_leave_its_tenant_is_refused},
    {"APartDoesNotArriveBelowARunOfAnotherTenant", a_part_does_not_arrive_below_a_run_of_another_tenant},
    {"ARunDoesNotArriveAboveAPartOfAnotherTenant", a_run_does_not_arrive_above_a_part_of_another_tenant},
    {"ARunArrivesBesidePartsOfItsTenant", a_run_arrives_beside_parts_of_its_tenant},
    {"APartWithoutAJobGoesOnlyToItsTenant", a_part_without_a_job_goes_only_to_its_tenant},
    {"AnArrivalIsRefusedInItsTransaction", an_arrival_is_refused_in_its_transaction},
    {"ACopyIsOfTheTenantOfTheRun", a_copy_is_of_the_tenant_of_the_run},
    {"ACopyDoesNotArriveAtAnotherTenant", a_copy_does_not_arrive_at_another_tenant},
    {"ACopyIsNoJobAndSaysSo", a_copy_is_no_job_and_says_so},
};

}  // namespace

std::span<const MoveCase> move_tenant_cases() { return kTenantCases; }

}  // namespace ptc
