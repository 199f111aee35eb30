#include "runtime/log/postgres/postgres_jobs.h"

#include "runtime/log/postgres/postgres_seals.h"
#include "runtime/log/postgres/postgres_store.h"
#include "runtime/log/queue_protocol.h"
#include "runtime/log/store_rules.h"

namespace ptc {
namespace {

// Returns which run it is that a job may not come after.
StoreError blocker_error(std::span<const Job> jobs, std::int64_t number) {
  for (const Job& job : jobs) {
    const auto count = static_cast<std::int64_t>(job.after.size());
    if (number <= count && number > 0) return no_blocker(job.log, job.after[static_cast<std::size_t>(number - 1)]);
    number -= count;
  }
  return no_blocker("", "");
}

}   // namespace

JobColumns::JobColumns(std::span<const Job> jobs) {
  for (const Job& job : jobs) {
    logs_.emplace_back(job.log);
    const auto number = static_cast<std::int64_t>(logs_.size());
    queues_.emplace_back(job.queue);
    tenants_.emplace_back(job.tenant);
    priorities_.push_back(job.priority);
    delays_.push_back(job.delay_ms);
    ats_.push_back(job.at_ms);
    attempts_.push_back(job.most_attempts);
    for (const std::string& tool : job.needs) {
      needs_.emplace_back(tool);
      need_of_.push_back(number);
    }
    for (const std::string& log : job.after) {
      after_.emplace_back(log);
      after_of_.push_back(number);
    }
    add_fact(starts_, job.start, 0);
  }
}

void JobColumns::add_to(PostgresParameters& out) const {
  out.byte_array(logs_).byte_array(queues_).byte_array(tenants_).integer_array(priorities_).integer_array(delays_);
  out.integer_array(ats_).integer_array(attempts_).byte_array(needs_).integer_array(need_of_);
  out.integer_array(starts_.times).small_array(starts_.ranks).byte_array(starts_.bodies);
  out.byte_array(after_).integer_array(after_of_).byte_array(seals_);
}

StoreResult<JobColumns> JobColumns::sealed(std::span<const Job> jobs, const PostgresSeals* seals) {
  JobColumns out(jobs);
  for (std::size_t i = 0; seals != nullptr && i < jobs.size(); ++i) {
    auto seal = seals->of_new_log(jobs[i].log, jobs[i].tenant, *out.starts_.bodies[i]);
    if (auto* error = std::get_if<StoreError>(&seal)) return std::move(*error);
    out.seals_.emplace_back(std::get<std::string>(std::move(seal)));
  }
  return out;
}

void JobColumns::add_one_to(PostgresParameters& out) const {
  out.bytes(*logs_[0]).bytes(*queues_[0]).bytes(*tenants_[0]).integer(priorities_[0]).integer(delays_[0]);
  out.integer(ats_[0]).integer(attempts_[0]).byte_array(needs_).integer(starts_.times[0]).small(starts_.ranks[0]);
  out.bytes(*starts_.bodies[0]);
  seals_.empty() ? out.null_bytes() : out.bytes(*seals_[0]);
}

std::optional<StoreError> check_postgres_jobs(std::span<const Job> jobs) {
  if (auto wrong = check_jobs(jobs)) return wrong;
  for (const Job& job : jobs) {
    if (job.log.size() <= kMaxPostgresLogBytes) continue;
    return StoreError{StoreError::Kind::Misuse, "the id of a run has " + std::to_string(job.log.size()) +
                                                    " bytes; up to " + std::to_string(kMaxPostgresLogBytes) +
                                                    " are taken"};
  }
  return std::nullopt;
}

StoreResult<std::vector<Enqueued>> enqueue_on(PGconn* connection, std::span<const Job> jobs) {
  if (auto wrong = check_postgres_jobs(jobs)) return *std::move(wrong);
  if (jobs.empty()) return std::vector<Enqueued>();
  const JobColumns columns(jobs);
  PostgresParameters parameters;
  parameters.integer(fresh_op()).integer(std::nullopt);   // the clock of the database
  columns.add_to(parameters);
  const auto answer = PostgresConnection::ask_on(connection, kEnqueueAndTell, parameters);
  if (const auto* error = std::get_if<StoreError>(&answer)) return *error;
  return enqueued_in(std::get<PostgresRows>(answer), jobs);
}

namespace {

// The element of the logs of the jobs and the runs that they come after, from 1. After so many more: of copies.
StoreError elsewhere_error(std::span<const Job> jobs, std::size_t number) {
  std::vector<std::string_view> logs;
  for (const Job& job : jobs) logs.emplace_back(job.log);
  for (const Job& job : jobs) logs.insert(logs.end(), job.after.begin(), job.after.end());
  if (number > logs.size() && number <= 2 * logs.size()) return copy_is_no_job(logs[number - logs.size() - 1]);
  return run_moved(number == 0 || number > logs.size() ? "" : logs[number - 1], "");
}

}   // namespace

StoreResult<std::vector<Enqueued>> enqueued_in(const PostgresRows& rows, std::span<const Job> jobs) {
  std::vector<Enqueued> out;
  for (int row = 0; row < rows.count(); ++row) {
    if (rows.null_at(row, 1)) return std::vector<Enqueued>(jobs.size(), Enqueued{true});
    const std::int64_t at = rows.integer_at(row, 1);
    if (rows.null_at(row, 0) && at < 0) return blocker_error(jobs, -at);
    if (rows.null_at(row, 0)) {
      const auto place = static_cast<std::size_t>(at);
      if (place > jobs.size()) return elsewhere_error(jobs, place - jobs.size());
      return wrong_tenant(place == 0 ? "" : jobs[place - 1].log);
    }
    if (at != 0) out.push_back({rows.boolean_at(row, 0)});   // 0: the schedule itself
  }
  return out;
}

}   // namespace ptc
