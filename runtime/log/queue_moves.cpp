// Jobs of runs that go to another store, and that come from one.
#include "runtime/log/queue_jobs.h"
#include "runtime/log/queue_protocol.h"
#include "runtime/log/store_rules.h"

namespace ptc {

std::optional<StoreError> depart_job(QueueTables& tables, std::string_view log) {
  std::optional<JobRow> job = tables.job(log);
  if (!job) return std::nullopt;
  if (job->blockers != 0 || tables.has_dependents(log)) return run_has_order(log);
  job->node = static_cast<std::uint64_t>(job->state);
  job->token = 0;
  job->state = JobState::Moved;
  tables.set_job(*job);
  return std::nullopt;
}

void arrive_job(QueueTables& tables, const JobRow& job, std::int64_t now_ms) {
  const bool is_copy = job.state == JobState::Moved;
  if (!is_copy && !tables.queue(job.queue)) {
    QueueRow queue;
    queue.name = job.queue;
    tables.set_queue(queue);
  }
  JobRow row = job;
  row.node = row.token = 0;
  const std::optional<JobRow> own = tables.job(job.log);   // when the run comes back
  row.id = own ? own->id : tables.add_job(row);
  tables.set_job(row);
  const bool is_over = row.state == JobState::Done || row.state == JobState::Dead;
  const bool is_kept = is_copy || is_over || row.state == JobState::Quarantined ||
                       (row.state == JobState::Timer && row.at_ms > now_ms);
  if (!is_kept) place_job(tables, row, tables.run(job.log), now_ms);
}

}   // namespace ptc
