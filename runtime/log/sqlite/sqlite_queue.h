// The queues of a store in an SQLite file: the tables of the protocol (queue_tables.h) in a transaction of the store.
#pragma once
#include "runtime/log/queue_protocol.h"
#include "runtime/log/sqlite/sqlite_tables.h"

namespace ptc {

class SqliteStore;

// Everything runs in a transaction of the caller. Failures stick in the connection.
class SqliteQueueTables final : public QueueTables {
 public:
  explicit SqliteQueueTables(SqliteConnection& connection) : connection_(connection), logs_(connection) {}

  std::uint64_t add_job(const JobRow& row) override;
  std::uint64_t add_node(const NodeRow& row) override;
  void append(std::string_view log, const Fact& fact) override;
  std::vector<JobRow> due(std::string_view queue, std::int64_t now_ms, std::size_t most) override;
  bool has_progress(std::string_view log, std::uint64_t after) override;
  std::int64_t held(std::string_view queue, const std::string_view* tenant) override;
  std::vector<JobRow> held_by(std::uint64_t node, std::size_t most) override;
  std::optional<JobRow> job(std::string_view log) override;
  std::vector<JobRow> jobs(JobState state, std::uint64_t after, std::size_t most) override;
  std::vector<JobRow> lapsed(std::int64_t now_ms, std::size_t most) override;
  std::int64_t last_pass(std::string_view queue, std::string_view tenant) override;
  std::optional<NodeRow> node(std::uint64_t id) override;
  std::vector<NodeRow> nodes() override;
  std::optional<QueueRow> queue(std::string_view name) override;
  std::vector<QueueRow> queues() override;
  std::vector<JobRow> ready(std::string_view queue, const JobRow* after, std::size_t most) override;
  QueuedRun run(std::string_view log) override;
  void set_claim(std::string_view log, std::uint64_t token, const std::string& owner, std::int64_t until_ms) override;
  void set_job(const JobRow& row) override;
  void set_node(const NodeRow& row) override;
  void set_queue(const QueueRow& row) override;

  void add_dependent(std::string_view log, std::uint64_t job) override;
  std::vector<QueueDepth> depths() override;
  void forget_nodes(std::int64_t before_ms, std::size_t most) override;
  void forget_run(const JobRow& job) override;
  void forget_log(std::string_view log) override;
  std::vector<std::string> logs_below(std::string_view log) override;
  bool has_dependents(std::string_view log) override;
  std::vector<JobRow> over(std::int64_t before_ms, bool dead_too, std::size_t most) override;
  void remove_schedule(std::string_view name) override;
  std::optional<ScheduleRow> schedule(std::string_view name) override;
  std::vector<ScheduleRow> schedules() override;
  void set_schedule(const ScheduleRow& row) override;
  std::vector<JobRow> dependents(std::string_view log) override;
  void forget_dependents(std::string_view log) override;
  std::optional<JobRow> failed_blocker(std::uint64_t job) override;

 private:
  std::int64_t one(SqliteQuery& query);
  JobRow job_in(SqliteQuery& query);
  std::vector<JobRow> jobs_in(SqliteQuery& query);
  NodeRow node_in(SqliteQuery& query);
  QueueRow queue_in(SqliteQuery& query);
  ScheduleRow schedule_in(SqliteQuery& query);

  SqliteConnection& connection_;
  SqliteTables logs_;
};

// Names of tools as one text, each with its size before it: no character of a name can end a name.
std::string joined_names(const std::vector<std::string>& names);
std::vector<std::string> split_names(std::string_view text);

// Takes a run from a dead node, if one has it, and returns its row.
RunRow released_if_dead(SqliteConnection& connection, std::string_view log, std::int64_t now_ms);

class SqliteQueue final : public ProtocolQueue {
 public:
  explicit SqliteQueue(SqliteStore& store) : store_(store) {}

 private:
  std::optional<StoreError> transact(const std::function<bool(QueueTables&)>& body) override;
  SqliteStore& store_;
};

}   // namespace ptc
