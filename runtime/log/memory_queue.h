// The queues of a store in memory.
#pragma once
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "runtime/log/memory_store.h"
#include "runtime/log/queue_protocol.h"

namespace ptc {

// Everything happens under the mutex of the store.
class MemoryQueueTables final : public QueueTables {
 public:
  explicit MemoryQueueTables(MemoryStore& store) : store_(store) {}

  std::optional<NodeRow> node(std::uint64_t id) override;
  std::uint64_t add_node(const NodeRow& row) override;
  void set_node(const NodeRow& row) override;
  std::vector<NodeRow> nodes() override;
  std::optional<QueueRow> queue(std::string_view name) override;
  void set_queue(const QueueRow& row) override;
  std::vector<QueueRow> queues() override;
  std::optional<JobRow> job(std::string_view log) override;
  std::uint64_t add_job(const JobRow& row) override;
  void set_job(const JobRow& row) override;
  std::vector<JobRow> jobs(JobState state, std::uint64_t after, std::size_t most) override;
  std::vector<JobRow> ready(std::string_view queue, const JobRow* after, std::size_t most) override;
  std::int64_t last_pass(std::string_view queue, std::string_view tenant) override;
  std::vector<JobRow> due(std::string_view queue, std::int64_t now_ms, std::size_t most) override;
  std::vector<JobRow> held_by(std::uint64_t node, std::size_t most) override;
  std::vector<JobRow> lapsed(std::int64_t now_ms, std::size_t most) override;
  std::int64_t held(std::string_view queue, const std::string_view* tenant) override;
  QueuedRun run(std::string_view log) override;
  void set_claim(std::string_view log, std::uint64_t token, const std::string& owner, std::int64_t until_ms) override;
  void append(std::string_view log, const Fact& fact) override;
  bool has_progress(std::string_view log, std::uint64_t after) override;
  void add_dependent(std::string_view log, std::uint64_t job) override;
  bool has_dependents(std::string_view log) override;
  std::vector<JobRow> dependents(std::string_view log) override;
  void forget_dependents(std::string_view log) override;
  std::optional<JobRow> failed_blocker(std::uint64_t job) override;
  std::vector<QueueDepth> depths() override;
  std::vector<JobRow> over(std::int64_t before_ms, bool dead_too, std::size_t most) override;
  void forget_run(const JobRow& job) override;
  void forget_log(std::string_view log) override;
  std::vector<std::string> logs_below(std::string_view log) override;
  void forget_nodes(std::int64_t before_ms, std::size_t most) override;
  std::optional<ScheduleRow> schedule(std::string_view name) override;
  void set_schedule(const ScheduleRow& row) override;
  void remove_schedule(std::string_view name) override;
  std::vector<ScheduleRow> schedules() override;

 private:
  // Returns the jobs for which `is_wanted` says yes, by id.
  template <class Is>
  std::vector<JobRow> where(std::size_t most, Is is_wanted) const;

  MemoryStore& store_;
  std::map<std::uint64_t, NodeRow> nodes_;                  // by id
  std::uint64_t last_node_ = 0, last_job_ = 0;              // ids are never used again
  std::map<std::string, QueueRow, std::less<>> queues_;
  std::map<std::uint64_t, JobRow> jobs_;                    // by id
  std::map<std::string, std::uint64_t, std::less<>> by_log_;
  std::map<std::string, std::set<std::uint64_t>, std::less<>> dependents_;   // by log; numbers of jobs
  std::map<std::string, ScheduleRow, std::less<>> schedules_;
};

class MemoryQueue final : public ProtocolQueue {
 public:
  explicit MemoryQueue(MemoryStore& store) : store_(store), tables_(store) {}

  // For the store, under its mutex.
  void wake(std::string_view log, std::int64_t now_ms) { wake_job(tables_, log, now_ms); }
  void release_if_dead(std::string_view log, std::int64_t now_ms) { ptc::release_if_dead(tables_, log, now_ms); }
  bool holds(std::string_view log, std::uint64_t token) { return holds_job(tables_, log, token); }
  void finish_over(std::string_view log, std::uint64_t token, std::uint64_t head, std::int64_t now_ms) {
    finish_job(tables_, log, token, {Finish::Kind::Over, 0, {}, head}, now_ms);
  }
  void end_unheld(std::string_view log, std::uint64_t token, std::int64_t now_ms) {
    end_unheld_job(tables_, log, token, now_ms);
  }
  std::optional<StoreError> depart(std::string_view log) { return depart_job(tables_, log); }
  std::optional<StoreError> check_arrival(std::string_view log, std::string_view tenant) {
    return check_relatives(tables_, log, tenant);
  }
  void arrive(const JobRow& job, std::int64_t now_ms) { arrive_job(tables_, job, now_ms); }

 private:
  std::optional<StoreError> transact(const std::function<bool(QueueTables&)>& body) override;

  MemoryStore& store_;
  MemoryQueueTables tables_;
};

}   // namespace ptc
