// What the thread pool promises besides: bounds counted in slices, refusals, its end.
#include <gtest/gtest.h>

#include "ptcvm/ptcvm.hpp"
#include "ptcvm/thread_pool.hpp"

namespace {

using ptcvm::RunState;
using ptcvm::ThreadPool;

constexpr std::uint64_t kSliceFuel = 500;

ptcvm::Run started(std::string_view source, std::uint64_t fuel) {
  static const ptcvm::Engine engine;
  ptcvm::RunOptions options;
  options.limits.fuel = fuel;
  options.limits.loop = UINT32_MAX;
  return *ptcvm::Run::start(engine, *engine.compile(source), options);
}
ptcvm::Run endless(std::uint64_t fuel = UINT64_MAX) { return started("(loop [i 0] (recur (inc i)))", fuel); }
ptcvm::Run brief() { return started("(+ 1 2)", 1'000); }

std::string fault_of(const ptcvm::Run& run) {
  const auto fault = run.diagnostic();
  return fault ? fault->kind : "";
}

// Calls `fill` on the one thread of the pool, so that nothing is stepped before all of it is there.
void fill_at_once(ThreadPool& pool, std::function<void()> fill) {
  std::promise<void> filled;
  ASSERT_TRUE(pool.submit("gate", brief(), [&](ptcvm::Run) {
    fill();
    filled.set_value();
  }));
  filled.get_future().wait();
}

}  // namespace

TEST(ThreadPool, ServesATenantAfterABoundedNumberOfSlices) {
  ThreadPool pool({.threads = 1, .slice_fuel = kSliceFuel});
  std::uint64_t at_first = 0, at_answer = 0;
  fill_at_once(pool, [&] {
    for (int i = 0; i < 100; ++i) {
      (void)pool.submit("greedy", endless(20 * kSliceFuel),
                        [](ptcvm::Run run) { EXPECT_EQ(fault_of(run), "fuel_exhausted"); });
    }
    (void)pool.submit("modest", brief(), [&](ptcvm::Run run) {
      EXPECT_EQ(run.result().as_int(), 3);
      at_answer = pool.slices();
    });
    at_first = pool.slices();
  });
  pool.drain();
  EXPECT_EQ(at_answer, at_first + 2) << "one slice of the other tenant, and one of its own";
  EXPECT_GE(pool.slices(), at_first + 2'000u);
}

TEST(ThreadPool, ServesTheRunsOfATenantInTurns) {
  ThreadPool pool({.threads = 1, .slice_fuel = kSliceFuel});
  std::vector<int> order;
  fill_at_once(pool, [&] {
    (void)pool.submit("one", endless(10 * kSliceFuel), [&](ptcvm::Run) { order.push_back(1); });
    (void)pool.submit("one", endless(5 * kSliceFuel), [&](ptcvm::Run) { order.push_back(2); });
    (void)pool.submit("one", brief(), [&](ptcvm::Run) { order.push_back(3); });
  });
  pool.drain();
  EXPECT_EQ(order, (std::vector<int>{3, 2, 1}));
}

TEST(ThreadPool, RefusesMoreRunsThanATenantMayHave) {
  ThreadPool pool({.threads = 1, .slice_fuel = kSliceFuel, .runs_per_tenant = 2});
  std::promise<void> again;
  fill_at_once(pool, [&] {
    EXPECT_TRUE(pool.submit("full", brief(), [&](ptcvm::Run back) {   // its place is free now
      EXPECT_TRUE(pool.submit("full", std::move(back), [&](ptcvm::Run) { again.set_value(); }));
    }));
    EXPECT_TRUE(pool.submit("full", brief(), [](ptcvm::Run) {}));
    ptcvm::Run third = brief();
    const auto refused = pool.submit("full", std::move(third), [](ptcvm::Run) { FAIL() << "was refused"; });
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ptcvm::Errc::busy);
    EXPECT_EQ(third.step(), RunState::Completed) << "it is the caller's";
    EXPECT_TRUE(pool.submit("other", std::move(third), [](ptcvm::Run) {}));
  });
  again.get_future().wait();
  pool.drain();
  EXPECT_EQ(pool.runs(), 0u);
}

TEST(ThreadPool, TakesNothingAfterItsEnd) {
  ThreadPool pool({.threads = 2});
  auto last = pool.submit("one", brief());
  pool.drain();
  EXPECT_EQ(last->get().result().as_int(), 3);
  const auto refused = pool.submit("one", brief());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ptcvm::Errc::wrong_state);
}

TEST(ThreadPool, CancelsWhatItHasWhenItIsDestroyed) {
  std::vector<std::future<ptcvm::Run>> runs;
  {
    ThreadPool pool({.threads = 2});
    for (int i = 0; i < 20; ++i) runs.push_back(*pool.submit(std::to_string(i % 3), endless()));
  }
  for (std::future<ptcvm::Run>& run : runs) EXPECT_EQ(fault_of(run.get()), "cancelled");
}

TEST(ThreadPool, CancelsOneRunByItsStopToken) {
  ThreadPool pool({.threads = 1, .slice_fuel = kSliceFuel});
  std::stop_source stop;
  auto stopped = pool.submit("one", endless(), stop.get_token());
  auto other = pool.submit("one", endless(100 * kSliceFuel));
  EXPECT_EQ(fault_of(other->get()), "fuel_exhausted");
  stop.request_stop();
  EXPECT_EQ(fault_of(stopped->get()), "cancelled");
}
