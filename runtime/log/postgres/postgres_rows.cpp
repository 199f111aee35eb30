#include "runtime/log/postgres/postgres_rows.h"

#include <sodium.h>

#include <algorithm>

#include "runtime/log/log_walk.h"
#include "runtime/log/postgres/compact_fact.h"
#include "runtime/log/postgres/packed_snapshot.h"
#include "runtime/log/store_rules.h"

namespace ptc {
namespace {

using Kind = StoreError::Kind;

constexpr std::size_t kMostKeyBytes = 255;
constexpr std::int16_t kBeginsAnew = 4;

// What `what` of ptcvm.write() says about a row (functions.sql).
enum class Told : std::uint8_t { Head, Written, Found, Other, Conflict, Arrived, Refused };

std::int16_t mark_of(const Fact& fact) {
  if (fact.kind == FactKind::RunStarted) return kBeginsAnew;
  switch (call_mark(fact)) {
    case CallMark::None:
      return 0;
    case CallMark::Opens:
      return 1;
    case CallMark::Settles:
      return 2;
    case CallMark::Resets:
      return fact.id.empty() ? 0 : 3;
  }
  return 0;
}

StoreError damaged(std::uint64_t seq) {
  return {Kind::Corrupt, "fact " + std::to_string(seq) + " of the log is damaged"};
}

StoreError refusal(std::string_view log, std::int64_t reason) {
  if (reason == 1) return {Kind::Fenced, "the claim is not the newest any more"};
  if (reason == 4) return {Kind::RunMoved, ""};   // the store says where
  if (reason == 5) return run_has_order(log);
  if (reason == 6) return keys_needed(log);
  if (reason == 7) return seal_refusal(kLogChanged, "the log has changed");
  if (reason == 2) return {Kind::Missing, "no such log, or nothing is parked"};
  return {Kind::Misuse, "nobody has seen what is not written yet"};
}

// The keys of a parked run: as the program gave them, and as the index has them.
struct WaitKeys {
  std::vector<std::optional<std::string>> whole, indexed;
};
WaitKeys wait_keys(const Parked* run) {
  WaitKeys out;
  if (run == nullptr) return out;
  for (const std::string& key : run->wait_keys) {
    out.whole.emplace_back(key);
    out.indexed.emplace_back(indexed_key(key));
  }
  return out;
}

}   // namespace

Fact written_fact(const Fact& given, std::uint64_t seq, std::uint64_t token) {
  Fact out = given;
  out.seq = seq;
  out.writer = token;
  return out;
}

std::string indexed_key(std::string_view key) {
  if (key.size() <= kMostKeyBytes) return std::string(key);
  std::string out(1 + crypto_hash_sha256_BYTES, '\xFF');
  crypto_hash_sha256(reinterpret_cast<unsigned char*>(out.data() + 1),
                     reinterpret_cast<const unsigned char*>(key.data()), key.size());
  return out;
}

std::int64_t fresh_op() {
  std::int64_t out = 0;
  randombytes_buf(&out, sizeof(out));
  return out;
}

PostgresUuid fresh_uuid() {
  PostgresUuid out;
  randombytes_buf(out.data(), out.size());
  return out;
}

void add_fact(FactColumns& out, const Fact& fact, std::uint64_t writer) {
  out.keys.push_back(fact.key.empty() ? std::nullopt : std::optional(indexed_key(fact.key)));
  out.bodies.emplace_back(compact_fact(fact, writer));
  out.times.push_back(fact.time_ms);
  out.ranks.push_back(static_cast<std::int16_t>(rank_of(fact.kind)));
  const std::int16_t mark = mark_of(fact);
  const bool is_call = mark != 0 && mark != kBeginsAnew;
  out.marks.push_back(mark);
  out.calls.push_back(is_call ? std::optional(indexed_key(fact.idempotency_key)) : std::nullopt);
  out.attempts.push_back(static_cast<std::int64_t>(fact.number));
  out.tasks.push_back(is_call ? std::optional(mark == 3 ? fact.id : fact.task) : std::nullopt);
}

FactColumns fact_columns(std::span<const Fact> facts, std::uint64_t token) {
  FactColumns out;
  for (const Fact& fact : facts) add_fact(out, fact, token);
  return out;
}

FactColumns fact_columns(std::span<const Fact> facts) {
  FactColumns out;
  for (const Fact& fact : facts) add_fact(out, fact, fact.writer);
  return out;
}

void add_facts(PostgresParameters& out, const FactColumns& facts) {
  out.byte_array(facts.keys)
      .integer_array(facts.times)
      .small_array(facts.ranks)
      .byte_array(facts.bodies)
      .small_array(facts.marks)
      .byte_array(facts.calls)
      .integer_array(facts.attempts)
      .byte_array(facts.tasks);
}

void add_parked(PostgresParameters& out, const Parked* run) {
  const WaitKeys keys = wait_keys(run);
  if (run == nullptr) {
    out.null_bytes();
  } else {
    out.bytes(run->continuation);
  }
  out.byte_array(keys.indexed).byte_array(keys.whole);
  if (run == nullptr) {
    out.integer(std::nullopt).integer(std::nullopt).null_snapshot();
  } else {
    out.integer(run->deadline_ms).count(run->observed_seq).snapshot(*run);
  }
}

StoreResult<Fact> fact_in(const PostgresRows& rows, int row, int seq) {
  return fact_of(rows.count_at(row, seq), rows.bytes_at(row, seq + 1));
}

StoreResult<Fact> fact_of(std::uint64_t place, std::string_view body) {
  std::optional<Fact> fact = read_stored(body);
  if (!fact) return damaged(place);
  fact->seq = place;
  return *std::move(fact);
}

StoreResult<std::vector<Fact>> facts_in(const PostgresRows& rows) {
  std::vector<Fact> out;
  for (int row = 0; row < rows.count(); ++row) {
    auto fact = fact_in(rows, row, 0);
    if (auto* error = std::get_if<StoreError>(&fact)) return std::move(*error);
    out.push_back(std::get<Fact>(std::move(fact)));
  }
  return out;
}

Parked parked_in(const PostgresRows& rows, int row, const ParkedColumns& at) {
  Parked out;
  out.continuation = rows.bytes_at(row, at.continuation);
  if (!rows.null_at(row, at.deadline)) out.deadline_ms = rows.integer_at(row, at.deadline);
  out.observed_seq = rows.count_at(row, at.observed);
  out.wait_keys = rows.byte_array_at(row, at.keys);
  out.snapshot = unpacked_snapshot(rows.bytes_at(row, at.snapshot));
  return out;
}

StoreResult<std::vector<RunInfo>> infos_in(const PostgresRows& rows) {
  std::vector<RunInfo> out;
  for (int row = 0; row < rows.count(); ++row) {
    RunInfo info;
    info.log = rows.bytes_at(row, 0);
    const std::int64_t state = rows.integer_at(row, 1);
    if (state < 0 || state > static_cast<std::int64_t>(LogState::Moved)) {
      return StoreError{Kind::Corrupt, "a run in no known state"};
    }
    info.state = static_cast<LogState>(state);
    info.owner = rows.bytes_at(row, 2);
    info.woken = rows.boolean_at(row, 3);   // NULL is empty, which is no
    if (!rows.null_at(row, 4)) info.deadline_ms = rows.integer_at(row, 4);
    info.head = rows.count_at(row, 5);
    info.changed_ms = rows.integer_at(row, 6);
    info.started_ms = rows.integer_at(row, 7);
    out.push_back(std::move(info));
  }
  return out;
}

StoreResult<ParkResult> write_in(const PostgresRows& rows, std::string_view log, std::span<const Fact> facts,
                                 Cut cut) {
  ParkResult out;
  std::uint64_t before = 0;
  for (int row = 0; row < rows.count(); ++row) {
    const auto what = static_cast<Told>(rows.integer_at(row, 0));
    if (what == Told::Refused) return refusal(log, rows.integer_at(row, 1));
    if (what == Told::Head) {
      before = rows.count_at(row, 1);
      out.head = rows.count_at(row, 2);
      continue;
    }
    const auto at = static_cast<std::size_t>(rows.integer_at(row, 1));
    if (what == Told::Written) {
      if (at == 0 || at > facts.size()) return damaged(rows.count_at(row, 2));
      out.puts.push_back({written_fact(facts[at - 1], rows.count_at(row, 2), cut.token), true});
      continue;
    }
    auto read = fact_in(rows, row, 2);
    if (auto* error = std::get_if<StoreError>(&read)) return std::move(*error);
    Fact fact = std::get<Fact>(std::move(read));
    if (what == Told::Found) out.puts.push_back({std::move(fact), false});
    if (what == Told::Other) out.others.push_back(std::move(fact));
    if (what == Told::Conflict) out.conflict = std::move(fact);
    if (what == Told::Arrived) out.arrived = std::move(fact);
  }
  out.parked = !out.conflict && !out.arrived;
  out.more = !cut.is_blind() && cut.seq < before && out.others.size() < before - cut.seq;
  return out;
}

}   // namespace ptc
