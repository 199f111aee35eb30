// Runs of a queue that end under a claim which no queue gave: cases of queue_conformance().
#include <array>

#include "runtime/log/run_queue.h"
#include "tests/store/queue_conformance.h"
#include "tests/store/queue_steps.h"
#include "tests/store/store_facts.h"

namespace ptc {
namespace {

constexpr std::int64_t kAfterwards = kStoreNow + 7;

// Ends a run as a process that is no worker does.
void end_elsewhere(FactStore& store, std::string_view log, std::string status = "ok", std::int64_t now = kAfterwards) {
  const Claim claim = taken(store.claim(log, "a person", now, kStoreLease));
  ASSERT_TRUE(claim.granted) << log;
  Fact end = fact_of(FactKind::TurnEnded, "");
  end.status = std::move(status);
  end.time_ms = now;
  taken(store.ended(log, Cut::blind(claim.token), {&end, 1}));
  EXPECT_TRUE(taken(store.release(log, claim.token)));
}

Job job_behind(std::string log, Logs after) {
  Job out = job_of(std::move(log));
  out.after = std::move(after);
  return out;
}

void give_up_all(FactStore& store, std::string_view log) {
  for (const ClaimedRun& run : claims(store, joined(store))) {
    EXPECT_EQ(run.log, log);
    EXPECT_TRUE(finished(store, run, {Finish::Kind::GiveUp, 0, "no"}));
  }
  EXPECT_EQ(state_of(store, log), "dead");
}

void a_ready_job_is_done_when_its_run_ends_elsewhere(FactStore& store) {
  enqueued(store, job_of("a"));
  end_elsewhere(store, "a");
  EXPECT_EQ(state_of(store, "a"), "done");
  EXPECT_EQ(row_of(store, "a").at_ms, kAfterwards);
  EXPECT_TRUE(claims(store, joined(store)).empty());
}

void a_job_that_waits_is_done_when_its_run_ends_elsewhere(FactStore& store) {
  enqueued(store, job_of("a"));
  const ClaimedRun run = claims(store, joined(store)).at(0);
  EXPECT_TRUE(is_parked(store, "a", run.token, waiting_for({"k"}, 1)));
  EXPECT_TRUE(finished(store, run));
  EXPECT_EQ(state_of(store, "a"), "waiting");
  end_elsewhere(store, "a");
  EXPECT_EQ(state_of(store, "a"), "done");
}

void a_turn_that_fails_elsewhere_is_left_to_a_worker(FactStore& store) {
  enqueued(store, job_of("a"));
  end_elsewhere(store, "a", "error");
  EXPECT_EQ(state_of(store, "a"), "ready");
  EXPECT_EQ(logs_of(claims(store, joined(store))), Logs{"a"});
}

void jobs_after_a_run_are_free_when_it_ends_elsewhere(FactStore& store) {
  enqueued(store, job_of("a"));
  enqueued(store, job_behind("b", {"a"}));
  end_elsewhere(store, "a");
  EXPECT_EQ(state_of(store, "b"), "ready");
}

void a_job_that_was_given_up_is_done_when_its_run_ends_elsewhere(FactStore& store) {
  enqueued(store, job_of("a"));
  enqueued(store, job_behind("b", {"a"}));
  enqueued(store, job_behind("c", {"b"}));
  give_up_all(store, "a");
  EXPECT_EQ(state_of(store, "c"), "dependency_failed");
  end_elsewhere(store, "a");
  EXPECT_EQ(state_of(store, "a"), "done");
  EXPECT_EQ(row_of(store, "a").reason, "");
  EXPECT_EQ(state_of(store, "b"), "ready");
  EXPECT_EQ(row_of(store, "b").reason, "");
  EXPECT_EQ(state_of(store, "c"), "blocked");
}

void a_job_that_was_cancelled_is_done_when_its_run_ends_elsewhere(FactStore& store) {
  enqueued(store, job_of("a"));
  EXPECT_TRUE(taken(store.queue()->cancel("a", "", "no", "me", kStoreNow)));
  end_elsewhere(store, "a");
  EXPECT_EQ(state_of(store, "a"), "done");
  EXPECT_FALSE(row_of(store, "a").is_cancelled);
}

// Its node says itself how the turn has ended.
void a_job_that_a_node_holds_is_left_to_the_node(FactStore& store) {
  enqueued(store, job_of("a"));
  const ClaimedRun run = claims(store, joined(store)).at(0);
  Fact end = fact_of(FactKind::TurnEnded, "");
  end.status = "ok";
  taken(store.ended("a", Cut::blind(run.token), {&end, 1}));
  EXPECT_EQ(state_of(store, "a"), "held");
  EXPECT_TRUE(finished(store, run, kOver));
  EXPECT_EQ(state_of(store, "a"), "done");
}

void a_run_that_ended_elsewhere_is_no_rescue(FactStore& store) {
  enqueued(store, job_of("a"));
  const ClaimedRun run = claims(store, joined(store)).at(0);
  end_elsewhere(store, "a", "ok", kStoreNow + kLease);
  EXPECT_EQ(state_of(store, "a"), "done");
  EXPECT_TRUE(taken(store.queue()->rescue(9, kStoreNow + kLease)).empty());
  EXPECT_FALSE(finished(store, run, kOver, kStoreNow + kLease)) << "the node lost the run";
}

constexpr auto kUnheldCases = std::to_array<StoreCase>({
    {"AReadyJobIsDoneWhenItsRunEndsElsewhere", a_ready_job_is_done_when_its_run_ends_elsewhere},
    {"AJobThatWaitsIsDoneWhenItsRunEndsElsewhere", a_job_that_waits_is_done_when_its_run_ends_elsewhere},
    {"ATurnThatFailsElsewhereIsLeftToAWorker", a_turn_that_fails_elsewhere_is_left_to_a_worker},
    {"JobsAfterARunAreFreeWhenItEndsElsewhere", jobs_after_a_run_are_free_when_it_ends_elsewhere},
    {"AJobThatWasGivenUpIsDoneWhenItsRunEndsElsewhere", a_job_that_was_given_up_is_done_when_its_run_ends_elsewhere},
    {"AJobThatWasCancelledIsDoneWhenItsRunEndsElsewhere",
     a_job_that_was_cancelled_is_done_when_its_run_ends_elsewhere},
    {"AJobThatANodeHoldsIsLeftToTheNode", a_job_that_a_node_holds_is_left_to_the_node},
    {"ARunThatEndedElsewhereIsNoRescue", a_run_that_ended_elsewhere_is_no_rescue},
});

}   // namespace

std::span<const StoreCase> queue_unheld_cases() { return kUnheldCases; }

}   // namespace ptc
