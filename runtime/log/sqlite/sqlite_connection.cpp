#include "runtime/log/sqlite/sqlite_connection.h"

#include <algorithm>
#include <limits>
#include <memory>

namespace ptc {
namespace {

using Kind = StoreError::Kind;

Kind kind_of(int code) {
  switch (code & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL: return Kind::Locked;
    case SQLITE_FULL: return Kind::Full;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
    case SQLITE_CONSTRAINT:        // ours hold in every transaction: only damage breaks them
    case SQLITE_MISMATCH:
    case SQLITE_ERROR: return Kind::Corrupt;   // a table is missing or another one
    case SQLITE_TOOBIG: return Kind::Misuse;
    default: return Kind::Io;
  }
}

}  // namespace

SqliteConnection::~SqliteConnection() { close(); }

void SqliteConnection::close() {
  for (const auto& [sql, statement] : statements_) sqlite3_finalize(statement);
  statements_.clear();
  sqlite3_close(db_);
  db_ = nullptr;
}

std::string SqliteConnection::path() const {
  const char* const path = sqlite3_db_filename(db_, "main");
  return path == nullptr ? "" : path;
}

std::string SqliteConnection::log_path() const {
  const std::string file = path();
  return file.empty() ? file : file + "-wal";
}

void SqliteConnection::open(const std::string& path, const char* vfs, int busy_ms) {
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  note(sqlite3_open_v2(path.c_str(), &db_, flags, vfs));
  if (failed()) return;
  note(sqlite3_busy_timeout(db_, busy_ms));
  note(sqlite3_db_config(db_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr));
  note(sqlite3_db_config(db_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr));
  // A store has neither: somebody else put them there.
  note(sqlite3_db_config(db_, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr));
  note(sqlite3_db_config(db_, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr));
}

void SqliteConnection::execute(const char* sql) {
  if (!failed()) note(sqlite3_exec(db_, sql, nullptr, nullptr, nullptr));
}

void SqliteConnection::fail(Kind kind, std::string message) {
  if (!error_) error_ = StoreError{kind, std::move(message)};
}

std::optional<StoreError> SqliteConnection::take_error() {
  std::optional<StoreError> out = std::move(error_);
  error_.reset();
  code_ = 0;
  return out;
}

void SqliteConnection::note(int code) {
  if (code == SQLITE_OK || failed()) return;
  code_ = code;
  std::string why = db_ == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(db_);
  fail(kind_of(code), why + " (SQLite " + std::to_string(code) + ")");
}

template <class Use>
void SqliteConnection::use_at(const Place& place, bool is_written, const Use& use) {
  if (failed()) return;
  sqlite3_blob* blob = nullptr;
  note(sqlite3_blob_open(db_, "main", place.table, place.column, place.row, is_written ? 1 : 0, &blob));
  if (!failed()) note(use(blob));
  sqlite3_blob_close(blob);   // says again what was noted
}

void SqliteConnection::write_at(const Place& place, const Parked& parked) {
  constexpr std::size_t kPiece = std::size_t{64} << 20;
  use_at(place, true, [&](sqlite3_blob* blob) {
    int code = SQLITE_OK, at = 0;                  // one that is too large for SQLite has failed as zeros
    SnapshotSlicer pieces(kPiece, [&](std::span<const std::uint8_t> piece) {
      if (code != SQLITE_OK) return;
      code = sqlite3_blob_write(blob, piece.data(), static_cast<int>(piece.size()), at);
      at += static_cast<int>(piece.size());
    });
    parked.write_snapshot(pieces);
    return code;
  });
}

// Takes the bytes that are there: a damaged file may claim more.
std::vector<std::uint8_t> SqliteConnection::read_at(const Place& place) {
  std::vector<std::uint8_t> out;
  use_at(place, false, [&](sqlite3_blob* blob) {
    constexpr std::size_t kPiece = 65'536;
    const auto size = static_cast<std::size_t>(sqlite3_blob_bytes(blob));
    const auto piece = std::make_unique<std::uint8_t[]>(kPiece);
    out.reserve(size);
    while (out.size() < size) {
      const std::size_t count = std::min(kPiece, size - out.size());
      const int code =
          sqlite3_blob_read(blob, piece.get(), static_cast<int>(count), static_cast<int>(out.size()));
      if (code != SQLITE_OK) return code;
      out.insert(out.end(), piece.get(), piece.get() + count);
    }
    return SQLITE_OK;
  });
  return out;
}

sqlite3_stmt* SqliteConnection::prepared(const char* sql) {
  if (failed()) return nullptr;
  sqlite3_stmt*& out = statements_[sql];
  if (out == nullptr) note(sqlite3_prepare_v3(db_, sql, -1, SQLITE_PREPARE_PERSISTENT, &out, nullptr));
  return failed() ? nullptr : out;
}

SqliteQuery::SqliteQuery(SqliteConnection& connection, const char* sql)
    : connection_(connection), statement_(connection.prepared(sql)) {}

SqliteQuery::~SqliteQuery() {
  if (statement_ == nullptr) return;
  sqlite3_reset(statement_);   // says again what step() said
  sqlite3_clear_bindings(statement_);
}

SqliteQuery& SqliteQuery::integer(std::int64_t value) {
  if (statement_ != nullptr) connection_.note(sqlite3_bind_int64(statement_, ++bound_, value));
  return *this;
}

SqliteQuery& SqliteQuery::count(std::uint64_t value) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  return integer(static_cast<std::int64_t>(std::min(value, kMost)));
}

SqliteQuery& SqliteQuery::text(std::string_view value) {
  const char* const at = value.empty() ? "" : value.data();   // a null pointer would be NULL
  if (statement_ != nullptr) {
    connection_.note(sqlite3_bind_text64(statement_, ++bound_, at, value.size(), SQLITE_STATIC, SQLITE_UTF8));
  }
  return *this;
}

SqliteQuery& SqliteQuery::bytes(std::span<const std::uint8_t> value) {
  const void* const at = value.empty() ? static_cast<const void*>("") : value.data();
  if (statement_ != nullptr) {
    connection_.note(sqlite3_bind_blob64(statement_, ++bound_, at, value.size(), SQLITE_STATIC));
  }
  return *this;
}

SqliteQuery& SqliteQuery::zeros(std::size_t size) {
  if (statement_ != nullptr) connection_.note(sqlite3_bind_zeroblob64(statement_, ++bound_, size));
  return *this;
}

SqliteQuery& SqliteQuery::null() {
  if (statement_ != nullptr) connection_.note(sqlite3_bind_null(statement_, ++bound_));
  return *this;
}

bool SqliteQuery::row() {
  if (statement_ == nullptr || connection_.failed()) return false;
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) connection_.note(code);
  return false;
}

void SqliteQuery::run() {
  while (row()) {
  }
}

std::int64_t SqliteQuery::integer_at(int column) {
  return statement_ == nullptr ? 0 : sqlite3_column_int64(statement_, column);
}

std::uint64_t SqliteQuery::count_at(int column) {
  const std::int64_t value = integer_at(column);
  if (value < 0) connection_.fail(Kind::Corrupt, "a count below zero");
  return value < 0 ? 0 : static_cast<std::uint64_t>(value);
}

bool SqliteQuery::null_at(int column) {
  return statement_ == nullptr || sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

std::string SqliteQuery::text_at(int column) {
  const std::span<const std::uint8_t> bytes = bytes_at(column);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::span<const std::uint8_t> SqliteQuery::bytes_at(int column) {
  if (statement_ == nullptr) return {};
  const void* const at = sqlite3_column_blob(statement_, column);
  const int size = sqlite3_column_bytes(statement_, column);
  if (at == nullptr && size > 0) connection_.note(SQLITE_NOMEM);
  if (at == nullptr) return {};
  return {static_cast<const std::uint8_t*>(at), static_cast<std::size_t>(size)};
}

}  // namespace ptc
