// The store holds runs for a worker that does not know it: the answer of a claim was lost on its way, or a standby that
// has taken over lacks that a run was given back.
#include <gtest/gtest.h>

#include <stop_token>
#include <utility>

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

// Says that the first run is given back, as a database does whose standby lacks that.
class ForgetfulQueue final : public ptc::test::ForwardingQueue {
 public:
  using ForwardingQueue::ForwardingQueue;
  ptc::StoreResult<bool> finish(std::string_view log, std::uint64_t token, const ptc::Finish& how,
                                std::int64_t now_ms) override {
    if (std::exchange(forgets_, false)) return true;
    return queue_.finish(log, token, how, now_ms);
  }

 private:
  bool forgets_ = true;
};

}  // namespace

TEST(Worker, GivesBackWhatAStandbyStillHoldsForIt) {
  const Engine engine;
  const Store store = StoreAccess::made(std::make_unique<ptc::test::MemoryStoreWith<ForgetfulQueue>>());
  ASSERT_TRUE(enqueue(engine, store, QueuedJob{.id = "a", .source = "(+ 1 2)"}).value());
  std::stop_source stop;
  bool is_returned = false;
  int ended = 0;
  WorkerOptions options;
  options.poll = std::chrono::milliseconds(1);
  options.lease = std::chrono::milliseconds(300);
  options.on_event = [&](const WorkerEvent& event) {
    if (event.kind == WorkerEventKind::Returned) is_returned = true;
    if (event.kind == WorkerEventKind::Ended && ++ended == 2) stop.request_stop();
  };
  ASSERT_TRUE(Worker(engine, store, Tools(), options).run(stop.get_token()));
  EXPECT_TRUE(is_returned);
  EXPECT_EQ(queued_run(store, "a").value()->state, "done");
}

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
