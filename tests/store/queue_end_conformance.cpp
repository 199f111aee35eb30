// Runs that end together with their jobs: cases of queue_conformance().
#include <array>

#include "runtime/log/run_queue.h"
#include "tests/store/queue_conformance.h"
#include "tests/store/queue_steps.h"
#include "tests/store/store_facts.h"

namespace ptc {
namespace {

constexpr std::int64_t kLater = kStoreNow + 7;

std::optional<Written> end_of_job(FactStore& store, Cut cut) {
  return taken(store.end_job("a", cut, fact_of(FactKind::TurnEnded, ""), kLater));
}
ClaimedRun claimed_a(FactStore& store) {
  enqueued(store, job_of("a"));
  const auto runs = claims(store, joined(store));
  EXPECT_EQ(logs_of(runs), Logs{"a"});
  return runs.at(0);
}
void expect_state(FactStore& store, std::uint64_t head, std::string_view state) {
  EXPECT_EQ(head_of(store, "a"), head);
  EXPECT_EQ(state_of(store, "a"), state);
}

void a_run_ends_with_its_job(FactStore& store) {
  const ClaimedRun run = claimed_a(store);
  const auto done = end_of_job(store, {run.token, 1});
  ASSERT_TRUE(done);
  EXPECT_EQ(done->head, 2u);
  ASSERT_EQ(done->puts.size(), 1u);
  EXPECT_TRUE(done->puts[0].mine);
  EXPECT_EQ(done->puts[0].fact.seq, 2u);
  EXPECT_EQ(done->puts[0].fact.writer, run.token);
  EXPECT_TRUE(done->others.empty());
  expect_state(store, 2, "done");
  EXPECT_EQ(row_of(store, "a").at_ms, kLater);
  const auto info = taken(store.info("a"));
  ASSERT_TRUE(info);
  EXPECT_EQ(info->state, LogState::Ended);
  EXPECT_EQ(info->owner, "") << "the claim is given back";
}

void a_run_that_ended_with_its_job_is_nobodys(FactStore& store) {
  const ClaimedRun run = claimed_a(store);
  ASSERT_TRUE(end_of_job(store, {run.token, 1}));
  EXPECT_FALSE(finished(store, run, kOver)) << "given back already";
  EXPECT_FALSE(end_of_job(store, {run.token, 2})) << "once";
  const Fact fact = task_fact("t");
  const auto late = store.put("a", Cut::blind(run.token), {&fact, 1});
  ASSERT_TRUE(std::holds_alternative<StoreError>(late));
  EXPECT_EQ(std::get<StoreError>(late).kind, StoreError::Kind::Fenced);
  expect_state(store, 2, "done");
  EXPECT_TRUE(claims(store, joined(store)).empty());
}

void a_parked_run_that_goes_on_ends_with_its_job(FactStore& store) {
  ClaimedRun run = claimed_a(store);
  EXPECT_TRUE(is_parked(store, "a", run.token, waiting_for({"k"}, 1)));
  EXPECT_TRUE(finished(store, run));
  put_one(store, "a", 0, outside_fact("k"));
  run = claims(store, joined(store)).at(0);
  taken(store.resumed("a", {run.token, 2}, {}));
  ASSERT_TRUE(end_of_job(store, {run.token, 2}));
  expect_state(store, 3, "done");
  EXPECT_FALSE(taken(store.parked("a"))) << "it is forgotten";
  EXPECT_TRUE(taken(store.woken(kLater, 9)).empty());
}

// A writer that has seen less than the log has must be told of it, and ended() tells.
void an_end_that_has_not_seen_the_log_is_none(FactStore& store) {
  const ClaimedRun run = claimed_a(store);
  put_one(store, "a", 0, outside_fact("k"));
  for (const Cut cut : {Cut{run.token, 1}, Cut{run.token, 3}, Cut::blind(run.token)}) {
    EXPECT_FALSE(end_of_job(store, cut)) << cut.seq;
    expect_state(store, 2, "held");
  }
  EXPECT_TRUE(end_of_job(store, {run.token, 2}));
}

void an_end_under_another_claim_is_none(FactStore& store) {
  const ClaimedRun run = claimed_a(store);
  EXPECT_FALSE(end_of_job(store, {run.token + 1, 1}));
  expect_state(store, 1, "held");
  taken(store.queue()->rescue(9, kStoreNow + kLease));
  expect_state(store, 1, "ready");
  EXPECT_FALSE(end_of_job(store, {run.token, 1})) << "the lease of its node was over";
  const auto again = claims(store, joined(store, kStoreNow + kLease), 1, kStoreNow + kLease).at(0);
  EXPECT_FALSE(end_of_job(store, {run.token, 1}));
  expect_state(store, 1, "held");
  EXPECT_TRUE(end_of_job(store, {again.token, 1}));
  EXPECT_EQ(row_of(store, "a").crashes, 0) << "forgotten";
}

// A claim without the queue has no job to give back.
void a_run_that_no_queue_gave_ends_alone(FactStore& store) {
  put_one(store, "a", 0, start_fact());
  const auto claim = taken(store.claim("a", "me", kStoreNow, kLease));
  EXPECT_FALSE(end_of_job(store, {claim.token, 1}));
  EXPECT_EQ(head_of(store, "a"), 1u);
  const Fact end = fact_of(FactKind::TurnEnded, "");
  EXPECT_EQ(taken(store.ended("a", {claim.token, 1}, {&end, 1})).head, 2u);
}

void what_comes_after_a_run_is_free_when_it_ends_with_its_job(FactStore& store) {
  const ClaimedRun run = claimed_a(store);
  Job after = job_of("b");
  after.after = {"a"};
  enqueued(store, after);
  EXPECT_EQ(state_of(store, "b"), "blocked");
  ASSERT_TRUE(end_of_job(store, {run.token, 1}));
  EXPECT_EQ(state_of(store, "b"), "ready");
}

void only_an_end_ends_a_job(FactStore& store) {
  const ClaimedRun run = claimed_a(store);
  for (const Fact& fact : {task_fact("t"), fact_of(FactKind::TurnEnded, "k")}) {
    const auto told = store.end_job("a", {run.token, 1}, fact, kLater);
    ASSERT_TRUE(std::holds_alternative<StoreError>(told));
    EXPECT_EQ(std::get<StoreError>(told).kind, StoreError::Kind::Misuse);
  }
  expect_state(store, 1, "held");
}

void an_end_is_left_to_two_calls(FactStore& store) {
  const ClaimedRun run = claimed_a(store);
  EXPECT_FALSE(end_of_job(store, {run.token, 1}));
  expect_state(store, 1, "held");
  end_run(store, run);
  EXPECT_TRUE(finished(store, run, kOver));
  expect_state(store, 2, "done");
}

constexpr auto kTwoCalls = std::to_array<StoreCase>({{"AnEndIsLeftToTwoCalls", an_end_is_left_to_two_calls}});
constexpr auto kCases = std::to_array<StoreCase>({
    {"ARunEndsWithItsJob", a_run_ends_with_its_job},
    {"ARunThatEndedWithItsJobIsNobodys", a_run_that_ended_with_its_job_is_nobodys},
    {"AParkedRunThatGoesOnEndsWithItsJob", a_parked_run_that_goes_on_ends_with_its_job},
    {"AnEndThatHasNotSeenTheLogIsNone", an_end_that_has_not_seen_the_log_is_none},
    {"AnEndUnderAnotherClaimIsNone", an_end_under_another_claim_is_none},
    {"ARunThatNoQueueGaveEndsAlone", a_run_that_no_queue_gave_ends_alone},
    {"WhatComesAfterARunIsFreeWhenItEndsWithItsJob", what_comes_after_a_run_is_free_when_it_ends_with_its_job},
    {"OnlyAnEndEndsAJob", only_an_end_ends_a_job},
});

}   // namespace

std::span<const StoreCase> queue_end_cases(EndsJobs ends) {
  return ends == EndsJobs::AtOnce ? std::span<const StoreCase>(kCases) : kTwoCalls;
}

}   // namespace ptc
