// Steps many runs on a few threads, fairly between tenants. Header only, over public headers.
//
//   ptcvm::ThreadPool pool({.threads = 4});
//   auto done = pool.submit("tenant-7", std::move(*run));        // Result<std::future<Run>>
//   ptcvm::Run back = done->get();
//
// The pool steps a run for one slice of fuel. Then the run goes behind the other runs of its tenant, and the pool
// serves the next tenant. So the time that a run waits depends on the number of tenants and on the runs of its own
// tenant, and not on how much others submit. A run that cannot go on by itself leaves the pool, in one of these states:
//
//   Completed, Returned, Failed   the run is over
//   Suspended                     pending() or questions() wait: park the run, resolve, and submit the run again
//   Yielded                       calls() wait for answers, or a call is made again at wake_time_ms()
//
// The pool does not keep runs that wait.
//
// A StoredThreadPool steps stored runs in the same way. A thread of the pool calls the callable of a tool, one call in
// a slice. A stored run leaves the pool when last_step() is an error or Done, or when only calls of deferred tools or a
// wake_time_ms() are left.
//
// Thread rules. Any thread may call submit(), slices() and runs(), callbacks included. A thread of the pool must not
// call drain(), cancel() or the destructor. A run belongs to the pool from submit() until the pool hands it back.
// Different threads step the run, one at a time, and call its tools, hooks and observer. A callable that blocks holds
// up a thread, so make tools that wait deferred or async.
#pragma once
#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "ptcvm/run.hpp"
#include "ptcvm/stored_run.hpp"

namespace ptcvm {

// Says how many threads the pool has, and how it shares them.
struct ThreadPoolOptions {
  std::size_t threads = 0;                   // 0 starts one thread for each processor
  std::uint64_t slice_fuel = 50'000;         // the fuel of one slice
  std::size_t runs_per_tenant = 1'000;       // most runs of a tenant in the pool; submit() refuses more
};

namespace detail {

// Step a run for one slice. Return whether the run can go on by itself.
inline bool step_slice(Run& run, std::uint64_t fuel) {
  return run.step(fuel) == RunState::Yielded && run.calls().empty() && !run.wake_time_ms();
}
inline bool step_slice(StoredRun& run, std::uint64_t fuel) {
  const Result<StoredStep> step = run.step(fuel);
  if (!step || *step == StoredStep::Done) return false;
  if (*step == StoredStep::Yielded) return true;
  const std::vector<WaitingCall> calls = run.calls();
  const auto own = std::find_if(calls.begin(), calls.end(), [](const WaitingCall& call) { return !call.is_deferred; });
  return own != calls.end() && run.make(own->id);
}

}  // namespace detail

// Steps runs on its threads; the top of this file has the rules. R is Run or StoredRun.
template <class R>
class BasicThreadPool {
 public:
  // Takes back a run. A thread of the pool calls it once for each run. Must not throw; may call submit().
  using Done = std::function<void(R)>;

  // Starts the threads.
  explicit BasicThreadPool(const ThreadPoolOptions& options = {}) : options_(options) {
    const std::size_t processors = std::max(1u, std::thread::hardware_concurrency());
    const std::size_t count = options.threads != 0 ? options.threads : processors;
    for (std::size_t i = 0; i < count; ++i) threads_.emplace_back([this] { work(); });
  }
  ~BasicThreadPool() { cancel(); }
  BasicThreadPool(const BasicThreadPool&) = delete;
  BasicThreadPool& operator=(const BasicThreadPool&) = delete;

  // Takes the run. A request to stop cancels the run, also in the middle of a slice: the run ends with the fault
  // "cancelled". Errors, which leave the run unchanged with the caller: busy when the tenant has runs_per_tenant runs
  // here; wrong_state after drain() or cancel().
  Result<void> submit(std::string_view tenant, R&& run, Done done, std::stop_token stop = {}) {
    const std::lock_guard lock(mutex_);
    if (is_closed_) return Error{Errc::wrong_state, "the pool takes no runs any more", std::nullopt};
    auto at = tenants_.find(tenant);
    if (at == tenants_.end()) at = tenants_.try_emplace(std::string(tenant)).first;
    if (at->second.runs >= options_.runs_per_tenant) {
      forget_idle(at);
      return Error{Errc::busy, "tenant " + std::string(tenant) + " has as many runs here as it may", std::nullopt};
    }
    ++at->second.runs;
    ++runs_;
    enqueue(at, {std::move(run), std::move(done), std::move(stop)});
    return {};
  }
  Result<std::future<R>> submit(std::string_view tenant, R&& run, std::stop_token stop = {}) {
    auto promise = std::make_shared<std::promise<R>>();
    auto future = promise->get_future();
    const auto done = [promise](R back) { promise->set_value(std::move(back)); };
    if (auto taken = submit(tenant, std::move(run), done, std::move(stop)); !taken) return std::move(taken).error();
    return future;
  }

  std::uint64_t slices() const {             // returns the number of slices since the pool was made
    const std::lock_guard lock(mutex_);
    return slices_;
  }
  std::size_t runs() const {                 // returns the number of runs whose callback has not returned
    const std::lock_guard lock(mutex_);
    return runs_;
  }

  // Takes no more runs, and steps the runs that are in the pool until they leave it. Returns when all callbacks have
  // returned.
  void drain() {
    {
      const std::lock_guard lock(mutex_);
      is_closed_ = true;
      ready_.notify_all();
    }
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }
  // Cancels every run, and then does what drain() does.
  void cancel() {
    stop_.request_stop();
    drain();
  }

 private:
  struct Job {
    R run;
    Done done;
    std::stop_token stop;
  };
  struct Tenant {
    std::deque<Job> queue;
    std::size_t runs = 0;                    // counts queued runs, runs that are being stepped, and no others
  };
  using Tenants = std::map<std::string, Tenant, std::less<>>;   // tenants that have runs

  // Invariant: the ring has a tenant once when the queue of the tenant is not empty, and not at all otherwise.
  void enqueue(typename Tenants::iterator tenant, Job job) {
    if (tenant->second.queue.empty()) ring_.push_back(tenant);
    tenant->second.queue.push_back(std::move(job));
    ready_.notify_one();
  }
  Job dequeue(typename Tenants::iterator tenant) {
    Job job = std::move(tenant->second.queue.front());
    tenant->second.queue.pop_front();
    ring_.pop_front();
    if (!tenant->second.queue.empty()) ring_.push_back(tenant);
    return job;
  }

  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      ready_.wait(lock, [this] { return !ring_.empty() || (is_closed_ && runs_ == 0); });
      if (ring_.empty()) return;
      const typename Tenants::iterator tenant = ring_.front();
      Job job = dequeue(tenant);
      ++slices_;
      lock.unlock();
      const bool goes_on = step(job);
      lock.lock();
      if (goes_on) {
        enqueue(tenant, std::move(job));
      } else {
        leave(tenant, std::move(job), lock);
      }
    }
  }

  bool step(Job& job) const {
    const auto cancel = [&job] { job.run.cancel(); };
    const std::stop_callback by_caller(job.stop, cancel);
    const std::stop_callback by_pool(stop_.get_token(), cancel);
    return detail::step_slice(job.run, options_.slice_fuel);
  }

  // Frees the place of the run before the callback, because the callback may submit again. The pool ends only after all
  // callbacks have returned.
  void leave(typename Tenants::iterator tenant, Job job, std::unique_lock<std::mutex>& lock) {
    --tenant->second.runs;
    forget_idle(tenant);
    lock.unlock();
    job.done(std::move(job.run));
    job.done = nullptr;
    lock.lock();
    if (--runs_ == 0 && is_closed_) ready_.notify_all();
  }
  void forget_idle(typename Tenants::iterator tenant) {
    if (tenant->second.runs == 0) tenants_.erase(tenant);
  }

  const ThreadPoolOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable ready_;
  Tenants tenants_;
  std::deque<typename Tenants::iterator> ring_;       // the tenants in the order in which they are served
  std::size_t runs_ = 0;
  std::uint64_t slices_ = 0;
  bool is_closed_ = false;
  std::stop_source stop_;
  std::vector<std::thread> threads_;         // the last member, because the threads use the others
};

using ThreadPool = BasicThreadPool<Run>;                // steps runs
using StoredThreadPool = BasicThreadPool<StoredRun>;    // steps runs of a store

}  // namespace ptcvm
