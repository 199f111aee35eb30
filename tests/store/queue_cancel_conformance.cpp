// Runs that are told to end: cases of queue_conformance().
#include <array>

#include "runtime/log/run_queue.h"
#include "tests/store/queue_conformance.h"
#include "tests/store/queue_steps.h"
#include "tests/store/store_facts.h"

namespace ptc {
namespace {

void a_cancel_ends_what_nobody_holds(FactStore& store) {
  Job ready = job_of("ready"), timer = job_of("timer"), blocked = job_of("blocked"), last = job_of("last");
  ready.needs = {"nowhere"};
  timer.delay_ms = 100;
  blocked.after = {"ready"};
  last.after = {"blocked"};
  enqueued(store, job_of("waiting"));
  const std::uint64_t node = joined(store);
  const auto run = claims(store, node)[0];
  EXPECT_TRUE(is_parked(store, "waiting", run.token, waiting_for({"k"}, 1)));
  finished(store, run);
  for (const Job& job : {ready, timer, blocked, last}) enqueued(store, job);
  QueueLimits limits = limits_of_q();
  limits.is_paused = true;
  limit(store, limits);
  for (const char* log : {"blocked", "ready", "timer", "waiting"}) {
    EXPECT_TRUE(taken(store.queue()->cancel(log, "", "no need", "me", kStoreNow + 5))) << log;
    EXPECT_EQ(state_of(store, log), "dead");
    EXPECT_EQ(row_of(store, log).reason, "cancelled");
    EXPECT_EQ(row_of(store, log).at_ms, kStoreNow + 5);
    const auto facts = taken(store.read(log, 0, 99));
    EXPECT_EQ(facts.back().text, "no need");
    EXPECT_EQ(facts.back().source, "me");
    EXPECT_FALSE(taken(store.queue()->cancel(log, "", "no need", "me", kStoreNow + 6))) << "it is over";
  }
  EXPECT_EQ(state_of(store, "last"), "dependency_failed");
  put_one(store, "waiting", 0, outside_fact("k"));
  EXPECT_EQ(state_of(store, "waiting"), "dead") << "nothing wakes it";
}

void a_cancelled_run_goes_on_where_it_was_when_it_is_retried(FactStore& store) {
  enqueued(store, job_of("a"));
  const std::uint64_t node = joined(store);
  const auto run = claims(store, node)[0];
  EXPECT_TRUE(is_parked(store, "a", run.token, waiting_for({"k"}, 1)));
  finished(store, run);
  EXPECT_TRUE(taken(store.queue()->cancel("a", "", "", "", kStoreNow)));
  EXPECT_TRUE(taken(store.queue()->retry("a", "", kStoreNow)));
  const auto again = claims(store, node);
  ASSERT_EQ(again.size(), 1u);
  EXPECT_FALSE(again[0].is_cancelled);
  EXPECT_TRUE(taken(store.parked("a")));
}

void a_cancel_tells_the_node_that_has_the_run(FactStore& store) {
  enqueued(store, job_of("a"));
  Job after = job_of("b");
  after.after = {"a"};
  enqueued(store, after);
  const std::uint64_t node = joined(store);
  const auto run = claims(store, node)[0];
  EXPECT_TRUE(taken(store.queue()->cancel("a", "", "no need", "me", kStoreNow)));
  EXPECT_FALSE(taken(store.queue()->cancel("a", "", "no need", "me", kStoreNow))) << "said already";
  EXPECT_EQ(state_of(store, "a"), "held");
  EXPECT_EQ(taken(store.queue()->beat(node, kStoreNow)).cancelled, Logs{"a"});
  EXPECT_TRUE(is_parked(store, "a", run.token, waiting_for({"k"}, 2)));
  EXPECT_TRUE(finished(store, run)) << "by a worker that has not heard of it";
  EXPECT_EQ(state_of(store, "a"), "dead");
  EXPECT_EQ(row_of(store, "a").reason, "cancelled");
  EXPECT_EQ(state_of(store, "b"), "dependency_failed");
}

void a_cancelled_run_that_has_ended_well_is_done(FactStore& store) {
  enqueued(store, job_of("a"));
  const auto run = claims(store, joined(store))[0];
  EXPECT_TRUE(taken(store.queue()->cancel("a", "", "", "", kStoreNow)));
  end_run(store, run);
  EXPECT_TRUE(finished(store, run, kOver));
  EXPECT_EQ(state_of(store, "a"), "done");
}

// The nodes leave or die, before or after the end of a turn, and nobody says how it has ended.
void a_cancelled_run_without_its_node_is_over(FactStore& store) {
  for (const char* log : {"a", "b", "c"}) enqueued(store, job_of(log));
  const std::uint64_t leaves = joined(store), dies = joined(store);
  const auto runs = claims(store, leaves, 2);
  claims(store, dies);
  end_run(store, runs[0]);
  for (const char* log : {"a", "b", "c"}) EXPECT_TRUE(taken(store.queue()->cancel(log, "", "", "", kStoreNow)));
  EXPECT_TRUE(taken(store.queue()->leave(leaves, kStoreNow)));
  taken(store.queue()->rescue(9, kStoreNow + kLease));
  for (const char* log : {"a", "b", "c"}) EXPECT_EQ(state_of(store, log), "dead") << log;
}

constexpr auto kCancelCases = std::to_array<StoreCase>({
    {"ACancelEndsWhatNobodyHolds", a_cancel_ends_what_nobody_holds},
    {"ACancelledRunGoesOnWhereItWasWhenItIsRetried", a_cancelled_run_goes_on_where_it_was_when_it_is_retried},
    {"ACancelTellsTheNodeThatHasTheRun", a_cancel_tells_the_node_that_has_the_run},
    {"ACancelledRunThatHasEndedWellIsDone", a_cancelled_run_that_has_ended_well_is_done},
    {"ACancelledRunWithoutItsNodeIsOver", a_cancelled_run_without_its_node_is_over},
});

}   // namespace

std::span<const StoreCase> queue_cancel_cases() { return kCancelCases; }

}   // namespace ptc
