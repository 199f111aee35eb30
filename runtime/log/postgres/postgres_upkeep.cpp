// The calls of queues that make jobs and schedules, and remove what is old (enqueue_functions.sql).
#include <algorithm>

#include "runtime/log/postgres/compact_fact.h"
#include "runtime/log/postgres/postgres_answers.h"
#include "runtime/log/postgres/postgres_jobs.h"
#include "runtime/log/postgres/postgres_queue.h"
#include "runtime/log/postgres/postgres_seals.h"
#include "runtime/log/postgres/postgres_store.h"
#include "runtime/log/queue_protocol.h"

namespace ptc {
namespace {

using Kind = StoreError::Kind;

constexpr char kTime[] = "SELECT ptcvm.now_ms($1)";
// What a role may not see is null and is left out.
constexpr char kOldestView[] =
    "SELECT coalesce(max(age), 0)::bigint FROM (SELECT age(backend_xmin) FROM pg_stat_activity "
    "UNION ALL SELECT age(transaction) FROM pg_prepared_xacts WHERE database = current_database() "
    "UNION ALL SELECT greatest(age(xmin), age(catalog_xmin)) FROM pg_replication_slots) views";
constexpr char kTables[] =
    "SELECT relname, n_live_tup, n_dead_tup FROM pg_stat_user_tables WHERE schemaname = 'ptcvm' ORDER BY relname";
constexpr char kDepths[] = "SELECT * FROM ptcvm.depths()";
constexpr char kPrune[] = "SELECT * FROM ptcvm.prune($1,$2,$3,$4)";
constexpr char kSetSchedule[] = "SELECT * FROM ptcvm.set_schedule($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11)";
constexpr char kRemoveSchedule[] = "SELECT * FROM ptcvm.remove_schedule($1,$2)";
constexpr char kSchedules[] = "SELECT * FROM ptcvm.schedules()";
constexpr char kFire[] =
    "SELECT * FROM ptcvm.fire($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17,$18,$19,$20,$21)";

TableUpkeep table_at(const PostgresRows& rows, int row) {
  return {std::string(rows.bytes_at(row, 0)), rows.count_at(row, 1), rows.count_at(row, 2)};
}

QueueDepth depth_at(const PostgresRows& rows, int row) {
  QueueDepth out;
  out.queue = rows.bytes_at(row, 0);
  out.state = static_cast<JobState>(rows.integer_at(row, 1));
  out.count = rows.count_at(row, 2);
  out.oldest_ms = rows.integer_at(row, 3);
  return out;
}

// `seals` is null without a ring.
StoreResult<std::vector<ScheduleRow>> schedules_in(const PostgresRows& rows, const PostgresSeals* seals) {
  std::vector<ScheduleRow> out;
  for (int row = 0; row < rows.count(); ++row) {
    ScheduleRow& schedule = out.emplace_back();
    schedule.name = rows.bytes_at(row, 0);
    schedule.spec = rows.bytes_at(row, 1);
    schedule.next_ms = rows.integer_at(row, 2);
    schedule.last_ms = rows.integer_at(row, 3);
    schedule.fired = rows.count_at(row, 4);
    schedule.job.queue = rows.bytes_at(row, 5);
    schedule.job.tenant = rows.bytes_at(row, 6);
    schedule.job.priority = static_cast<std::int32_t>(rows.integer_at(row, 7));
    schedule.job.most_attempts = static_cast<std::int32_t>(rows.integer_at(row, 8));
    schedule.job.needs = rows.byte_array_at(row, 9);
    const std::string_view body = rows.bytes_at(row, 11);
    auto start = read_stored(body);
    if (!start) return StoreError{Kind::Corrupt, "the job of the schedule " + schedule.name + " is damaged"};
    schedule.job.start = std::move(*start);
    const std::string_view seal = rows.bytes_at(row, 12);
    std::optional<StoreError> refused;
    if (seals != nullptr) refused = seals->check_schedule(schedule, body, seal);
    if (seals == nullptr && !seal.empty()) refused = keys_needed(schedule.name);
    if (refused) schedule.refused = refused->seal;
  }
  return out;
}

}   // namespace

StoreResult<std::vector<Enqueued>> PostgresQueue::enqueue(std::span<const Job> jobs, std::int64_t now_ms) {
  if (auto wrong = check_postgres_jobs(jobs)) return *std::move(wrong);
  if (jobs.empty()) return std::vector<Enqueued>();
  const auto sealed = JobColumns::sealed(jobs, store_.seals_.get());
  if (const auto* error = std::get_if<StoreError>(&sealed)) return *error;
  const auto& columns = std::get<JobColumns>(sealed);
  const std::int64_t op = fresh_op();
  const auto parameters = [&](bool) {
    PostgresParameters out;
    out.integer(op).integer(store_.now(now_ms));
    columns.is_one() ? columns.add_one_to(out) : columns.add_to(out);
    return out;
  };
  auto answer = store_.calls_.ask(columns.is_one() ? kEnqueueJob : kEnqueueJobs, parameters);
  if (const auto* rows = std::get_if<PostgresRows>(&answer)) store_.calls_.tell_of(*rows, 2);
  return answer_of<std::vector<Enqueued>>(std::move(answer),
                                          [&](const PostgresRows& rows) { return enqueued_in(rows, jobs); });
}

StoreResult<std::int64_t> PostgresQueue::time(std::int64_t now_ms) {
  PostgresParameters parameters;
  parameters.integer(store_.now(now_ms));
  return answer_of<std::int64_t>(
      store_.calls_.look(kTime, parameters),
      [](const PostgresRows& rows) -> StoreResult<std::int64_t> { return rows.integer_at(0, 0); });
}

StoreResult<std::vector<QueueDepth>> PostgresQueue::depths() {
  return all_of(store_.calls_.look(kDepths, {}), depth_at);
}

StoreResult<std::optional<StoreUpkeep>> PostgresQueue::upkeep() {
  auto tables = all_of(store_.calls_.look(kTables, {}), table_at);
  if (auto* error = std::get_if<StoreError>(&tables)) return std::move(*error);
  const auto read = [&](const PostgresRows& rows) -> StoreResult<std::optional<StoreUpkeep>> {
    return StoreUpkeep{std::get<std::vector<TableUpkeep>>(std::move(tables)), rows.count_at(0, 0)};
  };
  return answer_of<std::optional<StoreUpkeep>>(store_.calls_.look(kOldestView, {}), read);
}

StoreResult<std::vector<std::string>> PostgresQueue::prune(std::int64_t older_ms, bool dead_too, std::size_t most,
                                                           std::int64_t now_ms) {
  PostgresParameters parameters;
  parameters.integer(older_ms).boolean(dead_too).count(most).integer(store_.now(now_ms));
  const auto read = [this](const PostgresRows& rows) -> StoreResult<std::vector<std::string>> {
    std::vector<std::string> out;
    for (int row = 0; row < rows.count(); ++row) {
      out.emplace_back(rows.bytes_at(row, 0));
      if (store_.has_ring()) store_.seals_->forget(out.back());
    }
    return out;
  };
  return answer_of<std::vector<std::string>>(store_.calls_.look(kPrune, parameters), read);
}

StoreResult<std::monostate> PostgresQueue::set_schedule(const ScheduleRow& row) {
  if (auto wrong = check_schedule(row)) return *std::move(wrong);
  const FactColumns start = fact_columns({&row.job.start, 1}, 0);
  const std::vector<std::optional<std::string>> needs(row.job.needs.begin(), row.job.needs.end());
  PostgresParameters parameters;
  parameters.bytes(row.name).bytes(row.spec).integer(row.next_ms).bytes(row.job.queue).bytes(row.job.tenant);
  parameters.integer(row.job.priority).integer(row.job.most_attempts).byte_array(needs).small(start.ranks[0]);
  parameters.bytes(*start.bodies[0]);
  std::string seal;
  if (store_.has_ring()) {
    auto sealed = store_.seals_->of_schedule(row, *start.bodies[0]);
    if (auto* error = std::get_if<StoreError>(&sealed)) return std::move(*error);
    seal = std::get<std::string>(std::move(sealed));
  }
  add_envelope(parameters, seal);
  const auto read = [&](const PostgresRows& rows) -> StoreResult<std::monostate> {
    const std::int64_t answer = rows.integer_at(0, 0);
    if (answer == 0) return wrong_schedule(row.name);
    if (answer == 2) return seal_refusal("keys_needed", "the schedule " + row.name + " is sealed: give its key ring");
    return std::monostate{};
  };
  return answer_of<std::monostate>(store_.calls_.look(kSetSchedule, parameters), read);
}

StoreResult<bool> PostgresQueue::remove_schedule(std::string_view name, std::string_view tenant) {
  if (auto wrong = check_tenant(tenant)) return *std::move(wrong);
  PostgresParameters parameters;
  parameters.bytes(name).bytes(tenant);
  const auto read = [&](const PostgresRows& rows) -> StoreResult<bool> {
    const std::int64_t answer = rows.integer_at(0, 0);
    if (answer == 3) return wrong_schedule(name);
    return answer == 1;
  };
  return answer_of<bool>(store_.calls_.look(kRemoveSchedule, parameters), read);
}

StoreResult<std::vector<ScheduleRow>> PostgresQueue::schedules() {
  return answer_of<std::vector<ScheduleRow>>(
      store_.calls_.look(kSchedules, {}),
      [this](const PostgresRows& rows) { return schedules_in(rows, store_.seals_.get()); });
}

StoreResult<bool> PostgresQueue::fire(std::string_view name, const Firing& moments, std::span<const Job> jobs,
                                      std::int64_t now_ms) {
  if (auto wrong = check_postgres_jobs(jobs)) return *std::move(wrong);
  const auto columns = JobColumns::sealed(jobs, store_.seals_.get());
  if (const auto* error = std::get_if<StoreError>(&columns)) return *error;
  const std::int64_t op = fresh_op();
  const auto parameters = [&](bool) {
    PostgresParameters out;
    out.bytes(name).integer(moments.due_ms).integer(moments.last_ms).integer(moments.next_ms).integer(op);
    out.integer(store_.now(now_ms));
    std::get<JobColumns>(columns).add_to(out);
    return out;
  };
  const auto read = [&](const PostgresRows& rows) -> StoreResult<bool> {
    auto made = enqueued_in(rows, jobs);
    if (auto* error = std::get_if<StoreError>(&made)) return std::move(*error);
    return rows.count() != 0;
  };
  return answer_of<bool>(store_.calls_.ask(kFire, parameters), read);
}

}   // namespace ptc
