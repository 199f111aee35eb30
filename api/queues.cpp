// Queues of a store: jobs into them, what is in them, and their limits.
#include "ptcvm/queues.hpp"

#include <algorithm>

#include "api/errors.h"
#include "api/queue_access.h"
#include "api/store_access.h"
#include "api/stored_start.h"
#include "ptcvm/signature.hpp"
#include "runtime/engine/clock.h"
#include "runtime/log/host_jobs.h"
#include "runtime/log/listing_store.h"
#include "runtime/log/queue_protocol.h"

namespace ptcvm {
namespace {

QueuedRunStatus status_of(const ptc::JobRow& job) {
  QueuedRunStatus out;
  out.run = job.log;
  out.queue = job.queue;
  out.tenant = job.tenant;
  out.state = ptc::job_state_name(job.state);
  out.priority = job.priority;
  out.attempts = job.attempts;
  out.most_attempts = job.most_attempts;
  out.at_ms = job.at_ms;
  out.node = job.state == ptc::JobState::Held ? job.node : 0;
  out.blockers = job.blockers;
  out.reason = job.reason;
  out.is_cancelled = job.is_cancelled;
  out.needs = job.needs;
  return out;
}

QueueStatus status_of(const ptc::QueueRow& queue) {
  QueueStatus out;
  out.name = queue.name;
  out.is_paused = queue.is_paused;
  out.slots = queue.slots;
  out.tenant_slots = queue.tenant_slots;
  out.starts_per_hour = queue.starts_per_hour;
  out.burst = queue.burst;
  out.most_crashes = queue.most_crashes;
  return out;
}

void count(QueueStatus& out, const ptc::QueueDepth& depth) {
  switch (depth.state) {
    case ptc::JobState::Ready:
      out.ready = depth.count;
      out.ready_since_ms = depth.oldest_ms;
      break;
    case ptc::JobState::Timer: out.timers = depth.count; break;
    case ptc::JobState::Held: out.held = depth.count; break;
    case ptc::JobState::Waiting: out.waiting = depth.count; break;
    case ptc::JobState::Quarantined: out.quarantined = depth.count; break;
    case ptc::JobState::Dead: out.dead = depth.count; break;
    case ptc::JobState::DependencyFailed: out.dependency_failed = depth.count; break;
    case ptc::JobState::Blocked: out.blocked = depth.count; break;
    case ptc::JobState::Done:
    case ptc::JobState::Moved: break;
  }
}

}  // namespace

Error no_queues() { return host_error(Errc::not_available, "this store has no queues: a sealed SQLite file has none"); }

namespace {

// The first fact of a program's run, and the tools that the program names.
Result<std::monostate> take_program(const Engine& engine, const QueuedJob& from, ptc::Job& job) {
  CompileOptions wanted;
  wanted.name = from.options.name;
  wanted.check_tools = false;
  wanted.strict_task_ids = from.options.strict_task_ids;
  const auto program = engine.compile(from.source, wanted);
  if (!program) return program.error();
  if (!from.options.signature.empty()) {
    if (const auto read = Signature::parse(from.options.signature); !read) return read.error();
  }
  auto start = start_fact(from.options, from.source);
  if (!start) return std::move(start).error();
  job.needs = program->tool_names();
  job.start = std::move(*start);
  return std::monostate{};
}

void take_host_job(const QueuedJob& from, ptc::Job& job) {
  job.needs.push_back(ptc::host_kind_need(from.kind));
  job.start.kind = ptc::FactKind::HostNoted;
  job.start.author = ptc::FactAuthor::Host;
  job.start.time_ms = ptc::system_millis();
  job.start.id = ptc::host_job_name(from.kind);
  job.start.text = from.source;
}

}  // namespace

Result<ptc::Job> runtime_job(const Engine& engine, const QueuedJob& from) {
  ptc::Job job;
  if (from.kind.empty()) {
    if (auto taken = take_program(engine, from, job); !taken) return taken.error();
  } else {
    take_host_job(from, job);
  }
  job.log = from.id;
  job.queue = from.queue;
  job.tenant = from.tenant;
  job.priority = from.priority;
  for (const std::string& tool : from.needs) {
    if (std::ranges::count(job.needs, tool) == 0) job.needs.push_back(tool);
  }
  job.after = from.after;
  job.delay_ms = from.delay_ms;
  job.at_ms = from.at_ms;
  job.most_attempts = from.most_attempts;
  return job;
}

Result<std::vector<bool>> enqueue(const Engine& engine, const Store& store, std::span<const QueuedJob> jobs) {
  ptc::RunQueue* const queue = StoreAccess::store(store).queue();
  if (queue == nullptr) return no_queues();
  std::vector<ptc::Job> out;
  out.reserve(jobs.size());
  for (const QueuedJob& job : jobs) {
    auto made = runtime_job(engine, job);
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

Result<bool> retry_queued(const Store& store, std::string_view run, std::string_view tenant) {
  return answer_of<bool>(
      store, [&](ptc::RunQueue& queue) { return queue.retry(run, tenant, ptc::system_millis()); }, kAsIs);
}

Result<std::optional<QueuedRunStatus>> queued_run(const Store& store, std::string_view run) {
  using Found = std::optional<QueuedRunStatus>;
  return answer_of<Found>(store, [&](ptc::RunQueue& queue) { return queue.job(run); },
                          [](const auto& job) { return job ? Found(status_of(*job)) : Found(); });
}

namespace {

struct ListedStore {
  const Store handle;
};
class ListingStoreOf final : private ListedStore, public ptc::ListingStore {
 public:
  explicit ListingStoreOf(const Store& store) : ListedStore{store}, ListingStore(StoreAccess::store(handle)) {}
};

}  // namespace

Store for_lists(const Store& store) { return StoreAccess::made(std::make_unique<ListingStoreOf>(store)); }

Result<std::vector<QueuedRunStatus>> queued_runs(const Store& store, std::span<const std::string> runs) {
  using All = std::vector<QueuedRunStatus>;
  return answer_of<All>(store, [&](ptc::RunQueue& queue) { return queue.jobs_of(runs); }, [](const auto& jobs) {
    All out;
    for (const ptc::JobRow& job : jobs) out.push_back(status_of(job));
    return out;
  });
}

Result<std::vector<QueueStatus>> queues(const Store& store) {
  using All = std::vector<QueueStatus>;
  auto out = answer_of<All>(store, [](ptc::RunQueue& queue) { return queue.queues(); }, [](const auto& rows) {
    All all;
    for (const ptc::QueueRow& row : rows) all.push_back(status_of(row));
    return all;
  });
  if (!out) return out;
  return answer_of<All>(store, [](ptc::RunQueue& queue) { return queue.depths(); }, [&out](const auto& depths) {
    for (const ptc::QueueDepth& depth : depths) {
      const auto at = std::ranges::find(*out, depth.queue, &QueueStatus::name);
      if (at != out->end()) count(*at, depth);
    }
    return std::move(*out);
  });
}

Result<std::optional<StoreUpkeep>> store_upkeep(const Store& store) {
  using Found = std::optional<StoreUpkeep>;
  return answer_of<Found>(store, [](ptc::RunQueue& queue) { return queue.upkeep(); }, [](const auto& upkeep) {
    if (!upkeep) return Found();
    StoreUpkeep out;
    out.oldest_view_age = upkeep->oldest_view_age;
    for (const ptc::TableUpkeep& t : upkeep->tables) out.tables.push_back({t.table, t.live_rows, t.dead_rows});
    return Found(std::move(out));
  });
}

Result<void> change_queue(const Store& store, std::string_view name, const QueueChange& change) {
  auto limits = answer_of<ptc::QueueLimits>(
      store, [](ptc::RunQueue& queue) { return queue.queues(); }, [name](const auto& rows) {
        const auto at = std::ranges::find(rows, name, &ptc::QueueRow::name);
        ptc::QueueLimits found;
        if (at != rows.end()) found = *at;
        found.name = name;
        return found;
      });
  if (!limits) return limits.error();
  if (change.is_paused) limits->is_paused = *change.is_paused;
  if (change.slots) limits->slots = *change.slots;
  if (change.tenant_slots) limits->tenant_slots = *change.tenant_slots;
  if (change.starts_per_hour) limits->starts_per_hour = *change.starts_per_hour;
  if (change.burst) limits->burst = *change.burst;
  if (change.most_crashes) limits->most_crashes = *change.most_crashes;
  const auto done = answer_of<bool>(store, [&](ptc::RunQueue& queue) { return queue.set_queue(*limits); },
                                    [](std::monostate) { return true; });
  return done ? Result<void>() : Result<void>(done.error());
}

Result<std::vector<NodeStatus>> nodes(const Store& store) {
  using All = std::vector<NodeStatus>;
  return answer_of<All>(store, [](ptc::RunQueue& queue) { return queue.nodes(); }, [](const auto& rows) {
    All out;
    for (const ptc::NodeRow& row : rows) {
      out.push_back({row.id, row.name, row.owner, row.build, row.started_ms, row.until_ms, row.lease_ms,
                     row.is_draining, row.has_left});
    }
    return out;
  });
}

Result<bool> drain_node(const Store& store, std::uint64_t id) {
  return answer_of<bool>(store, [&](ptc::RunQueue& queue) { return queue.drain(id); }, kAsIs);
}

Result<std::vector<std::string>> prune_runs(const Store& store, const PruneOptions& options) {
  return answer_of<std::vector<std::string>>(
      store,
      [&](ptc::RunQueue& queue) {
        return queue.prune(options.older.count(), options.dead_too, options.most, ptc::system_millis());
      },
      kAsIs);
}

}  // namespace ptcvm
