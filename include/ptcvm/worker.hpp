// Queues of runs, and workers that execute them: any number in a process, in any number of processes over one store.
//
//   ptcvm::enqueue(engine, store, ptcvm::QueuedJob{.id = "order-17", .source = source, .queue = "orders"});
//   ptcvm::Worker worker(engine, store, tools, {.queues = {{"orders"}}, .threads = 4});
//   worker.run(stop_token);                      // until somebody stops it
//
// A worker joins the store as a node with one lease, which a thread prolongs. It claims runs whose tools it has, steps
// them in slices, and gives them back: ended, waiting, to be tried again after a pause, or in the middle of their
// program. A worker that dies loses its runs to the others when its lease is over; the effect classes of tools decide
// about calls that were open then (docs/durable-runs.md).
#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "ptcvm/stored_run.hpp"

namespace ptcvm {

// A program to be executed by a worker.
struct QueuedJob {
  std::string id;                             // names the run; unique in the store
  std::string source;                         // the program
  std::string queue = "default";              // made when it is not there
  std::string tenant = {};                    // whose run this is: the tenants of a queue get fair shares
  std::int32_t priority = 0;                  // smaller goes first
  std::int64_t delay_ms = 0;                  // not before that much time has passed
  std::int64_t at_ms = 0;                     // not before that moment; ms since 1970
  std::int32_t most_attempts = 20;            // turns that fail, until the job is given up
  StoredOptions options = {};                 // limits, data, signature, name; the id is the one above
};

// Writes jobs, all or none, with the first facts of their runs. Workers that lack a tool of a program leave it alone.
// Returns for each job whether it is new: a run of that id that is there is left as it is. Errors: invalid_program;
// invalid_value; not_available, when the store has no queues; store_failed, with the detail store_wrong_tenant when a
// run of that id is another tenant's.
PTCVM_API Result<std::vector<bool>> enqueue(const Engine& engine, const Store& store,
                                            std::span<const QueuedJob> jobs);
PTCVM_API Result<bool> enqueue(const Engine& engine, const Store& store, const QueuedJob& job);

// Tells a run to end with the fault "cancelled", also while it waits. Returns false when it is over. Errors:
// store_failed, with the detail store_missing or store_wrong_tenant; not_available.
PTCVM_API Result<bool> cancel_queued(const Store& store, std::string_view run, std::string_view tenant = {},
                                     std::string_view reason = {}, std::string_view by = {});

// A queue that a worker serves.
struct WorkerQueue {
  std::string name = "default";               // a queue that is not there yet is empty
  std::size_t most = SIZE_MAX;                // runs of it that this worker has at once
};

// Says what a worker serves, and how.
struct WorkerOptions {
  std::string name = "worker";                // for people; nodes are told apart by numbers
  std::vector<WorkerQueue> queues = {{}};     // asked in this order
  std::size_t threads = 1;                    // runs at once; tools are called in these threads
  std::chrono::milliseconds lease{15'000};    // how long the others wait when this worker has died
  std::chrono::milliseconds poll{1'000};      // how often an idle worker looks for runs
  std::uint64_t slice_fuel = 50'000;          // the fuel of a slice: how soon a run hears that it is to park
  std::uint64_t turn_fuel = 20'000'000;       // a run that used that much is parked, and others go first
  std::chrono::milliseconds first_retry{1'000}, longest_retry{3'600'000};   // bounds of the pause before a retry
  bool until_empty = false;                   // run() ends when there is nothing to claim
  std::optional<Limits> most_limits = {};     // upper bounds of the limits in the logs
};

// Counts what a worker did since it was made.
struct WorkerStats {
  std::uint64_t claimed = 0, ended = 0, waiting = 0, parked = 0, failed = 0;   // parked: in the middle
  std::uint64_t lost = 0;                     // runs that could not be given back, because somebody else has them
  std::uint64_t rescued = 0;                  // runs of dead workers that this one made ready again
  std::uint64_t running = 0;                  // now
};

// Executes runs of queues. Engine, store and tools are kept. A worker runs once at a time; any thread may call the
// other functions meanwhile.
class PTCVM_API Worker {
 public:
  struct Impl;   // the library defines it
  Worker(const Engine& engine, const Store& store, const Tools& tools, const WorkerOptions& options);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Works until somebody stops it or calls drain(), or until the queues are empty. Then the runs in its hands are
  // parked, in the middle of their programs, as soon as their calls have returned. Errors: not_available, when the
  // store has no queues or a tool is deferred; store_failed.
  Result<void> run(std::stop_token stop = {});
  void drain();                               // lets run() end as a stop does
  WorkerStats stats() const;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace ptcvm
