// Runs that are removed with their parts: cases of queue_conformance().
#include <array>

#include "runtime/log/run_queue.h"
#include "runtime/log/store_identity.h"
#include "tests/store/queue_conformance.h"
#include "tests/store/queue_steps.h"
#include "tests/store/store_facts.h"

namespace ptc {
namespace {

Logs logs_in(FactStore& store) {
  Logs out;
  for (const RunInfo& info : taken(store.runs("", 100))) out.push_back(info.log);
  return out;
}
Logs pruned(FactStore& store) { return taken(store.queue()->prune(0, false, 100, kStoreNow + 1)); }

void run_to_its_end(FactStore& store, const std::string& log) {
  enqueued(store, job_of(log));
  for (const ClaimedRun& run : claims(store, joined(store))) {
    end_run(store, run);
    EXPECT_TRUE(finished(store, run, kOver));
  }
  EXPECT_EQ(state_of(store, log), "done");
}
void put_part(FactStore& store, std::string_view log) { put_one(store, log, 0, outside_fact("k")); }

void parts_go_with_their_run(FactStore& store) {
  run_to_its_end(store, "a");
  for (const char* const part : {"a/steps", "a/model", "a/steps/children/1"}) put_part(store, part);
  EXPECT_TRUE(is_parked(store, "a/steps/children/2", started(store, "a/steps/children/2"), waiting_for({"k"}, 1)));
  for (const char* const other : {"a0", "a-b", "b/steps", "A/steps"}) put_part(store, other);
  EXPECT_TRUE(pruned(store).empty()) << "a part is claimed";
  EXPECT_TRUE(taken(store.release("a/steps/children/2", 1)));
  EXPECT_EQ(pruned(store), Logs{"a"});
  EXPECT_EQ(logs_in(store), (Logs{"A/steps", "a-b", "a0", "b/steps"}));
  EXPECT_FALSE(taken(store.parked("a/steps/children/2")));
  EXPECT_TRUE(taken(store.read("a/steps", 0, 9)).empty());
  EXPECT_TRUE(taken(store.woken(kStoreNow + 1, 9)).empty());
}

void parts_of_a_run_that_stays_stay(FactStore& store) {
  enqueued(store, job_of("a"));
  put_part(store, "a/steps");
  EXPECT_TRUE(pruned(store).empty());
  EXPECT_EQ(logs_in(store), (Logs{"a", "a/steps"}));
}

// Its id begins like a part, and it has a job: a run of a schedule, for instance.
void a_run_below_another_stays_with_its_parts(FactStore& store) {
  run_to_its_end(store, "a");
  Job later = job_of("a/2026");
  later.delay_ms = 1'000;
  enqueued(store, later);
  for (const char* const part : {"a/2026/steps", "a/2026-x", "a/steps"}) put_part(store, part);
  EXPECT_EQ(pruned(store), Logs{"a"});
  EXPECT_EQ(logs_in(store), (Logs{"a/2026", "a/2026/steps"}));
}

void a_run_that_has_no_job_keeps_its_parts(FactStore& store) {
  put_part(store, "a");
  run_to_its_end(store, "a/1");
  put_part(store, "a/2");
  EXPECT_EQ(pruned(store), Logs{"a/1"});
  EXPECT_EQ(logs_in(store), (Logs{"a", "a/2"}));
}

void the_identity_of_the_store_is_no_part(FactStore& store) {
  run_to_its_end(store, "ptcvm");
  put_part(store, kIdentityLog);
  EXPECT_EQ(pruned(store), Logs{"ptcvm"});
  EXPECT_EQ(logs_in(store), Logs{std::string(kIdentityLog)});
}

constexpr auto kPruneCases = std::to_array<StoreCase>({
    {"PartsGoWithTheirRun", parts_go_with_their_run},
    {"PartsOfARunThatStaysStay", parts_of_a_run_that_stays_stay},
    {"ARunBelowAnotherStaysWithItsParts", a_run_below_another_stays_with_its_parts},
    {"ARunThatHasNoJobKeepsItsParts", a_run_that_has_no_job_keeps_its_parts},
    {"TheIdentityOfTheStoreIsNoPart", the_identity_of_the_store_is_no_part},
});

}   // namespace

std::span<const StoreCase> queue_prune_cases() { return kPruneCases; }

}   // namespace ptc
