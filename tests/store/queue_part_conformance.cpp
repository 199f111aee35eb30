// Parts RUN/… of a run are of its tenant: cases of queue_conformance().
#include <array>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "runtime/log/run_queue.h"
#include "tests/store/queue_conformance.h"
#include "tests/store/queue_steps.h"
#include "tests/store/store_facts.h"

namespace ptc {
namespace {

// Returns the name of the refusal, or "" when the jobs were taken.
std::string refusal(FactStore& store, const std::vector<Job>& jobs) {
  const auto out = store.queue()->enqueue(jobs, kStoreNow);
  const auto* const error = std::get_if<StoreError>(&out);
  return error == nullptr ? "" : std::string(store_error_name(error->kind));
}
std::string refusal(FactStore& store, const std::string& log, const std::string& tenant) {
  return refusal(store, {job_of(log, tenant)});
}

void a_part_is_of_the_tenant_of_its_run(FactStore& store) {
  enqueued(store, job_of("pay", "one"));
  for (const char* part : {"pay/a", "pay/a/b", "pay/", "pay//a"}) {
    EXPECT_EQ(refusal(store, part, "two"), "store_wrong_tenant") << part;
    EXPECT_FALSE(taken(store.queue()->job(part)));
    EXPECT_EQ(head_of(store, part), 0u) << part;
  }
  for (const char* other : {"pay2", "pay-a", "pa", "/pay/a", "pay\\/a"}) {
    EXPECT_EQ(refusal(store, other, "two"), "") << other;
  }
  EXPECT_EQ(refusal(store, "pay/a", "one"), "");
  EXPECT_EQ(refusal(store, {job_of("pay/b", "one"), job_of("free", "two"), job_of("pay/c", "two")}),
            "store_wrong_tenant");
  EXPECT_FALSE(taken(store.queue()->job("pay/b"))) << "all or none";
}

void a_run_is_of_the_tenant_of_its_parts(FactStore& store) {
  enqueued(store, job_of("pay/a/b", "two"));
  enqueued(store, job_of("pay2", "three"));
  for (const char* run : {"pay", "pay/a"}) {
    EXPECT_EQ(refusal(store, run, "one"), "store_wrong_tenant") << run;
    EXPECT_EQ(head_of(store, run), 0u) << run;
    EXPECT_EQ(refusal(store, {job_of("x", "one"), job_of(run, "one")}), "store_wrong_tenant") << run;
    EXPECT_FALSE(taken(store.queue()->job("x"))) << "all or none";
  }
  EXPECT_EQ(refusal(store, "pay", "two"), "");
  EXPECT_EQ(refusal(store, "pay", "two"), "") << "it is there, and is left alone";
}

void runs_and_parts_of_one_call_are_of_one_tenant(FactStore& store) {
  const Job run = job_of("pay", "one"), part = job_of("pay/a", "two");
  EXPECT_EQ(refusal(store, {run, part}), "store_wrong_tenant");
  EXPECT_EQ(refusal(store, {part, run}), "store_wrong_tenant");
  EXPECT_FALSE(taken(store.queue()->job("pay")));
  EXPECT_FALSE(taken(store.queue()->job("pay/a")));
  EXPECT_EQ(refusal(store, {job_of("pay/a", "one"), run}), "");
}

// A log that is no job is of no tenant: the run writes it itself.
void a_log_without_a_job_is_no_part_of_another_tenant(FactStore& store) {
  const Fact note = outside_fact("k");
  taken(store.put("pay/log", Cut::blind(), {&note, 1}));
  EXPECT_EQ(refusal(store, "pay", "one"), "");
}

// One of the two is refused, in any order.
void a_run_and_its_part_race(FactStore& store) {
  constexpr int kRounds = 20;
  std::atomic<int> began{0};
  std::array<std::array<std::string, kRounds>, 2> said;
  std::vector<std::thread> threads;
  for (std::size_t who = 0; who < 2; ++who) {
    threads.emplace_back([&, who] {
      for (int i = 0; i < kRounds; ++i) {
        ++began;
        while (began < 2 * (i + 1)) std::this_thread::yield();
        const std::string run = "r" + std::to_string(i);
        said[who][static_cast<std::size_t>(i)] = refusal(store, who == 0 ? run : run + "/p", who == 0 ? "one" : "two");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < kRounds; ++i) {
    EXPECT_EQ(said[0][i] + said[1][i], "store_wrong_tenant") << "round " << i;
  }
}

constexpr auto kPartCases = std::to_array<StoreCase>({
    {"APartIsOfTheTenantOfItsRun", a_part_is_of_the_tenant_of_its_run},
    {"ARunIsOfTheTenantOfItsParts", a_run_is_of_the_tenant_of_its_parts},
    {"RunsAndPartsOfOneCallAreOfOneTenant", runs_and_parts_of_one_call_are_of_one_tenant},
    {"ALogWithoutAJobIsNoPartOfAnotherTenant", a_log_without_a_job_is_no_part_of_another_tenant},
    {"ARunAndItsPartRace", a_run_and_its_part_race},
});

}   // namespace

std::span<const StoreCase> queue_part_cases() { return kPartCases; }

}   // namespace ptc
