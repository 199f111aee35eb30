// Transactions are begun and ended in write() and look() alone (sqlite_transactions.h); the calls below say what
// happens in between and answer with a refusal or a value. A refusal takes back what the call has written.
//
// Invariant: outside of a call no transaction is open, except in the window of a Group store.
#include "runtime/log/sqlite/sqlite_store.h"

#include <algorithm>

#include "runtime/log/sqlite/sqlite_queue.h"
#include "runtime/log/sqlite/sqlite_schema.h"
#include "runtime/log/sqlite/sqlite_seals.h"
#include "runtime/log/sqlite/sqlite_tables.h"
#include "runtime/log/sqlite/sqlite_transactions.h"
#include "runtime/log/sqlite/sqlite_writes.h"
#include "runtime/log/store_rules.h"

namespace ptc {
namespace {

using Kind = StoreError::Kind;
using Clock = std::chrono::steady_clock;
// One attempt; what is missing of the file is made.
void prepare(SqliteConnection& connection, const SqliteOptions& options) {
  if (options.mode == SqliteMode::Memory) {
    connection.execute("PRAGMA synchronous = OFF");
  } else {
    check_schema(connection);   // before anything is changed
    SqliteQuery query(connection, "PRAGMA journal_mode = WAL");
    if (query.row() && query.text_at(0) != "wal") connection.fail(Kind::Io, "a write-ahead log is not possible there");
  }
  const std::string cache = "; PRAGMA cache_size = -" + std::to_string(options.cache_kib);
  connection.execute(("PRAGMA synchronous = FULL; PRAGMA cell_size_check = ON" + cache).c_str());
  prepare_schema(connection);
}

}  // namespace

SqliteStore::SqliteStore(const SqliteOptions& options)
    : options_(options), connection_(std::make_unique<SqliteConnection>()),
      seals_(std::make_unique<SqliteSeals>(options.sealer)), queue_(std::make_unique<SqliteQueue>(*this)) {}

SqliteStore::~SqliteStore() {
  if (flusher_.joinable()) {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    flusher_.join();
  }
  if (connection_->in_transaction()) commit();
  connection_->close();
  place_.leave_mark();
}

StoreResult<std::unique_ptr<SqliteStore>> SqliteStore::open(const std::string& path, const SqliteOptions& options) {
  const bool in_memory = options.mode == SqliteMode::Memory;
  if (!in_memory) {
    if (path.empty()) return StoreError{Kind::Misuse, "a store needs the path of its file"};
    if (auto moved = StorePlace::check_before_opening(path)) return *std::move(moved);
  }
  std::unique_ptr<SqliteStore> store(new SqliteStore(options));
  if (auto error = store->start(in_memory ? ":memory:" : path)) {
    error->message = path + ": " + error->message;
    return *std::move(error);
  }
  return store;
}

// SQLite's own waiting does not cover the change to a write-ahead log, when processes open a new file together.
std::optional<StoreError> SqliteStore::start(const std::string& path) {
  const auto give_up = Clock::now() + options_.busy_timeout;
  connection_->open(path, options_.vfs, static_cast<int>(options_.busy_timeout.count()));
  for (;;) {
    if (!connection_->failed()) prepare(*connection_, options_);
    auto error = connection_->take_error();
    if (!error) break;
    roll_back();
    if (error->kind != Kind::Locked || Clock::now() >= give_up) return error;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  if (options_.mode != SqliteMode::Memory) place_.watch(connection_->path(), connection_->log_path());
  if (options_.mode == SqliteMode::Group) flusher_ = std::thread([this] { flush_windows(); });
  return std::nullopt;
}

std::optional<StoreError> SqliteStore::ready() {
  if (lost_) return lost_;
  if (unsettled_ && !settle()) return StoreError{Kind::Unknown, "a failed commit could not be taken back yet"};
  return std::nullopt;
}

std::optional<StoreError> SqliteStore::begin() {
  if (options_.mode != SqliteMode::Group) roll_back();   // never add to what an earlier call has left
  if (!connection_->in_transaction()) {
    connection_->execute("BEGIN IMMEDIATE");
    window_end_ = Clock::now() + options_.group_window;
    if (options_.mode == SqliteMode::Group) changed_.notify_all();
  }
  if (options_.mode == SqliteMode::Group) connection_->execute("SAVEPOINT one_call");
  return connection_->take_error();
}

// Returns the failure of the call itself, or the failure to make its writes durable.
std::optional<StoreError> SqliteStore::finish(bool keep, Durability durability) {
  auto error = connection_->take_error();
  keep = keep && !error;
  if (options_.mode != SqliteMode::Group) {
    if (keep) return commit();
    roll_back();
    return error;
  }
  if (connection_->in_transaction()) {
    connection_->execute(keep ? "RELEASE one_call" : "ROLLBACK TO one_call; RELEASE one_call");
    if (!connection_->failed()) return keep && durability == Durability::Now ? commit() : error;
  }
  // Some failures take back the whole transaction, and with it what other calls of the window were told is written.
  auto worse = connection_->take_error();
  lost_ = worse ? std::move(worse) : error;
  roll_back();
  return lost_;
}

std::optional<StoreError> SqliteStore::commit() {
  connection_->execute("COMMIT");
  auto error = connection_->take_error();
  if (!error) {
    if ((error = place_.check()) && options_.mode == SqliteMode::Group) lost_ = error;
    return error;
  }
  roll_back();
  if (!settle()) error = StoreError{Kind::Unknown, "the commit failed: " + error->message};
  if (options_.mode == SqliteMode::Group) lost_ = error;
  return error;
}

// Overwrites what a failed commit left in the write-ahead log: when it is whole, it would count after a crash.
bool SqliteStore::settle() {
  connection_->execute("BEGIN IMMEDIATE; UPDATE meta SET settled = settled + 1; COMMIT");
  unsettled_ = connection_->failed();
  connection_->take_error();
  roll_back();
  return !unsettled_;
}

void SqliteStore::roll_back() {
  if (connection_->in_transaction()) connection_->execute("ROLLBACK");
  connection_->take_error();
}

void SqliteStore::flush_windows() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (!connection_->in_transaction()) {
      changed_.wait(lock);
    } else if (Clock::now() < window_end_) {
      changed_.wait_until(lock, window_end_);
    } else {
      commit();
    }
  }
}

StoreResult<std::monostate> SqliteStore::flush() {
  const std::lock_guard lock(mutex_);
  if (auto error = ready()) return *std::move(error);
  if (connection_->in_transaction()) {
    if (auto error = commit()) return *std::move(error);
  } else if (auto moved = place_.check()) {
    return *std::move(moved);
  }
  return {};
}

StoreResult<Written> SqliteStore::put(std::string_view log, Cut cut, std::span<const Fact> facts,
                                      Durability durability) {
  if (auto wrong = check_put(log, cut, facts)) return *std::move(wrong);
  const auto body = [&](SqliteTables& tables, RunRow& run, Written& told) -> std::optional<StoreError> {
    if (facts.empty()) return std::nullopt;
    if (auto refused = seals_->make_run(*connection_, run, log, SealCheck::Rest)) return refused;
    put_all(tables, run, cut.token, facts, told);
    return std::nullopt;
  };
  return write_under(log, cut, durability, body);
}

StoreResult<Decided> SqliteStore::decide(std::string_view log, Cut cut, std::span<const Fact> facts) {
  if (auto wrong = check_decide(log, cut, facts)) return *std::move(wrong);
  const auto body = [&](SqliteTables& tables, RunRow& run) -> StoreResult<Decided> {
    if (auto gone = departed(tables, run)) return *std::move(gone);
    if (auto wrong = fenced(run, cut.token)) return *std::move(wrong);
    const std::uint64_t head = tables.head(run);
    if (auto wrong = check_seen(head, cut.seq)) return *std::move(wrong);
    Decided out{seen(tables, log, head, cut), conflict(tables, run, cut, facts)};
    if (!out.conflict) append_all(tables, run, cut.token, facts, out);
    return out;
  };
  return write_log<Decided>(log, SealCheck::Rest, Durability::AsMode, body);
}

StoreResult<ParkResult> SqliteStore::park(std::string_view log, Cut cut, std::span<const Fact> facts,
                                          const Parked& run) {
  if (auto wrong = check_park(log, cut, facts, run)) return *std::move(wrong);
  const auto body = [&](SqliteTables& tables, RunRow& row) -> StoreResult<ParkResult> {
    if (auto gone = departed(tables, row)) return *std::move(gone);
    if (auto wrong = fenced(row, cut.token)) return *std::move(wrong);
    const std::uint64_t head = tables.head(row);
    if (auto wrong = check_seen(head, std::max(cut.seq, run.observed_seq))) return *std::move(wrong);
    if (head == 0 && facts.empty()) return StoreError{Kind::Missing, "no such log"};
    ParkResult out{seen(tables, log, head, cut), false, arrived(tables, row, run), std::nullopt};
    if (out.arrived) return out;
    if ((out.conflict = conflict(tables, row, cut, facts))) return out;
    append_all(tables, row, cut.token, facts, out);
    tables.park(row, run);
    out.parked = true;
    return out;
  };
  return write_log<ParkResult>(log, SealCheck::Rest, Durability::AsMode, body);
}

StoreResult<std::vector<Fact>> SqliteStore::read(std::string_view log, std::uint64_t after, std::size_t most) {
  if (auto wrong = check_log(log)) return *std::move(wrong);
  const auto body = [&](SqliteTables& tables, const RunRow&) { return tables.facts_after(log, after, most); };
  return look_at_log<std::vector<Fact>>(log, body);
}

StoreResult<std::optional<Fact>> SqliteStore::find(std::string_view log, std::string_view key) {
  if (auto wrong = check_log(log)) return *std::move(wrong);
  const auto body = [&](SqliteTables& tables, const RunRow&) { return tables.keyed(log, key); };
  return look_at_log<std::optional<Fact>>(log, body);
}

StoreResult<std::vector<Fact>> SqliteStore::read_notable(std::string_view log, std::uint64_t after, std::size_t most) {
  if (auto wrong = check_log(log)) return *std::move(wrong);
  const auto body = [&](SqliteTables& tables, const RunRow&) { return tables.notable_after(log, after, most); };
  return look_at_log<std::vector<Fact>>(log, body);
}

StoreResult<std::vector<Fact>> SqliteStore::open_calls(std::string_view log) {
  if (auto wrong = check_log(log)) return *std::move(wrong);
  const auto body = [&](SqliteTables& tables, const RunRow&) { return tables.open_calls(log); };
  return look_at_log<std::vector<Fact>>(log, body);
}

StoreResult<std::optional<Parked>> SqliteStore::parked(std::string_view log) {
  if (auto wrong = check_log(log)) return *std::move(wrong);
  const auto body = [&](SqliteTables& tables, const RunRow& run) -> StoreResult<std::optional<Parked>> {
    auto parked = tables.parked(log);
    if (auto refused = seals_->check_parked(run, parked)) return *std::move(refused);
    return parked;
  };
  return look_at_log<std::optional<Parked>>(log, body);
}

StoreResult<std::optional<RunInfo>> SqliteStore::info(std::string_view log) {
  if (auto wrong = check_log(log)) return *std::move(wrong);
  return look<std::optional<RunInfo>>([&](SqliteTables& tables) { return tables.info(log); });
}

StoreResult<std::vector<RunInfo>> SqliteStore::runs(std::string_view after, std::size_t most) {
  return look<std::vector<RunInfo>>([&](SqliteTables& tables) { return tables.infos_after(after, most); });
}

StoreResult<std::vector<std::string>> SqliteStore::woken(std::int64_t now_ms, std::size_t most) {
  return look<std::vector<std::string>>([&](SqliteTables& tables) { return tables.woken(now_ms, most); });
}

StoreResult<Claim> SqliteStore::claim(std::string_view log, std::string_view owner, std::int64_t now_ms,
                                      std::int64_t lease_ms, std::optional<std::uint64_t> dead) {
  if (auto wrong = check_claim(log, owner, lease_ms)) return *std::move(wrong);
  const auto body = [&](SqliteTables& tables, RunRow& run) -> StoreResult<Claim> {
    if (auto refused = seals_->make_run(*connection_, run, log, SealCheck::Whole)) return *std::move(refused);
    tables.check(run, log);
    if (auto gone = departed(tables, run)) return *std::move(gone);
    if (!seals_->has_ring()) run = released_if_dead(*connection_, log, now_ms);
    const Claim held{0, false, run.owner, run.token, run.until_ms};
    if (claim_holds(log, held, now_ms, dead)) return held;
    ++run.token;
    run.owner = owner;
    run.until_ms = lease_end(now_ms, lease_ms);
    tables.set_claim(run);
    return Claim{run.token, true, run.owner, run.token, run.until_ms};
  };
  return write_log<Claim>(log, SealCheck::Whole, Durability::AsMode, body);
}

StoreResult<bool> SqliteStore::renew(std::string_view log, std::uint64_t token, std::int64_t now_ms,
                                     std::int64_t lease_ms) {
  if (auto wrong = check_log(log)) return *std::move(wrong);
  if (auto wrong = check_lease(lease_ms)) return *std::move(wrong);
  const auto body = [&](SqliteTables& tables, RunRow& run) -> StoreResult<bool> {
    if (token == 0 || fenced(run, token)) return false;
    run.until_ms = lease_end(now_ms, lease_ms);
    tables.set_claim(run);
    return true;
  };
  return write_log<bool>(log, SealCheck::Rest, Durability::AsMode, body);
}

StoreResult<bool> SqliteStore::release(std::string_view log, std::uint64_t token) {
  if (auto wrong = check_log(log)) return *std::move(wrong);
  const auto body = [&](SqliteTables& tables, RunRow& run) -> StoreResult<bool> {
    if (token == 0 || fenced(run, token)) return false;
    run.owner.clear();
    tables.set_claim(run);
    return true;
  };
  return write_log<bool>(log, SealCheck::Rest, Durability::AsMode, body);
}

StoreResult<Written> SqliteStore::resumed(std::string_view log, Cut cut, std::span<const Fact> facts) {
  if (auto wrong = check_resume_or_end(log, cut, facts)) return *std::move(wrong);
  const auto body = [&](SqliteTables& tables, RunRow& run, Written& told) -> std::optional<StoreError> {
    if (!tables.has_parked(run)) return StoreError{Kind::Missing, "nothing is parked"};
    tables.stop_waiting(run);
    tables.set_state(run, LogState::Running);
    put_all(tables, run, cut.token, facts, told);
    return std::nullopt;
  };
  return write_under(log, cut, Durability::AsMode, body);
}

StoreResult<Written> SqliteStore::ended(std::string_view log, Cut cut, std::span<const Fact> facts) {
  if (auto wrong = check_resume_or_end(log, cut, facts)) return *std::move(wrong);
  const auto body = [&](SqliteTables& tables, RunRow& run, Written& told) -> std::optional<StoreError> {
    if (facts.empty() && told.head == 0) return StoreError{Kind::Missing, "no such log"};
    put_all(tables, run, cut.token, facts, told);
    tables.set_state(run, LogState::Ended);
    tables.forget_parked(run);
    if (queue() == nullptr || !ends_well(facts)) return std::nullopt;
    SqliteQueueTables jobs(*connection_);
    end_unheld_job(jobs, log, cut.token, facts.back().time_ms);
    return std::nullopt;
  };
  return write_under(log, cut, Durability::AsMode, body);
}

StoreResult<std::optional<Written>> SqliteStore::end_job(std::string_view log, Cut cut, const Fact& end,
                                                         std::int64_t now_ms) {
  using Done = std::optional<Written>;
  if (auto wrong = check_end_job(log, cut, end)) return *std::move(wrong);
  if (queue() == nullptr) return Done();
  const auto body = [&](SqliteTables& tables, RunRow& run) -> StoreResult<Done> {
    SqliteQueueTables jobs(*connection_);
    const bool is_simple = !departed(tables, run) && tables.head(run) == cut.seq && holds_job(jobs, log, cut.token);
    if (!is_simple) return Done();
    Written told = seen(tables, log, cut.seq, cut);
    put_all(tables, run, cut.token, {&end, 1}, told);
    tables.set_state(run, LogState::Ended);
    tables.forget_parked(run);
    finish_job(jobs, log, cut.token, {Finish::Kind::Over, 0, {}, told.head}, now_ms);
    return Done(std::move(told));
  };
  return write_log<Done>(log, SealCheck::Rest, Durability::AsMode, body);
}

}  // namespace ptc
