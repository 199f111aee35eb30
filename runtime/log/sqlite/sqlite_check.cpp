#include "runtime/log/sqlite/sqlite_check.h"

#include <string>

namespace ptc {
namespace {

using Kind = StoreError::Kind;

// The newest runs are looked through: a store may have a million.
constexpr char kScanRuns[] =
    "SELECT id FROM run NOT INDEXED WHERE id > (SELECT max(id) FROM run) - 10000 AND log = ?";
constexpr char kName[] = "SELECT log FROM run NOT INDEXED WHERE id = ?";
constexpr char kRows[] =
    "SELECT count(*), count(DISTINCT seq), count(key), total(CASE WHEN key IS NULL THEN 0 ELSE seq * seq END), "
    "count(CASE WHEN rank THEN 1 END), total(CASE WHEN rank THEN seq * seq ELSE 0 END), total(run) "
    "FROM fact NOT INDEXED WHERE run = ? AND seq > 0";
constexpr char kKeys[] =
    "SELECT count(*), total(seq * seq), total(run) FROM fact INDEXED BY fact_key WHERE run = ? AND key IS NOT NULL";
constexpr char kNotables[] =
    "SELECT count(*), total(seq * seq), total(run) FROM fact INDEXED BY fact_notable "
    "WHERE run = ? AND seq > 0 AND rank";
constexpr char kFirst[] = "SELECT seq FROM fact NOT INDEXED WHERE run = ? ORDER BY seq LIMIT 1";
constexpr char kLastNotable[] =
    "SELECT seq FROM fact INDEXED BY fact_notable WHERE run = ? AND rank ORDER BY seq DESC LIMIT 1";

// Returns the number in the first column of the first row, or 0 when there is no row.
std::uint64_t number(SqliteConnection& connection, const char* sql, std::int64_t run) {
  SqliteQuery query(connection, sql);
  query.integer(run);
  return query.row() ? query.count_at(0) : 0;
}

// Compares how many facts an index has, and the sum of the squares of their places, with what the table says. A scan
// does not look at the run of each row, so the sum of the runs tells whether rows of another run are among them.
bool is_like_table(SqliteConnection& connection, const char* index, std::int64_t run, std::int64_t count,
                   std::int64_t squares) {
  SqliteQuery query(connection, index);
  query.integer(run);
  return query.row() && query.integer_at(0) == count && query.integer_at(1) == squares &&
         query.integer_at(2) == run * count;
}

bool is_whole(SqliteConnection& connection, std::int64_t run, std::uint64_t head) {
  SqliteQuery rows(connection, kRows);
  rows.integer(run);
  if (!rows.row() || rows.count_at(0) != head || rows.count_at(1) != head) return false;
  if (rows.integer_at(6) != run * static_cast<std::int64_t>(head)) return false;
  return is_like_table(connection, kKeys, run, rows.integer_at(2), rows.integer_at(3)) &&
         is_like_table(connection, kNotables, run, rows.integer_at(4), rows.integer_at(5));
}

bool has_its_ends(SqliteConnection& connection, std::int64_t run, std::uint64_t head) {
  return number(connection, kFirst, run) == 1 && number(connection, kLastNotable, run) <= head;
}

}  // namespace

void check_is_new(SqliteConnection& connection, std::string_view log) {
  SqliteQuery query(connection, kScanRuns);
  query.text(log);
  if (query.row()) connection.fail(Kind::Corrupt, "the index of runs is damaged: it does not have " + std::string(log));
}

void check_facts(SqliteConnection& connection, std::string_view log, std::int64_t run, std::uint64_t head) {
  SqliteQuery name(connection, kName);
  name.integer(run);
  if (!name.row() || name.text_at(0) != log) connection.fail(Kind::Corrupt, "the table of runs is damaged");
  const bool is_good =
      head <= kMostComparedFacts ? is_whole(connection, run, head) : has_its_ends(connection, run, head);
  if (!is_good) connection.fail(Kind::Corrupt, "the facts of the log and their indexes differ: the file is damaged");
}

}  // namespace ptc
