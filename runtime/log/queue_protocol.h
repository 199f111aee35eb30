// The rules of run queues as one state machine over tables: no thread, no clock, no file. Stores in memory and in
// SQLite run it; the functions of the PostgreSQL store do the same, and tests run both in lock-step.
#pragma once
#include <functional>

#include "runtime/log/queue_tables.h"

namespace ptc {

// Makes the job of a log ready when it waits: to be called in the transaction of the fact that woke the run.
void wake_job(QueueTables& tables, std::string_view log, std::int64_t now_ms);
// Takes the job of a run out of its queue, in the transaction in which the run leaves for another store. Returns
// RunOrdered when jobs come after it, or it comes after runs that are not done.
std::optional<StoreError> depart_job(QueueTables& tables, std::string_view log);
// Whether a node holds the job of a log under that claim.
bool holds_job(QueueTables& tables, std::string_view log, std::uint64_t token);
// RunQueue::finish() within a transaction.
bool finish_job(QueueTables& tables, std::string_view log, std::uint64_t token, const Finish& how, std::int64_t now_ms);
// Ends the job of a run that has ended well under a claim which no queue gave: in the transaction of the end.
void end_unheld_job(QueueTables& tables, std::string_view log, std::uint64_t token, std::int64_t now_ms);
// Puts a job from another store into its queue. The run is there. The state of the row is the one before the move, or
// Moved: the run is a copy, and the queue gets nothing.
void arrive_job(QueueTables& tables, const JobRow& job, std::int64_t now_ms);
// Takes a run from its node when the node is dead, so that somebody else may claim it.
void release_if_dead(QueueTables& tables, std::string_view log, std::int64_t now_ms);

// Returns Missing, WrongTenant or RunMoved when a job names a run that is not its own, or nullopt. Parts of a run
// (wholes_of()) are of its tenant.
std::optional<StoreError> check_jobs_against(QueueTables& tables, std::span<const Job> jobs);
// Returns WrongTenant when a run of that name would be a part of a job of another tenant, or have one, or nullopt.
std::optional<StoreError> check_relatives(QueueTables& tables, std::string_view log, std::string_view tenant);
// Adds the jobs whose ids are free. Returns for each whether it was.
std::vector<Enqueued> add_jobs(QueueTables& tables, std::span<const Job> jobs, std::int64_t now_ms);

// Return Misuse, or nullopt when the argument is fine.
std::optional<StoreError> check_node(const NodeInfo& node);
std::optional<StoreError> check_jobs(std::span<const Job> jobs);
std::optional<StoreError> check_limits(const QueueLimits& limits);
std::optional<StoreError> check_finish(const Finish& how);
std::optional<StoreError> check_tenant(std::string_view tenant);
std::optional<StoreError> check_schedule(const ScheduleRow& row);
// Returns WrongTenant. Both texts come from outside.
StoreError wrong_tenant(std::string_view log);
StoreError no_job(std::string_view log);
StoreError no_blocker(std::string_view log, std::string_view blocker);   // the job `log` may not come after it
StoreError wrong_schedule(std::string_view name);                        // WrongTenant
// Returns the moment that is so long before now; the smallest number when there is none.
std::int64_t moment_before(std::int64_t now_ms, std::int64_t older_ms);
StoreError dead_node(std::uint64_t node);
Fact cancel_fact(std::string_view reason, std::string_view by, std::int64_t now_ms);

class ProtocolQueue : public RunQueue {
 public:
  StoreResult<NodeRow> join(const NodeInfo& node, std::int64_t now_ms) override;
  StoreResult<Heartbeat> beat(std::uint64_t node, std::int64_t now_ms) override;
  StoreResult<bool> leave(std::uint64_t node, std::int64_t now_ms) override;
  StoreResult<bool> drain(std::uint64_t node) override;
  StoreResult<std::vector<NodeRow>> nodes() override;
  StoreResult<std::vector<Enqueued>> enqueue(std::span<const Job> jobs, std::int64_t now_ms) override;
  StoreResult<std::vector<ClaimedRun>> claim_next(std::uint64_t node, std::string_view queue,
                                                  std::span<const std::string> tools, std::size_t most,
                                                  std::int64_t now_ms) override;
  StoreResult<bool> finish(std::string_view log, std::uint64_t token, const Finish& how, std::int64_t now_ms) override;
  StoreResult<std::vector<std::string>> give_back_others(std::uint64_t node, std::span<const KnownClaim> known,
                                                         std::int64_t now_ms) override;
  StoreResult<std::vector<std::string>> rescue(std::size_t most, std::int64_t now_ms) override;
  StoreResult<std::monostate> set_queue(const QueueLimits& limits) override;
  StoreResult<std::vector<QueueRow>> queues() override;
  StoreResult<bool> cancel(std::string_view log, std::string_view tenant, std::string_view reason, std::string_view by,
                           std::int64_t now_ms) override;
  StoreResult<bool> retry(std::string_view log, std::string_view tenant, std::int64_t now_ms) override;
  StoreResult<std::optional<JobRow>> job(std::string_view log) override;
  StoreResult<std::vector<JobRow>> jobs(JobState state, std::uint64_t after, std::size_t most) override;
  StoreResult<std::vector<QueueDepth>> depths() override;
  StoreResult<std::vector<std::string>> prune(std::int64_t older_ms, bool dead_too, std::size_t most,
                                              std::int64_t now_ms) override;
  StoreResult<std::int64_t> time(std::int64_t now_ms) override { return now_ms; }
  StoreResult<std::monostate> set_schedule(const ScheduleRow& row) override;
  StoreResult<bool> remove_schedule(std::string_view name, std::string_view tenant) override;
  StoreResult<std::vector<ScheduleRow>> schedules() override;
  StoreResult<bool> fire(std::string_view name, const Firing& moments, std::span<const Job> jobs,
                         std::int64_t now_ms) override;

 protected:
  // Calls the body in one transaction, which is taken back when the body returns false. Returns what failed besides.
  virtual std::optional<StoreError> transact(const std::function<bool(QueueTables&)>& body) = 0;

 private:
  // `body` gives a StoreResult<T>; an error takes everything back.
  template <class T, class Body>
  StoreResult<T> within(Body body) {
    StoreResult<T> out = T{};
    const auto whole = [&](QueueTables& tables) {
      out = body(tables);
      return std::holds_alternative<T>(out);
    };
    if (auto error = transact(whole)) return *std::move(error);
    return out;
  }
};

}   // namespace ptc
