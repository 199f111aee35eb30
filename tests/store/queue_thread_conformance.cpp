// Threads of one process that claim runs and give them back.
#include <array>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "tests/store/queue_conformance.h"
#include "tests/store/queue_steps.h"

namespace ptc {
namespace {

// Four nodes claim as fast as they can, and give back. No run is given to two, and no more are held than may be.
void claims_race(FactStore& store) {
  constexpr int kRuns = 40;
  QueueLimits limits = limits_of_q();
  limits.slots = 3;
  limit(store, limits);
  std::vector<Job> jobs;
  for (int i = 0; i < kRuns; ++i) jobs.push_back(job_of("r" + std::to_string(i)));
  taken(store.queue()->enqueue(jobs, kStoreNow));
  std::atomic<int> ended{0}, held{0}, most{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const std::uint64_t node = joined(store);
      while (ended < kRuns && !testing::Test::HasFailure()) {
        for (const ClaimedRun& run : claims(store, node, 2)) {
          const int now = ++held;
          for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
          }
          EXPECT_TRUE(put_one(store, run.log, run.token, task_fact("once")).mine) << "one holder only";
          end_run(store, run);
          --held;
          EXPECT_TRUE(finished(store, run, kOver));
          ++ended;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ended, kRuns);
  EXPECT_LE(most, 3);
}

// One thread claims what the other gives back, before the other has heard that it did.
void a_claim_outlives_the_end_of_the_one_before(FactStore& store) {
  constexpr int kClaims = 30;
  enqueued(store, job_of("a"));
  const std::uint64_t node = joined(store);
  std::atomic<std::uint64_t> given_back{claims(store, node)[0].token};
  std::thread other([&] {
    for (std::uint64_t last = 0; last <= kClaims;) {
      const std::uint64_t token = given_back;
      if (token == last) continue;
      Parked parked = waiting_for({"k"}, 1);
      parked.deadline_ms = kStoreNow;
      EXPECT_TRUE(is_parked(store, "a", token, parked)) << "claim " << token;
      EXPECT_TRUE(taken(store.queue()->finish("a", token, {}, kStoreNow))) << "claim " << token;
      last = testing::Test::HasFailure() ? kClaims + 1 : token;
    }
  });
  while (given_back <= kClaims && !testing::Test::HasFailure()) {
    const auto next = claims(store, node);
    if (!next.empty()) given_back = next[0].token;
  }
  other.join();
}

constexpr auto kQueueThreadCases = std::to_array<StoreCase>({
    {"ClaimsRace", claims_race},
    {"AClaimOutlivesTheEndOfTheOneBefore", a_claim_outlives_the_end_of_the_one_before},
});

}   // namespace

std::span<const StoreCase> queue_thread_cases() { return kQueueThreadCases; }

}   // namespace ptc
