// Wraps one SQLite connection with the few functions that the store needs.
//
// The first failure sticks: after it, queries do nothing and have no rows, until take_error(). So the code of a
// transaction is written as if nothing could fail, and checks once at its end. Reads after a failure give zeros and
// empty texts, which must not leave the transaction.
#pragma once
#include <sqlite3.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime/log/fact_store.h"

namespace ptc {

class SqliteConnection {
 public:
  SqliteConnection() = default;
  SqliteConnection(const SqliteConnection&) = delete;
  SqliteConnection& operator=(const SqliteConnection&) = delete;
  ~SqliteConnection();

  // Opens the file. Call all other functions only after open() has succeeded.
  void open(const std::string& path, const char* vfs, int busy_ms);

  void close();                             // before its time; only the destructor may be called afterwards
  // Returns the absolute path of the file and of its write-ahead log, or "" for a database in memory.
  std::string path() const;
  std::string log_path() const;

  void execute(const char* sql);            // runs any number of statements that give no rows
  bool in_transaction() const { return sqlite3_get_autocommit(db_) == 0; }

  // One value of bytes in a table with rowids.
  struct Place {
    const char *table, *column;
    std::int64_t row;
  };
  // Writes a value in place that has that size already, or reads one. SQLite copies what is bound or read as a column,
  // so a large value would be in memory twice.
  void write_at(const Place& place, const Parked& parked);   // its snapshot
  std::vector<std::uint8_t> read_at(const Place& place);

  bool failed() const { return error_.has_value(); }
  int code() const { return code_; }        // the code of SQLite, or 0 when the store found the failure
  void fail(StoreError::Kind kind, std::string message);
  std::optional<StoreError> take_error();

 private:
  friend class SqliteQuery;
  sqlite3_stmt* prepared(const char* sql);  // returns null after a failure
  void note(int code);
  template <class Use>
  void use_at(const Place& place, bool is_written, const Use& use);

  sqlite3* db_ = nullptr;
  std::unordered_map<const char*, sqlite3_stmt*> statements_;   // by address, because the texts are constants
  std::optional<StoreError> error_;
  int code_ = 0;
};

// One use of a statement, which stays prepared. Parameters are bound in order. Bound texts and bytes are borrowed until
// the query ends. Use one query of a text at a time.
class SqliteQuery {
 public:
  SqliteQuery(SqliteConnection& connection, const char* sql);
  SqliteQuery(const SqliteQuery&) = delete;
  SqliteQuery& operator=(const SqliteQuery&) = delete;
  ~SqliteQuery();

  SqliteQuery& integer(std::int64_t value);
  SqliteQuery& count(std::uint64_t value);          // binds the largest number of SQLite when the value is larger
  SqliteQuery& text(std::string_view value);
  SqliteQuery& bytes(std::span<const std::uint8_t> value);
  SqliteQuery& zeros(std::size_t size);             // bytes that write_at() will write
  SqliteQuery& null();

  bool row();                                       // moves to the next row
  void run();                                       // runs to the end

  std::int64_t integer_at(int column);
  std::uint64_t count_at(int column);               // fails with Corrupt when negative
  bool null_at(int column);
  std::string text_at(int column);
  std::span<const std::uint8_t> bytes_at(int column);   // borrowed until the next row

 private:
  SqliteConnection& connection_;
  sqlite3_stmt* statement_;                         // null makes the query do nothing
  int bound_ = 0;
};

}  // namespace ptc
