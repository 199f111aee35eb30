// A run queue that hands each call to another one, for tests that change a call.
#pragma once
#include "runtime/log/forwarding_store.h"
#include "runtime/log/memory_store.h"
#include "runtime/log/run_queue.h"

namespace ptc::test {

class ForwardingQueue : public RunQueue {
 public:
  explicit ForwardingQueue(RunQueue& queue) : queue_(queue) {}

  StoreResult<NodeRow> join(const NodeInfo& node, std::int64_t now_ms) override { return queue_.join(node, now_ms); }
  StoreResult<Heartbeat> beat(std::uint64_t node, std::int64_t now_ms) override { return queue_.beat(node, now_ms); }
  StoreResult<bool> leave(std::uint64_t node, std::int64_t now_ms) override { return queue_.leave(node, now_ms); }
  StoreResult<bool> drain(std::uint64_t node) override { return queue_.drain(node); }
  StoreResult<std::vector<NodeRow>> nodes() override { return queue_.nodes(); }
  StoreResult<std::vector<Enqueued>> enqueue(std::span<const Job> jobs, std::int64_t now_ms) override {
    return queue_.enqueue(jobs, now_ms);
  }
  StoreResult<std::vector<ClaimedRun>> claim_next(std::uint64_t node, std::string_view queue,
                                                  std::span<const std::string> tools, std::size_t most,
                                                  std::int64_t now_ms) override {
    return queue_.claim_next(node, queue, tools, most, now_ms);
  }
  StoreResult<bool> finish(std::string_view log, std::uint64_t token, const Finish& how,
                           std::int64_t now_ms) override {
    return queue_.finish(log, token, how, now_ms);
  }
  StoreResult<std::vector<std::string>> give_back_others(std::uint64_t node, std::span<const KnownClaim> known,
                                                         std::int64_t now_ms) override {
    return queue_.give_back_others(node, known, now_ms);
  }
  StoreResult<std::vector<std::string>> rescue(std::size_t most, std::int64_t now_ms) override {
    return queue_.rescue(most, now_ms);
  }
  StoreResult<std::monostate> set_queue(const QueueLimits& limits) override { return queue_.set_queue(limits); }
  StoreResult<std::vector<QueueRow>> queues() override { return queue_.queues(); }
  StoreResult<bool> cancel(std::string_view log, std::string_view tenant, std::string_view reason, std::string_view by,
                           std::int64_t now_ms) override {
    return queue_.cancel(log, tenant, reason, by, now_ms);
  }
  StoreResult<bool> retry(std::string_view log, std::string_view tenant, std::int64_t now_ms) override {
    return queue_.retry(log, tenant, now_ms);
  }
  StoreResult<std::optional<JobRow>> job(std::string_view log) override { return queue_.job(log); }
  StoreResult<std::vector<JobRow>> jobs(JobState state, std::uint64_t after, std::size_t most) override {
    return queue_.jobs(state, after, most);
  }
  StoreResult<std::vector<QueueDepth>> depths() override { return queue_.depths(); }
  StoreResult<std::vector<std::string>> prune(std::int64_t older_ms, bool dead_too, std::size_t most,
                                              std::int64_t now_ms) override {
    return queue_.prune(older_ms, dead_too, most, now_ms);
  }
  StoreResult<std::int64_t> time(std::int64_t now_ms) override { return queue_.time(now_ms); }
  StoreResult<std::monostate> set_schedule(const ScheduleRow& row) override { return queue_.set_schedule(row); }
  StoreResult<bool> remove_schedule(std::string_view name, std::string_view tenant) override {
    return queue_.remove_schedule(name, tenant);
  }
  StoreResult<std::vector<ScheduleRow>> schedules() override { return queue_.schedules(); }
  StoreResult<bool> fire(std::string_view name, const Firing& moments, std::span<const Job> jobs,
                         std::int64_t now_ms) override {
    return queue_.fire(name, moments, jobs, now_ms);
  }

 protected:
  RunQueue& queue_;
};

struct MemoryBehindQueue {
  MemoryStore memory;
};

// A store in memory whose queue is called through a Queue, a ForwardingQueue.
template <class Queue>
class MemoryStoreWith final : private MemoryBehindQueue, public ForwardingStore {
 public:
  MemoryStoreWith() : ForwardingStore(memory), queue_(*memory.queue()) {}
  RunQueue* queue() override { return &queue_; }

 private:
  Queue queue_;
};

}   // namespace ptc::test
