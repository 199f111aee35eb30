// Steps many runs on a few threads, fairly between tenants. Header only, over public headers.
//
//   ptcvm::ThreadPool pool({.threads = 4});
//   auto done = pool.submit("tenant-7", std::move(*run));        // Result<std::future<Run>>
//   ptcvm::Run back = done->get();
//
// A run is stepped for one slice of fuel; then it stands behind the other runs of its tenant, and the next tenant is
// served. So what a run waits for is bounded by the number of tenants and of its tenant's own runs, not by what others
// submit. A run that cannot go on by itself leaves the pool, in whatever state it is:
//
//   Completed, Returned, Failed   it is over
//   Suspended                     pending() or questions() wait: park it, resolve, and submit it again
//   Yielded                       calls() wait for answers, or a call is made again at wake_time_ms()
//
// Parked runs are no concern of the pool: they cost memory only.
//
// Thread rules. submit(), slices() and runs() may be called by any thread, callbacks included; drain(), cancel() and
// the destructor by one that is none of the pool's. A run belongs to the pool from submit() until it is handed back,
// and is stepped by different threads, by one at a time; its tools, hooks and observer are called there. A callable
// that blocks holds up a thread: tools that wait are deferred or async.
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

namespace ptcvm {

// How many threads, and how fair.
struct ThreadPoolOptions {
  std::size_t threads = 0;                   // 0: one for each processor
  std::uint64_t slice_fuel = 50'000;         // of one slice
  std::size_t runs_per_tenant = 1'000;       // at once in the pool; more are refused
};

// See the top of this file.
class ThreadPool {
 public:
  // Is called once for each run that was taken, by a thread of the pool, and must not throw. May submit.
  using Done = std::function<void(Run)>;

  // Starts the threads.
  explicit ThreadPool(const ThreadPoolOptions& options = {}) : options_(options) {
    const std::size_t processors = std::max(1u, std::thread::hardware_concurrency());
    const std::size_t count = options.threads != 0 ? options.threads : processors;
    for (std::size_t i = 0; i < count; ++i) threads_.emplace_back([this] { work(); });
  }
  ~ThreadPool() { cancel(); }
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // Takes the run. A request to stop cancels it, in the middle of a slice, too: it ends with the fault "cancelled".
  // Refused, the run stays the caller's as it is: busy (the tenant has runs_per_tenant runs here), wrong_state (the
  // pool was told to end).
  Result<void> submit(std::string_view tenant, Run&& run, Done done, std::stop_token stop = {}) {
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
  Result<std::future<Run>> submit(std::string_view tenant, Run&& run, std::stop_token stop = {}) {
    auto promise = std::make_shared<std::promise<Run>>();
    auto future = promise->get_future();
    const auto done = [promise](Run back) { promise->set_value(std::move(back)); };
    if (auto taken = submit(tenant, std::move(run), done, std::move(stop)); !taken) return std::move(taken).error();
    return future;
  }

  std::uint64_t slices() const {             // begun since the pool is there
    const std::lock_guard lock(mutex_);
    return slices_;
  }
  std::size_t runs() const {                 // in the pool, or with a callback that has not returned
    const std::lock_guard lock(mutex_);
    return runs_;
  }

  // The end: nothing is taken any more, and what is there is stepped until it leaves the pool. Returns when all
  // callbacks have returned.
  void drain() {
    {
      const std::lock_guard lock(mutex_);
      is_closed_ = true;
      ready_.notify_all();
    }
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }
  // The same, and every run is cancelled.
  void cancel() {
    stop_.request_stop();
    drain();
  }

 private:
  struct Job {
    Run run;
    Done done;
    std::stop_token stop;
  };
  struct Tenant {
    std::deque<Job> queue;
    std::size_t runs = 0;                    // with those that are being stepped, which are in no queue
  };
  using Tenants = std::map<std::string, Tenant, std::less<>>;   // of those that have runs

  // Invariant: a tenant stands in the ring, once, exactly when its queue is not empty.
  void enqueue(Tenants::iterator tenant, Job job) {
    if (tenant->second.queue.empty()) ring_.push_back(tenant);
    tenant->second.queue.push_back(std::move(job));
    ready_.notify_one();
  }
  Job dequeue(Tenants::iterator tenant) {
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
      const Tenants::iterator tenant = ring_.front();
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
    return job.run.step(options_.slice_fuel) == RunState::Yielded && job.run.calls().empty() && !job.run.wake_time_ms();
  }

  // Its place is free before the callback, which may want it; the pool does not end before the callback does.
  void leave(Tenants::iterator tenant, Job job, std::unique_lock<std::mutex>& lock) {
    --tenant->second.runs;
    forget_idle(tenant);
    lock.unlock();
    job.done(std::move(job.run));
    job.done = nullptr;
    lock.lock();
    if (--runs_ == 0 && is_closed_) ready_.notify_all();
  }
  void forget_idle(Tenants::iterator tenant) {
    if (tenant->second.runs == 0) tenants_.erase(tenant);
  }

  const ThreadPoolOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable ready_;
  Tenants tenants_;
  std::deque<Tenants::iterator> ring_;       // whose turn it is, from the front
  std::size_t runs_ = 0;
  std::uint64_t slices_ = 0;
  bool is_closed_ = false;
  std::stop_source stop_;
  std::vector<std::thread> threads_;         // the last member: they use the others
};

}  // namespace ptcvm
