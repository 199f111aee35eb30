// Nothing is taken back: the protocol looks for refusals before it changes a row. Look-ups walk over all jobs.
#include "runtime/log/memory_queue.h"

#include <algorithm>

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
  for (const JobRow& job : jobs_) {
    if (out.size() < most && is_wanted(job)) out.push_back(job);
  }
  return out;
}

std::optional<NodeRow> MemoryQueueTables::node(std::uint64_t id) {
  return id == 0 || id > nodes_.size() ? std::nullopt : std::optional(nodes_[id - 1]);
}
std::uint64_t MemoryQueueTables::add_node(const NodeRow& row) {
  nodes_.push_back(row);
  return nodes_.back().id = nodes_.size();
}
void MemoryQueueTables::set_node(const NodeRow& row) { nodes_[row.id - 1] = row; }

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
  return at == by_log_.end() ? std::nullopt : std::optional(jobs_[at->second - 1]);
}
std::uint64_t MemoryQueueTables::add_job(const JobRow& row) {
  jobs_.push_back(row);
  by_log_.emplace(row.log, jobs_.size());
  return jobs_.back().id = jobs_.size();
}
void MemoryQueueTables::set_job(const JobRow& row) { jobs_[row.id - 1] = row; }

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
  for (const JobRow& job : jobs_) {
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
    return job.state == JobState::Held && nodes_[job.node - 1].until_ms <= now_ms;
  });
}

std::int64_t MemoryQueueTables::held(std::string_view queue, const std::string_view* tenant) {
  return std::ranges::count_if(jobs_, [&](const JobRow& job) {
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
    return fact.seq > after && !fact.key.empty() && !fact.key.starts_with("intent/");
  });
}

}   // namespace ptc
