// Workers execute runs of queues: any number in a process, in any number of processes over one store.
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
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "ptcvm/queues.hpp"

namespace ptcvm {

// A queue that a worker serves.
struct WorkerQueue {
  std::string name = "default";               // a queue that is not there yet is empty
  std::size_t most = SIZE_MAX;                // runs of it that this worker has at once
};

// What happened in a worker.
enum class WorkerEventKind : std::uint8_t {
  Joined,       // the worker has a lease
  Claimed,      // it has taken a run
  Ended,        // the run has ended well
  Failed,       // a turn of the run has failed: it is tried again later, or given up
  Waiting,      // the run waits for something, and was given back
  Parked,       // the run was given back in the middle of its program
  InDoubt,      // a person has to say what became of a call
  GivenUp,      // the run cannot be executed
  Abandoned,    // the run was given back while its calls were open
  Lost,         // somebody else has the run now, and refused what this worker wrote
  Rescued,      // the run of a dead worker is ready again
  StoreFailed,  // the store did not answer; the worker asks again
  LeaseLost,    // the lease was over: the worker joins again
  Draining,     // the worker takes nothing more
  Left,         // the worker has ended
  Returned,     // the run was given back: the store held it for this worker, which did not know
  NotTold,      // no notification of the database comes: the worker only looks by itself
};
PTCVM_API std::string_view worker_event_name(WorkerEventKind kind);   // "joined" and so on

// One event. The views are valid during the call.
struct WorkerEvent {
  WorkerEventKind kind{};                     // what happened
  std::uint64_t node = 0;                     // the number of the worker
  std::string_view run, queue, tenant;        // "" when the event is not about a run
  std::string_view text;                      // the fault, the reason, or ""
  std::chrono::microseconds took{0};          // since the run was claimed
};

// Makes the calls of deferred tools, such as processes. Each thread of a worker has one, for one run at a time.
class PTCVM_API WorkerCalls {
 public:
  virtual ~WorkerCalls();
  // Begins calls of a run that waits (StoredRun::calls()), and gives answers that have come to the run. Waits for a
  // moment when none has: not much longer than 20 ms, because nobody hears of a stop meanwhile.
  virtual void serve(StoredRun& run) = 0;
  // Stops what still runs for the run that was served last: nobody waits for it any more.
  virtual void leave() = 0;
};

// A turn of a run that is no program: an agent, a chain of tasks, a conversation (QueuedJob::kind).
struct HostTurn {
  std::string_view run;                       // its id, and the id of its log
  std::string_view source;                    // QueuedJob::source
  Store store;                                // with the claim of the run, which covers the logs RUN/… as well
  const std::atomic<bool>& leave;             // true: begin nothing, wait for what is under way, and return
  const std::atomic<bool>& abandon;           // true: return now, whatever is under way
  const std::function<std::int64_t()>& now_ms;   // by the clock of the store; ms since 1970
};

// How such a turn ended.
struct HostTurnEnd {
  // Says what the worker does with the run.
  enum class Kind : std::uint8_t {
    AsLogSays,   // the log is parked or has ended
    InDoubt,     // as before, and a person has to say what became of a call
    Failed,      // to be tried again later, with a pause that grows
    GivenUp,     // the run cannot go on, or has ended without success
    StoreFailed, // the store refused a write, or cannot read the log: `error`
  };
  Kind kind = Kind::AsLogSays;                // what the worker does with the run
  bool has_ended = false;                     // AsLogSays: the run is over
  bool is_in_the_middle = false;              // AsLogSays: the run does not wait; somebody goes on at once
  std::string text = {};                      // the reason, for people
  std::optional<Error> error = {};            // StoreFailed
};

// Executes runs of one kind, one turn at a time. A worker makes one for each run of the kind that it has at once, and
// uses it again.
class PTCVM_API WorkerHost {
 public:
  virtual ~WorkerHost();
  // Goes on with the run of a claim until the run waits, has ended, or must be left, and parks its log then.
  virtual HostTurnEnd execute(const HostTurn& turn) = 0;
};

// The shortest lease of a worker. Worker::run() refuses a shorter one with invalid_value.
inline constexpr std::chrono::milliseconds kLeastLease{250};

// Says what a worker serves, and how.
struct WorkerOptions {
  std::string name = "worker";                // for people; nodes are told apart by numbers
  std::vector<WorkerQueue> queues = {{}};     // asked in this order
  std::size_t threads = 1;                    // runs at once; tools are called in these threads
  // How long the others wait when this worker has died; at least kLeastLease, so that a worker that lives can prolong
  // it.
  std::chrono::milliseconds lease{15'000};
  std::chrono::milliseconds poll{1'000};      // how often an idle worker looks for runs
  std::uint64_t slice_fuel = 50'000;          // the fuel of a slice: how soon a run hears that it is to park
  std::uint64_t turn_fuel = 20'000'000;       // a run that used that much is parked, and others go first
  std::chrono::milliseconds first_retry{1'000}, longest_retry{3'600'000};   // bounds of the pause before a retry
  bool until_empty = false;                   // run() ends when there is nothing to claim
  std::optional<Limits> most_limits = {};     // upper bounds of the limits in the logs
  bool once = false;                          // run() ends after the first runs that it claimed
  // How long run() waits for calls of deferred tools after a stop. Then it gives their runs back while the calls are
  // open: the next worker finds them, and the effect classes decide.
  std::chrono::milliseconds drain = std::chrono::hours(24);
  std::size_t parallel_calls = SIZE_MAX;      // calls of one run at once
  bool resets_need_reasons = false;           // StoredOptions::resets_need_reasons
  // In PostgreSQL a connection of its own tells an idle worker of runs that became ready, so that it looks at once.
  // Timers, and what the connection missed, wait for `poll`.
  bool listen = true;
  // Makes the object for the deferred tools, one for each thread. null: no tool may be deferred.
  std::function<std::unique_ptr<WorkerCalls>()> calls = {};
  // What executes runs that are no programs, by QueuedJob::kind. A worker leaves runs of other kinds alone.
  std::map<std::string, std::function<std::unique_ptr<WorkerHost>()>> kinds = {};
  // Is told what happens, by any thread, and by several at once. Must not call the worker back.
  std::function<void(const WorkerEvent&)> on_event = {};
  Observer* observer = nullptr;               // sees all runs, by several threads at once; not owned
};

// Says how long calls of the store took, or waiting for a claim.
struct WorkerTimes {
  // Counts the calls that took longer than the interval before says, and at most `up_to`.
  struct Interval {
    double up_to = 0;                         // seconds; infinity in the last interval
    std::uint64_t calls = 0;                  // in this interval only
  };
  std::vector<Interval> intervals;            // always the same ones, in order
  double seconds = 0;                         // all calls together
};

// Counts what a worker did since it was made.
struct WorkerStats {
  std::uint64_t claimed = 0, ended = 0, waiting = 0, parked = 0, failed = 0;   // parked: in the middle
  std::uint64_t lost = 0;                     // runs that could not be given back, because somebody else has them
  std::uint64_t rescued = 0;                  // runs of dead workers that this one made ready again
  std::uint64_t running = 0;                  // now
  std::uint64_t doubts = 0;                   // runs that wait for a person to say what became of a call
  std::uint64_t given_up = 0, abandoned = 0;  // events of these kinds
  std::uint64_t drained = 0;                  // runs of `parked` that a stop has parked
  std::uint64_t commits = 0, fenced = 0;      // writes of runs that were done, and that were refused
  std::uint64_t late = 0;                     // turns whose calls returned after the run was lost
  std::uint64_t healed = 0;                   // answers of such calls that settled a doubt of the new owner
  std::uint64_t node = 0;                     // the number of the worker; 0: it has not joined yet
  std::chrono::milliseconds since_heartbeat{0};   // since the store prolonged the lease
  bool is_draining = false;                   // takes no more runs
  bool is_listening = false;                  // the store tells of runs that become ready; else the worker polls
  WorkerTimes claim_times, write_times;       // asking a queue for runs, and writing facts of runs
  WorkerTimes wake_times;                     // from what woke a parked run to its claim, by the clock of the store
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
  // parked, in the middle of their programs, as soon as their calls have returned. A store that does not answer is
  // asked again. Errors: not_available, when the store has no queues or a tool is deferred and there are no `calls`;
  // store_failed, when the store is another one than it was, or cannot be joined at the beginning.
  Result<void> run(std::stop_token stop = {});
  // Lets run() end as a stop does, also when it comes before the first run(). Between two runs it does nothing.
  void drain();
  void abandon();                             // does so, and waits for no call of a deferred tool
  WorkerStats stats() const;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace ptcvm
