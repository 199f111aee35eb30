#include "runtime/log/sqlite/sqlite_tables.h"

#include <algorithm>

#include "runtime/log/open_calls.h"
#include "runtime/log/sqlite/packed_body.h"
#include "runtime/log/sqlite/sqlite_check.h"
#include "runtime/log/sqlite/sqlite_queue.h"
#include "runtime/log/store_rules.h"

namespace ptc {
namespace {

using Kind = StoreError::Kind;

constexpr char kRun[] = "SELECT id, state, token, owner, until_ms, seal FROM run WHERE log = ?";
constexpr char kMakeRun[] = "INSERT INTO run (log) VALUES (?) ON CONFLICT DO NOTHING";
constexpr char kSetClaim[] = "UPDATE run SET token = ?, owner = ?, until_ms = ? WHERE id = ?";
constexpr char kSetState[] = "UPDATE run SET state = ? WHERE id = ?";
constexpr char kSetSeal[] = "UPDATE run SET seal = ? WHERE id = ?";
constexpr char kHead[] = "SELECT seq FROM fact WHERE run = ? ORDER BY seq DESC LIMIT 1";
constexpr char kFactsAfter[] =
    "SELECT seq, body FROM fact WHERE run = (SELECT id FROM run WHERE log = ?) AND seq > ? ORDER BY seq LIMIT ?";
constexpr char kKeyedInLog[] =
    "SELECT seq, body FROM fact WHERE run = (SELECT id FROM run WHERE log = ?) AND key = ?";
constexpr char kKeyed[] = "SELECT seq, body FROM fact WHERE run = ? AND key = ?";
constexpr char kOutdating[] =
    "SELECT seq, body FROM fact INDEXED BY fact_notable WHERE run = ? AND seq > ? AND rank AND rank = 2 ORDER BY seq";
constexpr char kNotable[] =
    "SELECT seq, body FROM fact INDEXED BY fact_notable WHERE run = (SELECT id FROM run WHERE log = ?) AND seq > ? "
    "AND rank ORDER BY seq LIMIT ?";
constexpr char kAppend[] = "INSERT INTO fact (run, seq, key, time_ms, rank, body) VALUES (?, ?, ?, ?, ?, ?)";
constexpr char kOpenCalls[] =
    "SELECT fact.seq, body FROM open_call JOIN fact ON fact.run = open_call.run AND fact.seq = open_call.seq "
    "WHERE open_call.run = (SELECT id FROM run WHERE log = ?) ORDER BY fact.seq";
constexpr char kForgetLower[] = "DELETE FROM open_call WHERE run = ? AND call = ? AND attempt < ?";
constexpr char kOpenCall[] =
    "INSERT OR REPLACE INTO open_call (run, call, attempt, seq, task) VALUES (?, ?, ?, ?, ?)";
constexpr char kSettleCall[] = "DELETE FROM open_call WHERE run = ? AND call = ? AND attempt = ?";
constexpr char kResetCalls[] = "DELETE FROM open_call WHERE run = ? AND task = ?";
constexpr char kWake[] =
    "UPDATE waiting SET woken = 1 WHERE run = ?1 AND EXISTS (SELECT 1 FROM wait_key WHERE run = ?1 AND key = ?2)";
constexpr char kSetWoken[] = "UPDATE waiting SET woken = 1 WHERE run = ?";
constexpr char kChanges[] = "SELECT changes()";
constexpr char kParked[] =
    "SELECT run, continuation, deadline_ms, observed_seq, "
    "CASE WHEN length(snapshot) < 262144 THEN snapshot END FROM parked WHERE run = (SELECT id FROM run WHERE log = ?)";
constexpr std::size_t kLargeSnapshot = 262'144;   // bytes from which on a snapshot is written and read in place
SqliteConnection::Place snapshot_of(std::int64_t run) { return {"parked", "snapshot", run}; }
constexpr char kWaitKeys[] = "SELECT key FROM wait_key WHERE run = ? ORDER BY place";
constexpr char kHasParked[] = "SELECT 1 FROM parked WHERE run = ?";
constexpr char kPark[] =
    "INSERT OR REPLACE INTO parked (run, continuation, deadline_ms, observed_seq, snapshot) VALUES (?, ?, ?, ?, ?)";
constexpr char kWaitFor[] = "INSERT INTO wait_key (run, place, key) VALUES (?, ?, ?)";
constexpr char kWait[] = "INSERT INTO waiting (run, deadline_ms) VALUES (?, ?)";
constexpr char kStopWaiting[] = "DELETE FROM waiting WHERE run = ?";
constexpr char kForgetWaitKeys[] = "DELETE FROM wait_key WHERE run = ?";
constexpr char kForgetParked[] = "DELETE FROM parked WHERE run = ?";
constexpr char kWoken[] =
    "SELECT log FROM (SELECT since, run FROM waiting WHERE woken UNION "
    "SELECT since, run FROM waiting WHERE deadline_ms <= ?) JOIN run ON id = run ORDER BY since LIMIT ?";

#define PTC_SELECT_INFO                                                                    \
  "SELECT log, state, owner, waiting.woken, waiting.deadline_ms, last.seq, last.time_ms, first.time_ms FROM run " \
  "JOIN fact AS first ON first.run = run.id AND first.seq = 1 "                            \
  "JOIN fact AS last ON last.run = run.id AND "                                            \
  "last.seq = (SELECT seq FROM fact WHERE fact.run = run.id ORDER BY seq DESC LIMIT 1) "   \
  "LEFT JOIN waiting ON waiting.run = run.id "
constexpr char kInfo[] = PTC_SELECT_INFO "WHERE log = ?";
constexpr char kInfos[] = PTC_SELECT_INFO "WHERE log > ? ORDER BY log LIMIT ?";
#undef PTC_SELECT_INFO

void bind_moment(SqliteQuery& query, const std::optional<std::int64_t>& moment) {
  if (moment) {
    query.integer(*moment);
  } else {
    query.null();
  }
}

}  // namespace

Fact SqliteTables::decoded(std::uint64_t seq, std::span<const std::uint8_t> stored) {
  const UnpackedBody body(stored);
  std::optional<Fact> fact = read_fact(body.bytes());
  if (!fact) {
    const std::string why = body.damage().empty() ? "" : ": " + std::string(body.damage());
    connection_.fail(Kind::Corrupt, "fact " + std::to_string(seq) + " of the log is damaged" + why);
    return {};
  }
  fact->seq = seq;
  return *std::move(fact);
}

LogState SqliteTables::state_of(std::int64_t stored) {
  if (stored < 0 || stored > static_cast<std::int64_t>(LogState::Moved)) {
    connection_.fail(Kind::Corrupt, "a run in no known state");
    return {};
  }
  return static_cast<LogState>(stored);
}

Fact SqliteTables::decoded_for(std::string_view key, SqliteQuery& query) {
  Fact fact = decoded(query.count_at(0), query.bytes_at(1));
  if (fact.key != key) connection_.fail(Kind::Corrupt, "the index of keys is damaged");
  return fact;
}

RunRow SqliteTables::run_named(std::string_view log) {
  SqliteQuery query(connection_, kRun);
  query.text(log);
  if (!query.row()) return {};
  RunRow run{query.integer_at(0), state_of(query.integer_at(1)), query.count_at(2), query.text_at(3),
             query.integer_at(4)};
  const std::span<const std::uint8_t> seal = query.bytes_at(5);
  run.seal.assign(seal.begin(), seal.end());
  run.log = log;
  return run;
}

RunRow SqliteTables::run_made(std::string_view log) {
  if (RunRow run = run_named(log); run.id != 0) return run;
  check_is_new(connection_, log);
  SqliteQuery(connection_, kMakeRun).text(log).run();
  return run_named(log);
}

void SqliteTables::check(const RunRow& run, std::string_view log) {
  if (run.id != 0) check_facts(connection_, log, run.id, head(run));
}

void SqliteTables::set_claim(const RunRow& run) {
  SqliteQuery(connection_, kSetClaim).count(run.token).text(run.owner).integer(run.until_ms).integer(run.id).run();
}

void SqliteTables::set_state(RunRow& run, LogState state) {
  if (run.state == state) return;
  run.state = state;
  SqliteQuery(connection_, kSetState).integer(static_cast<std::int64_t>(state)).integer(run.id).run();
}

void SqliteTables::set_seal(RunRow& run, std::vector<std::uint8_t> envelope) {
  run.seal = std::move(envelope);
  SqliteQuery(connection_, kSetSeal).bytes(run.seal).integer(run.id).run();
}

std::uint64_t SqliteTables::head(const RunRow& run) {
  SqliteQuery query(connection_, kHead);
  query.integer(run.id);
  return query.row() ? query.count_at(0) : 0;
}

std::string SqliteTables::place_moved_to(const RunRow& run) {
  const std::vector<Fact> last = facts_after(run.log, head(run) - 1, 1);
  return last.empty() ? "" : last.front().text;
}

std::vector<Fact> SqliteTables::facts_after(std::string_view log, std::uint64_t after, std::size_t most) {
  SqliteQuery query(connection_, kFactsAfter);
  query.text(log).count(after).count(most);
  std::vector<Fact> out;
  while (query.row()) {
    const std::uint64_t seq = query.count_at(0);
    if (seq != after + out.size() + 1) {
      connection_.fail(Kind::Corrupt, "fact " + std::to_string(after + out.size() + 1) + " of the log is missing");
    }
    if (out.size() == 1) out.reserve(std::min<std::size_t>(most, 256));   // one: a writer reads its own fact
    out.push_back(decoded(seq, query.bytes_at(1)));
  }
  return out;
}

std::vector<Fact> SqliteTables::notable_after(std::string_view log, std::uint64_t after, std::size_t most) {
  SqliteQuery query(connection_, kNotable);
  query.text(log).count(after).count(most);
  std::vector<Fact> out;
  while (query.row()) out.push_back(decoded(query.count_at(0), query.bytes_at(1)));
  return out;
}

std::vector<Fact> SqliteTables::open_calls(std::string_view log) {
  SqliteQuery query(connection_, kOpenCalls);
  query.text(log);
  std::vector<Fact> out;
  while (query.row()) out.push_back(decoded(query.count_at(0), query.bytes_at(1)));
  return out;
}

void SqliteTables::mark_call(std::int64_t run, const Fact& fact) {
  const std::string& call = fact.idempotency_key;
  switch (call_mark(fact)) {
    case CallMark::None: return;
    case CallMark::Opens:
      SqliteQuery(connection_, kForgetLower).integer(run).text(call).count(fact.number).run();
      SqliteQuery(connection_, kOpenCall)
          .integer(run)
          .text(call)
          .count(fact.number)
          .count(fact.seq)
          .text(fact.task)
          .run();
      return;
    case CallMark::Settles:
      SqliteQuery(connection_, kSettleCall).integer(run).text(call).count(fact.number).run();
      return;
    case CallMark::Resets: SqliteQuery(connection_, kResetCalls).integer(run).text(fact.id).run(); return;
  }
}

std::optional<Fact> SqliteTables::keyed(std::string_view log, std::string_view key) {
  SqliteQuery query(connection_, kKeyedInLog);
  query.text(log).text(key);
  if (!query.row()) return std::nullopt;
  return decoded_for(key, query);
}

std::optional<Fact> SqliteTables::keyed(const RunRow& run, std::string_view key) {
  SqliteQuery query(connection_, kKeyed);
  query.integer(run.id).text(key);
  if (!query.row()) return std::nullopt;
  return decoded_for(key, query);
}

std::optional<Fact> SqliteTables::outdating(const RunRow& run, Cut cut) {
  SqliteQuery query(connection_, kOutdating);
  query.integer(run.id).count(cut.seq);
  while (query.row()) {
    Fact fact = decoded(query.count_at(0), query.bytes_at(1));
    if (fact.writer != cut.token) return fact;
  }
  return std::nullopt;
}

void SqliteTables::append_row(RunRow& run, std::uint64_t seq, std::uint64_t token, const Fact& fact) {
  const std::vector<std::uint8_t> body = fact_bytes(fact, token);
  const PackedBody packed(body);
  SqliteQuery query(connection_, kAppend);
  query.integer(run.id).count(seq);
  if (fact.key.empty()) {
    query.null();
  } else {
    query.text(fact.key);
  }
  query.integer(fact.time_ms).integer(rank_of(fact.kind)).bytes(packed.stored()).run();
  if (!run.sealed) return;
  run.sealed->chain = chained(run.sealed->chain, run.log, seq, body);
  run.sealed->seq = seq;
}

Fact SqliteTables::append(RunRow& run, std::uint64_t seq, std::uint64_t token, const Fact& fact) {
  append_row(run, seq, token, fact);   // a value of megabytes is in memory a few times meanwhile: the copy comes later
  Fact written = fact;
  written.seq = seq;
  written.writer = token;
  mark_call(run.id, written);
  if (fact.kind == FactKind::RunStarted && run.state == LogState::Ended) set_state(run, LogState::Running);
  if (run.state == LogState::Parked && !fact.key.empty()) {
    SqliteQuery(connection_, kWake).integer(run.id).text(fact.key).run();
    if (SqliteQuery changes(connection_, kChanges); changes.row() && changes.integer_at(0) != 0) {
      SqliteQueueTables queues(connection_);
      wake_job(queues, run.log, fact.time_ms);
    }
  }
  return written;
}

std::optional<Parked> SqliteTables::parked(std::string_view log) {
  SqliteQuery query(connection_, kParked);
  query.text(log);
  if (!query.row()) return std::nullopt;
  Parked out;
  out.continuation = query.text_at(1);
  if (!query.null_at(2)) out.deadline_ms = query.integer_at(2);
  out.observed_seq = query.count_at(3);
  const std::int64_t run = query.integer_at(0);
  if (query.null_at(4)) {
    out.snapshot = connection_.read_at(snapshot_of(run));
  } else {
    const std::span<const std::uint8_t> snapshot = query.bytes_at(4);
    out.snapshot.assign(snapshot.begin(), snapshot.end());
  }
  SqliteQuery keys(connection_, kWaitKeys);
  keys.integer(run);
  while (keys.row()) out.wait_keys.push_back(keys.text_at(0));
  return out;
}

bool SqliteTables::has_parked(const RunRow& run) {
  SqliteQuery query(connection_, kHasParked);
  query.integer(run.id);
  return query.row();
}

void SqliteTables::park(RunRow& run, const Parked& parked) {
  stop_waiting(run);
  SqliteQuery(connection_, kForgetWaitKeys).integer(run.id).run();
  const bool is_large = parked.snapshot_size() >= kLargeSnapshot;
  const bool is_made = !is_large && parked.pieces != nullptr;
  const std::vector<std::uint8_t> made = is_made ? parked.whole_snapshot() : std::vector<std::uint8_t>();
  {
    SqliteQuery query(connection_, kPark);
    query.integer(run.id).text(parked.continuation);
    bind_moment(query, parked.deadline_ms);
    query.count(parked.observed_seq);
    (is_large ? query.zeros(parked.snapshot_size()) : query.bytes(is_made ? made : parked.snapshot)).run();
  }
  if (is_large) connection_.write_at(snapshot_of(run.id), parked);
  std::uint64_t place = 0;
  for (const std::string& key : parked.wait_keys) {
    SqliteQuery(connection_, kWaitFor).integer(run.id).count(place++).text(key).run();
  }
  SqliteQuery query(connection_, kWait);
  query.integer(run.id);
  bind_moment(query, parked.deadline_ms);
  query.run();
  set_state(run, LogState::Parked);
  if (run.sealed) run.sealed->parked = parked_digest(run.log, parked);
}

void SqliteTables::stop_waiting(const RunRow& run) { SqliteQuery(connection_, kStopWaiting).integer(run.id).run(); }

void SqliteTables::forget_parked(RunRow& run) {
  stop_waiting(run);
  SqliteQuery(connection_, kForgetWaitKeys).integer(run.id).run();
  SqliteQuery(connection_, kForgetParked).integer(run.id).run();
  if (run.sealed) run.sealed->parked = {};
}

void SqliteTables::set_woken(const RunRow& run) { SqliteQuery(connection_, kSetWoken).integer(run.id).run(); }

RunInfo SqliteTables::info_row(SqliteQuery& query) {
  RunInfo out;
  out.log = query.text_at(0);
  out.state = state_of(query.integer_at(1));
  out.owner = query.text_at(2);
  out.woken = query.integer_at(3) != 0;
  if (!query.null_at(4)) out.deadline_ms = query.integer_at(4);
  out.head = query.count_at(5);
  out.changed_ms = query.integer_at(6);
  out.started_ms = query.integer_at(7);
  return out;
}

std::optional<RunInfo> SqliteTables::info(std::string_view log) {
  SqliteQuery query(connection_, kInfo);
  query.text(log);
  return query.row() ? std::optional(info_row(query)) : std::nullopt;
}

std::vector<RunInfo> SqliteTables::infos_after(std::string_view after, std::size_t most) {
  SqliteQuery query(connection_, kInfos);
  query.text(after).count(most);
  std::vector<RunInfo> out;
  while (query.row()) out.push_back(info_row(query));
  return out;
}

std::vector<std::string> SqliteTables::woken(std::int64_t now_ms, std::size_t most) {
  SqliteQuery query(connection_, kWoken);
  query.integer(now_ms).count(most);
  std::vector<std::string> out;
  while (query.row()) out.push_back(query.text_at(0));
  return out;
}

}  // namespace ptc
