#include "runtime/log/queue_protocol.h"

#include <algorithm>
#include <limits>

#include "runtime/log/queue_jobs.h"
#include "runtime/log/store_rules.h"

namespace ptc {
namespace {

constexpr std::size_t kReadyPage = 100, kAllJobs = std::numeric_limits<std::int32_t>::max();

bool has_lease(const std::optional<NodeRow>& node, std::int64_t now_ms) {
  return node && !node->has_left && node->until_ms > now_ms;
}

bool is_held_by(const QueuedRun& run, std::uint64_t token) {
  return token != 0 && run.token == token && !run.owner.empty();
}

// Gives back a run whose worker does not say that the run is over: a turn that failed must not look like the end.
void give_back(QueueTables& tables, const JobRow& job, const QueuedRun& run, std::int64_t now_ms) {
  if (job.is_cancelled) return end_cancelled(tables, job, now_ms);
  if (run.state == LogState::Ended) return make_ready(tables, job, now_ms);
  place_job(tables, job, run, now_ms);
}

void rescue_job(QueueTables& tables, JobRow job, std::int64_t now_ms) {
  const QueuedRun run = tables.run(job.log);
  if (!is_held_by(run, job.token)) return place_job(tables, job, run, now_ms);   // somebody else has claimed the run
  tables.set_claim(job.log, run.token, "", 0);
  job.crashes = job.crashes == 0 || tables.has_progress(job.log, job.crash_head) ? 1 : job.crashes + 1;
  job.crash_head = run.head;
  const std::optional<QueueRow> queue = tables.queue(job.queue);
  if (queue && job.crashes >= queue->most_crashes && run.state != LogState::Ended && !job.is_cancelled) {
    job.reason = "its workers died " + std::to_string(job.crashes) + " times at fact " + std::to_string(run.head);
    return set_aside(tables, job, JobState::Quarantined, now_ms);
  }
  give_back(tables, job, run, now_ms);
}

// Takes a run from a living node.
void take_back(QueueTables& tables, const JobRow& job, std::int64_t now_ms) {
  const QueuedRun run = tables.run(job.log);
  if (!is_held_by(run, job.token)) return place_job(tables, job, run, now_ms);
  tables.set_claim(job.log, run.token, "", 0);
  give_back(tables, job, run, now_ms);
}

void refill(QueueRow& queue, std::int64_t now_ms) {
  if (!queue.starts_per_hour) return;
  const std::int64_t most = queue.burst * kTokenUnit;
  const std::int64_t passed = std::clamp<std::int64_t>(now_ms - queue.filled_ms, 0, kTokenUnit * 24);
  queue.tokens = std::min(most, queue.tokens + passed * *queue.starts_per_hour);
  queue.filled_ms = std::max(queue.filled_ms, now_ms);
}

// How many runs of the queue may be claimed now.
std::int64_t room_of(QueueTables& tables, const QueueRow& queue, std::size_t most) {
  auto room = static_cast<std::int64_t>(std::min<std::size_t>(most, kAllJobs));
  if (queue.slots) room = std::min(room, *queue.slots - tables.held(queue.name, nullptr));
  if (queue.starts_per_hour) room = std::min(room, queue.tokens / kTokenUnit);
  return room;
}

bool is_fit(QueueTables& tables, const JobRow& job, const NodeRow& node, const QueueRow& queue,
            std::span<const std::string> tools) {
  if (job.format > node.format) return false;
  for (const std::string& tool : job.needs) {
    if (std::ranges::find(tools, tool) == tools.end()) return false;
  }
  const std::string_view tenant = job.tenant;
  return !queue.tenant_slots || tables.held(queue.name, &tenant) < *queue.tenant_slots;
}

// Claims a ready run, unless somebody claimed it without the queue. A run that is over is claimed, too: when its turn
// failed, the turn is tried again.
std::optional<ClaimedRun> claim_job(QueueTables& tables, JobRow job, const NodeRow& node, std::int64_t now_ms) {
  const QueuedRun run = tables.run(job.log);
  const bool was_woken = run.state == LogState::Parked && (run.is_woken || run.deadline_ms.value_or(0) > 0);
  const std::int64_t ready_ms = std::max<std::int64_t>(now_ms - job.at_ms, 0);
  if (!run.owner.empty() && run.until_ms > now_ms) {
    set_aside(tables, job, JobState::Timer, run.until_ms);
    return std::nullopt;
  }
  job.state = JobState::Held;
  job.node = node.id;
  job.token = run.token + 1;
  job.at_ms = now_ms;
  tables.set_job(job);
  tables.set_claim(job.log, job.token, node.owner, std::numeric_limits<std::int64_t>::max());
  return ClaimedRun{job.log,      job.tenant,   job.token, job.is_cancelled,
                    job.attempts, std::nullopt, was_woken ? std::optional(ready_ms) : std::nullopt};
}

std::vector<ClaimedRun> claim_ready(QueueTables& tables, QueueRow& queue, const NodeRow& node,
                                    std::span<const std::string> tools, std::int64_t room, std::int64_t now_ms) {
  std::vector<ClaimedRun> out;
  std::optional<JobRow> last;
  for (std::size_t count = kReadyPage; count == kReadyPage && room > 0;) {
    const std::vector<JobRow> page = tables.ready(queue.name, last ? &*last : nullptr, kReadyPage);
    count = page.size();
    for (const JobRow& job : page) {
      last = job;
      if (room <= 0) break;
      if (!is_fit(tables, job, node, queue, tools)) continue;
      auto claimed = claim_job(tables, job, node, now_ms);
      if (!claimed) continue;
      out.push_back(std::move(*claimed));
      queue.pass = std::max(queue.pass, job.pass);
      if (queue.starts_per_hour) queue.tokens -= kTokenUnit;
      --room;
    }
  }
  return out;
}

// The job of a tenant, which somebody gives an order about.
StoreResult<JobRow> job_to_order(QueueTables& tables, std::string_view log, std::string_view tenant) {
  std::optional<JobRow> job = tables.job(log);
  if (!job) return no_job(log);
  if (job->tenant != tenant) return wrong_tenant(log);
  if (job->state != JobState::Moved) return *std::move(job);
  const QueuedRun run = tables.run(log);
  return has_left(run.state) ? run_moved(log, run.moved_to) : copy_is_no_job(log);
}

}   // namespace

void wake_job(QueueTables& tables, std::string_view log, std::int64_t now_ms) {
  const std::optional<JobRow> job = tables.job(log);
  if (job && (job->state == JobState::Waiting || job->state == JobState::Timer)) make_ready(tables, *job, now_ms);
}

void release_if_dead(QueueTables& tables, std::string_view log, std::int64_t now_ms) {
  const std::optional<JobRow> job = tables.job(log);
  if (!job || job->state != JobState::Held || has_lease(tables.node(job->node), now_ms)) return;
  rescue_job(tables, *job, now_ms);
}

bool holds_job(QueueTables& tables, std::string_view log, std::uint64_t token) {
  const std::optional<JobRow> job = tables.job(log);
  return job && job->state == JobState::Held && job->token == token && is_held_by(tables.run(log), token);
}

void end_unheld_job(QueueTables& tables, std::string_view log, std::uint64_t token, std::int64_t now_ms) {
  std::optional<JobRow> job = tables.job(log);
  if (!job || job->state == JobState::Done || job->state == JobState::Moved || holds_job(tables, log, token)) return;
  const bool was_failed = was_given_up(job->state);
  job->crashes = 0;
  job->is_cancelled = false;
  job->reason.clear();
  set_aside(tables, *job, JobState::Done, now_ms);
  if (was_failed) restore_dependents(tables, *job, now_ms);
  unblock_dependents(tables, log, now_ms);
}

bool finish_job(QueueTables& tables, std::string_view log, std::uint64_t token, const Finish& how,
                std::int64_t now_ms) {
  std::optional<JobRow> job = tables.job(log);
  const QueuedRun run = tables.run(log);
  if (!job || job->state != JobState::Held || job->token != token || !is_held_by(run, token)) return false;
  tables.set_claim(log, token, "", 0);
  const std::optional<NodeRow> node = tables.node(job->node);
  if (node && run.state == LogState::Parked) job->format = node->format;
  job->crashes = 0;
  job->reason = how.reason;
  if (how.kind == Finish::Kind::AsIs || how.kind == Finish::Kind::Over) {
    const bool is_over = how.kind == Finish::Kind::Over && run.head >= how.head;
    is_over ? place_job(tables, *job, run, now_ms) : give_back(tables, *job, run, now_ms);
    return true;
  }
  if (how.kind == Finish::Kind::Retry) ++job->attempts;
  const bool is_dead = how.kind == Finish::Kind::GiveUp || job->is_cancelled || job->attempts >= job->most_attempts;
  if (is_dead) {
    give_up_job(tables, *job, now_ms);
  } else {
    set_aside(tables, *job, JobState::Timer, lease_end(now_ms, how.delay_ms));
  }
  return true;
}

StoreResult<NodeRow> ProtocolQueue::join(const NodeInfo& node, std::int64_t now_ms) {
  if (auto wrong = check_node(node)) return *std::move(wrong);
  return within<NodeRow>([&](QueueTables& tables) -> StoreResult<NodeRow> {
    NodeRow row{node, 0, now_ms, lease_end(now_ms, node.lease_ms), false, false};
    row.id = tables.add_node(row);
    return row;
  });
}

StoreResult<Heartbeat> ProtocolQueue::beat(std::uint64_t id, std::int64_t now_ms) {
  return within<Heartbeat>([&](QueueTables& tables) -> StoreResult<Heartbeat> {
    std::optional<NodeRow> node = tables.node(id);
    if (!has_lease(node, now_ms)) return Heartbeat{false, false, {}, now_ms};
    node->until_ms = lease_end(now_ms, node->lease_ms);
    tables.set_node(*node);
    Heartbeat out{true, node->is_draining, {}, now_ms};
    for (const JobRow& job : tables.held_by(id, kAllJobs)) {
      if (job.is_cancelled) out.cancelled.push_back(job.log);
    }
    return out;
  });
}

StoreResult<bool> ProtocolQueue::leave(std::uint64_t id, std::int64_t now_ms) {
  return within<bool>([&](QueueTables& tables) -> StoreResult<bool> {
    std::optional<NodeRow> node = tables.node(id);
    if (!node || node->has_left) return false;
    node->has_left = true;
    node->until_ms = std::min(node->until_ms, now_ms);
    tables.set_node(*node);
    for (const JobRow& job : tables.held_by(id, kAllJobs)) take_back(tables, job, now_ms);
    return true;
  });
}

StoreResult<bool> ProtocolQueue::drain(std::uint64_t id) {
  return within<bool>([&](QueueTables& tables) -> StoreResult<bool> {
    std::optional<NodeRow> node = tables.node(id);
    if (!node) return false;
    node->is_draining = true;
    tables.set_node(*node);
    return true;
  });
}

StoreResult<std::vector<NodeRow>> ProtocolQueue::nodes() {
  return within<std::vector<NodeRow>>(
      [](QueueTables& tables) -> StoreResult<std::vector<NodeRow>> { return tables.nodes(); });
}

StoreResult<std::vector<Enqueued>> ProtocolQueue::enqueue(std::span<const Job> jobs, std::int64_t now_ms) {
  if (auto wrong = check_jobs(jobs)) return *std::move(wrong);
  return within<std::vector<Enqueued>>([&](QueueTables& tables) -> StoreResult<std::vector<Enqueued>> {
    if (auto wrong = check_jobs_against(tables, jobs)) return *std::move(wrong);
    return add_jobs(tables, jobs, now_ms);
  });
}

StoreResult<std::vector<ClaimedRun>> ProtocolQueue::claim_next(std::uint64_t id, std::string_view name,
                                                               std::span<const std::string> tools, std::size_t most,
                                                               std::int64_t now_ms) {
  using Runs = std::vector<ClaimedRun>;
  return within<Runs>([&](QueueTables& tables) -> StoreResult<Runs> {
    const std::optional<NodeRow> node = tables.node(id);
    if (!has_lease(node, now_ms)) return dead_node(id);
    std::optional<QueueRow> queue = tables.queue(name);
    if (!queue || queue->is_paused || node->is_draining) return Runs();
    for (const JobRow& job : tables.due(name, now_ms, kReadyPage)) make_ready(tables, job, job.at_ms);
    refill(*queue, now_ms);
    Runs out = claim_ready(tables, *queue, *node, tools, room_of(tables, *queue, most), now_ms);
    tables.set_queue(*queue);
    return out;
  });
}

StoreResult<bool> ProtocolQueue::finish(std::string_view log, std::uint64_t token, const Finish& how,
                                        std::int64_t now_ms) {
  if (auto wrong = check_log(log)) return *std::move(wrong);
  if (auto wrong = check_finish(how)) return *std::move(wrong);
  return within<bool>(
      [&](QueueTables& tables) -> StoreResult<bool> { return finish_job(tables, log, token, how, now_ms); });
}

StoreResult<std::vector<std::string>> ProtocolQueue::give_back_others(std::uint64_t id,
                                                                      std::span<const KnownClaim> known,
                                                                      std::int64_t now_ms) {
  using Logs = std::vector<std::string>;
  return within<Logs>([&](QueueTables& tables) -> StoreResult<Logs> {
    Logs out;
    for (const JobRow& job : tables.held_by(id, kAllJobs)) {
      const auto is_that = [&job](const KnownClaim& claim) { return claim.log == job.log && claim.token == job.token; };
      if (std::ranges::any_of(known, is_that)) continue;
      take_back(tables, job, now_ms);
      out.push_back(job.log);
    }
    return out;
  });
}

StoreResult<std::vector<std::string>> ProtocolQueue::rescue(std::size_t most, std::int64_t now_ms) {
  using Logs = std::vector<std::string>;
  return within<Logs>([&](QueueTables& tables) -> StoreResult<Logs> {
    Logs out;
    for (const JobRow& job : tables.lapsed(now_ms, most)) {
      rescue_job(tables, job, now_ms);
      out.push_back(job.log);
    }
    return out;
  });
}

StoreResult<std::monostate> ProtocolQueue::set_queue(const QueueLimits& limits) {
  if (auto wrong = check_limits(limits)) return *std::move(wrong);
  return within<std::monostate>([&](QueueTables& tables) -> StoreResult<std::monostate> {
    QueueRow row = tables.queue(limits.name).value_or(QueueRow());
    if (limits.starts_per_hour && !row.starts_per_hour) row.tokens = limits.burst * kTokenUnit;   // begins full
    static_cast<QueueLimits&>(row) = limits;
    tables.set_queue(row);
    return std::monostate{};
  });
}

StoreResult<std::vector<QueueRow>> ProtocolQueue::queues() {
  return within<std::vector<QueueRow>>(
      [](QueueTables& tables) -> StoreResult<std::vector<QueueRow>> { return tables.queues(); });
}

StoreResult<bool> ProtocolQueue::cancel(std::string_view log, std::string_view tenant, std::string_view reason,
                                        std::string_view by, std::int64_t now_ms) {
  const Fact fact = cancel_fact(reason, by, now_ms);
  if (auto wrong = check_put(log, Cut::blind(), {&fact, 1})) return *std::move(wrong);
  if (auto wrong = check_tenant(tenant)) return *std::move(wrong);
  return within<bool>([&](QueueTables& tables) -> StoreResult<bool> {
    auto found = job_to_order(tables, log, tenant);
    if (auto* error = std::get_if<StoreError>(&found)) return std::move(*error);
    JobRow* const job = &std::get<JobRow>(found);
    const bool is_held = job->state == JobState::Held;
    if (job->state == JobState::Done || was_given_up(job->state) || (is_held && job->is_cancelled)) return false;
    tables.append(log, fact);
    job->is_cancelled = true;
    is_held ? tables.set_job(*job) : end_cancelled(tables, *job, now_ms);
    return true;
  });
}

StoreResult<bool> ProtocolQueue::retry(std::string_view log, std::string_view tenant, std::int64_t now_ms) {
  if (auto wrong = check_log(log)) return *std::move(wrong);
  if (auto wrong = check_tenant(tenant)) return *std::move(wrong);
  return within<bool>([&](QueueTables& tables) -> StoreResult<bool> {
    auto found = job_to_order(tables, log, tenant);
    if (auto* error = std::get_if<StoreError>(&found)) return std::move(*error);
    JobRow* const job = &std::get<JobRow>(found);
    if (job->state != JobState::Quarantined && job->state != JobState::Dead && job->state != JobState::Timer) {
      return false;
    }
    job->crashes = job->attempts = 0;
    job->is_cancelled = false;
    job->reason.clear();
    ready_or_block(tables, *job, now_ms);
    restore_dependents(tables, *job, now_ms);
    return true;
  });
}

StoreResult<std::optional<JobRow>> ProtocolQueue::job(std::string_view log) {
  if (auto wrong = check_log(log)) return *std::move(wrong);
  using Found = std::optional<JobRow>;
  return within<Found>([&](QueueTables& tables) -> StoreResult<Found> { return tables.job(log); });
}

StoreResult<std::vector<JobRow>> ProtocolQueue::jobs(JobState state, std::uint64_t after, std::size_t most) {
  using Rows = std::vector<JobRow>;
  return within<Rows>([&](QueueTables& tables) -> StoreResult<Rows> { return tables.jobs(state, after, most); });
}

}   // namespace ptc
