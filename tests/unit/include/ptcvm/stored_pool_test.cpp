// What the pool of stored runs promises besides: who calls tools, and when a run leaves the pool.
#include <gtest/gtest.h>

#include <atomic>

#include "ptcvm/ptcvm.hpp"
#include "ptcvm/thread_pool.hpp"

namespace {

using ptcvm::StoredRun;
using ptcvm::StoredStep;
using ptcvm::StoredThreadPool;

class StoredThreadPoolTest : public testing::Test {
 protected:
  StoredRun started(std::string id, std::string_view source) {
    options_.id = std::move(id);
    return *StoredRun::start(engine_, store_, tools_, source, options_);
  }
  static std::string result(const StoredRun& run) { return run.outcome().outcome.value.to_edn(); }

  ptcvm::Engine engine_;
  ptcvm::Store store_ = ptcvm::Store::in_memory();
  ptcvm::Tools tools_;
  ptcvm::StoredOptions options_;
};

}  // namespace

TEST_F(StoredThreadPoolTest, CallsTheToolsOfManyRunsInItsThreads) {
  const std::thread::id here = std::this_thread::get_id();
  std::atomic<int> calls_here = 0;
  tools_.add("twice", "(n :int) -> :int", [&](ptcvm::ToolCall& call) {
    if (std::this_thread::get_id() == here) ++calls_here;
    return call.value(*call.arg("n").as_int() * 2);
  }).value();
  StoredThreadPool pool({.threads = 3});
  std::vector<std::future<StoredRun>> runs;
  for (int i = 0; i < 20; ++i) {
    const std::string id = std::to_string(i);
    runs.push_back(*pool.submit("one", started(id, "(reduce + (pmap #(tool/twice {:n %}) (range 5)))")));
  }
  for (auto& run : runs) {
    const StoredRun back = run.get();
    ASSERT_TRUE(back.last_step());
    EXPECT_EQ(*back.last_step(), StoredStep::Done);
    EXPECT_EQ(result(back), "20");
  }
  EXPECT_EQ(calls_here, 0);
}

TEST_F(StoredThreadPoolTest, HandsARunBackWhenOnlyDeferredCallsAreLeft) {
  tools_.defer("fetch", "(n :int) -> :int").value();
  tools_.add("twice", "(n :int) -> :int", [](ptcvm::ToolCall& call) {
    return call.value(*call.arg("n").as_int() * 2);
  }).value();
  StoredThreadPool pool({.threads = 2});
  StoredRun run = started("r", "(pcalls #(tool/fetch {:n 1}) #(tool/twice {:n 2}) #(tool/fetch {:n 3}))");
  run = pool.submit("one", std::move(run))->get();
  ASSERT_EQ(*run.last_step(), StoredStep::Waits);
  const std::vector<ptcvm::WaitingCall> calls = run.calls();
  ASSERT_EQ(calls.size(), 2u) << "the pool made the call of twice";
  ASSERT_TRUE(run.answer(calls[1].id, ptcvm::Value::of(30)));
  ASSERT_TRUE(run.answer(calls[0].id, ptcvm::Value::of(10)));
  run = pool.submit("one", std::move(run))->get();
  EXPECT_EQ(result(run), "[10 4 30]");
}

TEST_F(StoredThreadPoolTest, HandsARunBackThatWaitsForTime) {
  std::int64_t now = 1'000'000;
  options_.clock = [&now] { return now; };
  int attempts = 0;
  ptcvm::ToolOptions again{.effect = ptcvm::Effect::Idempotent};
  again.retry = {.max_attempts = 2, .first_delay = std::chrono::milliseconds(400)};
  tools_.add("flaky", "() -> :int", [&](ptcvm::ToolCall& call) {
    return ++attempts == 1 ? call.error("not yet") : call.value(7);
  }, again).value();
  StoredThreadPool pool({.threads = 1});
  StoredRun run = started("r", "(tool/flaky {})");
  run = pool.submit("one", std::move(run))->get();
  ASSERT_EQ(*run.last_step(), StoredStep::Waits);
  ASSERT_TRUE(run.wake_time_ms());
  EXPECT_TRUE(run.calls().empty());
  now = *run.wake_time_ms();
  run = pool.submit("one", std::move(run))->get();
  EXPECT_EQ(result(run), "7");
  EXPECT_EQ(attempts, 2);
}

TEST_F(StoredThreadPoolTest, HandsARunBackWithTheErrorOfItsLastStep) {
  StoredRun first = started("r", "(reduce + (range 1000))");
  ASSERT_EQ(*first.step(100), StoredStep::Yielded) << "it holds the claim";
  StoredThreadPool pool({.threads = 1});
  const StoredRun second = pool.submit("one", started("r", "(reduce + (range 1000))"))->get();
  ASSERT_FALSE(second.last_step());
  EXPECT_EQ(second.last_step().error().code, ptcvm::Errc::busy);
}

TEST_F(StoredThreadPoolTest, CancelsAStoredRunInTheMiddleOfASlice) {
  options_.limits.fuel = UINT64_MAX;
  options_.limits.loop = UINT32_MAX;
  std::stop_source stop;
  StoredThreadPool pool({.threads = 1, .slice_fuel = UINT64_MAX});
  auto endless = pool.submit("one", started("r", "(loop [] (recur))"), stop.get_token());
  stop.request_stop();
  const StoredRun back = endless->get();
  ASSERT_TRUE(back.outcome().outcome.diagnostic);
  EXPECT_EQ(back.outcome().outcome.diagnostic->kind, "cancelled");
}
