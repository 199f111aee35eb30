// What the tables of the SQLite store say about one log, and changes of them. Everything runs in a transaction of the
// caller; failures stick in the connection, and what is given back then is nothing.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/log/sqlite/sqlite_connection.h"

namespace ptc {

struct RunRow {
  std::int64_t id = 0;           // 0: no such run, no claim of it
  LogState state{};
  std::uint64_t token = 0;       // of the newest claim
  std::string owner;             // of that claim; "": given back
  std::int64_t until_ms = 0;
};

class SqliteTables {
 public:
  explicit SqliteTables(SqliteConnection& connection) : connection_(connection) {}

  RunRow run_named(std::string_view log);
  RunRow run_made(std::string_view log);                      // as run_named, and made when it is not there
  void set_claim(const RunRow& run);
  void set_state(RunRow& run, LogState state);
  std::uint64_t head(const RunRow& run);

  std::vector<Fact> facts_after(std::string_view log, std::uint64_t after, std::size_t most);
  std::vector<Fact> notable_after(std::string_view log, std::uint64_t after, std::size_t most);
  std::vector<Fact> open_calls(std::string_view log);
  std::optional<Fact> keyed(std::string_view log, std::string_view key);
  std::optional<Fact> keyed(const RunRow& run, std::string_view key);
  // The first that makes decisions of `token` out of date.
  std::optional<Fact> outdating(const RunRow& run, Cut cut);
  // As `seq`, under `token`; wakes.
  Fact append(RunRow& run, std::uint64_t seq, std::uint64_t token, const Fact& fact);

  // Keeps the table of open calls (open_calls.h), for each fact of a run in the order of the log. append() does it.
  void mark_call(std::int64_t run, const Fact& fact);

  std::optional<Parked> parked(std::string_view log);
  bool has_parked(const RunRow& run);
  void park(RunRow& run, const Parked& parked);
  void stop_waiting(const RunRow& run);
  void forget_parked(const RunRow& run);

  std::optional<RunInfo> info(std::string_view log);
  std::vector<RunInfo> infos_after(std::string_view after, std::size_t most);
  std::vector<std::string> woken(std::int64_t now_ms, std::size_t most);

 private:
  Fact decoded(std::uint64_t seq, std::span<const std::uint8_t> body);
  LogState state_of(std::int64_t stored);
  RunInfo info_row(SqliteQuery& query);

  SqliteConnection& connection_;
};

}  // namespace ptc
