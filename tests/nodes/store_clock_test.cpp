// A worker whose machine shows another time than the store: deadlines are moments by the clock of the store.
#include <gtest/gtest.h>

#include "api/store_access.h"
#include "ptcvm/ptcvm.hpp"
#include "ptcvm/schedules.hpp"
#include "ptcvm/worker.hpp"
#include "tests/support/forwarding_queue.h"

namespace ptcvm {
namespace {

constexpr std::int64_t kDayMs = 86'400'000;

// Goes by a clock that is a day ahead, whatever time the caller has, as a database does.
class QueueAhead final : public ptc::test::ForwardingQueue {
 public:
  using ForwardingQueue::ForwardingQueue;
  ptc::StoreResult<ptc::NodeRow> join(const ptc::NodeInfo& node, std::int64_t now_ms) override {
    return queue_.join(node, now_ms + kDayMs);
  }
  ptc::StoreResult<ptc::Heartbeat> beat(std::uint64_t node, std::int64_t now_ms) override {
    return queue_.beat(node, now_ms + kDayMs);
  }
  ptc::StoreResult<std::vector<ptc::ClaimedRun>> claim_next(std::uint64_t node, std::string_view queue,
                                                            std::span<const std::string> tools, std::size_t most,
                                                            std::int64_t now_ms) override {
    return queue_.claim_next(node, queue, tools, most, now_ms + kDayMs);
  }
  ptc::StoreResult<bool> finish(std::string_view log, std::uint64_t token, const ptc::Finish& how,
                                std::int64_t now_ms) override {
    return queue_.finish(log, token, how, now_ms + kDayMs);
  }
  ptc::StoreResult<std::vector<std::string>> rescue(std::size_t most, std::int64_t now_ms) override {
    return queue_.rescue(most, now_ms + kDayMs);
  }
};

}  // namespace

TEST(Worker, SleepsByTheClockOfTheStore) {
  const Store store = StoreAccess::made(std::make_unique<ptc::test::MemoryStoreWith<QueueAhead>>());
  QueuedJob job;
  job.id = "a";
  job.source = "(sleep 5000)";
  ASSERT_TRUE(enqueue(Engine(), store, job).value());
  const std::int64_t before = store_time_ms(store).value() + kDayMs;   // enqueuing goes by the clock of the caller
  WorkerOptions options;
  options.until_empty = true;
  Worker worker(Engine(), store, Tools(), options);
  ASSERT_TRUE(worker.run());
  const auto queued = queued_run(store, "a").value();
  ASSERT_EQ(queued->state, "timer");
  EXPECT_GE(queued->at_ms, before + 5'000);
}

}  // namespace ptcvm
