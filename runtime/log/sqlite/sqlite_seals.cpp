#include "runtime/log/sqlite/sqlite_seals.h"

#include <algorithm>

#include "runtime/log/open_calls.h"
#include "runtime/log/sqlite/packed_body.h"
#include "runtime/log/store_rules.h"

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

StoreError changed(const RunRow& run, const std::string& what) {
  return seal_refusal("fact_changed", "the log of " + run.log + ": " + what + ". Somebody changed the store");
}

StoreError missing(const RunRow& run, std::uint64_t seq) {
  return seal_refusal("fact_missing", "the log of " + run.log + ": fact " + std::to_string(seq) +
                                          " was sealed and is not there. Somebody changed the store");
}

StoreError older(const RunRow& run) {
  return seal_refusal("rolled_back", "the log of " + run.log + " has fewer facts or fewer claims than it had before");
}

std::vector<std::uint64_t> places(SqliteConnection& connection, const char* sql, std::int64_t run) {
  SqliteQuery query(connection, sql);
  query.integer(run);
  std::vector<std::uint64_t> out;
  while (query.row()) out.push_back(query.count_at(0));
  return out;
}

// Goes along the facts of a log after a place.
class Walk {
 public:
  Walk(SqliteConnection& connection, const RunRow& run, const LogHead& from)
      : connection_(connection), run_(run), from_(from.seq), seq_(from.seq), chain_(from.chain) {}

  Refusal to_the_end() {
    SqliteQuery query(connection_, kWalk);
    query.integer(run_.id).count(from_);
    while (query.row()) {
      if (auto refused = take(query)) return refused;
    }
    return std::nullopt;
  }

  // What reading goes by besides the facts, after a walk from the first fact.
  Refusal compare_tables() const {
    if (places(connection_, kPlacesOfNotable, run_.id) != notable_) {
      return changed(run_, "the index of notable facts differs");
    }
    std::vector<std::uint64_t> open;
    for (const Fact& intent : open_.intents()) open.push_back(intent.seq);
    if (places(connection_, kPlacesOfOpen, run_.id) != open) return changed(run_, "the table of open calls differs");
    return std::nullopt;
  }

  std::uint64_t seq() const { return seq_; }
  const Digest& chain() const { return chain_; }

 private:
  Refusal take(SqliteQuery& query) {
    const std::uint64_t seq = query.count_at(0);
    if (seq != seq_ + 1) return missing(run_, seq_ + 1);
    const UnpackedBody body(query.bytes_at(1));
    auto fact = read_fact(body.bytes());
    if (!fact) return changed(run_, "fact " + std::to_string(seq) + " cannot be read");
    fact->seq = seq_ = seq;
    chain_ = chained(chain_, run_.log, seq, body.bytes());
    const bool has_columns = (fact->key.empty() ? query.null_at(2) : query.text_at(2) == fact->key) &&
                             query.integer_at(3) == rank_of(fact->kind) && query.integer_at(4) == fact->time_ms;
    if (!has_columns) return changed(run_, "the columns of fact " + std::to_string(seq) + " differ from its bytes");
    if (!fact->key.empty() && !is_found(*fact)) {
      return changed(run_, "the index of keys does not find fact " + std::to_string(seq));
    }
    if (from_ == 0) {
      if (is_notable(fact->kind)) notable_.push_back(seq);
      open_.add(*fact);
    }
    return std::nullopt;
  }

  bool is_found(const Fact& fact) const {
    SqliteQuery query(connection_, kPlaceOfKey);
    query.integer(run_.id).text(fact.key);
    return query.row() && query.count_at(0) == fact.seq;
  }

  SqliteConnection& connection_;
  const RunRow& run_;
  const std::uint64_t from_;
  std::uint64_t seq_;
  Digest chain_;
  std::vector<std::uint64_t> notable_;
  OpenCalls open_;
};

}  // namespace

Refusal SqliteSeals::walk(SqliteConnection& connection, const RunRow& run, const LogHead& from,
                          const LogHead& to) const {
  Walk walk(connection, run, from);
  if (auto refused = walk.to_the_end()) return refused;
  if (walk.seq() < to.seq) return missing(run, walk.seq() + 1);
  if (walk.seq() > to.seq) return changed(run, "fact " + std::to_string(to.seq + 1) + " was not sealed");
  if (walk.chain() != to.chain) return changed(run, "its facts are not the ones that were sealed");
  return from.seq == 0 ? walk.compare_tables() : std::nullopt;
}

// What the envelope says, or that there is nothing to seal yet.
StoreResult<LogHead> SqliteSeals::head_of(SqliteConnection& connection, const RunRow& run) const {
  if (run.seal.empty()) {
    LogHead head;
    head.token = run.token;
    if (SqliteTables(connection).head(run) == 0) return head;   // somebody claimed the log and wrote nothing
    return seal_refusal("not_sealed", "the log of " + run.log +
                                          " is not sealed: run it without a key ring, or import a copy with one");
  }
  auto head = sealer_->opened(run.log, run.seal);
  if (const auto* opened = std::get_if<LogHead>(&head); opened != nullptr && opened->token != run.token) {
    return seal_refusal("claim_changed", "the log of " + run.log + ": its claim is not the one that was sealed");
  }
  return head;
}

Refusal SqliteSeals::open(SqliteConnection& connection, RunRow& run, SealCheck extent) {
  if (!has_ring() || run.id == 0) return std::nullopt;
  const auto at = checked_.find(run.log);
  const Checked* const known = at != checked_.end() ? &at->second : nullptr;
  const bool goes_on = known != nullptr && extent == SealCheck::Rest;
  if (goes_on && !run.seal.empty() && known->envelope == run.seal) {
    if (known->is_older(known->head)) return older(run);
    run.sealed = run.opened = known->head;
    return std::nullopt;
  }
  auto head = head_of(connection, run);
  if (auto* refused = std::get_if<StoreError>(&head)) return std::move(*refused);
  run.sealed = run.opened = std::get<LogHead>(head);
  if (known != nullptr && known->is_older(*run.opened)) return older(run);
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
    return seal_refusal("keys_needed", "the log of " + run.log + " is sealed: give its key ring");
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
  return seal_refusal("parked_changed", "the log of " + run.log +
                                            ": what is parked is not what was sealed. Somebody changed the store");
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
