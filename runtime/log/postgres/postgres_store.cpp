#include "runtime/log/postgres/postgres_store.h"

#include <algorithm>

#include "runtime/log/living_claims.h"
#include "runtime/log/postgres/postgres_queue.h"
#include "runtime/log/postgres/postgres_rows.h"
#include "runtime/log/postgres/postgres_schema.h"
#include "runtime/log/store_rules.h"

namespace ptc {
namespace {

using Kind = StoreError::Kind;

// The first argument of ptcvm.write().
constexpr std::int16_t kPut = 0, kDecide = 1, kPark = 2, kResumed = 3, kEnded = 4, kDepart = 5;

constexpr char kWrite[] =
    "SELECT w.*, current_setting('ptcvm.ready', true) FROM "
    "ptcvm.write($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17,$18,$19,$20,$21,$22,"
    "coalesce($23,lo_get($24))) w";
constexpr int kReadyColumn = 4;
constexpr std::int64_t kReadPieceBytes = std::int64_t{128} << 10;
constexpr char kClaim[] = "SELECT * FROM ptcvm.claim($1,$2,$3,$4,$5,$6)";
constexpr char kRenew[] = "SELECT * FROM ptcvm.renew($1,$2,$3,$4,$5)";
constexpr char kRelease[] = "SELECT * FROM ptcvm.release($1,$2,$3,$4)";
constexpr char kFactsAfter[] = "SELECT * FROM ptcvm.facts($1,$2,$3,$4)";
constexpr char kFind[] = "SELECT * FROM ptcvm.find($1,$2)";
constexpr char kOpenCalls[] = "SELECT * FROM ptcvm.open_calls($1)";
// A row for each piece of the snapshot; the first one has the rest of the run. Appending nothing reads the whole value
// once, where taking parts of what is kept would read it for each.
constexpr char kParked[] =
    "WITH whole AS MATERIALIZED (SELECT p.*, p.snapshot || ''::bytea AS bytes FROM ptcvm.parked_run($1) p) "
    "SELECT at, length(bytes), substring(bytes FROM at + 1 FOR $2::int), continuation, deadline_ms, observed_seq, "
    "CASE at WHEN 0 THEN wait_keys END FROM whole, generate_series(0, greatest(length(bytes) - 1, 0), $2::int) at";
constexpr char kRuns[] = "SELECT * FROM ptcvm.runs($1,$2)";
constexpr char kWoken[] = "SELECT * FROM ptcvm.woken_runs($1,$2)";

// What ptcvm.claim() answers.
enum class ClaimAnswer : std::uint8_t { Granted, Held, Lapsed, Left };

template <class T, class Read>
StoreResult<T> read_rows(StoreResult<PostgresRows> answer, Read read) {
  if (auto* error = std::get_if<StoreError>(&answer)) return std::move(*error);
  return read(std::get<PostgresRows>(answer));
}

std::optional<StoreError> check_size(std::string_view log) {
  if (log.size() <= kMaxPostgresLogBytes) return std::nullopt;
  return StoreError{Kind::Misuse, "the id of a log has " + std::to_string(log.size()) +
                                      " bytes; a store in PostgreSQL " + "takes up to " +
                                      std::to_string(kMaxPostgresLogBytes)};
}

}   // namespace

std::optional<StoreError> check_postgres_log(std::string_view log) {
  if (auto wrong = check_log(log)) return wrong;
  return check_size(log);
}

std::optional<StoreError> check_postgres_message(const FactColumns& facts, const Parked* run) {
  constexpr std::size_t kMostBytes = std::size_t{1'000} << 20;
  std::size_t bytes = run == nullptr ? 0 : run->snapshot.size();
  for (const auto& body : facts.bodies) bytes += body->size();
  if (bytes <= kMostBytes) return std::nullopt;
  return StoreError{Kind::Misuse, "a write has " + std::to_string(bytes) +
                                      " bytes; a store in PostgreSQL takes up to " + std::to_string(kMostBytes) +
                                      " at once"};
}

PostgresStore::PostgresStore(const std::string& url, const PostgresOptions& options)
    : calls_(url, options.connections, options.patience), clock_(options.clock),
      queue_(std::make_unique<PostgresQueue>(*this)) {}
PostgresStore::~PostgresStore() = default;
RunQueue* PostgresStore::queue() { return queue_.get(); }

StoreResult<std::unique_ptr<PostgresStore>> PostgresStore::open(const std::string& url,
                                                                const PostgresOptions& options) {
  std::unique_ptr<PostgresStore> store(new PostgresStore(url, options));
  if (auto error = store->calls_.connect()) return *std::move(error);
  if (auto error = check_postgres_version(store->calls_)) return *std::move(error);
  return store;
}

std::optional<std::int64_t> PostgresStore::now(std::int64_t of_caller) const {
  return clock_ == PostgresClock::Caller ? std::optional(of_caller) : std::nullopt;
}

PostgresStore::Held PostgresStore::held(std::string_view log, std::uint64_t token) const {
  const std::lock_guard lock(mutex_);
  const auto at = held_.find(log);
  return at == held_.end() || at->second.token != token ? Held() : at->second;
}

void PostgresStore::keep(std::string_view log, Held claim) {
  const std::lock_guard lock(mutex_);
  held_.insert_or_assign(std::string(log), std::move(claim));
}

void PostgresStore::keep_still(std::string_view log, Held claim) {
  const std::lock_guard lock(mutex_);
  const auto at = held_.find(log);
  if (at != held_.end() && at->second.token == claim.token) at->second = std::move(claim);
}

void PostgresStore::forget(std::string_view log, std::uint64_t token) {
  const std::lock_guard lock(mutex_);
  const auto at = held_.find(log);
  if (at != held_.end() && at->second.token == token) held_.erase(at);
}

StoreResult<ParkResult> PostgresStore::write(std::int16_t call, std::string_view log, Cut cut,
                                             std::span<const Fact> facts, const Parked* run) {
  if (auto wrong = check_size(log)) return *std::move(wrong);
  const PostgresUuid op = fresh_uuid();
  Held claim;
  if (cut.token != 0) {
    claim = held(log, cut.token);
    if (claim.nonces.empty()) return StoreError{Kind::Fenced, "the claim is not the newest any more"};
  }
  const FactColumns columns = fact_columns(facts, cut.token);
  if (auto wrong = check_postgres_message(columns, run)) return *std::move(wrong);
  const auto parameters = [&](bool again) {
    again = again || claim.is_doubtful;
    if (again && cut.token != 0) claim.nonces.push_back(fresh_uuid());
    PostgresParameters out;
    out.small(call).bytes(log).count(cut.token).uuid_array(claim.nonces);
    if (cut.is_blind() && call != kDecide && call != kPark) {   // who decides must see
      out.integer(std::nullopt);
    } else {
      out.count(cut.seq);
    }
    out.count(kMostOthers).uuid(op).boolean(again);
    add_facts(out, columns);
    out.boolean(has_decision(facts));
    add_parked(out, run);
    return out;
  };
  auto answer = calls_.ask(kWrite, parameters);
  if (auto* error = std::get_if<StoreError>(&answer)) {
    claim.is_doubtful = claim.is_doubtful || error->kind == Kind::Unknown;
    if (cut.token != 0 && claim.is_doubtful) keep_still(log, std::move(claim));
    return std::move(*error);
  }
  calls_.tell_of(std::get<PostgresRows>(answer), kReadyColumn);
  auto out = write_in(std::get<PostgresRows>(answer), log, facts, cut);
  const auto* const refused = std::get_if<StoreError>(&out);
  if (refused != nullptr && refused->kind == Kind::RunMoved) return left(log);
  const bool is_fenced = refused != nullptr && refused->kind == Kind::Fenced;
  if (claim.nonces.size() > 1 && !is_fenced) {        // a refusal has changed the nonce, too
    keep_still(log, {cut.token, {claim.nonces.back()}});
  }
  return out;
}

StoreResult<Written> PostgresStore::written(std::int16_t call, std::string_view log, Cut cut,
                                            std::span<const Fact> facts) {
  auto out = write(call, log, cut, facts, nullptr);
  if (auto* error = std::get_if<StoreError>(&out)) return std::move(*error);
  return static_cast<Written&&>(std::get<ParkResult>(out));
}

StoreResult<Written> PostgresStore::depart(std::string_view log, Cut cut, const Fact& moved) {
  if (auto wrong = check_depart(log, cut, moved)) return *std::move(wrong);
  return written(kDepart, log, cut, {&moved, 1});
}

StoreResult<Written> PostgresStore::put(std::string_view log, Cut cut, std::span<const Fact> facts, Durability) {
  if (auto wrong = check_put(log, cut, facts)) return *std::move(wrong);
  return written(kPut, log, cut, facts);
}

StoreResult<Written> PostgresStore::resumed(std::string_view log, Cut cut, std::span<const Fact> facts) {
  if (auto wrong = check_resume_or_end(log, cut, facts)) return *std::move(wrong);
  return written(kResumed, log, cut, facts);
}

StoreResult<Written> PostgresStore::ended(std::string_view log, Cut cut, std::span<const Fact> facts) {
  if (auto wrong = check_resume_or_end(log, cut, facts)) return *std::move(wrong);
  return written(kEnded, log, cut, facts);
}

StoreResult<Decided> PostgresStore::decide(std::string_view log, Cut cut, std::span<const Fact> facts) {
  if (auto wrong = check_decide(log, cut, facts)) return *std::move(wrong);
  auto out = write(kDecide, log, cut, facts, nullptr);
  if (auto* error = std::get_if<StoreError>(&out)) return std::move(*error);
  auto& done = std::get<ParkResult>(out);
  return Decided{static_cast<Written&&>(done), std::move(done.conflict)};
}

StoreResult<ParkResult> PostgresStore::park(std::string_view log, Cut cut, std::span<const Fact> facts,
                                            const Parked& run) {
  if (auto wrong = check_park(log, cut, facts, run)) return *std::move(wrong);
  return write(kPark, log, cut, facts, &run);
}

StoreResult<std::vector<Fact>> PostgresStore::facts_after(std::string_view log, std::uint64_t after, std::size_t most,
                                                          bool notable) {
  if (auto wrong = check_postgres_log(log)) return *std::move(wrong);
  PostgresParameters parameters;
  parameters.bytes(log).count(after).count(most).boolean(notable);
  return read_rows<std::vector<Fact>>(calls_.look(kFactsAfter, parameters), facts_in);
}

StoreResult<std::vector<Fact>> PostgresStore::read(std::string_view log, std::uint64_t after, std::size_t most) {
  auto out = facts_after(log, after, most, false);
  if (const auto* facts = std::get_if<std::vector<Fact>>(&out)) {
    for (std::size_t i = 0; i < facts->size(); ++i) {
      if ((*facts)[i].seq == after + i + 1) continue;
      return StoreError{Kind::Corrupt, "fact " + std::to_string(after + i + 1) + " of the log is missing"};
    }
  }
  return out;
}

StoreResult<std::vector<Fact>> PostgresStore::read_notable(std::string_view log, std::uint64_t after,
                                                           std::size_t most) {
  return facts_after(log, after, most, true);
}

StoreResult<std::optional<Fact>> PostgresStore::find(std::string_view log, std::string_view key) {
  if (auto wrong = check_postgres_log(log)) return *std::move(wrong);
  const std::string indexed = indexed_key(key);
  PostgresParameters parameters;
  parameters.bytes(log).bytes(indexed);
  return read_rows<std::optional<Fact>>(calls_.look(kFind, parameters),
                                        [&](const PostgresRows& rows) -> StoreResult<std::optional<Fact>> {
                                          if (rows.count() == 0) return std::optional<Fact>();
                                          auto fact = fact_in(rows, 0, 0);
                                          if (auto* error = std::get_if<StoreError>(&fact)) return std::move(*error);
                                          if (std::get<Fact>(fact).key != key)
                                            return StoreError{Kind::Corrupt, "the index of keys is damaged"};
                                          return std::optional(std::get<Fact>(std::move(fact)));
                                        });
}

StoreResult<std::vector<Fact>> PostgresStore::open_calls(std::string_view log) {
  if (auto wrong = check_postgres_log(log)) return *std::move(wrong);
  PostgresParameters parameters;
  parameters.bytes(log);
  return read_rows<std::vector<Fact>>(calls_.look(kOpenCalls, parameters), facts_in);
}

StoreResult<std::optional<Parked>> PostgresStore::parked(std::string_view log) {
  if (auto wrong = check_postgres_log(log)) return *std::move(wrong);
  std::optional<Parked> out;
  std::size_t size = 0;
  PostgresParameters parameters;
  parameters.bytes(log).integer(kReadPieceBytes);
  const auto begin = [&] { out.reset(); };
  const auto take = [&](const PostgresRows& rows) {
    if (!out) {
      out.emplace();
      size = static_cast<std::size_t>(rows.count_at(0, 1));
      out->snapshot.reserve(size);
      out->continuation = rows.bytes_at(0, 3);
      if (!rows.null_at(0, 4)) out->deadline_ms = rows.integer_at(0, 4);
      out->observed_seq = rows.count_at(0, 5);
      out->wait_keys = rows.byte_array_at(0, 6);
    }
    if (rows.count_at(0, 0) != out->snapshot.size()) return;   // out of order, and so the size will not be right
    const std::string_view piece = rows.bytes_at(0, 2);
    out->snapshot.insert(out->snapshot.end(), piece.begin(), piece.end());
  };
  auto done = calls_.look_each(kParked, parameters, begin, take);
  if (auto* error = std::get_if<StoreError>(&done)) return std::move(*error);
  if (out && out->snapshot.size() != size) return StoreError{Kind::Corrupt, "pieces of a parked run are missing"};
  return out;
}

StoreResult<std::vector<RunInfo>> PostgresStore::infos(std::string_view after, std::optional<std::size_t> most) {
  PostgresParameters parameters;
  parameters.bytes(after);
  if (most) {
    parameters.count(*most);
  } else {
    parameters.integer(std::nullopt);
  }
  return read_rows<std::vector<RunInfo>>(calls_.look(kRuns, parameters), infos_in);
}

StoreResult<std::optional<RunInfo>> PostgresStore::info(std::string_view log) {
  if (auto wrong = check_postgres_log(log)) return *std::move(wrong);
  auto all = infos(log, std::nullopt);
  if (auto* error = std::get_if<StoreError>(&all)) return std::move(*error);
  auto& found = std::get<std::vector<RunInfo>>(all);
  return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

StoreResult<std::vector<RunInfo>> PostgresStore::runs(std::string_view after, std::size_t most) {
  return infos(after, most);
}

StoreResult<std::vector<std::string>> PostgresStore::woken(std::int64_t now_ms, std::size_t most) {
  PostgresParameters parameters;
  parameters.integer(now(now_ms)).count(most);
  return read_rows<std::vector<std::string>>(calls_.look(kWoken, parameters),
                                             [](const PostgresRows& rows) -> StoreResult<std::vector<std::string>> {
                                               std::vector<std::string> out;
                                               for (int row = 0; row < rows.count(); ++row)
                                                 out.emplace_back(rows.bytes_at(row, 0));
                                               return out;
                                             });
}

StoreResult<Claim> PostgresStore::claim(std::string_view log, std::string_view owner, std::int64_t now_ms,
                                        std::int64_t lease_ms, std::optional<std::uint64_t> dead) {
  if (auto wrong = check_claim(log, owner, lease_ms)) return *std::move(wrong);
  if (auto wrong = check_size(log)) return *std::move(wrong);
  const PostgresUuid fresh = fresh_uuid();
  const auto parameters = [&](bool) {
    PostgresParameters out;
    out.bytes(log).bytes(owner).uuid(fresh).integer(now(now_ms)).integer(lease_ms);
    if (dead) {
      out.count(*dead);
    } else {
      out.integer(std::nullopt);
    }
    return out;
  };
  for (;;) {
    auto answer = calls_.ask(kClaim, parameters);
    if (auto* error = std::get_if<StoreError>(&answer)) return std::move(*error);
    const auto& rows = std::get<PostgresRows>(answer);
    const Claim held{0, false, std::string(rows.bytes_at(0, 2)), rows.count_at(0, 1), rows.integer_at(0, 3)};
    const auto told = static_cast<ClaimAnswer>(rows.integer_at(0, 0));
    if (told == ClaimAnswer::Left) return left(log);
    if (told == ClaimAnswer::Granted) {
      keep(log, {held.held_token, {fresh}});
      return Claim{held.held_token, true, held.owner, held.held_token, held.until_ms};
    }
    if (told == ClaimAnswer::Held || is_held_by_the_living(log, held.owner, held.held_token)) return held;
    dead = held.held_token;   // only this process can find that out; another claim meanwhile refuses
  }
}

StoreResult<bool> PostgresStore::renew(std::string_view log, std::uint64_t token, std::int64_t now_ms,
                                       std::int64_t lease_ms) {
  if (auto wrong = check_postgres_log(log)) return *std::move(wrong);
  if (auto wrong = check_lease(lease_ms)) return *std::move(wrong);
  const Held claim = held(log, token);
  if (token == 0 || claim.nonces.empty()) return false;
  PostgresParameters parameters;
  parameters.bytes(log).count(token).uuid_array(claim.nonces).integer(now(now_ms)).integer(lease_ms);
  return read_rows<bool>(calls_.look(kRenew, parameters),   // twice is as good as once
                         [](const PostgresRows& rows) -> StoreResult<bool> { return rows.boolean_at(0, 0); });
}

StoreResult<bool> PostgresStore::release(std::string_view log, std::uint64_t token) {
  if (auto wrong = check_postgres_log(log)) return *std::move(wrong);
  const Held claim = held(log, token);
  if (token == 0 || claim.nonces.empty()) return false;
  const auto parameters = [&](bool again) {
    PostgresParameters out;
    out.bytes(log).count(token).uuid_array(claim.nonces).boolean(again);
    return out;
  };
  auto out = read_rows<bool>(calls_.ask(kRelease, parameters),
                             [](const PostgresRows& rows) -> StoreResult<bool> { return rows.boolean_at(0, 0); });
  forget(log, token);
  return out;
}

}   // namespace ptc
