// A worker: runs that are no programs, and what executes them.
#include <algorithm>

#include "api/errors.h"
#include "api/worker_impl.h"
#include "runtime/log/host_jobs.h"

namespace ptcvm {

WorkerHost::~WorkerHost() = default;

// Takes a host that is free, or makes one. null: this worker does not execute the kind.
std::unique_ptr<WorkerHost> Worker::Impl::take_host(const std::string& kind) {
  {
    const std::lock_guard lock(mutex);
    auto& free = free_hosts[kind];
    if (!free.empty()) {
      auto host = std::move(free.back());
      free.pop_back();
      return host;
    }
  }
  const auto made = options.kinds.find(kind);
  return made == options.kinds.end() ? nullptr : made->second();
}

Worker::Impl::Turn Worker::Impl::host_turn(const Taken& taken) {
  const std::string& log = taken.run.log;
  const auto read = node_store->read(log, 0, 1);
  if (const auto* error = std::get_if<ptc::StoreError>(&read)) return store_failed(store_error(*error), false);
  const auto& facts = std::get<std::vector<ptc::Fact>>(read);
  const auto kind = facts.empty() ? std::nullopt : ptc::host_job_kind(facts[0]);
  auto host = kind ? take_host(std::string(*kind)) : nullptr;
  if (host == nullptr) {
    const std::string why = "nothing of this worker executes the run";
    return {{ptc::Finish::Kind::GiveUp, 0, why}, WorkerEventKind::GivenUp, why};
  }
  Hosting hosting;
  {
    const std::lock_guard lock(mutex);
    hosted[log] = &hosting;
  }
  hosting.is_cancelled = hosting.is_cancelled || taken.run.is_cancelled;
  if (is_stopping() || hosting.is_cancelled) hosting.leaves = true;
  const std::function<std::int64_t()> clock = [this] { return now_ms(); };
  const HostTurnEnd end = host->execute({log, facts[0].text, *node_handle, hosting.leaves, is_abandoning, clock});
  const std::lock_guard lock(mutex);
  hosted.erase(log);
  free_hosts[std::string(*kind)].push_back(std::move(host));
  return turn_of(end, hosting.is_cancelled);
}

Worker::Impl::Turn Worker::Impl::turn_of(const HostTurnEnd& end, bool is_cancelled) const {
  if (end.kind == HostTurnEnd::Kind::StoreFailed && end.error) return store_failed(*end.error, false);
  if (is_cancelled && !end.has_ended) {
    return {{ptc::Finish::Kind::GiveUp, 0, "cancelled"}, WorkerEventKind::Failed, "cancelled"};
  }
  switch (end.kind) {
    case HostTurnEnd::Kind::InDoubt: return {{}, WorkerEventKind::InDoubt, end.text};
    case HostTurnEnd::Kind::GivenUp:
      return {{ptc::Finish::Kind::GiveUp, 0, end.text}, WorkerEventKind::GivenUp, end.text};
    case HostTurnEnd::Kind::AsLogSays:
      if (end.has_ended) return {{ptc::Finish::Kind::Over, 0, {}}, WorkerEventKind::Ended, end.text};
      return {{}, end.is_in_the_middle ? WorkerEventKind::Parked : WorkerEventKind::Waiting, end.text};
    case HostTurnEnd::Kind::Failed:
    case HostTurnEnd::Kind::StoreFailed: break;
  }
  return {{ptc::Finish::Kind::Retry, 0, end.text}, WorkerEventKind::Failed, end.text};
}

void Worker::Impl::cancel_hosted(const std::string& log) {
  const auto at = hosted.find(log);
  if (at == hosted.end()) return;
  at->second->is_cancelled = true;
  at->second->leaves = true;
}

}  // namespace ptcvm
