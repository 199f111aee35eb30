// What every run queue refuses, whatever it holds.
#include <algorithm>
#include <limits>
#include <string>

#include "runtime/log/host_jobs.h"
#include "runtime/log/queue_protocol.h"
#include "runtime/log/store_rules.h"
#include "vm/value/utf8.h"

namespace ptc {
namespace {

using QueueCheck = std::optional<StoreError>;

QueueCheck queue_misuse(std::string message) { return StoreError{StoreError::Kind::Misuse, std::move(message)}; }

// PostgreSQL keeps no text with a NUL character, and other programs see such a text as a shorter one.
QueueCheck check_no_nul(std::string_view what, std::string_view name) {
  if (name.find('\0') == std::string_view::npos) return std::nullopt;
  return queue_misuse("the name of a " + std::string(what) + " has a NUL character");
}

QueueCheck check_name(std::string_view what, std::string_view name) {
  if (name.size() > kMostQueueNameBytes) {
    return queue_misuse("the name of a " + std::string(what) + " has " + std::to_string(name.size()) +
                        " bytes; up to " + std::to_string(kMostQueueNameBytes) + " are taken");
  }
  if (!utf8_is_valid(name)) return queue_misuse("the name of a " + std::string(what) + " is not UTF-8");
  return check_no_nul(what, name);
}

QueueCheck check_queue_name(std::string_view name) {
  return name.empty() ? queue_misuse("the name of a queue is empty") : check_name("queue", name);
}

constexpr std::size_t kMostIdBytes = 2'000;   // what PostgreSQL can index, so that a run can move there

QueueCheck check_new_id(std::string_view id) {
  if (auto wrong = check_log(id)) return wrong;
  if (auto wrong = check_no_nul("run", id)) return wrong;
  if (id.starts_with("ptcvm/")) {
    return queue_misuse("ids that begin with ptcvm/ belong to the store: " + std::string(id));
  }
  if (id.size() <= kMostIdBytes) return std::nullopt;
  return queue_misuse("the id of a run has " + std::to_string(id.size()) + " bytes; up to " +
                      std::to_string(kMostIdBytes) + " are taken");
}

QueueCheck check_job(const Job& job) {
  if (auto wrong = check_new_id(job.log)) return wrong;
  if (auto wrong = check_queue_name(job.queue)) return wrong;
  if (auto wrong = check_name("tenant", job.tenant)) return wrong;
  if (job.needs.size() > kMostNeeds) {
    return queue_misuse("a job needs more than " + std::to_string(kMostNeeds) + " tools");
  }
  for (const std::string& tool : job.needs) {
    if (tool.empty()) return queue_misuse("the name of a tool that a job needs is empty");
    if (auto wrong = check_name("tool", tool)) return wrong;
  }
  if (job.after.size() > kMostNeeds) {
    return queue_misuse("a job comes after more than " + std::to_string(kMostNeeds) + " runs");
  }
  for (const std::string& log : job.after) {
    if (auto wrong = check_log(log)) return wrong;
    if (auto wrong = check_no_nul("run", log)) return wrong;
  }
  if (job.delay_ms < 0) return queue_misuse("a job cannot be delayed by less than nothing");
  if (job.most_attempts < 1) return queue_misuse("a job needs an attempt");
  const bool is_start = job.start.kind == FactKind::RunStarted || host_job_kind(job.start);
  if (!is_start || !job.start.key.empty()) {
    return queue_misuse("a job begins with RunStarted, or with what a host reads");
  }
  if (is_storable(job.start)) return std::nullopt;
  return queue_misuse("the program of a job is not UTF-8, or too large");
}

}   // namespace

StoreResult<std::vector<JobRow>> RunQueue::jobs_of(std::span<const std::string> logs) {
  std::vector<JobRow> out;
  for (const std::string& log : logs) {
    auto found = job(log);
    if (auto* error = std::get_if<StoreError>(&found)) return std::move(*error);
    if (auto& row = std::get<std::optional<JobRow>>(found)) out.push_back(*std::move(row));
  }
  return out;
}

std::string_view job_state_name(JobState state) {
  switch (state) {
    case JobState::Ready: return "ready";
    case JobState::Timer: return "timer";
    case JobState::Held: return "held";
    case JobState::Waiting: return "waiting";
    case JobState::Quarantined: return "quarantined";
    case JobState::Done: return "done";
    case JobState::Dead: return "dead";
    case JobState::Blocked: return "blocked";
    case JobState::Moved: return "moved";
    case JobState::DependencyFailed: return "dependency_failed";
  }
  return "";
}

QueueCheck check_node(const NodeInfo& node) {
  if (node.name.empty() || node.owner.empty()) return queue_misuse("a node has a name and an owner");
  if (auto wrong = check_name("node", node.name)) return wrong;
  if (!utf8_is_valid(node.owner) || !utf8_is_valid(node.build)) return queue_misuse("the owner of a node is not UTF-8");
  return check_lease(node.lease_ms);
}

QueueCheck check_jobs(std::span<const Job> jobs) {
  for (const Job& job : jobs) {
    if (auto wrong = check_job(job)) return wrong;
  }
  return std::nullopt;
}

QueueCheck check_limits(const QueueLimits& limits) {
  if (auto wrong = check_queue_name(limits.name)) return wrong;
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  const auto is_wrong = [](std::optional<std::int64_t> number) { return number && (*number < 0 || *number > kMost); };
  if (is_wrong(limits.slots) || is_wrong(limits.tenant_slots) || is_wrong(limits.starts_per_hour) ||
      limits.burst < 1 || limits.burst > kMost || limits.most_crashes < 1) {
    return queue_misuse("a limit of a queue is out of range");
  }
  return std::nullopt;
}

QueueCheck check_finish(const Finish& how) {
  if (how.delay_ms < 0) return queue_misuse("a retry cannot be delayed by less than nothing");
  return utf8_is_valid(how.reason) ? std::nullopt : queue_misuse("a reason is not UTF-8");
}

QueueCheck check_tenant(std::string_view tenant) { return check_name("tenant", tenant); }

QueueCheck check_schedule(const ScheduleRow& row) {
  if (row.name.empty()) return queue_misuse("the name of a schedule is empty");
  if (auto wrong = check_name("schedule", row.name)) return wrong;
  if (row.spec.size() > kMostSpecBytes || !utf8_is_valid(row.spec)) {
    return queue_misuse("the times of a schedule are not UTF-8, or too long");
  }
  if (row.next_ms <= 0) return queue_misuse("the next moment of a schedule is not after 1970");
  Job job = row.job;
  if (!job.log.empty() || !job.after.empty() || job.delay_ms != 0 || job.at_ms != 0) {
    return queue_misuse("the job of a schedule has no id, no delay, and comes after no run");
  }
  job.log = row.name;
  return check_job(job);
}

StoreError wrong_tenant(std::string_view log) {
  return {StoreError::Kind::WrongTenant, "the run " + std::string(log) + " is another tenant's"};
}

StoreError no_job(std::string_view log) { return {StoreError::Kind::Missing, "no job " + std::string(log)}; }

StoreError no_blocker(std::string_view log, std::string_view blocker) {
  return {StoreError::Kind::Missing, "the job " + std::string(log) + " comes after the run " + std::string(blocker) +
                                         ", which is no job of its tenant: enqueue that one before"};
}

StoreError wrong_schedule(std::string_view name) {
  return {StoreError::Kind::WrongTenant, "the schedule " + std::string(name) + " is another tenant's"};
}

std::int64_t moment_before(std::int64_t now_ms, std::int64_t older_ms) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  return older_ms > 0 && now_ms < kLeast + older_ms ? kLeast : now_ms - std::max<std::int64_t>(older_ms, 0);
}

StoreError dead_node(std::uint64_t node) {
  return {StoreError::Kind::DeadNode, "the lease of node " + std::to_string(node) + " is over"};
}

Fact cancel_fact(std::string_view reason, std::string_view by, std::int64_t now_ms) {
  Fact fact;
  fact.kind = FactKind::HostObserved;
  fact.author = FactAuthor::Outside;
  fact.time_ms = now_ms;
  fact.source = by;
  fact.id = "cancel";
  fact.text = reason;
  return fact;
}

}   // namespace ptc
