// One SQLite connection, as little of it as the store needs.
//
// The first thing that fails sticks: from then on queries do nothing and have no rows, until take_error(). So a
// transaction is written down as if nothing could fail, and asked once at its end. What is read after a failure is
// zeros and empty texts; nobody may let it out.
#pragma once
#include <sqlite3.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "runtime/log/fact_store.h"

namespace ptc {

class SqliteConnection {
 public:
  SqliteConnection() = default;
  SqliteConnection(const SqliteConnection&) = delete;
  SqliteConnection& operator=(const SqliteConnection&) = delete;
  ~SqliteConnection();

  // All else only after this went well.
  void open(const std::string& path, const char* vfs, int busy_ms);

  void execute(const char* sql);            // any number of statements, no rows
  bool in_transaction() const { return sqlite3_get_autocommit(db_) == 0; }

  bool failed() const { return error_.has_value(); }
  int code() const { return code_; }        // SQLite's, of what failed; 0 when the store itself found it
  void fail(StoreError::Kind kind, std::string message);
  std::optional<StoreError> take_error();

 private:
  friend class SqliteQuery;
  sqlite3_stmt* prepared(const char* sql);  // null: failed
  void note(int code);

  sqlite3* db_ = nullptr;
  std::unordered_map<const char*, sqlite3_stmt*> statements_;   // by address: the texts are constants
  std::optional<StoreError> error_;
  int code_ = 0;
};

// One use of a statement, which stays prepared. Parameters are bound in order; bound texts and bytes are borrowed until
// the query ends. One query of a text at a time.
class SqliteQuery {
 public:
  SqliteQuery(SqliteConnection& connection, const char* sql);
  SqliteQuery(const SqliteQuery&) = delete;
  SqliteQuery& operator=(const SqliteQuery&) = delete;
  ~SqliteQuery();

  SqliteQuery& integer(std::int64_t value);
  SqliteQuery& count(std::uint64_t value);          // the largest that SQLite has, when it is beyond
  SqliteQuery& text(std::string_view value);
  SqliteQuery& bytes(std::span<const std::uint8_t> value);
  SqliteQuery& null();

  bool row();                                       // the next one
  void run();                                       // to the end

  std::int64_t integer_at(int column);
  std::uint64_t count_at(int column);               // Corrupt when negative
  bool null_at(int column);
  std::string text_at(int column);
  std::span<const std::uint8_t> bytes_at(int column);   // until the next row

 private:
  SqliteConnection& connection_;
  sqlite3_stmt* statement_;                         // null: does nothing
  int bound_ = 0;
};

}  // namespace ptc
