// Wraps one connection of libpq with the few functions that the store needs: one statement with parameters, its rows.
//
// Parameters and rows are binary, so no text is quoted anywhere. Nothing is set in the session, so any connection of a
// pooler will do for any call. The server keeps the plans of statements that come again, as long as it is the same
// session that answers: behind a pooler that gives each transaction another one, a connection finds that out, and keeps
// none from then on.
#pragma once
#include <libpq-fe.h>

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/log/fact_store.h"

namespace ptc {

using PostgresUuid = std::array<std::uint8_t, 16>;

// The parameters of one statement, in order. Bytes are borrowed until the statement is over, except those in arrays.
class PostgresParameters {
 public:
  PostgresParameters& bytes(std::string_view value);
  PostgresParameters& null_bytes();
  // Adds two parameters for the snapshot of a parked run, for coalesce($N, lo_get($N+1)). libpq copies a message as a
  // whole, so a large one goes in pieces into a large object, in the transaction of the statement, and the object is
  // removed before the commit. At most one snapshot in a statement.
  PostgresParameters& snapshot(const Parked& parked);
  PostgresParameters& null_snapshot();
  PostgresParameters& integer(std::optional<std::int64_t> value);
  PostgresParameters& count(std::uint64_t value);   // binds the largest number of PostgreSQL when the value is larger
  PostgresParameters& small(std::int16_t value);
  PostgresParameters& boolean(bool value);
  PostgresParameters& uuid(const PostgresUuid& value);
  PostgresParameters& byte_array(const std::vector<std::optional<std::string>>& values);   // nullopt becomes null
  PostgresParameters& integer_array(const std::vector<std::int64_t>& values);
  PostgresParameters& small_array(const std::vector<std::int16_t>& values);
  PostgresParameters& uuid_array(const std::vector<PostgresUuid>& values);

 private:
  friend class PostgresConnection;
  PostgresParameters& add(Oid type, const char* data, std::size_t size);
  PostgresParameters& own(Oid type, std::string value);
  bool has_pieces() const { return in_pieces_ != nullptr; }
  void set_object(Oid object);   // the object that has the pieces

  std::vector<Oid> types_;
  std::vector<const char*> data_;   // null: NULL
  std::vector<int> sizes_, formats_;
  std::deque<std::string> owned_;
  const Parked* in_pieces_ = nullptr;   // its snapshot goes into a large object first; mostly null
  std::string* object_ = nullptr;      // the parameter that names the object
};

// The rows of a statement.
class PostgresRows {
 public:
  explicit PostgresRows(PGresult* result) : result_(result, &PQclear) {}

  bool is_done() const { return PQresultStatus(result_.get()) == PGRES_COMMAND_OK; }   // without rows
  int count() const { return PQntuples(result_.get()); }
  bool null_at(int row, int column) const { return PQgetisnull(result_.get(), row, column) != 0; }
  std::int64_t integer_at(int row, int column) const;   // of any width
  std::uint64_t count_at(int row, int column) const { return static_cast<std::uint64_t>(integer_at(row, column)); }
  bool boolean_at(int row, int column) const { return integer_at(row, column) != 0; }
  std::string_view bytes_at(int row, int column) const;   // borrowed from the rows
  std::vector<std::string> byte_array_at(int row, int column) const;
  std::vector<std::uint64_t> count_array_at(int row, int column) const;

 private:
  std::unique_ptr<PGresult, decltype(&PQclear)> result_;
};

// What a statement that failed means for its caller.
enum class PostgresFate : std::uint8_t {
  Refused,   // the server said no: nothing was written, and asking again would not help
  Again,     // the server took the transaction back: nothing was written, and asking again may help
  Unknown,   // the connection broke: the transaction may have been committed
};
struct PostgresFailure {
  StoreError error;
  PostgresFate fate{};
};

class PostgresConnection {
 public:
  // Connects to a URL or a connection string of libpq.
  static std::variant<std::unique_ptr<PostgresConnection>, StoreError> open(const std::string& url);

  // Runs one statement, with what goes before it in one transaction. Anything that is not committed when the connection
  // breaks may be committed later.
  std::variant<PostgresRows, PostgresFailure> ask(const char* sql, PostgresParameters& parameters);
  std::variant<PostgresRows, PostgresFailure> look(const char* sql, const PostgresParameters& parameters);
  // Hands out each row alone, as it comes, so that there is memory for one of them. Returns no row.
  using EachRow = std::function<void(const PostgresRows&)>;
  std::variant<PostgresRows, PostgresFailure> look_each(const char* sql, const PostgresParameters& parameters,
                                                        const EachRow& each);
  // Does so on a connection that somebody else has, inside of the transaction that is open there, if one is.
  static std::variant<PostgresRows, StoreError> ask_on(PGconn* connection, const char* sql,
                                                       const PostgresParameters& parameters);
  // Runs any number of statements without parameters as one transaction.
  std::optional<StoreError> execute(const std::string& sql);
  bool is_broken() const { return is_lost_ || PQstatus(connection_.get()) != CONNECTION_OK; }

 private:
  explicit PostgresConnection(PGconn* connection) : connection_(connection, &PQfinish) {}
  PostgresFailure failure(const PGresult* result);
  // Sends the pieces of the parameters to a large object, in the transaction that is open.
  std::optional<PostgresFailure> send_pieces(PostgresParameters& parameters, Oid& object);
  // Runs statements without parameters; returns the rows of the last.
  std::variant<PostgresRows, PostgresFailure> command(const std::string& sql);
  static PGresult* executed(PGconn* connection, const char* sql, const PostgresParameters& parameters);
  // Runs one statement without a plan that was kept.
  std::variant<PostgresRows, PostgresFailure> look_anew(const char* sql, const PostgresParameters& parameters);
  // The name of the plan that is kept for a statement; null: none is, as the statement is new here, or none can be.
  const std::string* plan_of(const char* sql, const PostgresParameters& parameters);
  void keep_no_plans();

  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
  bool is_lost_ = false;               // a failed write does not change the status of libpq
  bool keeps_plans_ = true;
  std::map<std::string, std::string, std::less<>> plans_;   // names by statements; empty: it came once
};

}   // namespace ptc
