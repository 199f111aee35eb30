#include "runtime/log/sqlite/sqlite_seals.h"

#include <algorithm>

#include "runtime/log/sqlite/packed_body.h"

namespace ptc {
namespace {

using Refusal = std::optional<StoreError>;

// The logs that are remembered at most; beyond them all are forgotten and checked again from their first facts.
constexpr std::size_t kMostChecked = 10'000;

constexpr char kWalk[] =
    "SELECT seq, body, key, rank, time_ms FROM fact NOT INDEXED WHERE run = ? AND seq > ? ORDER BY seq";
constexpr char kPlaceOfKey[] = "SELECT seq FROM fact INDEXED BY fact_key WHERE run = ? AND key = ?";
constexpr char kPlacesOfNotable[] = "SELECT seq FROM fact INDEXED BY fact_notable WHERE run = ? AND rank ORDER BY seq";
constexpr char kPlacesOfOpen[] = "SELECT seq FROM open_call WHERE run = ? ORDER BY seq";

std::vector<std::uint64_t> places(SqliteConnection& connection, const char* sql, std::int64_t run) {
  SqliteQuery query(connection, sql);
  query.integer(run);
  std::vector<std::uint64_t> out;
  while (query.row()) out.push_back(query.count_at(0));
  return out;
}

Refusal take(SqliteConnection& connection, const RunRow& run, LogWalk& walk, SqliteQuery& query) {
  const UnpackedBody body(query.bytes_at(1));
  WalkedFact row{query.count_at(0), body.bytes(), std::nullopt, query.integer_at(3), query.integer_at(4)};
  const std::string found = query.null_at(2) ? std::string() : query.text_at(2);
  if (!query.null_at(2)) row.key = found;
  const auto fact = read_fact(body.bytes());
  std::optional<std::string_view> key;
  if (fact && !fact->key.empty()) key = fact->key;
  if (auto refused = walk.take(row, fact, key)) return refused;
  if (!key) return std::nullopt;
  SqliteQuery place(connection, kPlaceOfKey);
  place.integer(run.id).text(*key);
  if (place.row() && place.count_at(0) == row.seq) return std::nullopt;
  return fact_changed(run.log, "the index of keys does not find fact " + std::to_string(row.seq));
}

Refusal to_the_end(SqliteConnection& connection, const RunRow& run, LogWalk& walk) {
  SqliteQuery query(connection, kWalk);
  query.integer(run.id).count(walk.seq());
  while (query.row()) {
    if (auto refused = take(connection, run, walk, query)) return refused;
  }
  return std::nullopt;
}

}  // namespace

Refusal SqliteSeals::walk(SqliteConnection& connection, const RunRow& run, const LogHead& from,
                          const LogHead& to) const {
  LogWalk walk(run.log, from);
  if (auto refused = to_the_end(connection, run, walk)) return refused;
  if (auto refused = walk.end(to)) return refused;
  if (!walk.is_whole()) return std::nullopt;
  if (auto refused = walk.compare_notable(places(connection, kPlacesOfNotable, run.id))) return refused;
  return walk.compare_open(places(connection, kPlacesOfOpen, run.id));
}

// What the envelope says, or that there is nothing to seal yet.
StoreResult<LogHead> SqliteSeals::head_of(SqliteConnection& connection, const RunRow& run) const {
  if (run.seal.empty()) {
    LogHead head;
    head.token = run.token;
    if (SqliteTables(connection).head(run) == 0) return head;   // somebody claimed the log and wrote nothing
    return not_sealed(run.log);
  }
  auto head = sealer_->opened(run.log, run.seal);
  if (const auto* opened = std::get_if<LogHead>(&head); opened != nullptr && opened->token != run.token) {
    return claim_changed(run.log);
  }
  return head;
}

Refusal SqliteSeals::open(SqliteConnection& connection, RunRow& run, SealCheck extent) {
  if (!has_ring() || run.id == 0) return std::nullopt;
  const auto at = checked_.find(run.log);
  const Checked* const known = at != checked_.end() ? &at->second : nullptr;
  const bool goes_on = known != nullptr && extent == SealCheck::Rest;
  if (goes_on && !run.seal.empty() && known->envelope == run.seal) {
    if (known->is_older(known->head)) return rolled_back(run.log);
    run.sealed = run.opened = known->head;
    return std::nullopt;
  }
  auto head = head_of(connection, run);
  if (auto* refused = std::get_if<StoreError>(&head)) return std::move(*refused);
  run.sealed = run.opened = std::get<LogHead>(head);
  if (known != nullptr && known->is_older(*run.opened)) return rolled_back(run.log);
  if (auto refused = walk(connection, run, goes_on ? known->head : LogHead(), *run.opened)) return refused;
  if (!goes_on) {   // else parked() checks, so that a large snapshot is not read for each write
    if (auto refused = check_parked(run, SqliteTables(connection).parked(run.log))) return refused;
  }
  if (!connection.failed()) remember(run);
  return std::nullopt;
}

void SqliteSeals::remember(const RunRow& run) {
  if (checked_.size() >= kMostChecked) checked_.clear();
  const LogHead& head = *run.opened;
  checked_.insert_or_assign(run.log, Checked{run.seal, head, head.seq, head.token});
}

void SqliteSeals::written(const RunRow& run) {
  const auto at = checked_.find(run.log);
  if (!run.sealed || at == checked_.end()) return;
  at->second.least_seq = run.sealed->seq;
  at->second.least_token = run.sealed->token;
}

Refusal SqliteSeals::open_to_write(SqliteConnection& connection, RunRow& run, SealCheck extent) {
  if (!has_ring() && !run.seal.empty()) {
    return keys_needed(run.log);
  }
  return open(connection, run, extent);
}

Refusal SqliteSeals::make_run(SqliteConnection& connection, RunRow& run, std::string_view log, SealCheck extent) {
  if (run.id != 0) return std::nullopt;
  run = SqliteTables(connection).run_made(log);
  return open_to_write(connection, run, extent);
}

Refusal SqliteSeals::check_parked(const RunRow& run, const std::optional<Parked>& parked) const {
  if (!run.sealed) return std::nullopt;
  const Digest found = parked ? parked_digest(run.log, *parked) : Digest();
  if (found == run.sealed->parked) return std::nullopt;
  return parked_changed(run.log);
}

Refusal SqliteSeals::close(SqliteTables& tables, RunRow& run) const {
  if (!run.sealed) return std::nullopt;
  run.sealed->token = run.token;
  if (!run.seal.empty() && run.sealed == run.opened) return std::nullopt;
  auto sealed = sealer_->sealed(run.log, *run.sealed);
  if (auto* refused = std::get_if<StoreError>(&sealed)) return std::move(*refused);
  tables.set_seal(run, std::get<std::vector<std::uint8_t>>(std::move(sealed)));
  return std::nullopt;
}

}  // namespace ptc
