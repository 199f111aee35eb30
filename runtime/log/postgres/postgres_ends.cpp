// The end of a log and of its job in one call.
#include "runtime/log/postgres/postgres_queue.h"
#include "runtime/log/postgres/postgres_rows.h"
#include "runtime/log/postgres/postgres_store.h"
#include "runtime/log/store_rules.h"

namespace ptc {
namespace {

constexpr char kEndJob[] =
    "SELECT e.*, current_setting('ptcvm.ready', true) FROM ptcvm.end_job($1,$2,$3,$4,$5,$6,$7,$8,$9,$10) e";
constexpr int kReadyColumn = 1;

}   // namespace

// An attempt whose connection broke may come late. What is written next then gives the claim another nonce.
StoreResult<std::optional<Written>> PostgresStore::end_job(std::string_view log, Cut cut, const Fact& end,
                                                           std::int64_t now_ms) {
  using Done = std::optional<Written>;
  if (auto wrong = check_end_job(log, cut, end)) return *std::move(wrong);
  if (auto wrong = check_postgres_log(log)) return *std::move(wrong);
  const FactColumns columns = fact_columns({&end, 1}, cut.token);
  if (auto wrong = check_postgres_message(columns, nullptr)) return *std::move(wrong);
  Held claim = held(log, cut.token);
  if (has_ring() || claim.nonces.empty() || claim.is_doubtful) return Done();
  const std::int64_t op = fresh_op();
  const auto parameters = [&](bool again) {
    claim.is_doubtful = claim.is_doubtful || again;
    PostgresParameters out;
    out.bytes(log).count(cut.token).uuid_array(claim.nonces).count(cut.seq).integer(op).boolean(again);
    out.integer(end.time_ms).small(columns.ranks[0]).bytes(*columns.bodies[0]).integer(now(now_ms));
    return out;
  };
  auto answer = calls_.ask(kEndJob, parameters);
  const auto* const rows = std::get_if<PostgresRows>(&answer);
  if (rows != nullptr && rows->count() != 0) {
    calls_.tell_of(*rows, kReadyColumn);
    forget(log, cut.token);
    Written out;
    out.head = rows->count_at(0, 0);
    out.puts.push_back({written_fact(end, out.head, cut.token), true});
    return Done(std::move(out));
  }
  const auto* const error = std::get_if<StoreError>(&answer);
  claim.is_doubtful = claim.is_doubtful || (error != nullptr && error->kind == StoreError::Kind::Unknown);
  if (claim.is_doubtful) keep_still(log, std::move(claim));
  return error != nullptr ? StoreResult<Done>(*error) : Done();
}

}   // namespace ptc
