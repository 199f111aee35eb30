// Runs that leave a file for another store, and that come from one (run_move.h).
#include <algorithm>

#include "runtime/log/run_move.h"
#include "runtime/log/sqlite/sqlite_queue.h"
#include "runtime/log/sqlite/sqlite_transactions.h"

namespace ptc {
namespace {

void give_back(SqliteTables& tables, RunRow& run) {
  run.owner.clear();
  run.until_ms = 0;
  tables.set_claim(run);
}

// What is parked stays, so that the target can take it over.
void leave(SqliteTables& tables, RunRow& run) {
  tables.set_state(run, LogState::Moving);
  tables.stop_waiting(run);
  give_back(tables, run);
}

void take_over_parked(SqliteTables& tables, RunRow& run, const Arrival& from) {
  tables.forget_parked(run);
  if (from.parked) {
    tables.park(run, *from.parked);
    if (from.state != LogState::Parked) tables.stop_waiting(run);
    if (arrived(tables, run, *from.parked)) tables.set_woken(run);
  }
  tables.set_state(run, from.state);
}

}  // namespace

StoreResult<Written> SqliteStore::depart(std::string_view log, Cut cut, const Fact& moved) {
  if (auto wrong = check_depart(log, cut, moved)) return *std::move(wrong);
  const auto body = [&](SqliteTables& tables, RunRow& run, Written& told) -> std::optional<StoreError> {
    if (told.head == 0) return StoreError{StoreError::Kind::Missing, "no such log"};
    SqliteQueueTables queues(*connection_);
    if (auto stays = depart_job(queues, log)) return stays;
    leave(tables, run);
    put_all(tables, run, cut.token, {&moved, 1}, told);
    return std::nullopt;
  };
  return write_under(log, cut, Durability::Now, body);
}

StoreResult<bool> SqliteStore::arrive(const Arrival& from, std::int64_t now_ms) {
  if (auto wrong = check_arrival(from)) return *std::move(wrong);
  const auto body = [&](SqliteTables& tables, RunRow& run) -> StoreResult<bool> {
    if (auto refused = seals_->make_run(*connection_, run, from.log, SealCheck::Whole)) return *std::move(refused);
    tables.check(run, from.log);
    std::uint64_t head = tables.head(run);
    if (!run.owner.empty() || head != from.before || (head != 0 && !has_left(run.state))) return false;
    SqliteQueueTables queues(*connection_);
    const std::string* const tenant = arrival_tenant(from);
    if (tenant != nullptr) {
      if (auto wrong = check_relatives(queues, from.log, *tenant)) return *std::move(wrong);
    }
    for (const Fact& fact : from.facts) tables.append(run, ++head, fact.writer, fact);
    run.token = std::max(run.token, from.token);
    give_back(tables, run);
    take_over_parked(tables, run, from);
    if (from.job) arrive_job(queues, *from.job, now_ms);
    return true;
  };
  return write_log<bool>(from.log, SealCheck::Whole, Durability::Now, body);
}

StoreResult<bool> SqliteStore::settle_departure(std::string_view log, std::string_view key) {
  if (auto wrong = check_log(log)) return *std::move(wrong);
  const auto body = [&](SqliteTables& tables, RunRow& run) -> StoreResult<bool> {
    if (run.id == 0 || !has_left(run.state)) return false;
    const std::vector<Fact> last = tables.facts_after(log, tables.head(run) - 1, 1);
    if (last.empty() || last.front().key != key) return false;
    tables.set_state(run, LogState::Moved);
    return true;
  };
  return write_log<bool>(log, SealCheck::Rest, Durability::Now, body);
}

}  // namespace ptc
