#include "runtime/log/sqlite/sqlite_schema.h"

#include <array>
#include <string>

#include "runtime/log/sqlite/sqlite_tables.h"

namespace ptc {
namespace {

using Kind = StoreError::Kind;

constexpr std::int64_t kApplication = 0x50544346;   // "PTCF"

// run      a log's id, its state (LogState) and its newest claim; without facts it is a claim only
// fact     the log itself; key, time and class are columns beside the bytes, so that queries can use them; the body of
//          a large fact is packed (packed_body.h)
// parked   what a suspended run goes on from; the bytes are last, so that nothing else reads past them
// waiting  the parked runs that wait; the table is apart from parked, because it changes and a snapshot is large
// meta     one row, written when a failed transaction must be written over
constexpr const char* kTables = R"(
CREATE TABLE run (
  id INTEGER PRIMARY KEY,
  log TEXT NOT NULL UNIQUE,
  state INTEGER NOT NULL DEFAULT 0,
  token INTEGER NOT NULL DEFAULT 0,
  owner TEXT NOT NULL DEFAULT '',
  until_ms INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE fact (
  run INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  key TEXT,
  time_ms INTEGER NOT NULL,
  outdates INTEGER NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (run, seq)
) WITHOUT ROWID;
CREATE UNIQUE INDEX fact_key ON fact (run, key) WHERE key IS NOT NULL;
CREATE INDEX fact_outdates ON fact (run, seq) WHERE outdates;
CREATE TABLE parked (
  run INTEGER PRIMARY KEY,
  continuation TEXT NOT NULL,
  deadline_ms INTEGER,
  observed_seq INTEGER NOT NULL,
  snapshot BLOB NOT NULL
);
CREATE TABLE wait_key (
  run INTEGER NOT NULL,
  place INTEGER NOT NULL,
  key TEXT NOT NULL,
  PRIMARY KEY (run, place)
) WITHOUT ROWID;
CREATE INDEX wait_key_key ON wait_key (run, key);
CREATE TABLE waiting (
  since INTEGER PRIMARY KEY,
  run INTEGER NOT NULL UNIQUE,
  deadline_ms INTEGER,
  woken INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX waiting_woken ON waiting (since) WHERE woken;
CREATE INDEX waiting_deadline ON waiting (deadline_ms) WHERE deadline_ms IS NOT NULL;
CREATE TABLE meta (settled INTEGER NOT NULL);
INSERT INTO meta VALUES (0);
PRAGMA application_id = 1347699526;
)";

static_assert(kApplication == 1347699526);

// rank: 0; 1 notable (store_rules.h); 2 notable, and makes decisions out of date. Nothing but the bytes says which
// facts of before are notable: it does no harm to take them all for it.
constexpr const char* kRanks = R"(
DROP INDEX fact_outdates;
ALTER TABLE fact RENAME COLUMN outdates TO rank;
UPDATE fact SET rank = CASE WHEN rank THEN 2 ELSE 1 END;
CREATE INDEX fact_notable ON fact (run, seq) WHERE rank;
)";

// The calls that are open, by idempotency key and attempt; `seq` is the place of the intent.
constexpr const char* kOpenCallTable = R"(
CREATE TABLE open_call (
  run INTEGER NOT NULL,
  call TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  task TEXT NOT NULL,
  PRIMARY KEY (run, call, attempt)
) WITHOUT ROWID;
)";

// The envelope of a log that is sealed (log_seal.h), or NULL.
constexpr const char* kSeals = "ALTER TABLE run ADD COLUMN seal BLOB;";

// Nodes, queues and jobs (run_queue.h). Numbers of nodes are never used again. `needs` has each name behind its size.
constexpr const char* kQueueTables = R"(
CREATE TABLE node (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  owner TEXT NOT NULL,
  build TEXT NOT NULL,
  format INTEGER NOT NULL,
  lease_ms INTEGER NOT NULL,
  started_ms INTEGER NOT NULL,
  until_ms INTEGER NOT NULL,
  draining INTEGER NOT NULL DEFAULT 0,
  gone INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE queue (
  name TEXT PRIMARY KEY,
  paused INTEGER NOT NULL,
  slots INTEGER,
  tenant_slots INTEGER,
  starts_per_hour INTEGER,
  burst INTEGER NOT NULL,
  most_crashes INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  filled_ms INTEGER NOT NULL,
  pass INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE job (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  run INTEGER NOT NULL UNIQUE,
  queue TEXT NOT NULL,
  tenant TEXT NOT NULL,
  state INTEGER NOT NULL,
  priority INTEGER NOT NULL,
  format INTEGER NOT NULL,
  crashes INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  most_attempts INTEGER NOT NULL,
  needs TEXT NOT NULL,
  pass INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  node INTEGER NOT NULL DEFAULT 0,
  token INTEGER NOT NULL DEFAULT 0,
  crash_head INTEGER NOT NULL DEFAULT 0,
  reason TEXT NOT NULL DEFAULT '',
  cancelled INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX job_state ON job (state, id);
CREATE INDEX job_ready ON job (queue, priority, pass, id) WHERE state = 0;
CREATE INDEX job_share ON job (queue, tenant, pass) WHERE state = 0;
CREATE INDEX job_timer ON job (queue, at_ms, id) WHERE state = 1;
CREATE INDEX job_node ON job (node, id) WHERE state = 2;
CREATE INDEX job_held ON job (queue, tenant) WHERE state = 2;
)";

// Version 6: jobs that come after runs, and schedules. `needs` is as in jobs, `start` has the bytes of the first fact.
constexpr const char* kOrderTables = R"(
ALTER TABLE job ADD COLUMN blockers INTEGER NOT NULL DEFAULT 0;
CREATE TABLE dependent (
  log TEXT NOT NULL,
  job INTEGER NOT NULL,
  PRIMARY KEY (log, job)
) WITHOUT ROWID;
CREATE INDEX dependent_job ON dependent (job);
CREATE INDEX job_over ON job (at_ms) WHERE state IN (5, 6);
CREATE TABLE schedule (
  name TEXT PRIMARY KEY,
  spec TEXT NOT NULL,
  next_ms INTEGER NOT NULL,
  last_ms INTEGER NOT NULL,
  fired INTEGER NOT NULL,
  queue TEXT NOT NULL,
  tenant TEXT NOT NULL,
  priority INTEGER NOT NULL,
  most_attempts INTEGER NOT NULL,
  needs TEXT NOT NULL,
  start BLOB NOT NULL
) WITHOUT ROWID;
)";

// Version 7: bodies of facts may be packed (packed_body.h). The ones that are there stay as they are.
constexpr const char* kPackedBodies = "";

// Fills the table from the logs that are there, whose bodies are not packed. A fact that is damaged is left out:
// reading its log says so.
void find_open_calls(SqliteConnection& connection) {
  SqliteTables tables(connection);
  SqliteQuery query(connection, "SELECT run, seq, body FROM fact ORDER BY run, seq");
  while (query.row()) {
    std::optional<Fact> fact = read_fact(query.bytes_at(2));
    if (!fact) continue;
    fact->seq = query.count_at(1);
    tables.mark_call(query.integer_at(0), *fact);
  }
}

// The n-th makes version n + 1 of version n: statements, and what they cannot say.
struct Step {
  const char* sql;
  void (*fill)(SqliteConnection&);   // null: nothing more
};
constexpr std::array<Step, kSqliteStoreVersion> kSteps{
    {{kTables, nullptr},
     {kRanks, nullptr},
     {kOpenCallTable, find_open_calls},
     {kSeals, nullptr},
     {kQueueTables, nullptr},
     {kOrderTables, nullptr},
     {kPackedBodies, nullptr}}};

std::int64_t pragma(SqliteConnection& connection, const char* sql) {
  SqliteQuery query(connection, sql);
  return query.row() ? query.integer_at(0) : 0;
}

// Returns the version of the file. All is read at one moment: another process may be making the file.
int version_of(SqliteConnection& connection) {
  const bool is_own = !connection.in_transaction();
  if (is_own) connection.execute("BEGIN");
  const std::int64_t version = pragma(connection, "PRAGMA user_version");
  const std::int64_t application = pragma(connection, "PRAGMA application_id");
  const std::int64_t tables = pragma(connection, "SELECT count(*) FROM sqlite_schema");
  if (is_own) connection.execute("COMMIT");
  if (connection.failed()) return 0;
  const bool fresh = version == 0 && application == 0 && tables == 0;
  if (!fresh && (application != kApplication || version < 1 || tables == 0)) {
    connection.fail(Kind::Corrupt, "the file is a database, but no store of facts");
  } else if (version > kSqliteStoreVersion) {
    connection.fail(Kind::Version, "the store has version " + std::to_string(version) + ", this reads up to " +
                                       std::to_string(kSqliteStoreVersion));
  }
  return connection.failed() ? 0 : static_cast<int>(version);
}

}  // namespace

void check_schema(SqliteConnection& connection) { version_of(connection); }

void prepare_schema(SqliteConnection& connection) {
  if (version_of(connection) == kSqliteStoreVersion || connection.failed()) return;
  connection.execute("BEGIN IMMEDIATE");
  int version = version_of(connection);   // another process may have been faster
  for (; version < kSqliteStoreVersion && !connection.failed(); ++version) {
    const Step& step = kSteps[static_cast<std::size_t>(version)];
    connection.execute(step.sql);
    if (step.fill != nullptr && !connection.failed()) step.fill(connection);
  }
  connection.execute(("PRAGMA user_version = " + std::to_string(kSqliteStoreVersion)).c_str());
  connection.execute("COMMIT");
}

}  // namespace ptc
