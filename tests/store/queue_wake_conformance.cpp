// Claims say how long ago a parked run was woken: cases of queue_conformance().
#include <array>

#include "runtime/log/run_queue.h"
#include "tests/store/queue_conformance.h"
#include "tests/store/queue_steps.h"
#include "tests/store/store_facts.h"

namespace ptc {
namespace {

using WakeTime = std::optional<std::int64_t>;

// A run that a node has parked and given back.
void park_run_a(FactStore& store, const Parked& parked) {
  enqueued(store, job_of("a"));
  const ClaimedRun run = claims(store, joined(store)).at(0);
  EXPECT_EQ(run.wake_ms, WakeTime()) << "nobody had woken it";
  EXPECT_TRUE(is_parked(store, "a", run.token, parked));
  EXPECT_TRUE(finished(store, run));
}
WakeTime wake_time_of_a(FactStore& store, std::int64_t now) {
  const auto runs = claims(store, joined(store, now), 1, now);
  EXPECT_EQ(logs_of(runs), Logs{"a"});
  return runs.empty() ? std::nullopt : runs[0].wake_ms;
}

void a_run_is_woken_by_its_fact(FactStore& store) {
  park_run_a(store, waiting_for({"k"}, 1));
  Fact answer = outside_fact("k");
  answer.time_ms = kStoreNow + 10;
  put_one(store, "a", 0, answer);
  EXPECT_EQ(wake_time_of_a(store, kStoreNow + 25), 15);
}

void a_run_is_woken_by_its_deadline(FactStore& store) {
  Parked parked = waiting_for({"k"}, 1);
  parked.deadline_ms = kStoreNow + 50;
  park_run_a(store, parked);
  EXPECT_TRUE(claims(store, joined(store), 1, kStoreNow + 49).empty());
  EXPECT_EQ(wake_time_of_a(store, kStoreNow + 80), 30) << "the moment counts, not when somebody looked";
}

// Its program was left in the middle, so that others can go first.
void a_run_that_goes_on_by_itself_is_not_woken(FactStore& store) {
  Parked parked = waiting_for({}, 1);
  parked.deadline_ms = 0;
  park_run_a(store, parked);
  EXPECT_EQ(wake_time_of_a(store, kStoreNow + 80), WakeTime());
}

void a_turn_that_is_tried_again_is_not_woken(FactStore& store) {
  enqueued(store, job_of("a"));
  const ClaimedRun run = claims(store, joined(store)).at(0);
  EXPECT_TRUE(finished(store, run, {Finish::Kind::Retry, 20, "no"}));
  EXPECT_EQ(wake_time_of_a(store, kStoreNow + 80), WakeTime());
}

constexpr auto kWakeCases = std::to_array<StoreCase>({
    {"ARunIsWokenByItsFact", a_run_is_woken_by_its_fact},
    {"ARunIsWokenByItsDeadline", a_run_is_woken_by_its_deadline},
    {"ARunThatGoesOnByItselfIsNotWoken", a_run_that_goes_on_by_itself_is_not_woken},
    {"ATurnThatIsTriedAgainIsNotWoken", a_turn_that_is_tried_again_is_not_woken},
});

}   // namespace

std::span<const StoreCase> queue_wake_cases() { return kWakeCases; }

}   // namespace ptc
