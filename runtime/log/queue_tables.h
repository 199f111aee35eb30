// The tables that queue_protocol.h reads and changes, in a transaction of the caller. For stores without functions of
// their own: in memory, and SQLite.
#pragma once
#include "runtime/log/run_queue.h"

namespace ptc {

// What the protocol sees of a log.
struct QueuedRun {
  bool is_there = false;                 // has facts
  LogState state{};
  bool is_woken = false;                 // Parked
  std::optional<std::int64_t> deadline_ms;   // Parked
  std::uint64_t head = 0, token = 0;
  std::string owner;                     // who has the newest claim; "" when it was given back
  std::int64_t until_ms = 0;
  std::string moved_to = {};             // Moving, Moved: the place of the other store
};

class QueueTables {
 public:
  virtual ~QueueTables() = default;

  virtual std::optional<NodeRow> node(std::uint64_t id) = 0;
  virtual std::uint64_t add_node(const NodeRow& row) = 0;   // returns a number that no node had before
  virtual void set_node(const NodeRow& row) = 0;
  virtual std::vector<NodeRow> nodes() = 0;

  virtual std::optional<QueueRow> queue(std::string_view name) = 0;
  virtual void set_queue(const QueueRow& row) = 0;          // makes it, too
  virtual std::vector<QueueRow> queues() = 0;

  virtual std::optional<JobRow> job(std::string_view log) = 0;
  virtual std::uint64_t add_job(const JobRow& row) = 0;     // returns its number
  virtual void set_job(const JobRow& row) = 0;
  virtual std::vector<JobRow> jobs(JobState state, std::uint64_t after, std::size_t most) = 0;
  // Ready jobs of a queue by priority, pass and id, after that one.
  virtual std::vector<JobRow> ready(std::string_view queue, const JobRow* after, std::size_t most) = 0;
  virtual std::int64_t last_pass(std::string_view queue, std::string_view tenant) = 0;   // of ready jobs; 0: none
  virtual std::vector<JobRow> due(std::string_view queue, std::int64_t now_ms, std::size_t most) = 0;   // by time, id
  virtual std::vector<JobRow> held_by(std::uint64_t node, std::size_t most) = 0;         // by id
  virtual std::vector<JobRow> lapsed(std::int64_t now_ms, std::size_t most) = 0;         // held by dead nodes, by id
  virtual std::int64_t held(std::string_view queue, const std::string_view* tenant) = 0;   // null: all tenants

  virtual QueuedRun run(std::string_view log) = 0;
  virtual void set_claim(std::string_view log, std::uint64_t token, const std::string& owner,
                         std::int64_t until_ms) = 0;
  virtual void append(std::string_view log, const Fact& fact) = 0;   // as an outsider; makes the log, too
  // Returns whether the log has a keyed fact after that place which is no intent: something was done.
  virtual bool has_progress(std::string_view log, std::uint64_t after) = 0;

  virtual void add_dependent(std::string_view log, std::uint64_t job) = 0;   // the job comes after the run
  virtual bool has_dependents(std::string_view log) = 0;
  virtual std::vector<JobRow> dependents(std::string_view log) = 0;        // by id
  virtual void forget_dependents(std::string_view log) = 0;                 // the run has none afterwards
  // Returns the first job by log of those that were given up, and that the job comes after.
  virtual std::optional<JobRow> failed_blocker(std::uint64_t job) = 0;

  virtual std::vector<QueueDepth> depths() = 0;
  // Jobs that are over since before that moment, by id; those that were given up only without dependents.
  virtual std::vector<JobRow> over(std::int64_t before_ms, bool dead_too, std::size_t most) = 0;
  virtual void forget_run(const JobRow& job) = 0;             // the job, its run, and all of the log
  virtual std::vector<std::string> logs_below(std::string_view log) = 0;   // whose names begin with LOG/, by name
  virtual void forget_log(std::string_view log) = 0;          // its run has no job
  virtual void forget_nodes(std::int64_t before_ms, std::size_t most) = 0;   // whose leases were over, and hold nothing

  virtual std::optional<ScheduleRow> schedule(std::string_view name) = 0;
  virtual void set_schedule(const ScheduleRow& row) = 0;      // makes it, too
  virtual void remove_schedule(std::string_view name) = 0;
  virtual std::vector<ScheduleRow> schedules() = 0;           // by name
};

}   // namespace ptc
