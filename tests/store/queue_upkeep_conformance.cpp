// Ends of runs, jobs that come after others, depths, what is removed, schedules: cases of queue_conformance().
#include <array>
#include <atomic>
#include <thread>
#include <tuple>
#include <utility>

#include "runtime/log/run_queue.h"
#include "tests/store/queue_conformance.h"
#include "tests/store/queue_steps.h"
#include "tests/store/store_facts.h"

namespace ptc {
namespace {

void do_run(FactStore& store, std::uint64_t node, std::int64_t now = kStoreNow) {
  const auto runs = claims(store, node, 1, now);
  ASSERT_EQ(runs.size(), 1u);
  end_run(store, runs[0]);
  EXPECT_TRUE(finished(store, runs[0], kOver, now));
}

// Its worker thinks that the run is parked, or that the end of a later turn is in the log: a standby lacks that.
void an_end_of_which_the_worker_does_not_know_is_no_end(FactStore& store) {
  enqueued(store, job_of("a"));
  const std::uint64_t node = joined(store);
  const auto first = claims(store, node)[0];
  end_run(store, first);
  EXPECT_TRUE(finished(store, first));
  EXPECT_EQ(state_of(store, "a"), "ready");
  Finish over = kOver;
  over.head = 3;
  EXPECT_TRUE(finished(store, claims(store, node)[0], over));
  EXPECT_EQ(state_of(store, "a"), "ready") << "the log has two facts";
  over.head = 2;
  EXPECT_TRUE(finished(store, claims(store, node)[0], over));
  EXPECT_EQ(state_of(store, "a"), "done");
}

void a_run_that_goes_on_is_not_over(FactStore& store) {
  enqueued(store, job_of("a"));
  const std::uint64_t node = joined(store);
  EXPECT_TRUE(finished(store, claims(store, node)[0], kOver));
  EXPECT_EQ(state_of(store, "a"), "ready");
}

Job job_after(std::string log, Logs after, std::string tenant = "") {
  Job out = job_of(std::move(log), std::move(tenant));
  out.after = std::move(after);
  return out;
}

void a_job_comes_after_others(FactStore& store) {
  const std::array jobs{job_of("a"), job_of("b"), job_after("c", {"a", "b", "a"})};
  taken(store.queue()->enqueue(jobs, kStoreNow));
  EXPECT_EQ(state_of(store, "c"), "blocked");
  EXPECT_EQ(row_of(store, "c").blockers, 2);
  const std::uint64_t node = joined(store);
  do_run(store, node);
  EXPECT_EQ(state_of(store, "c"), "blocked");
  do_run(store, node);
  EXPECT_EQ(state_of(store, "c"), "ready");
  do_run(store, node);
  EXPECT_TRUE(enqueued(store, job_after("d", {"c"})));
  EXPECT_EQ(state_of(store, "d"), "ready") << "that one is done";
}

void a_job_after_others_keeps_its_time(FactStore& store) {
  enqueued(store, job_of("a"));
  Job later = job_after("b", {"a"});
  later.delay_ms = 100;
  enqueued(store, later);
  const std::uint64_t node = joined(store);
  do_run(store, node);
  EXPECT_EQ(state_of(store, "b"), "timer");
  EXPECT_EQ(logs_of(claims(store, node, 9, kStoreNow + 100)), Logs{"b"});
}

void a_job_after_one_that_is_given_up_ends(FactStore& store) {
  enqueued(store, job_of("a"));
  enqueued(store, job_after("b", {"a"}));
  enqueued(store, job_after("c", {"a", "b"}));
  const std::uint64_t node = joined(store);
  finished(store, claims(store, node)[0], {Finish::Kind::GiveUp, 0, "no"}, kStoreNow + 5);
  for (const char* log : {"b", "c"}) {
    EXPECT_EQ(state_of(store, log), "dependency_failed");
    EXPECT_EQ(row_of(store, log).reason, "the run a was given up");
    EXPECT_EQ(row_of(store, log).at_ms, kStoreNow + 5);
    EXPECT_FALSE(taken(store.queue()->cancel(log, "", "", "", kStoreNow + 6))) << "it is over";
    EXPECT_FALSE(taken(store.queue()->retry(log, "", kStoreNow + 6))) << "retry the one that was given up";
  }
  enqueued(store, job_after("d", {"b"}), kStoreNow + 7);
  EXPECT_EQ(state_of(store, "d"), "dependency_failed") << "a later one, too";
  EXPECT_EQ(row_of(store, "d").reason, "the run a was given up");
  EXPECT_TRUE(claims(store, node).empty());
}

void a_job_is_blocked_again_when_the_one_before_is_retried(FactStore& store) {
  for (const char* log : {"a", "x"}) enqueued(store, job_of(log));
  enqueued(store, job_after("b", {"a"}));
  enqueued(store, job_after("c", {"a", "b"}));
  enqueued(store, job_after("d", {"a", "x"}));
  enqueued(store, job_after("e", {"d"}));
  const std::uint64_t node = joined(store);
  for (const ClaimedRun& run : claims(store, node)) finished(store, run, {Finish::Kind::GiveUp, 0, "no"});
  EXPECT_TRUE(taken(store.queue()->retry("a", "", kStoreNow)));
  EXPECT_EQ(state_of(store, "b"), "blocked");
  EXPECT_EQ(state_of(store, "c"), "blocked");
  EXPECT_EQ(state_of(store, "d"), "dependency_failed") << "x was given up, too";
  for (const char* log : {"d", "e"}) EXPECT_EQ(row_of(store, log).reason, "the run x was given up");
  EXPECT_EQ(row_of(store, "b").reason, "");
  for (const char* log : {"a", "b", "c"}) {
    ASSERT_EQ(state_of(store, log), "ready");
    do_run(store, node);
  }
}

// Cancels b, which comes after a, and which c comes after. No node of this test has the tool of a.
std::uint64_t with_a_cancelled_job_after_another(FactStore& store) {
  Job first = job_of("a");
  first.needs = {"mail"};
  enqueued(store, first);
  enqueued(store, job_after("b", {"a"}));
  enqueued(store, job_after("c", {"b"}));
  const std::uint64_t node = joined(store);
  EXPECT_TRUE(taken(store.queue()->cancel("b", "", "no need", "me", kStoreNow)));
  for (const ClaimedRun& run : claims(store, node)) finished(store, run, {Finish::Kind::GiveUp, 0, "cancelled"});
  EXPECT_EQ(state_of(store, "b"), "dead");
  EXPECT_EQ(state_of(store, "c"), "dependency_failed");
  return node;
}

void a_retried_job_still_comes_after_others(FactStore& store) {
  const std::uint64_t node = with_a_cancelled_job_after_another(store);
  EXPECT_TRUE(taken(store.queue()->retry("b", "", kStoreNow)));
  EXPECT_EQ(state_of(store, "b"), "blocked");
  EXPECT_EQ(state_of(store, "c"), "blocked");
  EXPECT_TRUE(claims(store, node).empty());
  const auto first = claims(store, node, 9, kStoreNow, {"mail"});
  ASSERT_EQ(logs_of(first), Logs{"a"});
  end_run(store, first[0]);
  EXPECT_TRUE(finished(store, first[0], kOver));
  for (const char* log : {"b", "c"}) {
    ASSERT_EQ(state_of(store, log), "ready");
    do_run(store, node);
  }
}

void a_retried_job_after_one_that_was_given_up_ends(FactStore& store) {
  const std::uint64_t node = with_a_cancelled_job_after_another(store);
  finished(store, claims(store, node, 9, kStoreNow, {"mail"})[0], {Finish::Kind::GiveUp, 0, "no"});
  EXPECT_TRUE(taken(store.queue()->retry("b", "", kStoreNow + 1)));
  EXPECT_EQ(state_of(store, "b"), "dependency_failed");
  EXPECT_EQ(row_of(store, "b").reason, "the run a was given up");
  EXPECT_EQ(state_of(store, "c"), "dependency_failed");
  EXPECT_TRUE(taken(store.queue()->retry("a", "", kStoreNow + 2)));
  for (const char* log : {"b", "c"}) EXPECT_EQ(state_of(store, log), "blocked") << log;
}

void a_retried_job_that_comes_after_one_that_is_done_is_ready(FactStore& store) {
  const std::uint64_t node = with_a_cancelled_job_after_another(store);
  const auto first = claims(store, node, 9, kStoreNow, {"mail"});
  end_run(store, first[0]);
  finished(store, first[0], kOver);
  EXPECT_TRUE(taken(store.queue()->retry("b", "", kStoreNow)));
  EXPECT_EQ(state_of(store, "b"), "ready");
  EXPECT_EQ(state_of(store, "c"), "blocked");
}

// Those that come after others are removed first.
void jobs_whose_dependency_failed_are_removed(FactStore& store) {
  enqueued(store, job_of("a"));
  enqueued(store, job_after("b", {"a"}));
  const std::uint64_t node = joined(store);
  finished(store, claims(store, node)[0], {Finish::Kind::GiveUp, 0, "no"});
  const auto prune = [&store](bool dead) { return taken(store.queue()->prune(0, dead, 1, kStoreNow + 1)); };
  EXPECT_TRUE(prune(false).empty());
  EXPECT_EQ(prune(true), Logs{"b"});
  EXPECT_EQ(prune(true), Logs{"a"});
}

void a_job_cannot_come_after_what_is_not_there(FactStore& store) {
  const auto refusal = [&store](const std::vector<Job>& jobs) {
    return error_of(store.queue()->enqueue(jobs, kStoreNow));
  };
  enqueued(store, job_of("theirs", "other"));
  put_one(store, "plain", 0, outside_fact("k"));
  EXPECT_EQ(refusal({job_after("b", {"nowhere"})}), "store_missing");
  EXPECT_EQ(refusal({job_after("b", {"b"})}), "store_missing") << "itself";
  EXPECT_EQ(refusal({job_after("b", {"c"}), job_of("c")}), "store_missing") << "a later one";
  EXPECT_EQ(refusal({job_after("b", {"theirs"})}), "store_missing");
  EXPECT_EQ(refusal({job_after("b", {"plain"})}), "store_missing") << "no job";
  EXPECT_EQ(refusal({job_of("plain"), job_after("b", {"plain"})}), "store_missing");
  EXPECT_FALSE(taken(store.queue()->job("b")));
  EXPECT_FALSE(taken(store.queue()->job("c"))) << "all or none";
}

// Runs before a job end at once on several nodes.
void jobs_before_one_end_at_once(FactStore& store) {
  constexpr int kEndings = 12, kNodes = 3;
  std::vector<std::uint64_t> nodes(kNodes);
  for (std::uint64_t& node : nodes) node = joined(store);
  for (int round = 0; round < kEndings; ++round) {
    std::vector<ClaimedRun> runs;
    Logs before;
    for (int i = 0; i < kNodes; ++i) before.push_back(std::to_string(round) + "/" + std::to_string(i));
    for (const std::string& log : before) enqueued(store, job_of(log));
    for (const std::uint64_t node : nodes) runs.push_back(claims(store, node, 1)[0]);
    const std::string last = std::to_string(round) + "/last";
    std::vector<std::thread> threads;
    threads.emplace_back([&] { enqueued(store, job_after(last, before)); });
    for (const ClaimedRun& run : runs) {
      threads.emplace_back([&] {
        end_run(store, run);
        EXPECT_TRUE(finished(store, run, kOver));
      });
    }
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(state_of(store, last), "ready");
    do_run(store, nodes[0]);
  }
}

void depths_count_what_is_not_done(FactStore& store) {
  for (const char* log : {"a", "b", "c"}) enqueued(store, job_of(log));
  Job other = job_of("d");
  other.queue = "p";
  enqueued(store, other, kStoreNow + 5);
  const std::uint64_t node = joined(store);
  do_run(store, node);
  claims(store, node, 1, kStoreNow + 9);
  std::string out;
  for (const QueueDepth& depth : taken(store.queue()->depths())) {
    out += depth.queue + ' ' + std::string(job_state_name(depth.state)) + ' ' + std::to_string(depth.count) + ' ' +
           std::to_string(depth.oldest_ms - kStoreNow) + '\n';
  }
  EXPECT_EQ(out, "p ready 1 5\nq ready 1 0\nq held 1 9\n");
}

void what_is_over_is_removed(FactStore& store) {
  for (const char* log : {"a", "b", "c", "d"}) enqueued(store, job_of(log));
  const std::uint64_t node = joined(store);
  do_run(store, node);
  do_run(store, node, kStoreNow + 50);
  finished(store, claims(store, node, 1)[0], {Finish::Kind::GiveUp, 0, "no"});
  const auto prune = [&store](std::int64_t older, bool dead, std::size_t most) {
    return taken(store.queue()->prune(older, dead, most, kStoreNow + 100));
  };
  EXPECT_TRUE(prune(101, true, 9).empty());
  EXPECT_EQ(prune(60, false, 9), Logs{"a"});
  EXPECT_EQ(head_of(store, "a"), 0u) << "the log is gone";
  EXPECT_FALSE(taken(store.queue()->job("a")));
  EXPECT_EQ(prune(0, true, 1), Logs{"b"}) << "so many at once";
  EXPECT_EQ(prune(0, true, 1), Logs{"c"});
  EXPECT_TRUE(prune(0, true, 9).empty());
  EXPECT_EQ(state_of(store, "d"), "ready") << "not over";
  EXPECT_EQ(taken(store.queue()->nodes()).size(), 1u) << "it lives";
  taken(store.queue()->leave(node, kStoreNow + 100));
  prune(0, true, 9);
  EXPECT_TRUE(taken(store.queue()->nodes()).empty());
  EXPECT_GT(joined(store), node) << "numbers are not used again";
  EXPECT_TRUE(enqueued(store, job_of("a"))) << "the id is free";
}

ScheduleRow schedule_of(std::string name, std::string tenant = "") {
  ScheduleRow out;
  out.name = std::move(name);
  out.spec = "each day";
  out.next_ms = kStoreNow;
  out.job = job_of("", std::move(tenant));
  out.job.needs = {"mail"};
  out.job.priority = -2;
  out.job.most_attempts = 7;
  return out;
}

void time_is_the_time_of_leases(FactStore& store) {
  EXPECT_EQ(taken(store.queue()->time(kStoreNow + 3)), kStoreNow + 3) << "the clock of the caller, here";
}

void a_moment_is_fired_once(FactStore& store) {
  taken(store.queue()->set_schedule(schedule_of("s")));
  Job job = job_of("s/1");
  EXPECT_FALSE(taken(store.queue()->fire("s", {kStoreNow - 1, kStoreNow - 1, kStoreNow + 5}, {&job, 1}, kStoreNow)));
  EXPECT_FALSE(taken(store.queue()->fire("t", {kStoreNow, kStoreNow, kStoreNow + 5}, {&job, 1}, kStoreNow)));
  EXPECT_TRUE(taken(store.queue()->fire("s", {kStoreNow, kStoreNow, kStoreNow + 5}, {&job, 1}, kStoreNow)));
  EXPECT_FALSE(taken(store.queue()->fire("s", {kStoreNow, kStoreNow, kStoreNow + 5}, {&job, 1}, kStoreNow)));
  EXPECT_EQ(state_of(store, "s/1"), "ready");
  const auto rows = taken(store.queue()->schedules());
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(std::tuple(rows[0].last_ms, rows[0].next_ms, rows[0].fired), std::tuple(kStoreNow, kStoreNow + 5, 1u));
  EXPECT_TRUE(taken(store.queue()->fire("s", {kStoreNow + 5, kStoreNow + 8, kStoreNow + 9}, {}, kStoreNow)))
      << "left out";
  EXPECT_EQ(taken(store.queue()->schedules())[0].fired, 1u);
  EXPECT_EQ(taken(store.queue()->schedules())[0].last_ms, kStoreNow + 8) << "the newest of several";
}

void a_schedule_is_what_it_was_set_to(FactStore& store) {
  taken(store.queue()->set_schedule(schedule_of("b")));
  taken(store.queue()->set_schedule(schedule_of("a", "one")));
  auto rows = taken(store.queue()->schedules());
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].name + rows[1].name, "ab");
  EXPECT_EQ(rows[0].spec, "each day");
  EXPECT_EQ(rows[0].job.queue, "q");
  EXPECT_EQ(rows[0].job.tenant, "one");
  EXPECT_EQ(rows[0].job.needs, Logs{"mail"});
  EXPECT_EQ(std::tuple(rows[0].job.priority, rows[0].job.most_attempts), std::tuple(-2, 7));
  EXPECT_EQ(rows[0].job.start.kind, FactKind::RunStarted);
  Job job = job_of("b/1");
  taken(store.queue()->fire("b", {kStoreNow, kStoreNow, kStoreNow + 5}, {&job, 1}, kStoreNow));
  ScheduleRow changed = schedule_of("b");
  changed.spec = "each hour";
  changed.next_ms = kStoreNow + 7;
  taken(store.queue()->set_schedule(changed));
  rows = taken(store.queue()->schedules());
  EXPECT_EQ(std::tuple(rows[1].spec, rows[1].next_ms, rows[1].fired), std::tuple("each hour", kStoreNow + 7, 1u));
  EXPECT_EQ(error_of(store.queue()->set_schedule(schedule_of("b", "two"))), "store_wrong_tenant");
  EXPECT_EQ(error_of(store.queue()->remove_schedule("b", "two")), "store_wrong_tenant");
  EXPECT_TRUE(taken(store.queue()->remove_schedule("b", "")));
  EXPECT_FALSE(taken(store.queue()->remove_schedule("b", "")));
  ScheduleRow wrong = schedule_of("c");
  wrong.job.log = "c";
  EXPECT_EQ(error_of(store.queue()->set_schedule(wrong)), "store_misuse");
}

void a_moment_whose_run_is_anothers_is_not_fired(FactStore& store) {
  taken(store.queue()->set_schedule(schedule_of("s", "one")));
  enqueued(store, job_of("s/1", "two"));
  Job job = job_of("s/1", "one");
  const Firing moments{kStoreNow, kStoreNow, kStoreNow + 5};
  EXPECT_EQ(error_of(store.queue()->fire("s", moments, {&job, 1}, kStoreNow)), "store_wrong_tenant");
  const auto rows = taken(store.queue()->schedules());
  EXPECT_EQ(std::tuple(rows[0].last_ms, rows[0].next_ms, rows[0].fired), std::tuple(0, kStoreNow, 0u));
}

// Several nodes fire the same moments as fast as they can.
void moments_race(FactStore& store) {
  constexpr std::int64_t kMoments = 20;
  taken(store.queue()->set_schedule(schedule_of("s")));
  std::atomic<int> fired{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      for (std::int64_t moment = 0; moment < kMoments; ++moment) {
        Job job = job_of("s/" + std::to_string(moment));
        const std::int64_t due = kStoreNow + moment;
        fired += taken(store.queue()->fire("s", {due, due, due + 1}, {&job, 1}, kStoreNow));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(fired, kMoments);
  EXPECT_EQ(taken(store.queue()->jobs(JobState::Ready, 0, 99)).size(), static_cast<std::size_t>(kMoments));
}

constexpr auto kUpkeepCases = std::to_array<StoreCase>({
    {"AnEndOfWhichTheWorkerDoesNotKnowIsNoEnd", an_end_of_which_the_worker_does_not_know_is_no_end},
    {"ARunThatGoesOnIsNotOver", a_run_that_goes_on_is_not_over},
    {"AJobComesAfterOthers", a_job_comes_after_others},
    {"AJobAfterOthersKeepsItsTime", a_job_after_others_keeps_its_time},
    {"AJobAfterOneThatIsGivenUpEnds", a_job_after_one_that_is_given_up_ends},
    {"AJobIsBlockedAgainWhenTheOneBeforeIsRetried", a_job_is_blocked_again_when_the_one_before_is_retried},
    {"ARetriedJobStillComesAfterOthers", a_retried_job_still_comes_after_others},
    {"ARetriedJobAfterOneThatWasGivenUpEnds", a_retried_job_after_one_that_was_given_up_ends},
    {"ARetriedJobAfterOneThatIsDoneIsReady", a_retried_job_that_comes_after_one_that_is_done_is_ready},
    {"JobsWhoseDependencyFailedAreRemoved", jobs_whose_dependency_failed_are_removed},
    {"AJobCannotComeAfterWhatIsNotThere", a_job_cannot_come_after_what_is_not_there},
    {"JobsBeforeOneEndAtOnce", jobs_before_one_end_at_once},
    {"DepthsCountWhatIsNotDone", depths_count_what_is_not_done},
    {"WhatIsOverIsRemoved", what_is_over_is_removed},
    {"TimeIsTheTimeOfLeases", time_is_the_time_of_leases},
    {"AMomentIsFiredOnce", a_moment_is_fired_once},
    {"AScheduleIsWhatItWasSetTo", a_schedule_is_what_it_was_set_to},
    {"AMomentWhoseRunIsAnothersIsNotFired", a_moment_whose_run_is_anothers_is_not_fired},
    {"MomentsRace", moments_race},
});

}   // namespace

std::span<const StoreCase> queue_upkeep_cases() { return kUpkeepCases; }

}   // namespace ptc
