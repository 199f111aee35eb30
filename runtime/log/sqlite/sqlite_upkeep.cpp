// The tables of queues that are not about the work of a node: orders of runs, depths, what is old, schedules.
#include "runtime/log/sqlite/sqlite_queue.h"

namespace ptc {
namespace {

constexpr char kAddDependent[] = "INSERT OR IGNORE INTO dependent (log, job) VALUES (?, ?)";
constexpr char kHasDependents[] = "SELECT 1 FROM dependent WHERE log = ? LIMIT 1";
constexpr char kDependents[] =
    "SELECT run.log FROM dependent JOIN job ON job.id = dependent.job JOIN run ON run.id = job.run "
    "WHERE dependent.log = ? ORDER BY job.id";
constexpr char kFailedBlocker[] =
    "SELECT run.log FROM dependent JOIN run ON run.log = dependent.log JOIN job ON job.run = run.id "
    "WHERE dependent.job = ? AND job.state IN (6, 9) ORDER BY run.log LIMIT 1";
constexpr char kForgetDependents[] = "DELETE FROM dependent WHERE log = ?";
constexpr char kDepths[] =
    "SELECT queue, state, count(*), min(at_ms) FROM job WHERE state NOT IN (5, 8) GROUP BY queue, state "
    "ORDER BY queue, state";
constexpr char kOver[] =
    "SELECT run.log FROM job JOIN run ON run.id = job.run WHERE job.state IN (5, 6, 9) AND at_ms <= ? AND "
    "(job.state = 5 OR (? AND NOT EXISTS (SELECT 1 FROM dependent WHERE dependent.log = run.log))) "
    "ORDER BY job.id LIMIT ?";
constexpr char kRunOf[] = "SELECT run FROM job WHERE id = ?";
constexpr char kNumberOf[] = "SELECT id FROM run WHERE log = ?";
constexpr char kLogsBelow[] = "SELECT log FROM run WHERE log >= ? AND log < ? ORDER BY log";
constexpr char kForgetNodes[] =
    "DELETE FROM node WHERE id IN (SELECT id FROM node WHERE until_ms <= ? AND NOT EXISTS "
    "(SELECT 1 FROM job WHERE job.state = 2 AND job.node = node.id) ORDER BY id LIMIT ?)";
// By the number of the run.
constexpr const char* kForgetRun[] = {
    "DELETE FROM dependent WHERE job = (SELECT id FROM job WHERE run = ?)",
    "DELETE FROM job WHERE run = ?",
    "DELETE FROM open_call WHERE run = ?",
    "DELETE FROM wait_key WHERE run = ?",
    "DELETE FROM waiting WHERE run = ?",
    "DELETE FROM parked WHERE run = ?",
    "DELETE FROM fact WHERE run = ?",
    "DELETE FROM run WHERE id = ?",
};

#define PTC_SCHEDULE "name, spec, next_ms, last_ms, fired, queue, tenant, priority, most_attempts, needs, start"
constexpr char kSchedule[] = "SELECT " PTC_SCHEDULE " FROM schedule WHERE name = ?";
constexpr char kSchedules[] = "SELECT " PTC_SCHEDULE " FROM schedule ORDER BY name";
constexpr char kSetSchedule[] =
    "INSERT OR REPLACE INTO schedule (" PTC_SCHEDULE ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
constexpr char kRemoveSchedule[] = "DELETE FROM schedule WHERE name = ?";
#undef PTC_SCHEDULE

std::vector<std::string> texts_in(SqliteQuery& query) {
  std::vector<std::string> out;
  while (query.row()) out.push_back(query.text_at(0));
  return out;
}

}   // namespace

void SqliteQueueTables::add_dependent(std::string_view log, std::uint64_t id) {
  SqliteQuery(connection_, kAddDependent).text(log).count(id).run();
}

bool SqliteQueueTables::has_dependents(std::string_view log) {
  SqliteQuery query(connection_, kHasDependents);
  query.text(log);
  return query.row();
}

std::vector<JobRow> SqliteQueueTables::dependents(std::string_view log) {
  std::vector<std::string> logs;
  {
    SqliteQuery query(connection_, kDependents);
    query.text(log);
    logs = texts_in(query);
  }
  std::vector<JobRow> out;
  for (const std::string& each : logs) {
    if (auto found = job(each)) out.push_back(std::move(*found));
  }
  return out;
}

void SqliteQueueTables::forget_dependents(std::string_view log) {
  SqliteQuery(connection_, kForgetDependents).text(log).run();
}

std::optional<JobRow> SqliteQueueTables::failed_blocker(std::uint64_t id) {
  std::string log;
  {
    SqliteQuery query(connection_, kFailedBlocker);
    query.count(id);
    if (!query.row()) return std::nullopt;
    log = query.text_at(0);
  }
  return job(log);
}

std::vector<QueueDepth> SqliteQueueTables::depths() {
  SqliteQuery query(connection_, kDepths);
  std::vector<QueueDepth> out;
  while (query.row()) {
    QueueDepth& depth = out.emplace_back();
    depth.queue = query.text_at(0);
    depth.state = static_cast<JobState>(query.integer_at(1));
    depth.count = query.count_at(2);
    depth.oldest_ms = query.integer_at(3);
  }
  return out;
}

std::vector<JobRow> SqliteQueueTables::over(std::int64_t before_ms, bool dead_too, std::size_t most) {
  std::vector<std::string> logs;
  {
    SqliteQuery query(connection_, kOver);
    query.integer(before_ms).integer(dead_too ? 1 : 0).count(most);
    logs = texts_in(query);
  }
  std::vector<JobRow> out;
  for (const std::string& each : logs) {
    if (auto found = job(each)) out.push_back(std::move(*found));
  }
  return out;
}

void SqliteQueueTables::forget_run(const JobRow& job) {
  std::uint64_t run = 0;
  {
    SqliteQuery query(connection_, kRunOf);
    query.count(job.id);
    if (query.row()) run = query.count_at(0);
  }
  for (const char* const statement : kForgetRun) SqliteQuery(connection_, statement).count(run).run();
}

void SqliteQueueTables::forget_log(std::string_view log) {
  std::uint64_t run = 0;
  {
    SqliteQuery query(connection_, kNumberOf);
    query.text(log);
    if (!query.row()) return;
    run = query.count_at(0);
  }
  for (const char* const statement : kForgetRun) SqliteQuery(connection_, statement).count(run).run();
}

std::vector<std::string> SqliteQueueTables::logs_below(std::string_view log) {
  const std::string begin = std::string(log) + '/', end = std::string(log) + '0';   // the byte after '/'
  SqliteQuery query(connection_, kLogsBelow);
  query.text(begin).text(end);
  return texts_in(query);
}

void SqliteQueueTables::forget_nodes(std::int64_t before_ms, std::size_t most) {
  SqliteQuery(connection_, kForgetNodes).integer(before_ms).count(most).run();
}

ScheduleRow SqliteQueueTables::schedule_in(SqliteQuery& query) {
  ScheduleRow out;
  out.name = query.text_at(0);
  out.spec = query.text_at(1);
  out.next_ms = query.integer_at(2);
  out.last_ms = query.integer_at(3);
  out.fired = query.count_at(4);
  out.job.queue = query.text_at(5);
  out.job.tenant = query.text_at(6);
  out.job.priority = static_cast<std::int32_t>(query.integer_at(7));
  out.job.most_attempts = static_cast<std::int32_t>(query.integer_at(8));
  out.job.needs = split_names(query.text_at(9));
  if (auto start = read_fact(query.bytes_at(10))) {
    out.job.start = std::move(*start);
  } else {
    connection_.fail(StoreError::Kind::Corrupt, "the job of a schedule is damaged");
  }
  return out;
}

std::optional<ScheduleRow> SqliteQueueTables::schedule(std::string_view name) {
  SqliteQuery query(connection_, kSchedule);
  query.text(name);
  return query.row() ? std::optional(schedule_in(query)) : std::nullopt;
}

std::vector<ScheduleRow> SqliteQueueTables::schedules() {
  SqliteQuery query(connection_, kSchedules);
  std::vector<ScheduleRow> out;
  while (query.row()) out.push_back(schedule_in(query));
  return out;
}

void SqliteQueueTables::set_schedule(const ScheduleRow& row) {
  const std::string needs = joined_names(row.job.needs);
  const std::vector<std::uint8_t> start = fact_bytes(row.job.start);
  SqliteQuery query(connection_, kSetSchedule);
  query.text(row.name).text(row.spec).integer(row.next_ms).integer(row.last_ms).count(row.fired);
  query.text(row.job.queue).text(row.job.tenant).integer(row.job.priority).integer(row.job.most_attempts);
  query.text(needs).bytes(start).run();
}

void SqliteQueueTables::remove_schedule(std::string_view name) {
  SqliteQuery(connection_, kRemoveSchedule).text(name).run();
}

}   // namespace ptc
