// Runs that leave a database for another store, and that come from one (run_move.h).
#include <algorithm>

#include "runtime/log/postgres/postgres_answers.h"
#include "runtime/log/postgres/postgres_rows.h"
#include "runtime/log/postgres/postgres_seals.h"
#include "runtime/log/postgres/postgres_store.h"
#include "runtime/log/queue_protocol.h"
#include "runtime/log/run_move.h"
#include "runtime/log/store_rules.h"

namespace ptc {
namespace {

constexpr char kArrive[] =
    "SELECT * FROM ptcvm.arrive($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17,$18,$19,$20,"
    "coalesce($21,lo_get($22)),$23,$24,$25,$26,$27,$28,$29,$30)";
constexpr char kSettle[] = "SELECT * FROM ptcvm.settle_departure($1,$2)";

std::vector<std::int64_t> numbers_of(const JobRow& job) {
  return {static_cast<std::int64_t>(job.state), job.priority, job.format, job.crashes, job.attempts, job.most_attempts,
          job.at_ms, static_cast<std::int64_t>(job.crash_head), job.is_cancelled ? 1 : 0};
}

// The parameters of a job. Without one: whose the run is, or nulls.
void add_job(PostgresParameters& out, const std::optional<JobRow>& job, const std::optional<std::string>& tenant) {
  if (!job) {
    out.null_bytes();
    tenant ? out.bytes(*tenant) : out.null_bytes();
    out.integer_array({}).byte_array({}).null_bytes();
    return;
  }
  out.bytes(job->queue).bytes(job->tenant).integer_array(numbers_of(*job));
  out.byte_array(std::vector<std::optional<std::string>>(job->needs.begin(), job->needs.end())).bytes(job->reason);
}

StoreResult<bool> is_done_in(const PostgresRows& rows) { return rows.boolean_at(0, 0); }

}   // namespace

StoreError PostgresStore::left(std::string_view log) {
  const auto known = info(log);
  const auto* const found = std::get_if<std::optional<RunInfo>>(&known);
  if (found == nullptr || !*found) return run_moved(log, "");
  const auto last = read(log, (*found)->head - 1, 1);
  const auto* const facts = std::get_if<std::vector<Fact>>(&last);
  return run_moved(log, facts == nullptr || facts->empty() ? "" : facts->front().text);
}

StoreResult<bool> PostgresStore::arrive(const Arrival& run, std::int64_t now_ms) {
  if (auto wrong = check_arrival(run)) return *std::move(wrong);
  if (auto wrong = check_postgres_log(run.log)) return *std::move(wrong);
  const Parked* const parked = run.parked ? &*run.parked : nullptr;
  const FactColumns columns = fact_columns(run.facts);
  if (auto wrong = check_postgres_message(columns, parked)) return *std::move(wrong);
  std::vector<std::int64_t> writers;
  for (const Fact& fact : run.facts) writers.push_back(static_cast<std::int64_t>(fact.writer));
  std::optional<StoreResult<bool>> told;
  const auto once = [&](const NextSeal& seal) -> StoreResult<SealedWrite> {
    const std::int64_t op = fresh_op();
    const auto parameters = [&](bool again) {
      PostgresParameters out;
      out.bytes(run.log).count(run.before).integer(op).boolean(again).integer_array(writers);
      add_facts(out, columns);
      out.small(static_cast<std::int16_t>(run.state)).count(run.token);
      add_parked(out, parked);
      add_job(out, run.job, run.tenant);
      out.integer(now(now_ms));
      add_envelope(add_envelope(out, seal.after), seal.before);
      return out;
    };
    const auto answer = calls_.ask(kArrive, parameters);
    if (const auto* error = std::get_if<StoreError>(&answer)) {
      return error->kind == StoreError::Kind::WrongTenant ? wrong_tenant(run.log) : *error;
    }
    const auto& rows = std::get<PostgresRows>(answer);
    if (rows.null_at(0, 0)) return SealedWrite::Changed;
    told = rows.boolean_at(0, 0);
    return rows.boolean_at(0, 0) ? SealedWrite::Written : SealedWrite::Kept;
  };
  if (!has_ring()) {
    const auto done = once({});
    if (const auto* error = std::get_if<StoreError>(&done)) return *error;
    return told ? *std::move(told) : StoreResult<bool>(keys_needed(run.log));
  }
  const auto next = [&](const LogHead& known, bool) -> StoreResult<LogHead> {
    if (known.seq != run.before) return known;   // the answer will be no
    auto head = seals_->appended(run.log, known, columns, false);
    if (auto* out = std::get_if<LogHead>(&head)) {
      out->parked = parked == nullptr ? Digest() : parked_digest(run.log, *parked);
      out->token = std::max(out->token, run.token);
    }
    return head;
  };
  if (auto failed = seals_->write(run.log, run.job ? &run.job->tenant : nullptr, next, once)) return *std::move(failed);
  return *std::move(told);
}

StoreResult<bool> PostgresStore::settle_departure(std::string_view log, std::string_view key) {
  if (auto wrong = check_postgres_log(log)) return *std::move(wrong);
  const std::string indexed = indexed_key(key);
  PostgresParameters parameters;
  parameters.bytes(log).bytes(indexed);
  return answer_of<bool>(calls_.look(kSettle, parameters), is_done_in);   // twice is as good as once
}

}   // namespace ptc
