#include "drivers/archive/sqlite_archive.h"

#include <sqlite3.h>

#include <boost/json/serialize.hpp>
#include <utility>

#include "drivers/archive/archive_error.h"
#include "drivers/archive/archive_schema.h"

namespace ptcvm::drivers {

namespace {

namespace json = boost::json;
using chain::Episode;
using chain::MemoryFact;
using chain::TaskRecord;

constexpr int kBusyMs = 5'000;

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;

// One statement; the first failure stays, and later calls do nothing.
class Statement {
 public:
  Statement(sqlite3* database, const char* sql) : database_(database) {
    code_ = sqlite3_prepare_v2(database, sql, -1, &statement_, nullptr);
  }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { sqlite3_finalize(statement_); }

  Statement& text(std::string_view value) {
    if (code_ != SQLITE_OK) return *this;
    code_ = sqlite3_bind_text64(statement_, ++bound_, value.data() == nullptr ? "" : value.data(), value.size(),
                                SQLITE_TRANSIENT, SQLITE_UTF8);
    return *this;
  }
  Statement& integer(std::int64_t value) {
    if (code_ == SQLITE_OK) code_ = sqlite3_bind_int64(statement_, ++bound_, value);
    return *this;
  }
  // Returns whether there is a further row.
  bool row() {
    if (code_ != SQLITE_OK && code_ != SQLITE_ROW) return false;
    code_ = sqlite3_step(statement_);
    return code_ == SQLITE_ROW;
  }
  Result<void> run() {
    while (row()) {}
    return end();
  }
  Result<void> end() const {
    if (code_ == SQLITE_OK || code_ == SQLITE_DONE || code_ == SQLITE_ROW) return {};
    return archive_error(sqlite3_errmsg(database_));
  }
  std::string text_at(int column) const {
    const auto* const bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return bytes == nullptr ? std::string()
                            : std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
  }
  std::int64_t integer_at(int column) const { return sqlite3_column_int64(statement_, column); }

 private:
  sqlite3* database_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0, code_ = SQLITE_OK;
};

// Returns the words of a text as a query of FTS5: any of them. "" when the text has no words.
std::string query_of(std::string_view text) {
  std::string query;
  for (const std::string& word : chain::search_words(text)) query += (query.empty() ? "\"" : " OR \"") + word + '"';
  return query;
}

class SqliteArchive final : public chain::TaskArchive {
 public:
  explicit SqliteArchive(Database database) : database_(std::move(database)) {}

  Result<void> upgrade();
  Result<std::optional<std::string>> mark(std::string_view task_id) override;
  Result<void> keep(const TaskRecord& record, std::string_view mark) override;
  Result<void> keep_facts(const std::vector<MemoryFact>& facts) override;
  Result<std::vector<MemoryFact>> find_facts(std::string_view text, std::size_t most) override;
  Result<std::vector<Episode>> find_episodes(std::string_view text, std::size_t most) override;
  Result<std::vector<MemoryFact>> facts() override;

 private:
  Result<void> execute(const char* sql);
  template <class Work>
  Result<void> in_transaction(Work work);
  Result<void> remove(std::string_view task_id);
  Result<void> write(const TaskRecord& record);
  Result<void> write_facts(const std::vector<MemoryFact>& facts, std::string_view task_id);
  Result<std::size_t> version();
  static Result<std::vector<MemoryFact>> facts_in(Statement& query);

  Database database_;
};

Result<void> SqliteArchive::execute(const char* sql) {
  if (sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return archive_error(sqlite3_errmsg(database_.get()));
}

template <class Work>
Result<void> SqliteArchive::in_transaction(Work work) {
  if (auto begun = execute("BEGIN IMMEDIATE"); !begun) return begun;
  Result<void> done = work();
  if (done) done = execute("COMMIT");
  if (!done) sqlite3_exec(database_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
  return done;
}

// Returns 0 for a file without an archive.
Result<std::size_t> SqliteArchive::version() {
  Statement known(database_.get(), "SELECT 1 FROM sqlite_schema WHERE name = 'archive_version'");
  const bool is_there = known.row();
  if (auto end = known.end(); !end) return end.error();
  if (!is_there) return std::size_t{0};
  Statement asked(database_.get(), "SELECT coalesce(max(version), 0) FROM archive_version");
  asked.row();
  if (auto end = asked.end(); !end) return end.error();
  const auto version = static_cast<std::size_t>(asked.integer_at(0));
  if (version <= kArchiveSteps.size()) return version;
  return Error{Errc::store_failed,
               "the archive of tasks has version " + std::to_string(version) + ", this reads up to " +
                   std::to_string(kArchiveSteps.size()),
               std::nullopt, "store_version"};
}

Result<void> SqliteArchive::upgrade() {
  const auto before = version();
  if (!before) return before.error();
  if (*before == kArchiveSteps.size()) return {};
  return in_transaction([&]() -> Result<void> {
    auto made = execute("CREATE TABLE IF NOT EXISTS archive_version (version INTEGER NOT NULL)");
    if (!made) return made;
    const auto version = this->version();   // another process may have been faster
    if (!version) return version.error();
    for (std::size_t step = *version; step < kArchiveSteps.size(); ++step) {
      if (auto done = execute(kArchiveSteps[step]); !done) return done;
      Statement noted(database_.get(), "INSERT INTO archive_version VALUES (?)");
      if (auto done = noted.integer(static_cast<std::int64_t>(step) + 1).run(); !done) return done;
    }
    return {};
  });
}

Result<std::optional<std::string>> SqliteArchive::mark(std::string_view task_id) {
  Statement query(database_.get(), "SELECT mark FROM task_folds WHERE task_id = ?");
  std::optional<std::string> mark;
  if (query.text(task_id).row()) mark = query.text_at(0);
  if (auto end = query.end(); !end) return end.error();
  return mark;
}

Result<void> SqliteArchive::remove(std::string_view task_id) {
  for (const char* const sql :
       {"DELETE FROM task_reports WHERE task_id = ?", "DELETE FROM task_feedback WHERE task_id = ?",
        "DELETE FROM episodes WHERE task_id = ?", "DELETE FROM traces WHERE task_id = ?",
        "DELETE FROM memory_facts WHERE task_id = ?", "DELETE FROM task_folds WHERE task_id = ?"}) {
    Statement statement(database_.get(), sql);
    if (auto done = statement.text(task_id).run(); !done) return done;
  }
  return {};
}

Result<void> SqliteArchive::write(const TaskRecord& record) {
  for (const json::object& report : record.reports) {
    const json::value* const revision = report.if_contains("revision");
    const json::value* const time = report.if_contains("createdAt");
    Statement add(database_.get(), "INSERT OR IGNORE INTO task_reports (task_id, revision, report_json, created_at) "
                                   "VALUES (?, ?, ?, ?)");
    add.text(record.task_id)
        .integer(revision != nullptr && revision->is_int64() ? revision->get_int64() : 1)
        .text(json::serialize(report))
        .integer(time != nullptr && time->is_int64() ? time->get_int64() : record.created_ms);
    if (auto done = add.run(); !done) return done;
  }
  if (record.feedback) {
    Statement add(database_.get(),
                  "INSERT INTO task_feedback (task_id, feedback_json, created_at) VALUES (?, ?, ?)");
    add.text(record.task_id).text(json::serialize(*record.feedback)).integer(feedback_time(record));
    if (auto done = add.run(); !done) return done;
  }
  Statement episode(database_.get(), "INSERT INTO episodes (task_id, input, plan, result, strategy_id, "
                                     "strategy_version, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)");
  episode.text(record.task_id).text(record.input).text(record.plan).text(record.result).text(record.strategy_id);
  episode.text(record.strategy_version).integer(record.created_ms);
  if (auto done = episode.run(); !done) return done;
  std::int64_t index = 0;
  for (const chain::TaskTrace& trace : record.traces) {
    Statement add(database_.get(), "INSERT INTO traces (task_id, step_index, step_id, tool_name, tool_args, "
                                   "tool_output, duration, status) VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    add.text(record.task_id).integer(index++).text(trace.step_id).text(trace.tool).text(trace.args).text(trace.output);
    add.integer(trace.duration_ms).text(trace.is_success ? "success" : "failed");
    if (auto done = add.run(); !done) return done;
  }
  return {};
}

Result<void> SqliteArchive::write_facts(const std::vector<MemoryFact>& facts, std::string_view task_id) {
  for (const MemoryFact& fact : facts) {
    Statement add(database_.get(),
                  "INSERT INTO memory_facts (key, content, task_id, created_at) VALUES (?, ?, ?, ?)");
    add.text(fact.key).text(fact.content).text(task_id).integer(fact.created_ms);
    if (auto done = add.run(); !done) return done;
  }
  return {};
}

Result<void> SqliteArchive::keep(const TaskRecord& record, std::string_view mark) {
  return in_transaction([&]() -> Result<void> {
    if (auto done = remove(record.task_id); !done) return done;
    if (auto done = write(record); !done) return done;
    if (auto done = write_facts(facts_of(record), record.task_id); !done) return done;
    Statement noted(database_.get(), "INSERT INTO task_folds (task_id, mark) VALUES (?, ?)");
    return noted.text(record.task_id).text(mark).run();
  });
}

Result<void> SqliteArchive::keep_facts(const std::vector<MemoryFact>& facts) {
  Statement query(database_.get(),
                  "SELECT key, content, created_at FROM memory_facts WHERE task_id = '' ORDER BY key");
  const auto kept = facts_in(query);
  if (!kept) return kept.error();
  if (*kept == facts) return {};
  return in_transaction([&]() -> Result<void> {
    if (auto done = execute("DELETE FROM memory_facts WHERE task_id = ''"); !done) return done;
    return write_facts(facts, "");
  });
}

Result<std::vector<MemoryFact>> SqliteArchive::facts_in(Statement& query) {
  std::vector<MemoryFact> facts;
  while (query.row()) facts.push_back({query.text_at(0), query.text_at(1), query.integer_at(2)});
  if (auto end = query.end(); !end) return end.error();
  return facts;
}

Result<std::vector<MemoryFact>> SqliteArchive::find_facts(std::string_view text, std::size_t most) {
  const std::string words = query_of(text);
  if (words.empty()) return std::vector<MemoryFact>();
  Statement query(database_.get(),
                  "SELECT key, memory_facts.content, created_at FROM memory_facts_text JOIN memory_facts ON id = "
                  "memory_facts_text.rowid WHERE memory_facts_text MATCH ? ORDER BY bm25(memory_facts_text), id "
                  "LIMIT ?");
  query.text(words).integer(static_cast<std::int64_t>(most));
  return facts_in(query);
}

Result<std::vector<MemoryFact>> SqliteArchive::facts() {
  Statement query(database_.get(), "SELECT key, content, created_at FROM memory_facts ORDER BY key");
  return facts_in(query);
}

Result<std::vector<Episode>> SqliteArchive::find_episodes(std::string_view text, std::size_t most) {
  std::vector<Episode> episodes;
  const std::string words = query_of(text);
  if (words.empty()) return episodes;
  Statement query(database_.get(),
                  "SELECT task_id, episodes.input, episodes.result, strategy_id, strategy_version, created_at FROM "
                  "episodes_text JOIN episodes ON id = episodes_text.rowid WHERE episodes_text MATCH ? ORDER BY "
                  "bm25(episodes_text), id LIMIT ?");
  query.text(words).integer(static_cast<std::int64_t>(most));
  while (query.row()) {
    episodes.push_back({query.text_at(0), query.text_at(1), query.text_at(2), query.text_at(3), query.text_at(4),
                        query.integer_at(5)});
  }
  if (auto end = query.end(); !end) return end.error();
  return episodes;
}

}  // namespace

Result<std::unique_ptr<chain::TaskArchive>> open_sqlite_archive(const std::string& path) {
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  Database database(opened);
  if (code != SQLITE_OK) {
    return Error{Errc::store_failed,
                 path + ": " + (opened == nullptr ? "out of memory" : sqlite3_errmsg(opened)), std::nullopt,
                 "store_io"};
  }
  sqlite3_busy_timeout(opened, kBusyMs);
  auto archive = std::make_unique<SqliteArchive>(std::move(database));
  if (auto ready = archive->upgrade(); !ready) return ready.error();
  return std::unique_ptr<chain::TaskArchive>(std::move(archive));
}

}  // namespace ptcvm::drivers
