// A worker: the thread that claims runs, and what begins and ends with it.
#include "ptcvm/worker.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "api/errors.h"
#include "api/queue_access.h"
#include "api/worker_impl.h"
#include "ptcvm/version.hpp"
#include "runtime/log/host_jobs.h"
#include "runtime/log/process_owner.h"
#include "schema/version.h"

namespace ptcvm {
namespace {

struct NodeStoreHandle {
  const Store handle;
};
class NodeStoreOf final : private NodeStoreHandle, public ptc::NodeStore {
 public:
  NodeStoreOf(const Store& store, const ptc::NodeTime& time)
      : NodeStoreHandle{store}, NodeStore(StoreAccess::store(handle), time) {}
};

// Returns whether a store that failed so may answer later.
bool may_answer_later(const Error& error) {
  return error.code == Errc::store_failed && (error.detail == "store_io" || error.detail == "store_unknown" ||
                                              error.detail == "store_locked" || error.detail == "store_full");
}

}  // namespace

std::string_view worker_event_name(WorkerEventKind kind) {
  static constexpr std::array<std::string_view, 17> kNames = {
      "joined",   "claimed", "ended",   "failed",       "waiting",    "parked",   "in_doubt", "given_up",
      "abandoned", "lost",    "rescued", "store_failed", "lease_lost", "draining", "left",
      "returned", "not_told"};
  return kNames[static_cast<std::size_t>(kind)];
}

WorkerCalls::~WorkerCalls() = default;

Worker::Impl::Impl(const Engine& shared, const Store& given, const Tools& known, const WorkerOptions& wanted,
                   ptc::NodeTime clocks)
    : engine(shared), store(given), tools(known), options(wanted), time(std::move(clocks)),
      queue(StoreAccess::store(store).queue()), running_of(wanted.queues.size()), random(std::random_device{}()) {
  auto made = std::make_unique<NodeStoreOf>(store, time);
  node_store = made.get();
  node_handle.emplace(StoreAccess::made(std::move(made)));
  for (const ToolInfo& tool : tools.list()) {
    names.push_back(tool.name);
    has_deferred = has_deferred || tool.deferred;
  }
  for (const auto& [kind, make] : options.kinds) names.push_back(ptc::host_kind_need(kind));
}

void Worker::Impl::report(WorkerEventKind kind, std::string_view text, const Taken* taken, std::string_view log) const {
  if (!options.on_event) return;
  WorkerEvent event;
  event.kind = kind;
  event.node = node;
  event.text = text;
  event.run = log;
  if (taken != nullptr) {
    event.run = taken->run.log;
    event.queue = options.queues[taken->queue].name;
    event.tenant = taken->run.tenant;
    event.took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - taken->since);
  }
  options.on_event(event);
}

// Runs see the time of the store, so that their deadlines are moments by the clock that wakes them.
std::int64_t Worker::Impl::now_ms() const { return time.boot_ms() + store_ahead_ms; }

std::optional<Error> Worker::Impl::join() {
  ptc::NodeInfo info;
  info.name = options.name;
  info.owner = ptc::process_owner();
  info.build = version();
  info.format = ptc::kSnapshotFormat;
  info.lease_ms = options.lease.count();
  const std::int64_t sent = time.boot_ms();
  auto joined = queue->join(info, time.now_ms());
  if (const auto* error = std::get_if<ptc::StoreError>(&joined)) return store_error(*error);
  node = std::get<ptc::NodeRow>(joined).id;
  const std::int64_t half_way = sent + (time.boot_ms() - sent) / 2;
  store_ahead_ms = std::get<ptc::NodeRow>(joined).started_ms - half_way;
  last_beat_ms = sent;
  node_store->set_lease_end(sent + info.lease_ms - std::min<std::int64_t>(1'000, info.lease_ms / 4));
  is_lost = false;
  next_look_ms = sent + info.lease_ms;
  report(WorkerEventKind::Joined, options.name);
  return std::nullopt;
}

// Joins under a new number when nothing of the lost lease is in its hands.
std::optional<Error> Worker::Impl::join_again() {
  report(WorkerEventKind::LeaseLost);
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return is_draining || (busy == 0 && ready.empty()); });
  }
  return is_draining ? std::nullopt : join();
}

// Returns how many more runs of a queue this worker can take.
std::size_t Worker::Impl::room_for(std::size_t at) {
  const std::lock_guard lock(mutex);
  const std::size_t used = busy + ready.size(), own = running_of[at];
  return std::min(options.threads > used ? options.threads - used : 0,
                  options.queues[at].most > own ? options.queues[at].most - own : 0);
}

// The store may hold runs for this worker of which the worker does not know: the answer of a claim was lost, or a
// standby has taken over that lacks that a run was given back. They are given back. The worker looks once a lease, and
// at each claim for the time of a lease after a lost answer: so long the lost call may still be on its way.
std::optional<Error> Worker::Impl::give_back_unknown() {
  const std::int64_t now = time.boot_ms();
  if (!claims_unknown_until && now < next_look_ms) return std::nullopt;
  const bool is_last = claims_unknown_until && now >= *claims_unknown_until;
  const auto told = queue->give_back_others(node, node_store->claims(), time.now_ms());
  if (const auto* error = std::get_if<ptc::StoreError>(&told)) return store_error(*error);
  for (const std::string& log : std::get<std::vector<std::string>>(told)) {
    report(WorkerEventKind::Returned, "the store held it for this worker, which did not know", nullptr, log);
  }
  next_look_ms = now + options.lease.count();
  if (is_last) claims_unknown_until.reset();
  return std::nullopt;
}

// Claims what free threads can begin. Returns how many runs that were.
Result<std::size_t> Worker::Impl::claim() {
  std::size_t count = 0;
  {
    const std::lock_guard lock(mutex);
    is_hinted = false;
  }
  report_deafness();
  if (auto failed = give_back_unknown()) return std::move(*failed);
  for (std::size_t at = 0; at < options.queues.size(); ++at) {
    const std::size_t most = room_for(at);
    if (most == 0) continue;
    auto answer = claim_times.timed([&] {
      return queue->claim_next(node, options.queues[at].name, names, most, time.now_ms());
    });
    if (const auto* error = std::get_if<ptc::StoreError>(&answer)) {
      if (error->kind == ptc::StoreError::Kind::Unknown) claims_unknown_until = time.boot_ms() + options.lease.count();
      if (error->kind != ptc::StoreError::Kind::DeadNode) return store_error(*error);
      is_lost = true;
      break;
    }
    for (ptc::ClaimedRun& run : std::get<std::vector<ptc::ClaimedRun>>(answer)) {
      node_store->take(run.log, run.token, std::exchange(run.opening, std::nullopt));
      if (run.wake_ms) wake_times.add(std::chrono::milliseconds(*run.wake_ms));
      const Taken taken{std::move(run), at, Clock::now()};
      report(WorkerEventKind::Claimed, {}, &taken);
      const std::lock_guard lock(mutex);
      ready.push_back(taken);
      ++running_of[at];
      ++stats.claimed;
      ++count;
    }
  }
  changed.notify_all();
  return count;
}

std::unique_ptr<ptc::WakeHints> Worker::Impl::hints() {
  if (!options.listen) return nullptr;
  std::vector<std::string> queues;
  for (const WorkerQueue& served : options.queues) queues.push_back(served.name);
  return queue->listen(queues, [this] {
    {
      const std::lock_guard lock(mutex);
      is_hinted = true;
    }
    changed.notify_all();
  });
}

// The one of before ends without the mutex: its thread may wait for it.
void Worker::Impl::set_listener(std::shared_ptr<ptc::WakeHints> wanted) {
  const std::unique_lock lock(mutex);
  listener.swap(wanted);
}

// Says once that nothing is told although the worker listens.
void Worker::Impl::report_deafness() {
  bool is_deaf = false;
  {
    const std::lock_guard lock(mutex);
    is_deaf = listener != nullptr && listener->is_deaf();
  }
  if (is_deaf && !was_deaf) {
    report(WorkerEventKind::NotTold,
           "the database takes LISTEN, and no notification comes: a pooler in transaction mode lets none through. This "
           "worker looks every " +
               std::to_string(options.poll.count()) + " ms; name the server itself, or give --no-listen");
  }
  was_deaf = is_deaf;
}

// Sleeps until a thread is free, runs are ready, somebody stops the worker, or it is time to look again.
void Worker::Impl::wait_for_work(std::size_t claimed) {
  std::unique_lock lock(mutex);
  const std::size_t before = busy + ready.size();
  const bool looks_again = claimed != 0 && before < options.threads;   // there may be more
  if (looks_again) return;
  changed.wait_for(lock, options.poll, [&] { return is_stopping() || is_hinted || busy + ready.size() < before; });
}

// Whether no thread has a run and none is ready for one.
bool Worker::Impl::is_idle() {
  const std::lock_guard lock(mutex);
  return busy == 0 && ready.empty();
}

void Worker::Impl::wait_until_idle() {
  std::unique_lock lock(mutex);
  changed.wait(lock, [this] { return is_draining || (busy == 0 && ready.empty()); });
}

std::optional<Error> Worker::Impl::work_until_over() {
  while (!is_draining) {
    std::optional<Error> failure;
    std::size_t count = 0;
    const bool was_idle = is_idle();
    if (is_lost) {
      failure = join_again();
    } else if (const auto claimed = claim()) {
      count = *claimed;
    } else {
      failure = claimed.error();
    }
    if (failure && !may_answer_later(*failure)) return failure;
    if (failure) report(WorkerEventKind::StoreFailed, failure->message);
    if (is_lost || is_draining) continue;
    if (!failure && options.once) {
      wait_until_idle();
      return std::nullopt;
    }
    if (!failure && options.until_empty && count == 0) {
      // A thread that gave its run back after the claim may have left it due: only then look again, and at once.
      if (was_idle) return std::nullopt;
      if (is_idle()) continue;
    }
    wait_for_work(count);
  }
  return std::nullopt;
}

void Worker::Impl::stop(bool at_once) {
  if (at_once) is_abandoning = true;
  {
    const std::lock_guard lock(mutex);
    if (!drains_since) drains_since = Clock::now();
    is_draining = true;
  }
  changed.notify_all();
}

// What is in the hands of the threads is parked or ends; the lease lasts as long.
void Worker::Impl::end(std::vector<std::thread>& threads, std::jthread& heart) {
  stop(false);
  report(WorkerEventKind::Draining);
  park_all();
  if (!is_idle()) queue->drain(node);   // so that lists say it

  {
    const std::lock_guard lock(mutex);
    is_over = true;
  }
  changed.notify_all();
  for (std::thread& thread : threads) thread.join();
  heart.request_stop();
  heart.join();
  queue->leave(node, time.now_ms());
  report(WorkerEventKind::Left);
}

// What stopped an earlier run() does not stop the next one. What came before the first one does.
void Worker::Impl::forget_earlier_stop() {
  const std::lock_guard lock(mutex);
  if (!is_over) return;
  drains_since.reset();
  is_draining = is_abandoning = is_over = false;
}

std::optional<Error> Worker::Impl::begin() {
  if (queue == nullptr) return no_queues();
  if (has_deferred && !options.calls) {
    return host_error(Errc::not_available, "a tool is deferred: set WorkerOptions::calls, or use ToolMode::Async");
  }
  if (options.lease < kLeastLease) {
    return host_error(Errc::invalid_value, "the lease of a worker must last at least " +
                                               std::to_string(kLeastLease.count()) + " ms; found " +
                                               std::to_string(options.lease.count()) + " ms");
  }
  forget_earlier_stop();
  return join();
}

Result<void> Worker::Impl::run(std::stop_token stop_token) {
  if (auto error = begin()) return std::move(*error);
  rescue();
  const std::stop_callback on_stop(stop_token, [this] { stop(false); });
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < std::max<std::size_t>(options.threads, 1); ++i) threads.emplace_back([this] { work(); });
  std::jthread heart([this](std::stop_token over) { beat_until_over(std::move(over)); });
  set_listener(hints());
  const auto failure = work_until_over();
  set_listener(nullptr);
  end(threads, heart);
  return failure ? Result<void>(*failure) : Result<void>();
}

Worker::Worker(const Engine& engine, const Store& store, const Tools& tools, const WorkerOptions& options)
    : impl_(std::make_unique<Impl>(engine, store, tools, options)) {}
Worker::~Worker() = default;

Result<void> Worker::run(std::stop_token stop) { return impl_->run(std::move(stop)); }
void Worker::drain() { impl_->stop(false); }
void Worker::abandon() { impl_->stop(true); }

namespace {

WorkerTimes times_of(const ptc::CallTimes::Counts& counts) {
  WorkerTimes out;
  out.seconds = counts.seconds;
  for (std::size_t k = 0; k < counts.by_interval.size(); ++k) {
    const bool has_end = k < ptc::CallTimes::kBounds.size();
    out.intervals.push_back({has_end ? ptc::CallTimes::kBounds[k] : std::numeric_limits<double>::infinity(),
                             counts.by_interval[k]});
  }
  return out;
}

}  // namespace

WorkerStats Worker::stats() const {
  const std::lock_guard lock(impl_->mutex);
  WorkerStats out = impl_->stats;
  out.running = impl_->busy;
  out.commits = impl_->node_store->commits();
  out.fenced += impl_->node_store->fenced();
  out.node = impl_->node;
  out.is_draining = impl_->is_draining;
  out.is_listening = impl_->listener != nullptr && impl_->listener->is_listening();
  out.claim_times = times_of(impl_->claim_times.counts());
  out.wake_times = times_of(impl_->wake_times.counts());
  out.write_times = times_of(impl_->node_store->write_times());
  if (const std::int64_t beat = impl_->last_beat_ms; beat != 0) {
    out.since_heartbeat = std::chrono::milliseconds(impl_->time.boot_ms() - beat);
  }
  return out;
}

}  // namespace ptcvm
