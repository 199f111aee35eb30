// The queues of a store in PostgreSQL: each call is one function of the database (queue_functions.sql), under the rules
// of PostgresStore for connections that break, and for the clock.
#pragma once
#include "runtime/log/postgres/postgres_connection.h"
#include "runtime/log/run_queue.h"

namespace ptc {

class PostgresStore;

class PostgresQueue final : public RunQueue {
 public:
  explicit PostgresQueue(PostgresStore& store) : store_(store) {}

  std::unique_ptr<WakeHints> listen(std::span<const std::string> queues, std::function<void()> on_hint) override;
  StoreResult<std::vector<Enqueued>> enqueue(std::span<const Job> jobs, std::int64_t now_ms) override;
  StoreResult<std::vector<ClaimedRun>> claim_next(std::uint64_t node, std::string_view queue,
                                                  std::span<const std::string> tools, std::size_t most,
                                                  std::int64_t now_ms) override;
  StoreResult<bool> finish(std::string_view log, std::uint64_t token, const Finish& how, std::int64_t now_ms) override;
  StoreResult<bool> cancel(std::string_view log, std::string_view tenant, std::string_view reason, std::string_view by,
                           std::int64_t now_ms) override;
  StoreResult<bool> retry(std::string_view log, std::string_view tenant, std::int64_t now_ms) override;
  StoreResult<std::vector<std::string>> give_back_others(std::uint64_t node, std::span<const KnownClaim> known,
                                                         std::int64_t now_ms) override;
  StoreResult<std::vector<std::string>> rescue(std::size_t most, std::int64_t now_ms) override;

  StoreResult<NodeRow> join(const NodeInfo& node, std::int64_t now_ms) override;
  StoreResult<std::vector<NodeRow>> nodes() override;
  StoreResult<Heartbeat> beat(std::uint64_t node, std::int64_t now_ms) override;
  StoreResult<bool> drain(std::uint64_t node) override;
  StoreResult<bool> leave(std::uint64_t node, std::int64_t now_ms) override;

  StoreResult<std::vector<QueueRow>> queues() override;
  StoreResult<std::monostate> set_queue(const QueueLimits& limits) override;
  StoreResult<std::vector<JobRow>> jobs(JobState state, std::uint64_t after, std::size_t most) override;
  StoreResult<std::optional<JobRow>> job(std::string_view log) override;
  StoreResult<std::vector<JobRow>> jobs_of(std::span<const std::string> logs) override;

  StoreResult<std::vector<QueueDepth>> depths() override;
  StoreResult<std::vector<std::string>> prune(std::int64_t older_ms, bool dead_too, std::size_t most,
                                              std::int64_t now_ms) override;
  StoreResult<bool> fire(std::string_view name, const Firing& moments, std::span<const Job> jobs,
                         std::int64_t now_ms) override;
  StoreResult<bool> remove_schedule(std::string_view name, std::string_view tenant) override;
  StoreResult<std::vector<ScheduleRow>> schedules() override;
  StoreResult<std::optional<StoreUpkeep>> upkeep() override;
  StoreResult<std::int64_t> time(std::int64_t now_ms) override;
  StoreResult<std::monostate> set_schedule(const ScheduleRow& row) override;

 private:
  StoreResult<std::vector<JobRow>> job_rows(PostgresParameters parameters);

  PostgresStore& store_;
};

}   // namespace ptc
