// Nothing is taken back: the protocol looks for refusals before it changes a row. Look-ups walk over all jobs.
#include "runtime/log/memory_queue.h"

#include <algorithm>

#include "runtime/log/queue_jobs.h"
#include "runtime/log/store_rules.h"

namespace ptc {
namespace {

auto order_of(const JobRow& job) { return std::tuple(job.priority, job.pass, job.id); }

}   // namespace

std::optional<StoreError> MemoryQueue::transact(const std::function<bool(QueueTables&)>& body) {
  const std::lock_guard lock(store_.mutex_);
  body(tables_);
  return std::nullopt;
}

template <class Is>
std::vector<JobRow> MemoryQueueTables::where(std::size_t most, Is is_wanted) const {
  std::vector<JobRow> out;
  for (const auto& [id, job] : jobs_) {
    if (out.size() < most && is_wanted(job)) out.push_back(job);
  }
  return out;
}

std::optional<NodeRow> MemoryQueueTables::node(std::uint64_t id) {
  const auto at = nodes_.find(id);
  return at == nodes_.end() ? std::nullopt : std::optional(at->second);
}
std::uint64_t MemoryQueueTables::add_node(const NodeRow& row) {
  NodeRow& made = nodes_[++last_node_] = row;
  return made.id = last_node_;
}
void MemoryQueueTables::set_node(const NodeRow& row) { nodes_[row.id] = row; }
std::vector<NodeRow> MemoryQueueTables::nodes() {
  std::vector<NodeRow> out;
  for (const auto& [id, row] : nodes_) out.push_back(row);
  return out;
}

std::optional<QueueRow> MemoryQueueTables::queue(std::string_view name) {
  const auto at = queues_.find(name);
  return at == queues_.end() ? std::nullopt : std::optional(at->second);
}
void MemoryQueueTables::set_queue(const QueueRow& row) { queues_.insert_or_assign(row.name, row); }
std::vector<QueueRow> MemoryQueueTables::queues() {
  std::vector<QueueRow> out;
  for (const auto& [name, row] : queues_) out.push_back(row);
  return out;
}

std::optional<JobRow> MemoryQueueTables::job(std::string_view log) {
  const auto at = by_log_.find(log);
  return at == by_log_.end() ? std::nullopt : std::optional(jobs_.at(at->second));
}
std::uint64_t MemoryQueueTables::add_job(const JobRow& row) {
  JobRow& made = jobs_[++last_job_] = row;
  by_log_.emplace(row.log, last_job_);
  return made.id = last_job_;
}
void MemoryQueueTables::set_job(const JobRow& row) { jobs_[row.id] = row; }

std::vector<JobRow> MemoryQueueTables::jobs(JobState state, std::uint64_t after, std::size_t most) {
  return where(most, [&](const JobRow& job) { return job.state == state && job.id > after; });
}

std::vector<JobRow> MemoryQueueTables::ready(std::string_view queue, const JobRow* after, std::size_t most) {
  std::vector<JobRow> out = where(jobs_.size(), [&](const JobRow& job) {
    const bool is_ready = job.state == JobState::Ready && job.queue == queue;
    return is_ready && (after == nullptr || order_of(job) > order_of(*after));
  });
  std::ranges::sort(out, {}, order_of);
  if (out.size() > most) out.resize(most);
  return out;
}

std::int64_t MemoryQueueTables::last_pass(std::string_view queue, std::string_view tenant) {
  std::int64_t out = 0;
  for (const auto& [id, job] : jobs_) {
    if (job.state == JobState::Ready && job.queue == queue && job.tenant == tenant) out = std::max(out, job.pass);
  }
  return out;
}

std::vector<JobRow> MemoryQueueTables::due(std::string_view queue, std::int64_t now_ms, std::size_t most) {
  std::vector<JobRow> out = where(jobs_.size(), [&](const JobRow& job) {
    return job.state == JobState::Timer && job.queue == queue && job.at_ms <= now_ms;
  });
  std::ranges::sort(out, {}, [](const JobRow& job) { return std::tuple(job.at_ms, job.id); });
  if (out.size() > most) out.resize(most);
  return out;
}

std::vector<JobRow> MemoryQueueTables::held_by(std::uint64_t id, std::size_t most) {
  return where(most, [&](const JobRow& job) { return job.state == JobState::Held && job.node == id; });
}

std::vector<JobRow> MemoryQueueTables::lapsed(std::int64_t now_ms, std::size_t most) {
  return where(most, [&](const JobRow& job) {
    return job.state == JobState::Held && nodes_.at(job.node).until_ms <= now_ms;
  });
}

std::int64_t MemoryQueueTables::held(std::string_view queue, const std::string_view* tenant) {
  return std::ranges::count_if(jobs_, [&](const auto& numbered) {
    const JobRow& job = numbered.second;
    return job.state == JobState::Held && job.queue == queue && (tenant == nullptr || job.tenant == *tenant);
  });
}

QueuedRun MemoryQueueTables::run(std::string_view name) {
  QueuedRun out;
  const MemoryStore::Log* const log = store_.log_named(name);
  if (log == nullptr) return out;
  out.is_there = !log->facts.empty();
  out.state = log->state;
  out.head = log->facts.size();
  out.token = log->token;
  out.owner = log->owner;
  out.until_ms = log->until_ms;
  if (has_left(log->state)) out.moved_to = log->facts.back().text;
  if (log->state != LogState::Parked) return out;
  out.is_woken = log->woken;
  out.deadline_ms = log->parked->deadline_ms;
  return out;
}

void MemoryQueueTables::set_claim(std::string_view name, std::uint64_t token, const std::string& owner,
                            std::int64_t until_ms) {
  MemoryStore::Log& log = store_.log_made(name);
  log.token = token;
  log.owner = owner;
  log.until_ms = until_ms;
}

void MemoryQueueTables::append(std::string_view name, const Fact& fact) {
  store_.append(store_.log_made(name), 0, fact);
}

bool MemoryQueueTables::has_progress(std::string_view name, std::uint64_t after) {
  const MemoryStore::Log* const log = store_.log_named(name);
  return log != nullptr && std::ranges::any_of(log->facts, [&](const Fact& fact) {
    const bool is_intent = fact.key.starts_with("intent/") || fact.key.starts_with("host/intent/");
    return fact.seq > after && !fact.key.empty() && !is_intent;
  });
}

void MemoryQueueTables::add_dependent(std::string_view log, std::uint64_t job) {
  dependents_[std::string(log)].insert(job);
}
bool MemoryQueueTables::has_dependents(std::string_view log) { return dependents_.contains(log); }
std::vector<JobRow> MemoryQueueTables::dependents(std::string_view log) {
  const auto at = dependents_.find(log);
  if (at == dependents_.end()) return {};
  std::vector<JobRow> out;
  for (const std::uint64_t id : at->second) {
    if (const auto job = jobs_.find(id); job != jobs_.end()) out.push_back(job->second);
  }
  return out;
}
void MemoryQueueTables::forget_dependents(std::string_view log) {
  if (const auto at = dependents_.find(log); at != dependents_.end()) dependents_.erase(at);
}
std::optional<JobRow> MemoryQueueTables::failed_blocker(std::uint64_t id) {
  for (const auto& [log, after] : dependents_) {
    if (!after.contains(id)) continue;
    if (auto before = job(log); before && was_given_up(before->state)) return before;
  }
  return std::nullopt;
}

std::vector<QueueDepth> MemoryQueueTables::depths() {
  std::map<std::pair<std::string, JobState>, QueueDepth> found;
  for (const auto& [id, job] : jobs_) {
    if (job.state == JobState::Done || job.state == JobState::Moved) continue;
    QueueDepth& depth = found.try_emplace({job.queue, job.state}, QueueDepth{job.queue, job.state, 0, job.at_ms})
                            .first->second;
    ++depth.count;
    depth.oldest_ms = std::min(depth.oldest_ms, job.at_ms);
  }
  std::vector<QueueDepth> out;
  for (auto& [key, depth] : found) out.push_back(std::move(depth));
  return out;
}

std::vector<JobRow> MemoryQueueTables::over(std::int64_t before_ms, bool dead_too, std::size_t most) {
  return where(most, [&](const JobRow& job) {
    const bool is_over = job.state == JobState::Done ||
                         (dead_too && was_given_up(job.state) && !has_dependents(job.log));
    return is_over && job.at_ms <= before_ms;
  });
}
void MemoryQueueTables::forget_run(const JobRow& job) {
  by_log_.erase(job.log);
  jobs_.erase(job.id);
  if (const auto at = store_.logs_.find(job.log); at != store_.logs_.end()) store_.logs_.erase(at);
  for (auto at = dependents_.begin(); at != dependents_.end();) {
    at->second.erase(job.id);
    at = at->second.empty() ? dependents_.erase(at) : std::next(at);
  }
}
void MemoryQueueTables::forget_log(std::string_view log) {
  if (const auto at = store_.logs_.find(log); at != store_.logs_.end()) store_.logs_.erase(at);
}
std::vector<std::string> MemoryQueueTables::logs_below(std::string_view log) {
  const std::string begin = std::string(log) + '/';
  std::vector<std::string> out;
  for (auto at = store_.logs_.lower_bound(begin); at != store_.logs_.end() && at->first.starts_with(begin); ++at) {
    out.push_back(at->first);
  }
  return out;
}
void MemoryQueueTables::forget_nodes(std::int64_t before_ms, std::size_t most) {
  std::size_t count = 0;
  for (auto at = nodes_.begin(); at != nodes_.end();) {
    const bool is_gone = count < most && at->second.until_ms <= before_ms && held_by(at->first, 1).empty();
    if (is_gone) ++count;
    at = is_gone ? nodes_.erase(at) : std::next(at);
  }
}

std::optional<ScheduleRow> MemoryQueueTables::schedule(std::string_view name) {
  const auto at = schedules_.find(name);
  return at == schedules_.end() ? std::nullopt : std::optional(at->second);
}
void MemoryQueueTables::set_schedule(const ScheduleRow& row) { schedules_.insert_or_assign(row.name, row); }
void MemoryQueueTables::remove_schedule(std::string_view name) {
  if (const auto at = schedules_.find(name); at != schedules_.end()) schedules_.erase(at);
}
std::vector<ScheduleRow> MemoryQueueTables::schedules() {
  std::vector<ScheduleRow> out;
  for (const auto& [name, row] : schedules_) out.push_back(row);
  return out;
}

}   // namespace ptc
