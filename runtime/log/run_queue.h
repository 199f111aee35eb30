// Hands runs of a store to the nodes that execute them (docs/decisions/0033-workers-and-queues.md).
//
// A node is a worker process. It has one lease, which beat() prolongs; its identity is new each time that join() is
// called. A job is the place of one run in a queue, and its id is the id of the run. A job is in exactly one state:
//
//   Ready        can be executed now              Waiting      until a fact comes (FactStore::park())
//   Timer        until a moment                   Quarantined  its workers died too often; a person says retry()
//   Held         a node executes it               Done, Dead   over; Dead: given up, and listed
//   Blocked      until the runs that it comes after are done
//   DependencyFailed   over: a run that it comes after was given up; Blocked again when that run is retried
//   Moved        the run went to another store (run_move.h), and so did its job
//
// A run that is claimed without a queue (FactStore::claim()) and ends well, as the last fact of ended() says,
// is Done in that transaction, whatever the state of its job. After another end, a node tries the turn again.
//
// claim_next() gives one ready run to one node: under a new token of the run, which fences every writer of before
// (FactStore). A fact that a waiting run waits for makes the job ready in the transaction of the fact. A node whose
// lease is over loses its runs to rescue(), which anybody may call at any time. The end of a lease alone fences nobody.
//
// Time comes from the caller in stores of one machine; a store with a clock of its own goes by that clock. A call that
// fails has changed nothing, except for the error Unknown. Any number of threads may use one queue.
// tests/store/queue_conformance.h checks any implementation.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/log/fact_store.h"

namespace ptc {

enum class JobState : std::uint8_t { Ready, Timer, Held, Waiting, Quarantined, Done, Dead, Blocked, Moved,
                                      DependencyFailed };
std::string_view job_state_name(JobState state);   // "ready" and so on

inline constexpr std::size_t kMostQueueNameBytes = 200;   // of names of queues, tenants and nodes
inline constexpr std::size_t kMostNeeds = 256;            // tools that a job may name, and runs that it comes after
inline constexpr std::size_t kMostSpecBytes = 4'000;      // of ScheduleRow::spec

// One run to be executed.
struct Job {
  std::string log;                       // the id of the run, and of the job
  std::string queue = "default";
  std::string tenant;                    // whose run this is; tenants of a queue get fair shares
  std::int32_t priority = 0;             // smaller goes first
  std::vector<std::string> needs;        // tools without which a node leaves the job alone
  std::int64_t delay_ms = 0;             // from now on
  std::int64_t at_ms = 0;                // not before that moment; 0: now
  std::int32_t most_attempts = 20;       // turns that failed, until the job is dead
  std::vector<std::string> after;        // runs of the same tenant that must be done before
  Fact start;                            // the RunStarted of the run, or the first fact of host_jobs.h
};

struct Enqueued {
  bool is_new = false;                   // false: a job or a log of that id is there, and was left alone
};

struct NodeInfo {
  std::string name, owner, build;        // owner: as in claims (process_owner.h)
  std::int32_t format = 0;               // the newest snapshots that the node can read
  std::int64_t lease_ms = 15'000;
};
struct NodeRow : NodeInfo {
  std::uint64_t id = 0;                  // never used again
  std::int64_t started_ms = 0, until_ms = 0;
  bool is_draining = false, has_left = false;
};

struct Heartbeat {
  bool is_alive = false;                 // false: the lease was over; the node has to join() again
  bool is_draining = false;              // take nothing more, and give back what you have
  std::vector<std::string> cancelled;    // runs of this node that are to end
  std::int64_t now_ms = 0;               // the time of the store
};

// Limits of a queue. A queue is made by its first job or by set_queue().
struct QueueLimits {
  std::string name;
  bool is_paused = false;
  std::optional<std::int64_t> slots, tenant_slots;   // held at once, of the queue and of each tenant
  std::optional<std::int64_t> starts_per_hour;       // a token bucket
  std::int64_t burst = 1;                            // the most starts at once where a rate is set
  std::int32_t most_crashes = 3;                     // rescues without a new fact, until the run is set aside
};
struct QueueRow : QueueLimits {
  std::int64_t tokens = 0, filled_ms = 0;   // in 1 / kTokenUnit of a start
  std::int64_t pass = 0;                    // the pass at which the last claimed job stood
};
inline constexpr std::int64_t kTokenUnit = 3'600'000;   // so that starts per hour are units per ms

struct JobRow {
  std::string log, queue, tenant;
  JobState state{};
  std::int32_t priority = 0, format = 0, crashes = 0, attempts = 0, most_attempts = 0;
  std::vector<std::string> needs;
  std::uint64_t id = 0;                  // in the order of enqueuing
  std::int64_t pass = 0;                 // Ready: smaller goes first within a priority
  std::int64_t at_ms = 0;                // since when, or Timer: until when
  std::uint64_t node = 0, token = 0;     // Held; Moved: `node` is the number of the state before
  std::uint64_t crash_head = 0;          // the facts of the log at the last rescue
  std::string reason;                    // Quarantined, Dead, DependencyFailed: why
  bool is_cancelled = false;
  std::int32_t blockers = 0;             // runs that this one comes after, and that are not done
};

// How many jobs of a queue are in a state. Jobs that are done or moved are not counted.
struct QueueDepth {
  std::string queue;
  JobState state{};
  std::uint64_t count = 0;
  std::int64_t oldest_ms = 0;            // the smallest JobRow::at_ms
};

// Jobs that become due again and again. The store knows the next moment only; who fires a schedule says the one after.
struct ScheduleRow {
  std::string name;
  std::string spec;                      // says when, in words of the caller
  std::int64_t next_ms = 0;
  std::int64_t last_ms = 0;              // the newest moment that is over, fired or passed over; 0: none
  std::uint64_t fired = 0;               // how many moments were fired
  Job job;                               // what is enqueued: without an id, a delay, and runs to come after
  std::string_view refused = {};         // the name of the refusal of its seal (log_seal.h): it is not fired
};

// Moments of a schedule that are over.
struct Firing {
  std::int64_t due_ms = 0;               // the next moment, as the caller saw it
  std::int64_t last_ms = 0;              // the newest one that is over, fired or passed over
  std::int64_t next_ms = 0;              // the next moment from now on
};

struct ClaimedRun {
  std::string log, tenant;
  std::uint64_t token = 0;               // works with the store object that claimed it
  bool is_cancelled = false;             // the run is to end with the fault "cancelled"
  std::int32_t attempts = 0;             // turns that failed before
  std::optional<Opening> opening;        // when the store gives it with the claim
  // A parked run: how long ago a fact or its deadline woke it, or it was given back woken; by the clock of the store.
  std::optional<std::int64_t> wake_ms = {};
};

struct KnownClaim {
  std::string log;
  std::uint64_t token = 0;
};

// How a node gives a run back.
struct Finish {
  enum class Kind : std::uint8_t {
    AsIs,        // the log says: parked, or ready for somebody else; also when it has ended, and nobody knows how
    Retry,       // the turn failed: again after delay_ms, or dead after the last attempt
    GiveUp,      // dead
    Over,        // the run has ended well, unless the log says otherwise
  };
  Kind kind = Kind::AsIs;
  std::int64_t delay_ms = 0;
  std::string reason;
  // Over: how many facts the log has at least. A log with fewer lacks commits, because a standby has taken over: the
  // end in it may be of an earlier turn, and the run is ready.
  std::uint64_t head = 0;
};

// Calls back until it is destroyed (RunQueue::listen()).
class WakeHints {
 public:
  virtual ~WakeHints() = default;
  virtual bool is_listening() const = 0;      // false while there is no connection that tells
  // Whether there was a connection, and what was sent to it did not come: something between lets nothing through.
  virtual bool is_deaf() const { return false; }
};

// What a database keeps besides the rows that count, as it counts itself. Much of either makes claims slow.
struct TableUpkeep {
  std::string table;                          // the name, without its schema
  std::uint64_t live_rows = 0, dead_rows = 0;   // dead: not reused before a vacuum
};
struct StoreUpkeep {
  std::vector<TableUpkeep> tables;            // by name
  // How many transactions began after the oldest one whose view of the rows somebody still holds: no vacuum removes
  // what died since. 0: nobody holds one, or the role may not see it.
  std::uint64_t oldest_view_age = 0;
};

class RunQueue {
 public:
  virtual ~RunQueue() = default;

  // Calls on_hint() from another thread soon after jobs of these queues became ready, and whenever some may have become
  // ready unseen, or is_deaf() has changed. A hint may come late or never, so a worker looks by itself, too. null: the
  // store does not tell.
  virtual std::unique_ptr<WakeHints> listen(std::span<const std::string> queues, std::function<void()> on_hint) {
    (void)queues, (void)on_hint;
    return nullptr;
  }

  virtual StoreResult<NodeRow> join(const NodeInfo& node, std::int64_t now_ms) = 0;
  virtual StoreResult<Heartbeat> beat(std::uint64_t node, std::int64_t now_ms) = 0;
  // Ends the lease and gives back what the node still holds: that counts as no crash.
  virtual StoreResult<bool> leave(std::uint64_t node, std::int64_t now_ms) = 0;
  virtual StoreResult<bool> drain(std::uint64_t node) = 0;   // false: no such node
  virtual StoreResult<std::vector<NodeRow>> nodes() = 0;     // by id, also those that are gone

  // Writes the jobs and the first facts of their runs, all or none. Errors: WrongTenant, RunMoved: a run of
  // that id is another tenant's, or went to another store, or a job comes after one that did. WrongTenant also for the
  // later one of a job RUN/PART and a job RUN of two tenants.
  virtual StoreResult<std::vector<Enqueued>> enqueue(std::span<const Job> jobs, std::int64_t now_ms) = 0;
  // Gives up to `most` ready runs of a queue to the node: those whose needs are among `tools` and whose snapshot the
  // node can read, by priority and fair share. A node that drains gets none. DeadNode: the lease is over.
  virtual StoreResult<std::vector<ClaimedRun>> claim_next(std::uint64_t node, std::string_view queue,
                                                          std::span<const std::string> tools, std::size_t most,
                                                          std::int64_t now_ms) = 0;
  // Gives a run back. Returns false when the claim is not the newest any more.
  virtual StoreResult<bool> finish(std::string_view log, std::uint64_t token, const Finish& how,
                                   std::int64_t now_ms) = 0;
  // Gives back what the node holds besides the claims that it knows of: a claim_next() that ended with the error
  // Unknown may have claimed runs. That counts as no crash. Returns the ids of the runs.
  virtual StoreResult<std::vector<std::string>> give_back_others(std::uint64_t node,
                                                                 std::span<const KnownClaim> known,
                                                                 std::int64_t now_ms) = 0;
  // Takes up to `most` runs from nodes whose leases are over, and returns their ids.
  virtual StoreResult<std::vector<std::string>> rescue(std::size_t most, std::int64_t now_ms) = 0;

  virtual StoreResult<std::monostate> set_queue(const QueueLimits& limits) = 0;
  virtual StoreResult<std::vector<QueueRow>> queues() = 0;   // by name

  // Tells a run to end by a fact. Its node hears of it by beat(); a job that nobody holds is Dead at once, whatever it
  // needs. Returns false when the run is over, or its node was told before. Errors: Missing, WrongTenant, RunMoved.
  virtual StoreResult<bool> cancel(std::string_view log, std::string_view tenant, std::string_view reason,
                                   std::string_view by, std::int64_t now_ms) = 0;
  // Makes a job that is quarantined, dead or on a timer ready. One that comes after runs that are not done is Blocked
  // or DependencyFailed again. Errors: Missing, WrongTenant, RunMoved.
  // Returns false when it is in another state.
  virtual StoreResult<bool> retry(std::string_view log, std::string_view tenant, std::int64_t now_ms) = 0;
  virtual StoreResult<std::optional<JobRow>> job(std::string_view log) = 0;
  // Returns the jobs of those logs that have one, in any order. A store that is far away answers in one call.
  virtual StoreResult<std::vector<JobRow>> jobs_of(std::span<const std::string> logs);
  // Returns jobs of a state in the order of enqueuing, after the job of that number.
  virtual StoreResult<std::vector<JobRow>> jobs(JobState state, std::uint64_t after, std::size_t most) = 0;
  virtual StoreResult<std::vector<QueueDepth>> depths() = 0;   // by queue and state

  // Removes up to `most` runs whose jobs are over since `older_ms` or longer, with their logs and the parts of these:
  // logs RUN/… that have no job and are below none that stays. It removes those that are done, and
  // Dead and DependencyFailed ones, too, when wanted, unless another job comes after one. When fewer are left, removes
  // the rows of nodes that are gone so long. Returns the ids of the runs.
  virtual StoreResult<std::vector<std::string>> prune(std::int64_t older_ms, bool dead_too, std::size_t most,
                                                      std::int64_t now_ms) = 0;

  // nullopt: the store has no such upkeep.
  virtual StoreResult<std::optional<StoreUpkeep>> upkeep() { return std::optional<StoreUpkeep>(); }

  // Returns the time by which leases and timers go, in ms since 1970.
  virtual StoreResult<std::int64_t> time(std::int64_t now_ms) = 0;

  // Makes a schedule, or another one of it. WrongTenant: the schedule of that name is another tenant's.
  virtual StoreResult<std::monostate> set_schedule(const ScheduleRow& row) = 0;
  // Returns false when there is no such schedule. Error: WrongTenant.
  virtual StoreResult<bool> remove_schedule(std::string_view name, std::string_view tenant) = 0;
  virtual StoreResult<std::vector<ScheduleRow>> schedules() = 0;   // by name
  // Enqueues `jobs` and sets the last and the next moment, when the next moment still is `due_ms`. Returns false when
  // it is another one, because somebody else was faster.
  virtual StoreResult<bool> fire(std::string_view name, const Firing& moments, std::span<const Job> jobs,
                                 std::int64_t now_ms) = 0;
};

}   // namespace ptc
