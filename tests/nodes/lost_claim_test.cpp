// The answer of a claim is lost on its way to the worker: the store holds runs for a worker that does not know it.
#include <gtest/gtest.h>

#include "api/store_access.h"
#include "ptcvm/ptcvm.hpp"
#include "ptcvm/worker.hpp"
#include "tests/support/forwarding_queue.h"

namespace ptcvm {
namespace {

// Makes each claim, and loses the answers of the first ones.
class LossyQueue final : public ptc::test::ForwardingQueue {
 public:
  using ForwardingQueue::ForwardingQueue;
  ptc::StoreResult<std::vector<ptc::ClaimedRun>> claim_next(std::uint64_t node, std::string_view queue,
                                                            std::span<const std::string> tools, std::size_t most,
                                                            std::int64_t now_ms) override {
    auto answer = queue_.claim_next(node, queue, tools, most, now_ms);
    if (lost_ == 3) return answer;
    ++lost_;
    return ptc::StoreError{ptc::StoreError::Kind::Unknown, "the connection broke"};
  }

 private:
  int lost_ = 0;
};

}  // namespace

TEST(Worker, ExecutesRunsThatWereClaimedWithoutItsKnowledge) {
  const Engine engine;
  const Store store = StoreAccess::made(std::make_unique<ptc::test::MemoryStoreWith<LossyQueue>>());
  for (const char* run : {"a", "b"}) {
    QueuedJob job;
    job.id = run;
    job.source = "(+ 1 2)";
    ASSERT_TRUE(enqueue(engine, store, job).value());
  }
  int returned = 0;
  WorkerOptions options;
  options.until_empty = true;
  options.poll = std::chrono::milliseconds(1);
  options.threads = 2;
  options.on_event = [&returned](const WorkerEvent& event) {
    if (event.kind == WorkerEventKind::Returned) ++returned;
  };
  Worker worker(engine, store, Tools(), options);
  ASSERT_TRUE(worker.run());
  EXPECT_EQ(worker.stats().ended, 2u);
  EXPECT_EQ(returned, 6) << "two runs, three times";
}

}  // namespace ptcvm
