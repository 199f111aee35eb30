// The inside of a worker: one thread claims, one prolongs the lease and rescues, and the others step runs.
#pragma once
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "api/store_access.h"
#include "ptcvm/worker.hpp"
#include "runtime/log/node_store.h"
#include "runtime/log/run_queue.h"

namespace ptcvm {

struct PTCVM_HIDDEN Worker::Impl {
  using Clock = std::chrono::steady_clock;
  struct Taken {
    ptc::ClaimedRun run;
    std::size_t queue = 0;
    Clock::time_point since;
  };
  // How a turn ended: what the queue is told, and what is reported.
  struct Turn {
    ptc::Finish finish;
    WorkerEventKind what = WorkerEventKind::Lost;
    std::string text;
  };

  Impl(const Engine& shared, const Store& given, const Tools& known, const WorkerOptions& wanted,
       ptc::NodeTime clocks = ptc::NodeTime::of_machine());

  // The thread that claims (worker.cpp).
  Result<void> run(std::stop_token stop);
  void forget_earlier_stop();
  std::optional<Error> begin();
  std::optional<Error> join();
  std::optional<Error> join_again();
  std::optional<Error> work_until_over();
  Result<std::size_t> claim();
  std::optional<Error> give_back_unknown();
  std::size_t room_for(std::size_t queue);
  void wait_for_work(std::size_t claimed);
  bool is_idle();
  void wait_until_idle();
  std::unique_ptr<ptc::WakeHints> hints();     // null when nobody tells of runs that are ready
  void set_listener(std::shared_ptr<ptc::WakeHints> wanted);
  void report_deafness();
  void end(std::vector<std::thread>& threads, std::jthread& heart);
  void stop(bool at_once);
  std::int64_t now_ms() const;                 // by the clock of the store, as far as this worker knows
  bool is_stopping() const { return is_draining || is_lost; }

  // The thread with the lease (worker_lease.cpp).
  void beat_until_over(std::stop_token over);
  void beat();
  void rescue();
  void take_orders(const ptc::Heartbeat& told);
  void park_all();
  void abandon_when_due();

  // The threads that step runs (worker_turn.cpp).
  void work();
  void execute(const Taken& taken, WorkerCalls* calls);
  Turn turn(const Taken& taken, WorkerCalls* calls);
  Turn step(StoredRun& run, WorkerCalls* calls);
  // Does what a run that waits needs. Returns the end of the turn when it cannot be done.
  std::optional<Turn> serve(StoredRun& run, WorkerCalls* calls);
  Turn end_of(const StoredOutcome& out) const;
  Turn store_failed(const Error& error, bool has_answer) const;
  std::int64_t retry_pause(std::int32_t attempts);
  // Runs that are no programs (worker_host.cpp).
  struct Hosting {
    std::atomic<bool> leaves{false}, is_cancelled{false};
  };
  std::unique_ptr<WorkerHost> take_host(const std::string& kind);
  Turn host_turn(const Taken& taken);
  Turn turn_of(const HostTurnEnd& end, bool is_cancelled) const;
  void cancel_hosted(const std::string& log);   // under the mutex

  void finish(const Taken& taken, Turn how);
  void keep_answers(const Taken& taken, Turn& how);
  ptc::Finish finish_by_log(const Taken& taken);
  template <class T>
  ptc::StoreResult<T> ask_until_over(const Taken& taken, const std::function<ptc::StoreResult<T>()>& call);
  ptc::StoreResult<bool> give_back(const Taken& taken, const ptc::Finish& how);
  void count(const Turn& how);

  void report(WorkerEventKind kind, std::string_view text = {}, const Taken* taken = nullptr,
              std::string_view log = {}) const;

  const Engine engine;
  const Store store;
  const Tools tools;
  const WorkerOptions options;
  const ptc::NodeTime time;
  ptc::RunQueue* const queue;                  // null when the store has none
  ptc::NodeStore* node_store = nullptr;
  std::optional<Store> node_handle;
  std::vector<std::string> names;              // tools that it has
  bool has_deferred = false;
  std::atomic<std::uint64_t> node{0};
  std::atomic<std::int64_t> last_beat_ms{0};   // by NodeTime::boot_ms; 0: none
  std::atomic<std::int64_t> store_ahead_ms{0};   // the clock of the store less NodeTime::boot_ms
  // By NodeTime::boot_ms; used by the thread that claims.
  std::optional<std::int64_t> claims_unknown_until;
  std::int64_t next_look_ms = 0;               // for runs that the store holds without the knowledge of this worker
  bool was_deaf = false;                       // at the last claim
  std::atomic<bool> is_draining{false}, is_lost{false};
  std::atomic<bool> is_abandoning{false};      // runs whose calls are open are given back, too

  mutable std::mutex mutex;                    // guards everything below
  std::condition_variable changed;
  std::deque<Taken> ready;                     // claimed, and not begun
  std::map<std::string, StoredRun*> stepping;
  std::map<std::string, Hosting*> hosted;      // by log
  std::map<std::string, std::vector<std::unique_ptr<WorkerHost>>> free_hosts;   // by kind
  std::vector<std::size_t> running_of;         // by queue
  std::size_t busy = 0;
  bool is_over = false;
  std::shared_ptr<ptc::WakeHints> listener;    // null: nobody tells of runs that are ready
  bool is_hinted = false;                      // runs may have become ready since the last look
  std::optional<Clock::time_point> drains_since;
  WorkerStats stats;
  ptc::CallTimes claim_times;
  ptc::CallTimes wake_times;                   // from what woke a run to its claim
  std::mt19937_64 random;
};

}  // namespace ptcvm
