#include "runtime/log/sqlite/sqlite_queue.h"

#include "runtime/log/sqlite/sqlite_seals.h"
#include "runtime/log/sqlite/sqlite_store.h"
#include "runtime/log/store_rules.h"

namespace ptc {
namespace {

#define PTC_NODE "id, name, owner, build, format, lease_ms, started_ms, until_ms, draining, gone"
constexpr char kNode[] = "SELECT " PTC_NODE " FROM node WHERE id = ?";
constexpr char kNodes[] = "SELECT " PTC_NODE " FROM node ORDER BY id";
constexpr char kAddNode[] =
    "INSERT INTO node (name, owner, build, format, lease_ms, started_ms, until_ms) VALUES (?, ?, ?, ?, ?, ?, ?) "
    "RETURNING id";
constexpr char kSetNode[] = "UPDATE node SET until_ms = ?, draining = ?, gone = ? WHERE id = ?";
#undef PTC_NODE

#define PTC_QUEUE                                                                                         \
  "name, paused, slots, tenant_slots, starts_per_hour, burst, most_crashes, tokens, filled_ms, pass"
constexpr char kQueue[] = "SELECT " PTC_QUEUE " FROM queue WHERE name = ?";
constexpr char kQueues[] = "SELECT " PTC_QUEUE " FROM queue ORDER BY name";
constexpr char kSetQueue[] =
    "INSERT OR REPLACE INTO queue (" PTC_QUEUE ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
#undef PTC_QUEUE

#define PTC_SELECT_JOB                                                                                            \
  "SELECT job.id, log, queue, tenant, job.state, priority, format, crashes, attempts, most_attempts, needs, pass, " \
  "at_ms, node, job.token, crash_head, reason, cancelled, blockers FROM job JOIN run ON run.id = job.run "
constexpr char kJob[] = PTC_SELECT_JOB "WHERE log = ?";
constexpr char kJobs[] = PTC_SELECT_JOB "WHERE job.state = ? AND job.id > ? ORDER BY job.id LIMIT ?";
constexpr char kReady[] = PTC_SELECT_JOB
    "WHERE job.state = 0 AND queue = ? AND (priority, pass, job.id) > (?, ?, ?) "
    "ORDER BY priority, pass, job.id LIMIT ?";
constexpr char kDue[] =
    PTC_SELECT_JOB "WHERE job.state = 1 AND queue = ? AND at_ms <= ? ORDER BY at_ms, job.id LIMIT ?";
constexpr char kHeldBy[] = PTC_SELECT_JOB "WHERE job.state = 2 AND node = ? ORDER BY job.id LIMIT ?";
constexpr char kLapsed[] = PTC_SELECT_JOB
    "WHERE job.state = 2 AND node IN (SELECT id FROM node WHERE until_ms <= ?) ORDER BY job.id LIMIT ?";
#undef PTC_SELECT_JOB
constexpr char kAddJob[] =
    "INSERT INTO job (run, queue, tenant, state, priority, format, most_attempts, needs, pass, at_ms) "
    "VALUES ((SELECT id FROM run WHERE log = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id";
constexpr char kSetJob[] =
    "UPDATE job SET state = ?, format = ?, crashes = ?, attempts = ?, pass = ?, at_ms = ?, node = ?, token = ?, "
    "crash_head = ?, reason = ?, cancelled = ?, blockers = ? WHERE id = ?";
constexpr char kLastPass[] =
    "SELECT pass FROM job WHERE state = 0 AND queue = ? AND tenant = ? ORDER BY pass DESC LIMIT 1";
constexpr char kHeld[] = "SELECT count(*) FROM job WHERE state = 2 AND queue = ?";
constexpr char kHeldOf[] = "SELECT count(*) FROM job WHERE state = 2 AND queue = ? AND tenant = ?";
constexpr char kProgress[] =
    "SELECT 1 FROM fact WHERE run = (SELECT id FROM run WHERE log = ?) AND seq > ? AND key IS NOT NULL "
    "AND key NOT GLOB 'intent/*' AND key NOT GLOB 'host/intent/*' LIMIT 1";

void bind(SqliteQuery& query, std::optional<std::int64_t> number) {
  if (number) {
    query.integer(*number);
  } else {
    query.null();
  }
}

std::optional<std::int64_t> number_at(SqliteQuery& query, int column) {
  return query.null_at(column) ? std::nullopt : std::optional(query.integer_at(column));
}

template <class Read>
auto all_in(SqliteQuery& query, Read read) {
  std::vector<decltype(read())> out;
  while (query.row()) out.push_back(read());
  return out;
}

std::int32_t small_at(SqliteQuery& query, int column) { return static_cast<std::int32_t>(query.integer_at(column)); }

}   // namespace

std::string joined_names(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += std::to_string(name.size()) + ':' + name;
  return out;
}

std::vector<std::string> split_names(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t colon = text.find(':');
    std::size_t size = 0;
    for (const char digit : text.substr(0, colon)) size = size * 10 + static_cast<std::size_t>(digit - '0');
    if (colon == std::string_view::npos || size > text.size() - colon - 1) break;
    out.emplace_back(text.substr(colon + 1, size));
    text.remove_prefix(colon + 1 + size);
  }
  return out;
}

NodeRow SqliteQueueTables::node_in(SqliteQuery& query) {
  NodeRow out;
  out.id = query.count_at(0);
  out.name = query.text_at(1);
  out.owner = query.text_at(2);
  out.build = query.text_at(3);
  out.format = small_at(query, 4);
  out.lease_ms = query.integer_at(5);
  out.started_ms = query.integer_at(6);
  out.until_ms = query.integer_at(7);
  out.is_draining = query.integer_at(8) != 0;
  out.has_left = query.integer_at(9) != 0;
  return out;
}

std::optional<NodeRow> SqliteQueueTables::node(std::uint64_t id) {
  SqliteQuery query(connection_, kNode);
  query.count(id);
  return query.row() ? std::optional(node_in(query)) : std::nullopt;
}

std::int64_t SqliteQueueTables::one(SqliteQuery& query) {
  const std::int64_t out = query.row() ? query.integer_at(0) : 0;
  while (query.row()) {
  }
  return out;
}

std::uint64_t SqliteQueueTables::add_node(const NodeRow& row) {
  SqliteQuery query(connection_, kAddNode);
  query.text(row.name).text(row.owner).text(row.build).integer(row.format).integer(row.lease_ms);
  query.integer(row.started_ms).integer(row.until_ms);
  return static_cast<std::uint64_t>(one(query));
}

void SqliteQueueTables::set_node(const NodeRow& row) {
  SqliteQuery query(connection_, kSetNode);
  query.integer(row.until_ms).integer(row.is_draining ? 1 : 0).integer(row.has_left ? 1 : 0).count(row.id).run();
}

std::vector<NodeRow> SqliteQueueTables::nodes() {
  SqliteQuery query(connection_, kNodes);
  return all_in(query, [&] { return node_in(query); });
}

QueueRow SqliteQueueTables::queue_in(SqliteQuery& query) {
  QueueRow out;
  out.name = query.text_at(0);
  out.is_paused = query.integer_at(1) != 0;
  out.slots = number_at(query, 2);
  out.tenant_slots = number_at(query, 3);
  out.starts_per_hour = number_at(query, 4);
  out.burst = query.integer_at(5);
  out.most_crashes = small_at(query, 6);
  out.tokens = query.integer_at(7);
  out.filled_ms = query.integer_at(8);
  out.pass = query.integer_at(9);
  return out;
}

std::optional<QueueRow> SqliteQueueTables::queue(std::string_view name) {
  SqliteQuery query(connection_, kQueue);
  query.text(name);
  return query.row() ? std::optional(queue_in(query)) : std::nullopt;
}

void SqliteQueueTables::set_queue(const QueueRow& row) {
  SqliteQuery query(connection_, kSetQueue);
  query.text(row.name).integer(row.is_paused ? 1 : 0);
  bind(query, row.slots);
  bind(query, row.tenant_slots);
  bind(query, row.starts_per_hour);
  query.integer(row.burst).integer(row.most_crashes).integer(row.tokens).integer(row.filled_ms).integer(row.pass);
  query.run();
}

std::vector<QueueRow> SqliteQueueTables::queues() {
  SqliteQuery query(connection_, kQueues);
  return all_in(query, [&] { return queue_in(query); });
}

JobRow SqliteQueueTables::job_in(SqliteQuery& query) {
  JobRow out;
  out.id = query.count_at(0);
  out.log = query.text_at(1);
  out.queue = query.text_at(2);
  out.tenant = query.text_at(3);
  const std::int64_t state = query.integer_at(4);
  if (state < 0 || state > static_cast<std::int64_t>(JobState::DependencyFailed)) {
    connection_.fail(StoreError::Kind::Corrupt, "a job in no known state");
  } else {
    out.state = static_cast<JobState>(state);
  }
  out.priority = small_at(query, 5);
  out.format = small_at(query, 6);
  out.crashes = small_at(query, 7);
  out.attempts = small_at(query, 8);
  out.most_attempts = small_at(query, 9);
  out.needs = split_names(query.text_at(10));
  out.pass = query.integer_at(11);
  out.at_ms = query.integer_at(12);
  out.node = query.count_at(13);
  out.token = query.count_at(14);
  out.crash_head = query.count_at(15);
  out.reason = query.text_at(16);
  out.is_cancelled = query.integer_at(17) != 0;
  out.blockers = small_at(query, 18);
  return out;
}

std::vector<JobRow> SqliteQueueTables::jobs_in(SqliteQuery& query) {
  return all_in(query, [&] { return job_in(query); });
}

std::optional<JobRow> SqliteQueueTables::job(std::string_view log) {
  SqliteQuery query(connection_, kJob);
  query.text(log);
  return query.row() ? std::optional(job_in(query)) : std::nullopt;
}

std::uint64_t SqliteQueueTables::add_job(const JobRow& row) {
  const std::string needs = joined_names(row.needs);
  SqliteQuery query(connection_, kAddJob);
  query.text(row.log).text(row.queue).text(row.tenant).integer(static_cast<std::int64_t>(row.state));
  query.integer(row.priority).integer(row.format).integer(row.most_attempts).text(needs).integer(row.pass);
  query.integer(row.at_ms);
  return static_cast<std::uint64_t>(one(query));
}

void SqliteQueueTables::set_job(const JobRow& row) {
  SqliteQuery query(connection_, kSetJob);
  query.integer(static_cast<std::int64_t>(row.state)).integer(row.format).integer(row.crashes).integer(row.attempts);
  query.integer(row.pass).integer(row.at_ms).count(row.node).count(row.token).count(row.crash_head).text(row.reason);
  query.integer(row.is_cancelled ? 1 : 0).integer(row.blockers).count(row.id).run();
}

std::vector<JobRow> SqliteQueueTables::jobs(JobState state, std::uint64_t after, std::size_t most) {
  SqliteQuery query(connection_, kJobs);
  query.integer(static_cast<std::int64_t>(state)).count(after).count(most);
  return jobs_in(query);
}

std::vector<JobRow> SqliteQueueTables::ready(std::string_view name, const JobRow* after, std::size_t most) {
  SqliteQuery query(connection_, kReady);
  query.text(name);
  if (after == nullptr) {
    query.integer(INT64_MIN).integer(0).integer(0);
  } else {
    query.integer(after->priority).integer(after->pass).count(after->id);
  }
  query.count(most);
  return jobs_in(query);
}

std::int64_t SqliteQueueTables::last_pass(std::string_view name, std::string_view tenant) {
  SqliteQuery query(connection_, kLastPass);
  query.text(name).text(tenant);
  return one(query);
}

std::vector<JobRow> SqliteQueueTables::due(std::string_view name, std::int64_t now_ms, std::size_t most) {
  SqliteQuery query(connection_, kDue);
  query.text(name).integer(now_ms).count(most);
  return jobs_in(query);
}

std::vector<JobRow> SqliteQueueTables::held_by(std::uint64_t id, std::size_t most) {
  SqliteQuery query(connection_, kHeldBy);
  query.count(id).count(most);
  return jobs_in(query);
}

std::vector<JobRow> SqliteQueueTables::lapsed(std::int64_t now_ms, std::size_t most) {
  SqliteQuery query(connection_, kLapsed);
  query.integer(now_ms).count(most);
  return jobs_in(query);
}

std::int64_t SqliteQueueTables::held(std::string_view name, const std::string_view* tenant) {
  SqliteQuery query(connection_, tenant == nullptr ? kHeld : kHeldOf);
  query.text(name);
  if (tenant != nullptr) query.text(*tenant);
  return one(query);
}

QueuedRun SqliteQueueTables::run(std::string_view log) {
  QueuedRun out;
  const RunRow row = logs_.run_named(log);
  if (row.id == 0) return out;
  out.state = row.state;
  out.head = logs_.head(row);
  out.is_there = out.head != 0;
  out.token = row.token;
  out.owner = row.owner;
  out.until_ms = row.until_ms;
  if (has_left(row.state)) out.moved_to = logs_.place_moved_to(row);
  if (row.state != LogState::Parked) return out;
  const std::optional<RunInfo> info = logs_.info(log);
  out.is_woken = info && info->woken;
  if (info) out.deadline_ms = info->deadline_ms;
  return out;
}

void SqliteQueueTables::set_claim(std::string_view log, std::uint64_t token, const std::string& owner,
                                  std::int64_t until_ms) {
  RunRow row = logs_.run_made(log);
  row.token = token;
  row.owner = owner;
  row.until_ms = until_ms;
  logs_.set_claim(row);
}

void SqliteQueueTables::append(std::string_view log, const Fact& fact) {
  RunRow row = logs_.run_made(log);
  logs_.append(row, logs_.head(row) + 1, 0, fact);
}

bool SqliteQueueTables::has_progress(std::string_view log, std::uint64_t after) {
  SqliteQuery query(connection_, kProgress);
  query.text(log).count(after);
  return query.row();
}

RunRow released_if_dead(SqliteConnection& connection, std::string_view log, std::int64_t now_ms) {
  SqliteQueueTables tables(connection);
  release_if_dead(tables, log, now_ms);
  return SqliteTables(connection).run_named(log);
}

std::optional<StoreError> SqliteQueue::transact(const std::function<bool(QueueTables&)>& body) {
  const std::lock_guard lock(store_.mutex_);
  if (auto error = store_.ready()) return error;
  if (auto error = store_.begin()) return error;
  SqliteQueueTables tables(*store_.connection_);
  const bool is_kept = body(tables);
  return store_.finish(is_kept, Durability::AsMode);
}

RunQueue* SqliteStore::queue() { return seals_->has_ring() ? nullptr : queue_.get(); }

}   // namespace ptc
