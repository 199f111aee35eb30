// A worker: the thread that prolongs the lease, hears of runs that must end, and rescues runs of dead workers.
#include <algorithm>

#include "api/worker_impl.h"

namespace ptcvm {
namespace {

constexpr std::size_t kMostRescued = 100;
// A run is taken over this long after the lease of its worker, or sooner.
constexpr std::chrono::milliseconds kLongestLookPause{1'000};

}  // namespace

void Worker::Impl::take_orders(const ptc::Heartbeat& told) {
  if (!told.is_alive) is_lost = true;
  if (told.is_draining) stop(false);
  if (is_stopping()) park_all();
  const std::lock_guard lock(mutex);
  for (const std::string& log : told.cancelled) {
    if (const auto at = stepping.find(log); at != stepping.end()) at->second->cancel();
    cancel_hosted(log);
  }
}

// A store that does not answer is asked again: the lease ends by itself.
void Worker::Impl::beat() {
  const std::int64_t sent = time.boot_ms(), lease = options.lease.count();
  const auto told = queue->beat(node, time.now_ms());
  const auto* const heartbeat = std::get_if<ptc::Heartbeat>(&told);
  if (heartbeat == nullptr) {
    report(WorkerEventKind::StoreFailed, std::get<ptc::StoreError>(told).message);
    return;
  }
  store_ahead_ms = heartbeat->now_ms - (sent + (time.boot_ms() - sent) / 2);
  if (heartbeat->is_alive) {
    last_beat_ms = sent;
    node_store->set_lease_end(sent + lease - std::min<std::int64_t>(1'000, lease / 4));
  }
  take_orders(*heartbeat);
  changed.notify_all();
}

void Worker::Impl::rescue() {
  const auto rescued = queue->rescue(kMostRescued, time.now_ms());
  const auto* const logs = std::get_if<std::vector<std::string>>(&rescued);
  if (logs == nullptr) return;
  for (const std::string& log : *logs) report(WorkerEventKind::Rescued, {}, nullptr, log);
  {
    const std::lock_guard lock(mutex);
    stats.rescued += logs->size();
  }
  if (!logs->empty()) changed.notify_all();
}

void Worker::Impl::park_all() {
  const std::lock_guard lock(mutex);
  for (const auto& [log, run] : stepping) run->park_soon();
  for (const auto& [log, turn] : hosted) turn->leaves = true;
}

void Worker::Impl::abandon_when_due() {
  const std::lock_guard lock(mutex);
  if (drains_since && Clock::now() - *drains_since >= options.drain) is_abandoning = true;
}

void Worker::Impl::beat_until_over(std::stop_token over) {
  std::mutex own;
  std::condition_variable_any ended;
  std::unique_lock lock(own);
  const auto between_beats = std::max(options.lease / 3, std::chrono::milliseconds(1));
  const auto pause = std::min(between_beats, kLongestLookPause);
  auto next_beat = Clock::now() + between_beats;
  while (!ended.wait_for(lock, over, pause, [&over] { return over.stop_requested(); })) {
    abandon_when_due();
    if (Clock::now() >= next_beat) {
      next_beat = Clock::now() + between_beats;
      beat();
    }
    if (!is_stopping()) rescue();
  }
}

}  // namespace ptcvm
