#include "drivers/archive/postgres_archive.h"

#include <libpq-fe.h>

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <charconv>
#include <utility>
#include <vector>

#include "drivers/archive/archive_error.h"
#include "drivers/archive/postgres_archive_schema.h"

namespace ptcvm::drivers {

namespace {

namespace json = boost::json;
using chain::Episode;
using chain::MemoryFact;
using chain::TaskRecord;

struct CloseConnection {
  void operator()(PGconn* connection) const { PQfinish(connection); }
};
using Connection = std::unique_ptr<PGconn, CloseConnection>;
struct ClearResult {
  void operator()(PGresult* result) const { PQclear(result); }
};

// The rows that a statement gave.
class Rows {
 public:
  explicit Rows(PGresult* result) : result_(result) {}
  bool is_good() const {
    const ExecStatusType status = PQresultStatus(result_.get());
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
  }
  int count() const { return PQntuples(result_.get()); }
  std::string text(int row, int column) const {
    return {PQgetvalue(result_.get(), row, column), static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
  }
  std::int64_t integer(int row, int column) const {
    const std::string digits = text(row, column);
    std::int64_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
  }

 private:
  std::unique_ptr<PGresult, ClearResult> result_;
};

// Texts of PostgreSQL have no zero byte.
std::string storable(std::string_view text) {
  std::string out(text);
  std::erase(out, '\0');
  return out;
}

// Returns the words of a text as a query: any of them. "" when the text has no words.
std::string query_of(std::string_view text) {
  std::string query;
  for (const std::string& word : chain::search_words(text)) query += (query.empty() ? "'" : " | '") + word + "'";
  return query;
}

class PostgresArchive final : public chain::TaskArchive {
 public:
  explicit PostgresArchive(Connection connection) : connection_(std::move(connection)) {}

  Result<void> upgrade();
  Result<std::optional<std::string>> mark(std::string_view task_id) override;
  Result<void> keep(const TaskRecord& record, std::string_view mark) override;
  Result<void> keep_facts(const std::vector<MemoryFact>& facts) override;
  Result<std::vector<MemoryFact>> find_facts(std::string_view text, std::size_t most) override;
  Result<std::vector<Episode>> find_episodes(std::string_view text, std::size_t most) override;
  Result<std::vector<MemoryFact>> facts() override;

 private:
  Result<Rows> run(const char* sql, const std::vector<std::string>& values = {});
  Result<void> execute(const char* sql);
  template <class Work>
  Result<void> in_transaction(Work work);
  Result<std::size_t> version();
  Result<void> remove(const std::string& task_id);
  Result<void> write(const TaskRecord& record);
  Result<void> write_facts(const std::vector<MemoryFact>& facts, const std::string& task_id);
  static std::vector<MemoryFact> facts_in(const Rows& rows);

  Connection connection_;
};

Result<Rows> PostgresArchive::run(const char* sql, const std::vector<std::string>& values) {
  std::vector<const char*> texts;
  for (const std::string& value : values) texts.push_back(value.c_str());
  Rows rows(PQexecParams(connection_.get(), sql, static_cast<int>(texts.size()), nullptr, texts.data(), nullptr,
                         nullptr, 0));
  if (!rows.is_good()) return archive_error(PQerrorMessage(connection_.get()));
  return rows;
}

Result<void> PostgresArchive::execute(const char* sql) {
  const Rows rows(PQexec(connection_.get(), sql));   // several statements
  if (!rows.is_good()) return archive_error(PQerrorMessage(connection_.get()));
  return {};
}

template <class Work>
Result<void> PostgresArchive::in_transaction(Work work) {
  if (auto begun = execute("BEGIN"); !begun) return begun;
  Result<void> done = work();
  if (done) done = execute("COMMIT");
  if (!done) static_cast<void>(execute("ROLLBACK"));   // the first failure is the one that is told
  return done;
}

// Returns 0 for a database without an archive.
Result<std::size_t> PostgresArchive::version() {
  const auto known = run("SELECT to_regclass('ptcvm_tasks.archive_version') IS NOT NULL");
  if (!known) return known.error();
  if (known->text(0, 0) != "t") return std::size_t{0};
  const auto asked = run("SELECT coalesce(max(version), 0) FROM ptcvm_tasks.archive_version");
  if (!asked) return asked.error();
  const auto version = static_cast<std::size_t>(asked->integer(0, 0));
  if (version <= kPostgresArchiveSteps.size()) return version;
  return archive_error("it has version " + std::to_string(version) + ", this reads up to " +
                           std::to_string(kPostgresArchiveSteps.size()),
                       "store_version");
}

Result<void> PostgresArchive::upgrade() {
  const auto before = version();
  if (!before) return before.error();
  if (*before == kPostgresArchiveSteps.size()) return {};
  return in_transaction([&]() -> Result<void> {
    // One process makes the tables; the others wait, and find them.
    if (auto locked = execute("SELECT pg_advisory_xact_lock(hashtext('ptcvm_tasks'))"); !locked) return locked;
    auto made = execute("CREATE SCHEMA IF NOT EXISTS ptcvm_tasks; "
                        "CREATE TABLE IF NOT EXISTS ptcvm_tasks.archive_version (version BIGINT NOT NULL)");
    if (!made) return made;
    const auto version = this->version();
    if (!version) return version.error();
    for (std::size_t step = *version; step < kPostgresArchiveSteps.size(); ++step) {
      if (auto done = execute(kPostgresArchiveSteps[step]); !done) return done;
      auto noted = run("INSERT INTO ptcvm_tasks.archive_version VALUES ($1)", {std::to_string(step + 1)});
      if (!noted) return noted.error();
    }
    return {};
  });
}

Result<std::optional<std::string>> PostgresArchive::mark(std::string_view task_id) {
  const auto rows = run("SELECT mark FROM ptcvm_tasks.task_folds WHERE task_id = $1", {storable(task_id)});
  if (!rows) return rows.error();
  return rows->count() == 0 ? std::optional<std::string>() : std::optional(rows->text(0, 0));
}

Result<void> PostgresArchive::remove(const std::string& task_id) {
  for (const char* const sql :
       {"DELETE FROM ptcvm_tasks.task_reports WHERE task_id = $1",
        "DELETE FROM ptcvm_tasks.task_feedback WHERE task_id = $1",
        "DELETE FROM ptcvm_tasks.episodes WHERE task_id = $1", "DELETE FROM ptcvm_tasks.traces WHERE task_id = $1",
        "DELETE FROM ptcvm_tasks.memory_facts WHERE task_id = $1",
        "DELETE FROM ptcvm_tasks.task_folds WHERE task_id = $1"}) {
    if (auto done = run(sql, {task_id}); !done) return done.error();
  }
  return {};
}

Result<void> PostgresArchive::write(const TaskRecord& record) {
  const std::string id = storable(record.task_id), created = std::to_string(record.created_ms);
  for (const json::object& report : record.reports) {
    const json::value* const revision = report.if_contains("revision");
    const json::value* const time = report.if_contains("createdAt");
    auto done = run("INSERT INTO ptcvm_tasks.task_reports (task_id, revision, report_json, created_at) "
                    "VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
                    {id, std::to_string(revision != nullptr && revision->is_int64() ? revision->get_int64() : 1),
                     json::serialize(report),
                     time != nullptr && time->is_int64() ? std::to_string(time->get_int64()) : created});
    if (!done) return done.error();
  }
  if (record.feedback) {
    auto done = run("INSERT INTO ptcvm_tasks.task_feedback (task_id, feedback_json, created_at) VALUES ($1, $2, $3)",
                    {id, json::serialize(*record.feedback), std::to_string(feedback_time(record))});
    if (!done) return done.error();
  }
  auto episode = run("INSERT INTO ptcvm_tasks.episodes (task_id, input, plan, result, strategy_id, strategy_version, "
                     "created_at, words) VALUES ($1, $2, $3, $4, $5, $6, $7, to_tsvector('english', $2 || ' ' || $4))",
                     {id, storable(record.input), record.plan, storable(record.result), record.strategy_id,
                      record.strategy_version, created});
  if (!episode) return episode.error();
  std::int64_t index = 0;
  for (const chain::TaskTrace& trace : record.traces) {
    auto done = run("INSERT INTO ptcvm_tasks.traces (task_id, step_index, step_id, tool_name, tool_args, tool_output, "
                    "duration, status) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
                    {id, std::to_string(index++), trace.step_id, trace.tool, trace.args, storable(trace.output),
                     std::to_string(trace.duration_ms), trace.is_success ? "success" : "failed"});
    if (!done) return done.error();
  }
  return {};
}

Result<void> PostgresArchive::write_facts(const std::vector<MemoryFact>& facts, const std::string& task_id) {
  for (const MemoryFact& fact : facts) {
    auto done = run("INSERT INTO ptcvm_tasks.memory_facts (key, content, task_id, created_at, words) "
                    "VALUES ($1, $2, $3, $4, to_tsvector('english', $2))",
                    {storable(fact.key), storable(fact.content), task_id, std::to_string(fact.created_ms)});
    if (!done) return done.error();
  }
  return {};
}

Result<void> PostgresArchive::keep(const TaskRecord& record, std::string_view mark) {
  const std::string id = storable(record.task_id);
  return in_transaction([&]() -> Result<void> {
    // Two processes that keep the same task come one after the other.
    if (auto locked = run("SELECT pg_advisory_xact_lock(hashtext($1))", {id}); !locked) return locked.error();
    if (auto done = remove(id); !done) return done;
    if (auto done = write(record); !done) return done;
    if (auto done = write_facts(facts_of(record), id); !done) return done;
    auto noted = run("INSERT INTO ptcvm_tasks.task_folds (task_id, mark) VALUES ($1, $2)", {id, std::string(mark)});
    return noted ? Result<void>() : Result<void>(noted.error());
  });
}

Result<void> PostgresArchive::keep_facts(const std::vector<MemoryFact>& facts) {
  const auto kept = run("SELECT key, content, created_at FROM ptcvm_tasks.memory_facts WHERE task_id = '' "
                        "ORDER BY key COLLATE \"C\"");
  if (!kept) return kept.error();
  if (facts_in(*kept) == facts) return {};
  return in_transaction([&]() -> Result<void> {
    auto locked = execute("SELECT pg_advisory_xact_lock(hashtext('ptcvm_tasks facts')); "
                          "DELETE FROM ptcvm_tasks.memory_facts WHERE task_id = ''");
    return locked ? write_facts(facts, "") : locked;
  });
}

std::vector<MemoryFact> PostgresArchive::facts_in(const Rows& rows) {
  std::vector<MemoryFact> facts;
  for (int row = 0; row < rows.count(); ++row) {
    facts.push_back({rows.text(row, 0), rows.text(row, 1), rows.integer(row, 2)});
  }
  return facts;
}

Result<std::vector<MemoryFact>> PostgresArchive::find_facts(std::string_view text, std::size_t most) {
  const std::string words = query_of(text);
  if (words.empty()) return std::vector<MemoryFact>();
  const auto rows = run("SELECT key, content, created_at FROM ptcvm_tasks.memory_facts, to_tsquery('english', $1) AS q "
                        "WHERE words @@ q ORDER BY ts_rank(words, q) DESC, id LIMIT $2",
                        {words, std::to_string(most)});
  if (!rows) return rows.error();
  return facts_in(*rows);
}

Result<std::vector<MemoryFact>> PostgresArchive::facts() {
  const auto rows =
      run("SELECT key, content, created_at FROM ptcvm_tasks.memory_facts ORDER BY key COLLATE \"C\"");
  if (!rows) return rows.error();
  return facts_in(*rows);
}

Result<std::vector<Episode>> PostgresArchive::find_episodes(std::string_view text, std::size_t most) {
  std::vector<Episode> episodes;
  const std::string words = query_of(text);
  if (words.empty()) return episodes;
  const auto rows = run("SELECT task_id, input, result, strategy_id, strategy_version, created_at FROM "
                        "ptcvm_tasks.episodes, to_tsquery('english', $1) AS q WHERE words @@ q "
                        "ORDER BY ts_rank(words, q) DESC, id LIMIT $2",
                        {words, std::to_string(most)});
  if (!rows) return rows.error();
  for (int row = 0; row < rows->count(); ++row) {
    episodes.push_back({rows->text(row, 0), rows->text(row, 1), rows->text(row, 2), rows->text(row, 3),
                        rows->text(row, 4), rows->integer(row, 5)});
  }
  return episodes;
}

}  // namespace

Result<std::unique_ptr<chain::TaskArchive>> open_postgres_archive(const std::string& url) {
  const char* const words[] = {"dbname", nullptr};   // a whole URL in the place of the name
  const char* const values[] = {url.c_str(), nullptr};
  Connection connection(PQconnectdbParams(words, values, 1));
  if (PQstatus(connection.get()) != CONNECTION_OK) return archive_error(PQerrorMessage(connection.get()));
  PQsetNoticeProcessor(connection.get(), [](void*, const char*) {}, nullptr);
  auto archive = std::make_unique<PostgresArchive>(std::move(connection));
  if (auto ready = archive->upgrade(); !ready) return ready.error();
  return std::unique_ptr<chain::TaskArchive>(std::move(archive));
}

}  // namespace ptcvm::drivers
