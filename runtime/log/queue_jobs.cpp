// Adds jobs, and makes them ready.
#include "runtime/log/queue_jobs.h"

#include <algorithm>
#include <map>
#include <set>

#include "runtime/log/queue_protocol.h"
#include "runtime/log/store_rules.h"

namespace ptc {

// A tenant without ready jobs begins where the queue is now: nobody saves up shares.
void make_ready(QueueTables& tables, JobRow job, std::int64_t now_ms) {
  const std::optional<QueueRow> queue = tables.queue(job.queue);
  job.pass = std::max(queue ? queue->pass : 0, tables.last_pass(job.queue, job.tenant)) + 1;
  job.state = JobState::Ready;
  job.at_ms = now_ms;
  job.node = job.token = 0;
  tables.set_job(job);
}

void unblock_dependents(QueueTables& tables, std::string_view log, std::int64_t now_ms) {
  const std::vector<JobRow> after = tables.dependents(log);
  if (!after.empty()) tables.forget_dependents(log);
  for (JobRow job : after) {
    --job.blockers;
    const bool is_free = job.state == JobState::Blocked && job.blockers == 0;
    if (is_free && job.at_ms <= now_ms) {
      make_ready(tables, job, now_ms);
      continue;
    }
    if (is_free) job.state = JobState::Timer;
    tables.set_job(job);
  }
}

namespace {

std::string failure_of(std::string_view log) { return "the run " + std::string(log) + " was given up"; }
// Why a job ends that comes after that one, which was given up or ended because of another one.
std::string failure_by(const JobRow& before) {
  return before.state == JobState::Dead ? failure_of(before.log) : before.reason;
}

}   // namespace

void give_up_job(QueueTables& tables, const JobRow& job, std::int64_t now_ms) {
  set_aside(tables, job, JobState::Dead, now_ms);
  std::vector<std::string> front{job.log};
  while (!front.empty()) {
    const std::string log = std::move(front.back());
    front.pop_back();
    for (JobRow after : tables.dependents(log)) {
      if (after.state != JobState::Blocked) continue;
      after.reason = failure_of(job.log);
      front.push_back(after.log);
      set_aside(tables, std::move(after), JobState::DependencyFailed, now_ms);
    }
  }
}

void ready_or_block(QueueTables& tables, JobRow job, std::int64_t now_ms) {
  if (job.blockers == 0) return make_ready(tables, std::move(job), now_ms);
  const std::optional<JobRow> failed = tables.failed_blocker(job.id);
  if (failed) job.reason = failure_by(*failed);
  set_aside(tables, std::move(job), failed ? JobState::DependencyFailed : JobState::Blocked, now_ms);
}

namespace {

// Returns the jobs that come after one of these and ended because of runs before them, as these runs make them now:
// without a reason when none of them is given up any more. Leaves those out that stay as they are.
std::map<std::string, JobRow> changed_dependents(QueueTables& tables, const std::vector<std::string>& logs) {
  std::map<std::string, JobRow> out;
  for (const std::string& log : logs) {
    for (JobRow& after : tables.dependents(log)) {
      if (after.state != JobState::DependencyFailed || out.contains(after.log)) continue;
      const std::optional<JobRow> failed = tables.failed_blocker(after.id);
      std::string reason = failed ? failure_by(*failed) : "";
      if (reason == after.reason) continue;
      after.reason = std::move(reason);
      out.emplace(after.log, std::move(after));
    }
  }
  return out;
}

}   // namespace

void restore_dependents(QueueTables& tables, const JobRow& job, std::int64_t now_ms) {
  std::vector<std::string> front{job.log};
  while (!front.empty()) {
    auto changed = changed_dependents(tables, front);
    front.clear();
    for (auto& [log, after] : changed) {
      front.push_back(log);
      if (after.reason.empty()) {
        set_aside(tables, std::move(after), JobState::Blocked, now_ms);
      } else {
        tables.set_job(after);
      }
    }
  }
}

void set_aside(QueueTables& tables, JobRow job, JobState state, std::int64_t at_ms) {
  job.state = state;
  job.at_ms = at_ms;
  job.node = job.token = 0;
  tables.set_job(job);
}

void end_cancelled(QueueTables& tables, JobRow job, std::int64_t now_ms) {
  job.reason = "cancelled";
  give_up_job(tables, job, now_ms);
}

void place_job(QueueTables& tables, const JobRow& job, const QueuedRun& run, std::int64_t now_ms) {
  if (run.state == LogState::Ended) {
    set_aside(tables, job, JobState::Done, now_ms);
    return unblock_dependents(tables, job.log, now_ms);
  }
  if (job.is_cancelled) return end_cancelled(tables, job, now_ms);
  const bool waits = run.state == LogState::Parked && !run.is_woken;
  if (!waits || (run.deadline_ms && *run.deadline_ms <= now_ms)) return make_ready(tables, job, now_ms);
  if (run.deadline_ms) return set_aside(tables, job, JobState::Timer, *run.deadline_ms);
  set_aside(tables, job, JobState::Waiting, now_ms);
}

namespace {

// Says that a job comes after each of its runs that is not done, and blocks it or ends it because of them.
void block(QueueTables& tables, const Job& job, JobRow& row, std::int64_t now_ms) {
  for (const std::string& log : std::set(job.after.begin(), job.after.end())) {
    const JobRow before = *tables.job(log);
    if (before.state == JobState::Done) continue;
    tables.add_dependent(log, row.id);
    ++row.blockers;
    if (was_given_up(before.state) && row.state != JobState::DependencyFailed) {
      row.state = JobState::DependencyFailed;
      row.at_ms = now_ms;
      row.reason = failure_by(before);
    }
  }
  if (row.blockers != 0 && row.state != JobState::DependencyFailed) row.state = JobState::Blocked;
}

bool add_job(QueueTables& tables, const Job& job, std::int64_t now_ms) {
  if (tables.job(job.log) || tables.run(job.log).is_there) return false;
  if (!tables.queue(job.queue)) {
    QueueRow queue;
    queue.name = job.queue;
    tables.set_queue(queue);
  }
  tables.append(job.log, job.start);
  JobRow row;
  row.log = job.log;
  row.queue = job.queue;
  row.tenant = job.tenant;
  row.priority = job.priority;
  row.needs = job.needs;
  row.most_attempts = job.most_attempts;
  row.state = JobState::Timer;
  row.at_ms = std::max(job.at_ms, lease_end(now_ms, job.delay_ms));
  row.id = tables.add_job(row);
  block(tables, job, row, now_ms);
  if (row.blockers != 0) {
    tables.set_job(row);
  } else if (row.at_ms <= now_ms) {
    make_ready(tables, row, now_ms);
  }
  return true;
}

using Tenants = std::map<std::string_view, std::string_view>;   // by log

// Returns whether a job may come after that run, when the call also makes the runs in `made`.
bool may_come_after(QueueTables& tables, const std::string& log, const std::string& tenant, const Tenants& made) {
  if (const std::optional<JobRow> there = tables.job(log)) return there->tenant == tenant;
  const auto at = made.find(log);
  return at != made.end() && at->second == tenant && !tables.run(log).is_there;
}

// Returns WrongTenant when a job of another tenant has the name of a part of that run.
std::optional<StoreError> check_below(QueueTables& tables, std::string_view log, std::string_view tenant) {
  for (const std::string& part : tables.logs_below(log)) {
    const std::optional<JobRow> there = tables.job(part);
    if (there && there->tenant != tenant) return wrong_tenant(part);
  }
  return std::nullopt;
}

// Returns WrongTenant when a new job has the name of a part of a run that is, or becomes by the same call, a job of
// another tenant, or when a job of another tenant has the name of a part of the new one.
std::optional<StoreError> check_parts(QueueTables& tables, const Job& job, const Tenants& made) {
  if (tables.job(job.log) || tables.run(job.log).is_there) return std::nullopt;
  for (const std::string& whole : wholes_of(job.log)) {
    const std::optional<JobRow> there = tables.job(whole);
    if (there && there->tenant != job.tenant) return wrong_tenant(whole);
    const auto at = made.find(whole);
    const bool is_new = !there && at != made.end() && !tables.run(whole).is_there;
    if (is_new && at->second != job.tenant) return wrong_tenant(whole);
  }
  return check_below(tables, job.log, job.tenant);
}

// Returns the error RunMoved or RunIsCopy when the run of that id can be no job here.
std::optional<StoreError> check_is_here(QueueTables& tables, const std::string& log) {
  if (const QueuedRun run = tables.run(log); has_left(run.state)) return run_moved(log, run.moved_to);
  const std::optional<JobRow> there = tables.job(log);
  return there && there->state == JobState::Moved ? std::optional(copy_is_no_job(log)) : std::nullopt;
}

}   // namespace

std::optional<StoreError> check_jobs_against(QueueTables& tables, std::span<const Job> jobs) {
  Tenants tenants;
  for (const Job& job : jobs) {
    if (tenants.try_emplace(job.log, job.tenant).first->second != job.tenant) return wrong_tenant(job.log);
    const std::optional<JobRow> there = tables.job(job.log);
    if (there && there->tenant != job.tenant) return wrong_tenant(job.log);
  }
  for (const Job& job : jobs) {
    if (auto wrong = check_parts(tables, job, tenants)) return wrong;
  }
  for (const Job& job : jobs) {
    if (auto elsewhere = check_is_here(tables, job.log)) return elsewhere;
  }
  Tenants made;   // by the jobs before
  for (const Job& job : jobs) {
    for (const std::string& log : job.after) {
      if (auto elsewhere = check_is_here(tables, log)) return elsewhere;
      if (!may_come_after(tables, log, job.tenant, made)) return no_blocker(job.log, log);
    }
    made.emplace(job.log, job.tenant);
  }
  return std::nullopt;
}

std::optional<StoreError> check_relatives(QueueTables& tables, std::string_view log, std::string_view tenant) {
  for (const std::string& whole : wholes_of(log)) {
    const std::optional<JobRow> there = tables.job(whole);
    if (there && there->tenant != tenant) return wrong_tenant(whole);
  }
  return check_below(tables, log, tenant);
}

std::vector<Enqueued> add_jobs(QueueTables& tables, std::span<const Job> jobs, std::int64_t now_ms) {
  std::vector<Enqueued> out;
  for (const Job& job : jobs) out.push_back({add_job(tables, job, now_ms)});
  return out;
}

}   // namespace ptc
