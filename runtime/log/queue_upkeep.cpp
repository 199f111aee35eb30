// The calls of a queue that are not about the work of a node: depths, removing what is old, schedules.
#include <algorithm>

#include "runtime/log/queue_protocol.h"
#include "runtime/log/store_identity.h"

namespace ptc {
namespace {

bool is_of_other_tenant(QueueTables& tables, std::string_view name, std::string_view tenant) {
  const std::optional<ScheduleRow> there = tables.schedule(name);
  return there && there->job.tenant != tenant;
}

bool is_claimed(QueueTables& tables, std::string_view log, std::int64_t now_ms) {
  const QueuedRun run = tables.run(log);
  return !run.owner.empty() && run.until_ms > now_ms;
}

// The logs that belong to a run and to no other run.
std::vector<std::string> parts_of(QueueTables& tables, std::string_view log) {
  std::vector<std::string> out;
  std::string other;                                     // begins the names of the parts of another run
  for (std::string& each : tables.logs_below(log)) {
    if (each.starts_with(kIdentityLog) || (!other.empty() && each.starts_with(other))) continue;
    if (tables.job(each)) {
      other = each + '/';
    } else {
      out.push_back(std::move(each));
    }
  }
  return out;
}

}   // namespace

StoreResult<std::vector<QueueDepth>> ProtocolQueue::depths() {
  using Depths = std::vector<QueueDepth>;
  return within<Depths>([](QueueTables& tables) -> StoreResult<Depths> { return tables.depths(); });
}

StoreResult<std::vector<std::string>> ProtocolQueue::prune(std::int64_t older_ms, bool dead_too, std::size_t most,
                                                           std::int64_t now_ms) {
  using Logs = std::vector<std::string>;
  const std::int64_t before = moment_before(now_ms, older_ms);
  return within<Logs>([&](QueueTables& tables) -> StoreResult<Logs> {
    Logs out;
    for (const JobRow& job : tables.over(before, dead_too, most)) {
      const std::vector<std::string> parts = parts_of(tables, job.log);
      const auto is_busy = [&](const std::string& log) { return is_claimed(tables, log, now_ms); };
      if (is_busy(job.log) || std::ranges::any_of(parts, is_busy)) continue;   // somebody executes it without the queue
      for (const std::string& part : parts) tables.forget_log(part);
      tables.forget_run(job);
      out.push_back(job.log);
    }
    if (out.size() < most) tables.forget_nodes(before, most);
    return out;
  });
}

StoreResult<std::monostate> ProtocolQueue::set_schedule(const ScheduleRow& row) {
  if (auto wrong = check_schedule(row)) return *std::move(wrong);
  return within<std::monostate>([&](QueueTables& tables) -> StoreResult<std::monostate> {
    if (is_of_other_tenant(tables, row.name, row.job.tenant)) return wrong_schedule(row.name);
    ScheduleRow wanted = row;
    const std::optional<ScheduleRow> before = tables.schedule(row.name);
    wanted.last_ms = before ? before->last_ms : 0;
    wanted.fired = before ? before->fired : 0;
    tables.set_schedule(wanted);
    return std::monostate{};
  });
}

StoreResult<bool> ProtocolQueue::remove_schedule(std::string_view name, std::string_view tenant) {
  if (auto wrong = check_tenant(tenant)) return *std::move(wrong);
  return within<bool>([&](QueueTables& tables) -> StoreResult<bool> {
    if (is_of_other_tenant(tables, name, tenant)) return wrong_schedule(name);
    const bool is_there = tables.schedule(name).has_value();
    if (is_there) tables.remove_schedule(name);
    return is_there;
  });
}

StoreResult<std::vector<ScheduleRow>> ProtocolQueue::schedules() {
  using Rows = std::vector<ScheduleRow>;
  return within<Rows>([](QueueTables& tables) -> StoreResult<Rows> { return tables.schedules(); });
}

StoreResult<bool> ProtocolQueue::fire(std::string_view name, const Firing& moments, std::span<const Job> jobs,
                                      std::int64_t now_ms) {
  if (auto wrong = check_jobs(jobs)) return *std::move(wrong);
  return within<bool>([&](QueueTables& tables) -> StoreResult<bool> {
    std::optional<ScheduleRow> row = tables.schedule(name);
    if (!row || row->next_ms != moments.due_ms) return false;
    if (auto wrong = check_jobs_against(tables, jobs)) return *std::move(wrong);
    row->last_ms = moments.last_ms;
    row->next_ms = moments.next_ms;
    row->fired += jobs.size();
    tables.set_schedule(*row);
    add_jobs(tables, jobs, now_ms);
    return true;
  });
}

}   // namespace ptc
