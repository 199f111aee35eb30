#include "runtime/log/postgres/postgres_store.h"

#include <algorithm>

#include "runtime/log/living_claims.h"
#include "runtime/log/postgres/postgres_answers.h"
#include "runtime/log/postgres/postgres_queue.h"
#include "runtime/log/postgres/postgres_rows.h"
#include "runtime/log/postgres/postgres_schema.h"
#include "runtime/log/postgres/postgres_seals.h"
#include "runtime/log/store_rules.h"

namespace ptc {
namespace {

using Kind = StoreError::Kind;

// The first argument of ptcvm.write().
constexpr std::int16_t kPut = 0, kDecide = 1, kPark = 2, kResumed = 3, kEnded = 4, kDepart = 5, kEndedWell = 6;

constexpr char kWrite[] =
    "SELECT w.*, current_setting('ptcvm.ready', true) FROM "
    "ptcvm.write($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17,$18,$19,$20,$21,$22,"
    "coalesce($23,lo_get($24)),$25,$26,$27,$28) w";
constexpr int kReadyColumn = 4;
constexpr char kClaim[] = "SELECT * FROM ptcvm.claim($1,$2,$3,$4,$5,$6,$7)";
constexpr char kRenew[] = "SELECT * FROM ptcvm.renew($1,$2,$3,$4,$5)";
constexpr char kRelease[] = "SELECT * FROM ptcvm.release($1,$2,$3,$4)";

// What ptcvm.claim() answers.
enum class ClaimAnswer : std::uint8_t { Granted, Held, Lapsed, Left, Sealed };

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
  std::size_t bytes = run == nullptr ? 0 : run->snapshot_size();
  for (const auto& body : facts.bodies) bytes += body->size();
  if (bytes <= kMostBytes) return std::nullopt;
  return StoreError{Kind::Misuse, "a write has " + std::to_string(bytes) +
                                      " bytes; a store in PostgreSQL takes up to " + std::to_string(kMostBytes) +
                                      " at once"};
}

PostgresStore::PostgresStore(const std::string& url, const PostgresOptions& options)
    : calls_(url, options.connections, options.patience), clock_(options.clock),
      queue_(std::make_unique<PostgresQueue>(*this)),
      seals_(options.sealer == nullptr ? nullptr
                                       : std::make_unique<PostgresSeals>(calls_, options.sealer, [this](auto log) {
                                           return unchecked_parked(log);
                                         })) {}
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

struct PostgresStore::OneWrite {
  std::int16_t call = 0;
  std::string_view log;
  Cut cut;
  std::span<const Fact> facts;
  const FactColumns& columns;
  const Parked* run = nullptr;
};

StoreResult<ParkResult> PostgresStore::write(std::int16_t call, std::string_view log, Cut cut,
                                             std::span<const Fact> facts, const Parked* run) {
  if (auto wrong = check_size(log)) return *std::move(wrong);
  const FactColumns columns = fact_columns(facts, cut.token);
  if (auto wrong = check_postgres_message(columns, run)) return *std::move(wrong);
  const OneWrite given{call, log, cut, facts, columns, run};
  return has_ring() ? write_sealed(given) : write_once(given, nullptr);
}

StoreResult<ParkResult> PostgresStore::write_sealed(const OneWrite& given) {
  const auto next = [&](const LogHead& now, bool may_be_taken) -> StoreResult<LogHead> {
    auto head = seals_->appended(given.log, now, given.columns, may_be_taken);
    auto* const out = std::get_if<LogHead>(&head);
    if (out == nullptr) return head;
    if (given.call == kPark) out->parked = parked_digest(given.log, *given.run);
    if (given.call == kEnded || given.call == kEndedWell) out->parked = Digest();
    if (*out != now) out->token = std::max(out->token, given.cut.token);
    return head;
  };
  std::optional<StoreResult<ParkResult>> out;
  const auto once = [&](const NextSeal& seal) -> StoreResult<SealedWrite> {
    out = write_once(given, &seal);
    if (const auto* error = std::get_if<StoreError>(&*out)) {
      const bool has_changed = error->seal == kLogChanged || error->seal == keys_needed(given.log).seal;
      return has_changed ? SealedWrite::Changed : SealedWrite::Kept;
    }
    const auto& done = std::get<ParkResult>(*out);
    return done.conflict || done.arrived ? SealedWrite::Kept : SealedWrite::Written;
  };
  if (auto failed = seals_->write(given.log, nullptr, next, once)) return *std::move(failed);
  return *std::move(out);
}

StoreResult<ParkResult> PostgresStore::write_once(const OneWrite& given, const NextSeal* seal) {
  const auto& [call, log, cut, facts, columns, run] = given;
  const std::int64_t op = fresh_op();
  Held claim;
  if (cut.token != 0) {
    claim = held(log, cut.token);
    if (claim.nonces.empty()) return StoreError{Kind::Fenced, "the claim is not the newest any more"};
  }
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
    out.count(kMostOthers).integer(op).boolean(again);
    add_facts(out, columns);
    out.boolean(has_decision(facts));
    add_parked(out, run);
    add_seal(out, seal);
    out.integer(now(facts.empty() ? 0 : facts.front().time_ms));
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
  return written(ends_well(facts) ? kEndedWell : kEnded, log, cut, facts);
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

StoreResult<Claim> PostgresStore::claim(std::string_view log, std::string_view owner, std::int64_t now_ms,
                                        std::int64_t lease_ms, std::optional<std::uint64_t> dead) {
  if (auto wrong = check_claim(log, owner, lease_ms)) return *std::move(wrong);
  if (auto wrong = check_size(log)) return *std::move(wrong);
  if (has_ring()) {
    const auto now = seals_->check_to_claim(log);
    if (const auto* error = std::get_if<StoreError>(&now)) return *error;
  }
  const PostgresUuid fresh = fresh_uuid();
  const auto parameters = [&](bool) {
    PostgresParameters out;
    out.bytes(log).bytes(owner).uuid(fresh).integer(now(now_ms)).integer(lease_ms);
    if (dead) {
      out.count(*dead);
    } else {
      out.integer(std::nullopt);
    }
    out.boolean(has_ring());
    return out;
  };
  for (;;) {
    auto answer = calls_.ask(kClaim, parameters);
    if (auto* error = std::get_if<StoreError>(&answer)) return std::move(*error);
    const auto& rows = std::get<PostgresRows>(answer);
    const Claim held{0, false, std::string(rows.bytes_at(0, 2)), rows.count_at(0, 1), rows.integer_at(0, 3)};
    const auto told = static_cast<ClaimAnswer>(rows.integer_at(0, 0));
    if (told == ClaimAnswer::Left) return left(log);
    if (told == ClaimAnswer::Sealed) return keys_needed(log);
    if (told == ClaimAnswer::Granted) {
      keep(log, {held.held_token, {fresh}});
      if (has_ring()) seals_->claimed(log, held.held_token);
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
  return answer_of<bool>(calls_.look(kRenew, parameters),   // twice is as good as once
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
  auto out = answer_of<bool>(calls_.ask(kRelease, parameters),
                             [](const PostgresRows& rows) -> StoreResult<bool> { return rows.boolean_at(0, 0); });
  forget(log, token);
  return out;
}

}   // namespace ptc
