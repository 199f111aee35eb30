// Reads and changes the tables of the SQLite store for one log. Everything runs in a transaction of the caller.
// Failures stick in the connection, and results after a failure are empty.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/log/log_seal.h"
#include "runtime/log/sqlite/sqlite_connection.h"

namespace ptc {

struct RunRow {
  std::int64_t id = 0;           // 0 when the run does not exist or has no claim
  LogState state{};
  std::uint64_t token = 0;       // the token of the newest claim
  std::string owner;             // the owner of that claim; "" when it was given back
  std::int64_t until_ms = 0;
  std::vector<std::uint8_t> seal = {};    // the envelope of the log; empty when the log is not sealed
  std::string log = {};
  // SqliteSeals: what the envelope says, and what the next one has to say.
  std::optional<LogHead> opened = {}, sealed = {};
};

class SqliteTables {
 public:
  explicit SqliteTables(SqliteConnection& connection) : connection_(connection) {}

  RunRow run_named(std::string_view log);
  RunRow run_made(std::string_view log);   // does what run_named() does, and makes the run when it does not exist
  // Fails with Corrupt when the facts of the run are damaged (sqlite_check.h).
  void check(const RunRow& run, std::string_view log);
  void set_claim(const RunRow& run);
  void set_state(RunRow& run, LogState state);
  void set_seal(RunRow& run, std::vector<std::uint8_t> envelope);
  std::uint64_t head(const RunRow& run);
  std::string place_moved_to(const RunRow& run);   // the run has left

  std::vector<Fact> facts_after(std::string_view log, std::uint64_t after, std::size_t most);
  std::vector<Fact> notable_after(std::string_view log, std::uint64_t after, std::size_t most);
  std::vector<Fact> open_calls(std::string_view log);
  std::optional<Fact> keyed(std::string_view log, std::string_view key);
  std::optional<Fact> keyed(const RunRow& run, std::string_view key);
  // Returns the first fact that outdates decisions of the cut.
  std::optional<Fact> outdating(const RunRow& run, Cut cut);
  // Appends the fact as `seq` under `token`, and wakes runs that wait for it.
  Fact append(RunRow& run, std::uint64_t seq, std::uint64_t token, const Fact& fact);

  // Updates the table of open calls (open_calls.h) for one fact, in the order of the log. append() calls it.
  void mark_call(std::int64_t run, const Fact& fact);

  std::optional<Parked> parked(std::string_view log);
  bool has_parked(const RunRow& run);
  void park(RunRow& run, const Parked& parked);
  void stop_waiting(const RunRow& run);
  void forget_parked(RunRow& run);
  void set_woken(const RunRow& run);

  std::optional<RunInfo> info(std::string_view log);
  std::vector<RunInfo> infos_after(std::string_view after, std::size_t most);
  std::vector<std::string> woken(std::int64_t now_ms, std::size_t most);

 private:
  void append_row(RunRow& run, std::uint64_t seq, std::uint64_t token, const Fact& fact);
  Fact decoded(std::uint64_t seq, std::span<const std::uint8_t> stored);   // a body, packed or not
  Fact decoded_for(std::string_view key, SqliteQuery& query);   // the columns are seq and body
  LogState state_of(std::int64_t stored);
  RunInfo info_row(SqliteQuery& query);

  SqliteConnection& connection_;
};

}  // namespace ptc
