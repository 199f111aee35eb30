#include "tests/store/queue_conformance.h"

#include <array>
#include <utility>

#include "runtime/log/run_queue.h"
#include "tests/store/queue_steps.h"
#include "tests/store/store_facts.h"

namespace ptc {
namespace {

void a_job_is_its_run(FactStore& store) {
  EXPECT_TRUE(enqueued(store, job_of("a")));
  EXPECT_FALSE(enqueued(store, job_of("a"))) << "the id is unique";
  EXPECT_EQ(head_of(store, "a"), 1u) << "the first fact, once";
  put_one(store, "b", 0, outside_fact("k"));
  EXPECT_FALSE(enqueued(store, job_of("b"))) << "a log of somebody else";
  EXPECT_EQ(state_of(store, "a"), "ready");
}

void jobs_are_enqueued_in_bulk(FactStore& store) {
  const std::array jobs{job_of("a"), job_of("b"), job_of("a")};
  const auto out = taken(store.queue()->enqueue(jobs, kStoreNow));
  ASSERT_EQ(out.size(), 3u);
  EXPECT_TRUE(out[0].is_new && out[1].is_new && !out[2].is_new);
  EXPECT_EQ(logs_of(claims(store, joined(store))), (Logs{"a", "b"}));
}

void a_run_goes_to_one_node(FactStore& store) {
  enqueued(store, job_of("a"));
  const auto first = claims(store, joined(store));
  ASSERT_EQ(first.size(), 1u);
  EXPECT_TRUE(claims(store, joined(store)).empty());
  EXPECT_EQ(state_of(store, "a"), "held");
  EXPECT_FALSE(taken(store.claim("a", "other", kStoreNow + 1, kLease)).granted) << "nor to somebody without the queue";
  EXPECT_TRUE(put_one(store, "a", first[0].token, task_fact("t")).mine);
}

void a_run_that_is_over_is_done(FactStore& store) {
  enqueued(store, job_of("a"));
  const auto run = claims(store, joined(store))[0];
  end_run(store, run);
  EXPECT_TRUE(finished(store, run, kOver));
  EXPECT_EQ(state_of(store, "a"), "done");
  EXPECT_FALSE(finished(store, run)) << "given back already";
}

void a_fact_wakes_a_run(FactStore& store) {
  enqueued(store, job_of("a"));
  const std::uint64_t node = joined(store);
  const auto run = claims(store, node)[0];
  EXPECT_TRUE(is_parked(store, "a", run.token, waiting_for({"k"}, 1)));
  EXPECT_TRUE(finished(store, run));
  EXPECT_EQ(state_of(store, "a"), "waiting");
  EXPECT_EQ(row_of(store, "a").format, 3) << "of the node that parked it";
  put_one(store, "a", 0, outside_fact("other"));
  EXPECT_EQ(state_of(store, "a"), "waiting");
  put_one(store, "a", 0, outside_fact("k"));
  EXPECT_EQ(state_of(store, "a"), "ready");
  EXPECT_GT(claims(store, node)[0].token, run.token);
}

void a_fact_before_the_run_is_given_back_wakes_it(FactStore& store) {
  enqueued(store, job_of("a"));
  const auto run = claims(store, joined(store))[0];
  EXPECT_TRUE(is_parked(store, "a", run.token, waiting_for({"k"}, 1)));
  put_one(store, "a", 0, outside_fact("k"));
  EXPECT_TRUE(finished(store, run));
  EXPECT_EQ(state_of(store, "a"), "ready");
}

void a_deadline_is_a_timer(FactStore& store) {
  enqueued(store, job_of("a"));
  const std::uint64_t node = joined(store);
  const auto run = claims(store, node)[0];
  Parked parked = waiting_for({"k"}, 1);
  parked.deadline_ms = kStoreNow + 50;
  EXPECT_TRUE(is_parked(store, "a", run.token, parked));
  finished(store, run);
  EXPECT_EQ(state_of(store, "a"), "timer");
  EXPECT_TRUE(claims(store, node, 1, kStoreNow + 49).empty());
  EXPECT_EQ(claims(store, node, 1, kStoreNow + 50).size(), 1u);
}

void a_delayed_job_waits(FactStore& store) {
  Job job = job_of("a"), other = job_of("b");
  job.delay_ms = 100;
  other.at_ms = kStoreNow + 50;
  enqueued(store, job);
  enqueued(store, other);
  const std::uint64_t node = joined(store);
  EXPECT_TRUE(claims(store, node).empty());
  EXPECT_EQ(logs_of(claims(store, node, 9, kStoreNow + 100)), (Logs{"b", "a"})) << "by their times";
}

void priorities_go_first(FactStore& store) {
  Job urgent = job_of("b");
  urgent.priority = -1;
  enqueued(store, job_of("a"));
  enqueued(store, urgent);
  EXPECT_EQ(logs_of(claims(store, joined(store))), (Logs{"b", "a"}));
}

void tenants_get_fair_shares(FactStore& store) {
  for (const char* log : {"a1", "a2", "a3"}) enqueued(store, job_of(log, "a"));
  for (const char* log : {"b1", "b2"}) enqueued(store, job_of(log, "b"));
  EXPECT_EQ(logs_of(claims(store, joined(store))), (Logs{"a1", "b1", "a2", "b2", "a3"}));
}

void a_tenant_that_comes_late_has_saved_nothing(FactStore& store) {
  const std::uint64_t node = joined(store);
  for (const char* log : {"a1", "a2", "a3", "a4"}) enqueued(store, job_of(log, "a"));
  claims(store, node, 2);
  for (const char* log : {"b1", "b2"}) enqueued(store, job_of(log, "b"));
  EXPECT_EQ(logs_of(claims(store, node)), (Logs{"a3", "b1", "a4", "b2"}));
}

void needs_are_looked_at_before_a_claim(FactStore& store) {
  Job job = job_of("a");
  job.needs = {"mail", "1:x'; drop table job; --"};
  enqueued(store, job);
  enqueued(store, job_of("b"));
  const std::uint64_t node = joined(store);
  EXPECT_EQ(logs_of(claims(store, node, 9, kStoreNow, {"mail"})), Logs{"b"});
  EXPECT_EQ(logs_of(claims(store, node, 9, kStoreNow, {"x", "1:x'; drop table job; --", "mail"})), Logs{"a"});
}

void newer_snapshots_are_left_alone(FactStore& store) {
  enqueued(store, job_of("a"));
  const auto run = claims(store, joined(store))[0];
  Parked parked = waiting_for({}, 1);
  parked.deadline_ms = kStoreNow;
  EXPECT_TRUE(is_parked(store, "a", run.token, parked));
  finished(store, run);
  NodeInfo old;
  old.name = old.owner = "old";
  old.format = 2;
  const std::uint64_t node = taken(store.queue()->join(old, kStoreNow)).id;
  EXPECT_TRUE(claims(store, node).empty());
  EXPECT_EQ(claims(store, joined(store)).size(), 1u);
}

void slots_bound_what_is_held(FactStore& store) {
  QueueLimits limits = limits_of_q();
  limits.slots = 2;
  limit(store, limits);
  for (const char* log : {"a", "b", "c"}) enqueued(store, job_of(log));
  const std::uint64_t node = joined(store);
  const auto held = claims(store, node);
  EXPECT_EQ(logs_of(held), (Logs{"a", "b"}));
  EXPECT_TRUE(claims(store, joined(store)).empty());
  end_run(store, held[0]);
  finished(store, held[0], kOver);
  EXPECT_EQ(logs_of(claims(store, node)), Logs{"c"});
}

void slots_of_tenants_bound_each(FactStore& store) {
  QueueLimits limits = limits_of_q();
  limits.tenant_slots = 1;
  limit(store, limits);
  for (const char* log : {"a1", "a2"}) enqueued(store, job_of(log, "a"));
  enqueued(store, job_of("b1", "b"));
  EXPECT_EQ(logs_of(claims(store, joined(store))), (Logs{"a1", "b1"}));
}

void a_paused_queue_gives_nothing(FactStore& store) {
  enqueued(store, job_of("a"));
  QueueLimits limits = limits_of_q();
  limits.is_paused = true;
  limit(store, limits);
  const std::uint64_t node = joined(store);
  EXPECT_TRUE(claims(store, node).empty());
  limits.is_paused = false;
  limit(store, limits);
  EXPECT_EQ(claims(store, node).size(), 1u);
}

void a_rate_is_a_bucket(FactStore& store) {
  QueueLimits limits = limits_of_q();
  limits.starts_per_hour = 3'600;   // one a second
  limits.burst = 2;
  limit(store, limits);
  for (const char* log : {"a", "b", "c", "d", "e", "f"}) enqueued(store, job_of(log));
  const std::uint64_t node = joined(store);
  EXPECT_EQ(claims(store, node).size(), 2u) << "a full bucket";
  EXPECT_EQ(claims(store, node, 9, kStoreNow + 999).size(), 0u);
  EXPECT_EQ(claims(store, node, 9, kStoreNow + 1'000).size(), 1u);
  EXPECT_EQ(claims(store, node, 9, kStoreNow + 9'000).size(), 2u) << "no more than the burst";
}

void a_heartbeat_prolongs_one_lease(FactStore& store) {
  enqueued(store, job_of("a"));
  const std::uint64_t node = joined(store);
  claims(store, node);
  const Heartbeat told = taken(store.queue()->beat(node, kStoreNow + kLease - 1));
  EXPECT_TRUE(told.is_alive);
  EXPECT_EQ(told.now_ms, kStoreNow + kLease - 1) << "the time of the store";
  EXPECT_TRUE(taken(store.queue()->rescue(9, kStoreNow + 2 * kLease - 2)).empty());
  EXPECT_FALSE(taken(store.queue()->beat(node, kStoreNow + 2 * kLease - 1)).is_alive) << "over";
  EXPECT_EQ(error_of(store.queue()->claim_next(node, "q", {}, 1, kStoreNow + 2 * kLease)), "store_dead_node");
  EXPECT_EQ(error_of(store.queue()->claim_next(99, "q", {}, 1, kStoreNow)), "store_dead_node");
}

void runs_of_the_dead_are_rescued(FactStore& store) {
  enqueued(store, job_of("a"));
  const auto zombie = claims(store, joined(store))[0];
  const std::int64_t later = kStoreNow + kLease;
  EXPECT_EQ(taken(store.queue()->rescue(9, later)), Logs{"a"});
  const Fact effect = task_fact("t");
  EXPECT_EQ(error_of(store.put("a", Cut::blind(zombie.token), {&effect, 1})), "store_fenced");
  const auto next = claims(store, joined(store, later), 1, later);
  ASSERT_EQ(next.size(), 1u);
  EXPECT_GT(next[0].token, zombie.token);
  EXPECT_EQ(error_of(store.put("a", Cut::blind(zombie.token), {&effect, 1})), "store_fenced");
  EXPECT_FALSE(finished(store, zombie, {}, later));
  EXPECT_TRUE(put_one(store, "a", next[0].token, effect).mine);
}

void somebody_without_the_queue_can_go_on_with_the_run_of_a_dead_node(FactStore& store) {
  enqueued(store, job_of("a"));
  claims(store, joined(store));
  const std::int64_t later = kStoreNow + kLease;
  const Claim claim = taken(store.claim("a", "other", later, 500));
  EXPECT_TRUE(claim.granted);
  const std::uint64_t node = joined(store, later);
  EXPECT_TRUE(claims(store, node, 1, later).empty()) << "while it is claimed";
  EXPECT_EQ(claims(store, node, 1, later + 500).size(), 1u);
}

void three_rescues_without_a_fact_set_a_run_aside(FactStore& store) {
  enqueued(store, job_of("a"));
  std::int64_t now = kStoreNow;
  const auto crash = [&](bool does_something) {
    const auto run = claims(store, joined(store, now), 1, now);
    ASSERT_EQ(run.size(), 1u);
    put_one(store, "a", run[0].token, start_fact());   // as a run that begins again
    if (does_something) put_one(store, "a", run[0].token, task_fact("task/t"));
    now += kLease;
    EXPECT_EQ(taken(store.queue()->rescue(9, now)).size(), 1u);
  };
  crash(false);
  crash(false);
  crash(true);
  crash(false);
  EXPECT_EQ(state_of(store, "a"), "ready") << "something was done meanwhile";
  crash(false);
  EXPECT_EQ(state_of(store, "a"), "quarantined");
  EXPECT_NE(row_of(store, "a").reason, "");
  EXPECT_TRUE(claims(store, joined(store, now), 1, now).empty());
  EXPECT_TRUE(taken(store.queue()->retry("a", "", now)));
  EXPECT_EQ(claims(store, joined(store, now), 1, now).size(), 1u);
}

void a_node_that_leaves_gives_back(FactStore& store) {
  enqueued(store, job_of("a"));
  const std::uint64_t node = joined(store);
  claims(store, node);
  EXPECT_TRUE(taken(store.queue()->leave(node, kStoreNow)));
  EXPECT_FALSE(taken(store.queue()->leave(node, kStoreNow)));
  EXPECT_EQ(row_of(store, "a").crashes, 0);
  const std::uint64_t next = joined(store);
  EXPECT_NE(next, node) << "numbers are not used again";
  EXPECT_EQ(claims(store, next).size(), 1u);
}

// The worker may have been about to say that the turn failed.
void a_node_that_leaves_does_not_say_that_a_turn_was_the_last_one(FactStore& store) {
  enqueued(store, job_of("a"));
  const std::uint64_t node = joined(store);
  const auto run = claims(store, node);
  ASSERT_EQ(run.size(), 1u);
  taken(store.ended("a", Cut::blind(run[0].token), {}));
  EXPECT_TRUE(taken(store.queue()->leave(node, kStoreNow)));
  EXPECT_EQ(state_of(store, "a"), "ready");
}

void a_node_that_drains_gets_nothing(FactStore& store) {
  enqueued(store, job_of("a"));
  const std::uint64_t node = joined(store);
  EXPECT_TRUE(taken(store.queue()->drain(node)));
  EXPECT_FALSE(taken(store.queue()->drain(node + 1)));
  EXPECT_TRUE(claims(store, node).empty());
  EXPECT_TRUE(taken(store.queue()->beat(node, kStoreNow)).is_draining);
}

void failures_are_tried_again_and_then_dead(FactStore& store) {
  Job job = job_of("a");
  job.most_attempts = 2;
  enqueued(store, job);
  const std::uint64_t node = joined(store);
  const Finish again{Finish::Kind::Retry, 100, "it failed"};
  EXPECT_TRUE(finished(store, claims(store, node)[0], again));
  EXPECT_EQ(state_of(store, "a"), "timer");
  const auto second = claims(store, node, 1, kStoreNow + 100);
  ASSERT_EQ(second.size(), 1u);
  EXPECT_EQ(second[0].attempts, 1);
  EXPECT_TRUE(finished(store, second[0], again));
  EXPECT_EQ(state_of(store, "a"), "dead");
  const auto dead = taken(store.queue()->jobs(JobState::Dead, 0, 9));
  ASSERT_EQ(dead.size(), 1u);
  EXPECT_EQ(dead[0].reason, "it failed");
}

void tenants_cannot_touch_runs_of_others(FactStore& store) {
  enqueued(store, job_of("a", "one"));
  const std::array jobs{job_of("fresh", "two"), job_of("a", "two")};
  EXPECT_EQ(error_of(store.queue()->enqueue(jobs, kStoreNow)), "store_wrong_tenant");
  EXPECT_FALSE(taken(store.queue()->job("fresh"))) << "all or none";
  const std::array twice{job_of("x", "one"), job_of("x", "two")};
  EXPECT_EQ(error_of(store.queue()->enqueue(twice, kStoreNow)), "store_wrong_tenant");
  EXPECT_FALSE(taken(store.queue()->job("x")));
  EXPECT_EQ(error_of(store.queue()->cancel("a", "two", "", "", kStoreNow)), "store_wrong_tenant");
  EXPECT_EQ(error_of(store.queue()->retry("a", "", kStoreNow)), "store_wrong_tenant");
  EXPECT_EQ(state_of(store, "a"), "ready");
}

void what_makes_no_sense_is_refused(FactStore& store) {
  const auto refusal = [&store](const Job& job) { return error_of(store.queue()->enqueue({&job, 1}, kStoreNow)); };
  EXPECT_EQ(refusal(job_of("")), "store_misuse");
  EXPECT_EQ(refusal(job_of("\xFF")), "store_misuse");
  EXPECT_EQ(refusal(job_of("a", std::string(201, 't'))), "store_misuse");
  Job job = job_of("a");
  job.queue = "";
  EXPECT_EQ(refusal(job), "store_misuse");
  job = job_of("a");
  job.delay_ms = -1;
  EXPECT_EQ(refusal(job), "store_misuse");
  job = job_of("a");
  job.start = outside_fact("k");
  EXPECT_EQ(refusal(job), "store_misuse");
  EXPECT_EQ(error_of(store.queue()->cancel("nowhere", "", "", "", kStoreNow)), "store_missing");
  EXPECT_EQ(error_of(store.queue()->retry("nowhere", "", kStoreNow)), "store_missing");
  QueueLimits limits = limits_of_q();
  limits.slots = -1;
  EXPECT_EQ(error_of(store.queue()->set_queue(limits)), "store_misuse");
}

void hostile_names_are_names(FactStore& store) {
  const std::string hostile("'); drop table job; -- $1 \" \\ \n %s");
  Job job = job_of(hostile, hostile);
  job.queue = hostile;
  EXPECT_TRUE(enqueued(store, job));
  const std::uint64_t node = joined(store, kStoreNow, hostile);
  const auto runs = taken(store.queue()->claim_next(node, hostile, {}, 9, kStoreNow));
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].log, hostile);
  EXPECT_EQ(runs[0].tenant, hostile);
}

// No argument of a command can have a NUL, so nobody could name such a run.
void names_with_nul_are_refused(FactStore& store) {
  const std::string nul("a\0b", 3);
  const auto refusal = [&store](const Job& job) { return error_of(store.queue()->enqueue({&job, 1}, kStoreNow)); };
  EXPECT_EQ(refusal(job_of(nul)), "store_misuse");
  EXPECT_EQ(refusal(job_of("a", nul)), "store_misuse");
  Job job = job_of("a");
  job.queue = nul;
  EXPECT_EQ(refusal(job), "store_misuse");
}

// A node gives back the claims of which it does not know, also a newer claim of a run that it had before.
void claims_that_a_node_does_not_know_are_given_back(FactStore& store) {
  for (const char* log : {"a", "b", "c"}) enqueued(store, job_of(log));
  const std::uint64_t node = joined(store), other = joined(store);
  const auto runs = claims(store, node, 2);
  ASSERT_EQ(logs_of(claims(store, other)), Logs{"c"});
  const auto give_back = [&](const std::vector<KnownClaim>& known) {
    return taken(store.queue()->give_back_others(node, known, kStoreNow));
  };
  EXPECT_EQ(give_back({{"a", runs[0].token}, {"b", runs[1].token}}), Logs{});
  EXPECT_EQ(give_back({{"a", runs[0].token}}), Logs{"b"});
  EXPECT_EQ(state_of(store, "b"), "ready");
  EXPECT_EQ(row_of(store, "b").crashes, 0);
  const Fact fact = task_fact("t");
  EXPECT_EQ(error_of(store.put("b", Cut::blind(runs[1].token), {&fact, 1})), "store_fenced");
  EXPECT_EQ(claims(store, node, 1).at(0).token, runs[1].token + 1);
  EXPECT_EQ(give_back({{"b", runs[1].token}}), (Logs{"a", "b"}));
  EXPECT_EQ(state_of(store, "c"), "held") << "by another node";
}

constexpr auto kQueueCases = std::to_array<StoreCase>({
    {"AJobIsItsRun", a_job_is_its_run},
    {"JobsAreEnqueuedInBulk", jobs_are_enqueued_in_bulk},
    {"ARunGoesToOneNode", a_run_goes_to_one_node},
    {"ARunThatIsOverIsDone", a_run_that_is_over_is_done},
    {"AFactWakesARun", a_fact_wakes_a_run},
    {"AFactBeforeTheRunIsGivenBackWakesIt", a_fact_before_the_run_is_given_back_wakes_it},
    {"ADeadlineIsATimer", a_deadline_is_a_timer},
    {"ADelayedJobWaits", a_delayed_job_waits},
    {"PrioritiesGoFirst", priorities_go_first},
    {"TenantsGetFairShares", tenants_get_fair_shares},
    {"ATenantThatComesLateHasSavedNothing", a_tenant_that_comes_late_has_saved_nothing},
    {"NeedsAreLookedAtBeforeAClaim", needs_are_looked_at_before_a_claim},
    {"NewerSnapshotsAreLeftAlone", newer_snapshots_are_left_alone},
    {"SlotsBoundWhatIsHeld", slots_bound_what_is_held},
    {"SlotsOfTenantsBoundEach", slots_of_tenants_bound_each},
    {"APausedQueueGivesNothing", a_paused_queue_gives_nothing},
    {"ARateIsABucket", a_rate_is_a_bucket},
    {"AHeartbeatProlongsOneLease", a_heartbeat_prolongs_one_lease},
    {"RunsOfTheDeadAreRescued", runs_of_the_dead_are_rescued},
    {"SomebodyWithoutTheQueueCanGoOn", somebody_without_the_queue_can_go_on_with_the_run_of_a_dead_node},
    {"ThreeRescuesWithoutAFactSetARunAside", three_rescues_without_a_fact_set_a_run_aside},
    {"ANodeThatLeavesGivesBack", a_node_that_leaves_gives_back},
    {"ANodeThatLeavesDoesNotSayThatATurnWasTheLastOne", a_node_that_leaves_does_not_say_that_a_turn_was_the_last_one},
    {"ClaimsThatANodeDoesNotKnowAreGivenBack", claims_that_a_node_does_not_know_are_given_back},
    {"ANodeThatDrainsGetsNothing", a_node_that_drains_gets_nothing},
    {"FailuresAreTriedAgainAndThenDead", failures_are_tried_again_and_then_dead},
    {"TenantsCannotTouchRunsOfOthers", tenants_cannot_touch_runs_of_others},
    {"WhatMakesNoSenseIsRefused", what_makes_no_sense_is_refused},
    {"HostileNamesAreNames", hostile_names_are_names},
    {"NamesWithNulAreRefused", names_with_nul_are_refused},
});

class QueueTest : public testing::Test {
 public:
  QueueTest(const StoreCase& which, const FreshStore& fresh) : case_(which), fresh_(fresh) {}
  void TestBody() override {
    const auto store = fresh_();
    ASSERT_NE(store, nullptr);
    ASSERT_NE(store->queue(), nullptr);
    case_.run(*store);
  }

 private:
  const StoreCase& case_;
  const FreshStore fresh_;
};

}   // namespace

bool queue_conformance(const std::string& suite, FreshStore fresh, EndsJobs ends) {
  const auto add = [&](const StoreCase& each) {
    testing::RegisterTest(suite.c_str(), each.name, nullptr, nullptr, __FILE__, __LINE__,
                          [&each, fresh]() -> testing::Test* { return new QueueTest(each, fresh); });
  };
  for (const StoreCase& each : kQueueCases) add(each);
  for (const StoreCase& each : queue_thread_cases()) add(each);
  for (const StoreCase& each : queue_upkeep_cases()) add(each);
  for (const StoreCase& each : queue_cancel_cases()) add(each);
  for (const StoreCase& each : queue_end_cases(ends)) add(each);
  for (const StoreCase& each : queue_wake_cases()) add(each);
  for (const StoreCase& each : queue_prune_cases()) add(each);
  for (const StoreCase& each : queue_unheld_cases()) add(each);
  for (const StoreCase& each : queue_part_cases()) add(each);
  return true;
}

}   // namespace ptc
