// Queues of runs: puts programs into them, looks at them and at the workers that serve them, and changes both.
//
//   ptcvm::enqueue(engine, store, ptcvm::QueuedJob{.id = "order-17", .source = source, .queue = "orders"});
//   ptcvm::change_queue(store, "orders", {.is_paused = true});
//   for (const ptcvm::QueueStatus& queue : ptcvm::queues(store).value()) show(queue.name, queue.ready);
//
// Workers (<ptcvm/worker.hpp>) execute what is in a queue. Every call is one transaction of the store, except that
// change_queue() reads before it writes. Errors of all: not_available, when the store has no queues; store_failed.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ptcvm/stored_run.hpp"

namespace ptcvm {

// A program to be executed by a worker.
struct QueuedJob {
  std::string id;                             // names the run; unique in the store
  std::string source;                         // the program; or, with a `kind`, what the worker of that kind reads
  // Names what executes the run, when it is no program: WorkerOptions::kinds of a worker must have it. The log of the
  // run is a log of a host (HostLog). "" is a program.
  std::string kind = {};
  std::string queue = "default";              // made when it is not there
  std::string tenant = {};                    // whose run this is: the tenants of a queue get fair shares
  std::int32_t priority = 0;                  // smaller goes first
  std::int64_t delay_ms = 0;                  // not before that much time has passed
  std::int64_t at_ms = 0;                     // not before that moment; ms since 1970
  std::int32_t most_attempts = 20;            // turns that fail, until the job is given up
  // Runs of the same tenant that have to end well before: they are in the store, or earlier in the same call. When one
  // is given up, those that come after it end, too (dependency_failed). retry_queued() of that run blocks them again.
  std::vector<std::string> after = {};
  std::vector<std::string> needs = {};        // tools that a worker must have besides those that the program names
  StoredOptions options = {};                 // limits, data, signature, name; the id is the one above
};

// Writes jobs, all or none, with the first facts of their runs. Workers that lack a tool of a program leave it alone.
// Returns for each job whether it is new: a run of that id that is there is left as it is. Errors: invalid_program;
// invalid_value; not_available: the store has no queues; store_failed, with the detail store_wrong_tenant when the run
// of that id, or RUN for RUN/PART, or RUN/PART for RUN, is another tenant's, or store_missing when a job comes after
// a run that is missing, or run_moved or run_is_copy when the run is in another store.
PTCVM_API Result<std::vector<bool>> enqueue(const Engine& engine, const Store& store,
                                            std::span<const QueuedJob> jobs);
PTCVM_API Result<bool> enqueue(const Engine& engine, const Store& store, const QueuedJob& job);

// Tells a run to end with the fault "cancelled"; one that nobody executes is "dead" at once. Returns false when it is
// over. Errors: store_failed, with the detail store_missing or store_wrong_tenant; not_available.
PTCVM_API Result<bool> cancel_queued(const Store& store, std::string_view run, std::string_view tenant = {},
                                     std::string_view reason = {}, std::string_view by = {});
// Makes a run ready that was set aside, was given up, or waits for its next attempt. One that comes after runs that are
// not done is blocked again. Returns false when the run is in another state. Errors: as above.
PTCVM_API Result<bool> retry_queued(const Store& store, std::string_view run, std::string_view tenant = {});

// What a queue says about a run.
struct QueuedRunStatus {
  std::string run, queue, tenant;             // their names; "" for no tenant
  // "ready"; "timer" (until at_ms); "held" (a worker executes it); "waiting" (for a fact); "blocked" (comes after other
  // runs); "quarantined" (its workers died too often), "dead" (given up), "dependency_failed" (a run that it comes
  // after was given up), "done", or "moved" (to another store).
  std::string state;
  std::int32_t priority = 0, attempts = 0, most_attempts = 0;   // attempts: turns that failed
  std::int64_t at_ms = 0;                     // since when it is in the state; "timer": until when
  std::uint64_t node = 0;                     // "held": the number of the worker
  std::int32_t blockers = 0;                  // "blocked": runs that are not done
  std::string reason;                         // "quarantined", "dead" and "dependency_failed": why
  bool is_cancelled = false;                  // told to end
  std::vector<std::string> needs;             // tools without which a worker leaves it alone
};
// Returns nullopt for a run that is in no queue.
PTCVM_API Result<std::optional<QueuedRunStatus>> queued_run(const Store& store, std::string_view run);
// Returns a handle for lists, which only reads: its runs() also reads, in one call for a page, what find(), detail(),
// doubts() and journal() with JournalExtent::Notable say of these runs, as of then. Large logs are left out; a store on
// this machine or with a key ring leaves all out. What is left out is read when somebody asks about it.
PTCVM_API Store for_lists(const Store& store);
// Returns the runs that are in a queue, in any order. In PostgreSQL this is one call for all.
PTCVM_API Result<std::vector<QueuedRunStatus>> queued_runs(const Store& store, std::span<const std::string> runs);

// Limits of a queue, and what is in it.
struct QueueStatus {
  std::string name;                           // how people call it
  bool is_paused = false;                     // gives no run to a worker
  std::optional<std::int64_t> slots;          // runs at once, over all workers; nullopt: any number
  std::optional<std::int64_t> tenant_slots;   // runs of one tenant at once
  std::optional<std::int64_t> starts_per_hour;   // of runs; nullopt: any number
  std::int64_t burst = 1;                     // starts at once where a rate is set
  std::int32_t most_crashes = 3;              // workers that die with a run, until it is set aside
  std::uint64_t ready = 0, timers = 0, held = 0, waiting = 0, blocked = 0, quarantined = 0, dead = 0;   // runs
  std::uint64_t dependency_failed = 0;        // runs
  std::optional<std::int64_t> ready_since_ms;   // when the run became ready that is ready for the longest time
};
PTCVM_API Result<std::vector<QueueStatus>> queues(const Store& store);   // by name

// What PostgreSQL keeps besides the rows that count, as it counts itself. Much of either makes queues slow.
struct StoreUpkeep {
  // A table of the store.
  struct Table {
    std::string name;                         // without its schema
    std::uint64_t live_rows = 0;              // about
    std::uint64_t dead_rows = 0;              // about; their room is used again after a vacuum
  };
  std::vector<Table> tables;                  // by name
  // How many transactions began after the oldest one whose view of the rows somebody still holds: no vacuum removes
  // what died since. A forgotten transaction or replication slot lets it grow. 0 also when the role may not see it.
  std::uint64_t oldest_view_age = 0;
};
PTCVM_API Result<std::optional<StoreUpkeep>> store_upkeep(const Store& store);   // nullopt: not PostgreSQL

// What shall change; nullopt leaves it. An inner nullopt takes a limit away.
struct QueueChange {
  std::optional<bool> is_paused = {};         // these are explained at QueueStatus
  std::optional<std::optional<std::int64_t>> slots = {}, tenant_slots = {}, starts_per_hour = {};   // and these
  std::optional<std::int64_t> burst = {};     // and this
  std::optional<std::int32_t> most_crashes = {};   // and this
};
// Changes a queue, and makes it when it is not there. Error: store_failed, with the detail store_misuse.
PTCVM_API Result<void> change_queue(const Store& store, std::string_view name, const QueueChange& change);

// A worker, as the store knows it.
struct NodeStatus {
  std::uint64_t id = 0;                       // never used again
  std::string name, owner, build;             // WorkerOptions::name; the process; the version of ptcvm
  std::int64_t started_ms = 0, until_ms = 0;  // ms since 1970: the beginning; the end of the lease
  std::int64_t lease_ms = 0;                  // how long a lease is
  bool is_draining = false;                   // takes no more runs
  bool has_left = false;                      // ended by itself; without that, its lease ends
};
PTCVM_API Result<std::vector<NodeStatus>> nodes(const Store& store);     // by id, also those that are gone
// Tells a worker to take nothing more, to park what it executes, and to end. Returns false: there is no such worker.
PTCVM_API Result<bool> drain_node(const Store& store, std::uint64_t id);

// Which runs prune_runs() removes.
struct PruneOptions {
  std::chrono::milliseconds older{std::chrono::hours(24 * 30)};   // over since then, or longer
  bool dead_too = false;                      // those that were given up, too, unless others come after them
  std::size_t most = 1'000;                   // at once
};
// Removes runs of queues that are over, with their logs. Their ids are free then. Returns the ids.
PTCVM_API Result<std::vector<std::string>> prune_runs(const Store& store, const PruneOptions& options = {});

}  // namespace ptcvm
