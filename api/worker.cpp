// A worker: one thread claims, one prolongs the lease, and the others step runs.
#include "ptcvm/worker.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <random>
#include <thread>

#include "api/errors.h"
#include "api/store_access.h"
#include "api/stored_start.h"
#include "ptcvm/version.hpp"
#include "runtime/engine/clock.h"
#include "runtime/log/node_store.h"
#include "runtime/log/process_owner.h"
#include "runtime/log/run_queue.h"
#include "schema/version.h"

namespace ptcvm {
namespace {

constexpr std::size_t kMostRescued = 100;

Error no_queues() { return host_error(Errc::not_available, "this store has no queues"); }

struct NodeStoreHandle {
  const Store handle;
};
class NodeStoreOf final : private NodeStoreHandle, public ptc::NodeStore {
 public:
  explicit NodeStoreOf(const Store& store) : NodeStoreHandle{store}, NodeStore(StoreAccess::store(handle)) {}
};

Result<ptc::Job> job_of(const Engine& engine, const QueuedJob& from) {
  CompileOptions wanted;
  wanted.name = from.options.name;
  wanted.check_tools = false;
  wanted.strict_task_ids = from.options.strict_task_ids;
  const auto program = engine.compile(from.source, wanted);
  if (!program) return program.error();
  auto start = start_fact(from.options, from.source);
  if (!start) return std::move(start).error();
  ptc::Job job;
  job.log = from.id;
  job.queue = from.queue;
  job.tenant = from.tenant;
  job.priority = from.priority;
  job.needs = program->tool_names();
  job.delay_ms = from.delay_ms;
  job.at_ms = from.at_ms;
  job.most_attempts = from.most_attempts;
  job.start = std::move(*start);
  return job;
}

}  // namespace

Result<std::vector<bool>> enqueue(const Engine& engine, const Store& store, std::span<const QueuedJob> jobs) {
  ptc::RunQueue* const queue = StoreAccess::store(store).queue();
  if (queue == nullptr) return no_queues();
  std::vector<ptc::Job> out;
  for (const QueuedJob& job : jobs) {
    auto made = job_of(engine, job);
    if (!made) return std::move(made).error();
    out.push_back(std::move(*made));
  }
  auto answer = queue->enqueue(out, ptc::system_millis());
  if (const auto* error = std::get_if<ptc::StoreError>(&answer)) return store_error(*error);
  std::vector<bool> is_new;
  for (const ptc::Enqueued& one : std::get<std::vector<ptc::Enqueued>>(answer)) is_new.push_back(one.is_new);
  return is_new;
}

Result<bool> enqueue(const Engine& engine, const Store& store, const QueuedJob& job) {
  const auto answer = enqueue(engine, store, std::span(&job, 1));
  if (!answer) return answer.error();
  return static_cast<bool>(answer->at(0));
}

Result<bool> cancel_queued(const Store& store, std::string_view run, std::string_view tenant, std::string_view reason,
                           std::string_view by) {
  ptc::RunQueue* const queue = StoreAccess::store(store).queue();
  if (queue == nullptr) return no_queues();
  const auto answer = queue->cancel(run, tenant, reason, by, ptc::system_millis());
  if (const auto* error = std::get_if<ptc::StoreError>(&answer)) return store_error(*error);
  return std::get<bool>(answer);
}

struct PTCVM_HIDDEN Worker::Impl {
  struct Taken {
    ptc::ClaimedRun run;
    std::size_t queue = 0;
  };

  Impl(const Engine& shared, const Store& given, const Tools& known, const WorkerOptions& wanted)
      : engine(shared), store(given), tools(known), options(wanted), queue(StoreAccess::store(store).queue()),
        running_of(wanted.queues.size()), random(std::random_device{}()) {
    auto made = std::make_unique<NodeStoreOf>(store);
    node_store = made.get();
    node_handle.emplace(StoreAccess::made(std::move(made)));
    for (const ToolInfo& tool : tools.list()) {
      names.push_back(tool.name);
      has_deferred = has_deferred || tool.deferred;
    }
  }

  Result<void> run(std::stop_token stop);
  std::optional<Error> join();
  void beat_until_over(std::stop_token over);
  void beat();
  Result<std::size_t> claim();
  void work();
  void execute(const Taken& taken);
  ptc::Finish step(StoredRun& run);
  void finish(const Taken& taken, const ptc::Finish& how);
  bool is_stopping() const { return is_draining || is_lost; }
  void park_all();

  const Engine engine;
  const Store store;
  const Tools tools;
  const WorkerOptions options;
  ptc::RunQueue* const queue;                  // null when the store has none
  ptc::NodeStore* node_store = nullptr;
  std::optional<Store> node_handle;
  std::vector<std::string> names;
  bool has_deferred = false;
  std::uint64_t node = 0;
  std::atomic<bool> is_draining{false}, is_lost{false};

  mutable std::mutex mutex;                    // guards everything below
  std::condition_variable changed;
  std::deque<Taken> ready;                     // claimed, and not begun
  std::map<std::string, StoredRun*> stepping;
  std::vector<std::size_t> running_of;         // by queue
  std::size_t busy = 0;
  bool is_over = false;
  WorkerStats stats;
  std::mt19937_64 random;
};

std::optional<Error> Worker::Impl::join() {
  ptc::NodeInfo info;
  info.name = options.name;
  info.owner = ptc::process_owner();
  info.build = version();
  info.format = ptc::kSnapshotFormat;
  info.lease_ms = options.lease.count();
  const std::int64_t sent = ptc::NodeStore::boot_ms();
  auto joined = queue->join(info, ptc::system_millis());
  if (const auto* error = std::get_if<ptc::StoreError>(&joined)) return store_error(*error);
  node = std::get<ptc::NodeRow>(joined).id;
  node_store->set_lease_end(sent + info.lease_ms - std::min<std::int64_t>(1'000, info.lease_ms / 4));
  is_lost = false;
  return std::nullopt;
}

// A store that does not answer is asked again: the lease ends by itself.
void Worker::Impl::beat() {
  const std::int64_t sent = ptc::NodeStore::boot_ms(), lease = options.lease.count();
  const auto told = queue->beat(node, ptc::system_millis());
  if (const auto* heartbeat = std::get_if<ptc::Heartbeat>(&told)) {
    if (heartbeat->is_alive) {
      node_store->set_lease_end(sent + lease - std::min<std::int64_t>(1'000, lease / 4));
    } else {
      is_lost = true;
    }
    if (heartbeat->is_draining) is_draining = true;
    if (is_stopping()) park_all();
    const std::lock_guard lock(mutex);
    for (const std::string& log : heartbeat->cancelled) {
      if (const auto at = stepping.find(log); at != stepping.end()) at->second->cancel();
    }
  }
  const auto rescued = queue->rescue(kMostRescued, ptc::system_millis());
  const std::lock_guard lock(mutex);
  if (const auto* logs = std::get_if<std::vector<std::string>>(&rescued)) stats.rescued += logs->size();
  changed.notify_all();
}

void Worker::Impl::beat_until_over(std::stop_token over) {
  std::mutex own;
  std::condition_variable_any ended;
  std::unique_lock lock(own);
  const auto pause = std::max(options.lease / 3, std::chrono::milliseconds(1));
  while (!ended.wait_for(lock, over, pause, [&over] { return over.stop_requested(); })) beat();
}

void Worker::Impl::park_all() {
  const std::lock_guard lock(mutex);
  for (const auto& [log, run] : stepping) run->park_soon();
}

// Claims what free threads can begin. Returns how many runs that were.
Result<std::size_t> Worker::Impl::claim() {
  std::size_t count = 0;
  for (std::size_t at = 0; at < options.queues.size(); ++at) {
    std::size_t most = 0;
    {
      const std::lock_guard lock(mutex);
      const std::size_t used = busy + ready.size(), own = running_of[at];
      most = std::min(options.threads > used ? options.threads - used : 0,
                      options.queues[at].most > own ? options.queues[at].most - own : 0);
    }
    if (most == 0) continue;
    auto answer = queue->claim_next(node, options.queues[at].name, names, most, ptc::system_millis());
    if (const auto* error = std::get_if<ptc::StoreError>(&answer)) {
      if (error->kind != ptc::StoreError::Kind::DeadNode) return store_error(*error);
      is_lost = true;
      break;
    }
    const std::lock_guard lock(mutex);
    for (ptc::ClaimedRun& run : std::get<std::vector<ptc::ClaimedRun>>(answer)) {
      node_store->take(run.log, run.token);
      ready.push_back({std::move(run), at});
      ++running_of[at];
      ++stats.claimed;
      ++count;
    }
  }
  changed.notify_all();
  return count;
}

void Worker::Impl::work() {
  for (;;) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return is_over || !ready.empty(); });
    if (ready.empty()) return;
    const Taken taken = std::move(ready.front());
    ready.pop_front();
    ++busy;
    lock.unlock();
    execute(taken);
    lock.lock();
    --busy;
    --running_of[taken.queue];
    lock.unlock();
    changed.notify_all();
  }
}

void Worker::Impl::execute(const Taken& taken) {
  StoredOptions wanted;
  wanted.id = taken.run.log;
  wanted.most_limits = options.most_limits;
  ptc::Finish how;
  if (!is_stopping()) {
    auto run = StoredRun::open(engine, *node_handle, tools, wanted);
    if (!run) {
      const bool is_store = run.error().code == Errc::store_failed;
      how = {is_store ? ptc::Finish::Kind::AsIs : ptc::Finish::Kind::GiveUp, 0, is_store ? "" : run.error().message};
    } else {
      if (taken.run.is_cancelled) run->cancel();
      {
        const std::lock_guard lock(mutex);
        stepping[taken.run.log] = &*run;
      }
      if (is_stopping()) run->park_soon();
      how = step(*run);
      const std::lock_guard lock(mutex);
      stepping.erase(taken.run.log);
    }
    if (how.kind == ptc::Finish::Kind::Retry) {
      const double grown = static_cast<double>(options.first_retry.count()) *
                           static_cast<double>(std::uint64_t{1} << std::min(taken.run.attempts, 40));
      const auto most = std::min(grown, static_cast<double>(options.longest_retry.count()));
      const std::lock_guard lock(mutex);
      how.delay_ms = std::uniform_int_distribution<std::int64_t>(0, static_cast<std::int64_t>(most))(random);
    }
  }
  finish(taken, how);
}

// Steps a run until it is over, waits or is parked, and says how to give it back.
ptc::Finish Worker::Impl::step(StoredRun& run) {
  std::uint64_t used = 0;
  for (;;) {
    const auto step = run.step(options.slice_fuel);
    if (!step) {
      if (step.error().code == Errc::store_failed) return {};
      return {ptc::Finish::Kind::GiveUp, 0, step.error().message};
    }
    if (*step == StoredStep::Done) break;
    if (*step == StoredStep::Yielded) {
      used += options.slice_fuel;
      if (used >= options.turn_fuel) run.park_soon();
    } else if (const auto calls = run.calls(); !calls.empty()) {
      if (auto made = run.make(calls.front().id); !made) return {ptc::Finish::Kind::GiveUp, 0, made.error().message};
    } else if (const auto wake = run.wake_time_ms()) {   // a short pause before a further attempt
      std::this_thread::sleep_for(std::chrono::milliseconds(std::clamp<std::int64_t>(
          *wake - ptc::system_millis(), 1, 50)));
    }
  }
  const StoredOutcome& out = run.outcome();
  const bool has_ended = out.end == StoredEnd::Ended || out.end == StoredEnd::EndedBefore;
  const bool is_failed = has_ended && out.outcome.state == RunState::Failed;
  const bool is_parked = out.end == StoredEnd::Suspended && out.pending.empty() && out.questions.empty();
  const std::lock_guard lock(mutex);
  ++(is_failed ? stats.failed : has_ended ? stats.ended : is_parked ? stats.parked : stats.waiting);
  if (!is_failed) return {};
  const auto& fault = out.outcome.diagnostic;
  if (fault && fault->kind == "cancelled") return {ptc::Finish::Kind::GiveUp, 0, "cancelled"};
  return {ptc::Finish::Kind::Retry, 0, fault ? fault->kind + ": " + fault->message : "failed with " + out.value_edn};
}

void Worker::Impl::finish(const Taken& taken, const ptc::Finish& how) {
  const auto told = queue->finish(taken.run.log, taken.run.token, how, ptc::system_millis());
  node_store->leave(taken.run.log);
  const auto* const is_given_back = std::get_if<bool>(&told);
  const std::lock_guard lock(mutex);
  if (is_given_back == nullptr || !*is_given_back) ++stats.lost;
}

Result<void> Worker::Impl::run(std::stop_token stop) {
  if (queue == nullptr) return no_queues();
  if (has_deferred) return host_error(Errc::not_available, "a worker takes no deferred tools: use ToolMode::Async");
  if (auto error = join()) return std::move(*error);
  is_draining = is_over = false;
  const std::stop_callback on_stop(stop, [this] {
    is_draining = true;
    changed.notify_all();
  });
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < std::max<std::size_t>(options.threads, 1); ++i) threads.emplace_back([this] { work(); });
  std::jthread heart([this](std::stop_token over) { beat_until_over(std::move(over)); });
  Result<void> out;
  while (!is_draining) {
    const auto count = claim();
    std::unique_lock lock(mutex);
    if (!count) {
      out = count.error();
      break;
    }
    if (is_lost) {                             // joins again when nothing of the lost lease is in its hands
      changed.wait(lock, [this] { return busy == 0 && ready.empty(); });
      lock.unlock();
      if (auto error = join()) {
        out = std::move(*error);
        break;
      }
      continue;
    }
    const auto is_idle = [this] { return busy == 0 && ready.empty(); };
    if (*count == 0 && options.until_empty && is_idle()) break;
    const std::size_t before = busy + ready.size();
    changed.wait_for(lock, options.poll, [&] { return is_stopping() || busy + ready.size() < before; });
  }
  is_draining = true;
  park_all();
  {
    const std::lock_guard lock(mutex);
    is_over = true;
  }
  changed.notify_all();
  for (std::thread& thread : threads) thread.join();
  heart.request_stop();
  heart.join();
  queue->leave(node, ptc::system_millis());
  return out;
}

Worker::Worker(const Engine& engine, const Store& store, const Tools& tools, const WorkerOptions& options)
    : impl_(std::make_unique<Impl>(engine, store, tools, options)) {}
Worker::~Worker() = default;

Result<void> Worker::run(std::stop_token stop) { return impl_->run(std::move(stop)); }

void Worker::drain() {
  impl_->is_draining = true;
  impl_->changed.notify_all();
}

WorkerStats Worker::stats() const {
  const std::lock_guard lock(impl_->mutex);
  WorkerStats out = impl_->stats;
  out.running = impl_->busy;
  return out;
}

}  // namespace ptcvm
