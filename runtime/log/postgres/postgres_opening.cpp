// What opening a run reads, in one call.
#include "runtime/log/postgres/postgres_opening.h"

#include "runtime/log/postgres/postgres_answers.h"
#include "runtime/log/postgres/postgres_rows.h"
#include "runtime/log/postgres/postgres_seals.h"
#include "runtime/log/postgres/postgres_store.h"

namespace ptc {
namespace {

constexpr char kOpening[] = "SELECT * FROM ptcvm.opening($1,$2)";
constexpr char kOverviews[] = "SELECT * FROM ptcvm.overviews($1,$2)";
constexpr std::size_t kMostNotable = 1'000;   // in one answer; the others are read in pages

// What `what` of ptcvm.opening() says about a row (functions.sql).
enum class Row : std::uint8_t { Head, Notable, OpenCall, Parked, LargeParked };

struct Read {
  Opening opening;
  bool is_large_parked = false;
};

StoreResult<Read> opening_in(const PostgresRows& rows) {
  Read read;
  Opening& out = read.opening;
  for (int row = 0; row < rows.count(); ++row) {
    const auto what = static_cast<Row>(rows.integer_at(row, 0));
    if (what == Row::Head) {
      out.head = rows.count_at(row, 1);
    } else if (what == Row::LargeParked) {
      read.is_large_parked = true;
    } else if (what == Row::Parked) {
      out.parked = parked_in(rows, row, {2, 3, 1, 4, 5});
    } else {
      auto fact = fact_in(rows, row, 1);
      if (auto* error = std::get_if<StoreError>(&fact)) return std::move(*error);
      auto& to = what == Row::Notable ? out.notable : out.open_calls;
      to.push_back(std::get<Fact>(std::move(fact)));
    }
  }
  return read;
}

// Two columns: places, and facts. Returns false when a fact is damaged.
bool take_facts(std::vector<Fact>& to, const PostgresRows& rows, int row, int at) {
  const std::vector<std::uint64_t> places = rows.count_array_at(row, at);
  const std::vector<std::string> bodies = rows.byte_array_at(row, at + 1);
  for (std::size_t i = 0; i < bodies.size() && i < places.size(); ++i) {
    auto fact = fact_of(places[i], bodies[i]);
    if (std::holds_alternative<StoreError>(fact)) return false;
    to.push_back(std::get<Fact>(std::move(fact)));
  }
  return true;
}

}   // namespace

std::optional<Opening> small_opening_in(const PostgresRows& rows, int row, int at) {
  if (rows.null_at(row, at)) return std::nullopt;
  Opening out;
  out.head = rows.count_at(row, at);
  if (!take_facts(out.notable, rows, row, at + 1) || !take_facts(out.open_calls, rows, row, at + 3)) {
    return std::nullopt;                              // who asks for it is told
  }
  if (!rows.null_at(row, at + 5)) out.parked = parked_in(rows, row, {at + 5, at + 6, at + 7, at + 8, at + 9});
  return out;
}

namespace {

// A log whose facts cannot be read is left to who asks for it.
StoreResult<std::vector<Overview>> overviews_in(const PostgresRows& rows) {
  constexpr int kFacts = 8, kCalls = 10, kParked = 12;
  auto infos = infos_in(rows);
  if (auto* error = std::get_if<StoreError>(&infos)) return std::move(*error);
  std::vector<Overview> out;
  for (RunInfo& info : std::get<std::vector<RunInfo>>(infos)) {
    const int row = static_cast<int>(out.size());
    Overview& run = out.emplace_back();
    run.info = std::move(info);
    if (rows.null_at(row, kFacts)) continue;
    run.is_known = take_facts(run.facts, rows, row, kFacts);
    if (!rows.null_at(row, kCalls)) run.is_known = take_facts(run.open_calls, rows, row, kCalls) && run.is_known;
    if (rows.null_at(row, kParked)) continue;
    Parked& parked = run.parked.emplace();
    parked.continuation = rows.bytes_at(row, kParked);
    if (!rows.null_at(row, kParked + 1)) parked.deadline_ms = rows.integer_at(row, kParked + 1);
    parked.observed_seq = rows.count_at(row, kParked + 2);
    parked.wait_keys = rows.byte_array_at(row, kParked + 3);
  }
  return out;
}

}   // namespace

// With a ring only lines are read: what is shown of a log must be checked.
StoreResult<std::vector<Overview>> PostgresStore::overviews(std::string_view after, std::size_t most) {
  if (has_ring()) {
    auto page = runs(after, most);
    if (auto* error = std::get_if<StoreError>(&page)) return std::move(*error);
    std::vector<Overview> out;
    for (RunInfo& info : std::get<std::vector<RunInfo>>(page)) out.emplace_back().info = std::move(info);
    return out;
  }
  PostgresParameters parameters;
  parameters.bytes(after).count(most);
  return answer_of<std::vector<Overview>>(calls_.look(kOverviews, parameters), overviews_in);
}

// With a ring, every part is read by a call that checks it.
StoreResult<Opening> PostgresStore::checked_opening(std::string_view log) {
  const auto head = seals_->check_to_open(log);
  if (const auto* error = std::get_if<StoreError>(&head)) return *error;
  const std::uint64_t seq = std::get<LogHead>(head).seq;
  return seq == 0 ? Opening() : opening_of_parts(log, seq);
}

StoreResult<Opening> PostgresStore::opening(std::string_view log) {
  if (auto wrong = check_postgres_log(log)) return *std::move(wrong);
  if (has_ring()) return checked_opening(log);
  PostgresParameters parameters;
  parameters.bytes(log).count(kMostNotable);
  auto answer = answer_of<Read>(calls_.look(kOpening, parameters), opening_in);
  if (auto* error = std::get_if<StoreError>(&answer)) return std::move(*error);
  const bool is_large_parked = std::get<Read>(answer).is_large_parked;
  Opening out = std::move(std::get<Read>(answer).opening);
  for (std::size_t count = out.notable.size(); count == kMostNotable;) {
    auto page = read_notable(log, out.notable.back().seq, kMostNotable);
    if (auto* error = std::get_if<StoreError>(&page)) return std::move(*error);
    auto& facts = std::get<std::vector<Fact>>(page);
    count = facts.empty() || facts.back().seq >= out.head ? 0 : facts.size();
    for (Fact& fact : facts) {   // what came behind the head, the next write tells
      if (fact.seq <= out.head) out.notable.push_back(std::move(fact));
    }
  }
  if (!is_large_parked) return out;
  auto parked = this->parked(log);
  if (auto* error = std::get_if<StoreError>(&parked)) return std::move(*error);
  out.parked = std::get<std::optional<Parked>>(std::move(parked));
  return out;
}

}   // namespace ptc
