#include "runtime/log/postgres/postgres_queue.h"

#include <algorithm>

#include "runtime/log/postgres/postgres_rows.h"
#include "runtime/log/postgres/postgres_answers.h"
#include "runtime/log/postgres/postgres_listener.h"
#include "runtime/log/postgres/postgres_opening.h"
#include "runtime/log/postgres/postgres_seals.h"
#include "runtime/log/postgres/postgres_store.h"
#include "runtime/log/queue_protocol.h"
#include "runtime/log/store_rules.h"

namespace ptc {
namespace {

using Kind = StoreError::Kind;

constexpr char kJoin[] = "SELECT * FROM ptcvm.node_join($1,$2,$3,$4,$5,$6,$7)";
constexpr char kBeat[] = "SELECT * FROM ptcvm.node_beat($1,$2)";
constexpr char kLeave[] = "SELECT * FROM ptcvm.node_leave($1,$2,$3)";
constexpr char kDrain[] = "SELECT * FROM ptcvm.node_drain($1)";
constexpr char kAllNodes[] = "SELECT * FROM ptcvm.nodes()";
constexpr char kClaimNext[] = "SELECT * FROM ptcvm.claim_next($1,$2,$3,$4,$5,$6,$7,$8)";
constexpr char kFinish[] =
    "SELECT f.*, current_setting('ptcvm.ready', true) FROM ptcvm.finish($1,$2,$3,$4,$5,$6,$7,$8,$9) f";
constexpr char kGiveBackOthers[] = "SELECT * FROM ptcvm.node_give_back($1,$2,$3,$4)";
constexpr char kRescue[] = "SELECT * FROM ptcvm.rescue($1,$2)";
constexpr char kSetLimits[] = "SELECT * FROM ptcvm.set_queue($1,$2,$3,$4,$5,$6,$7)";
constexpr char kAllQueues[] = "SELECT * FROM ptcvm.queues()";
constexpr char kCancel[] = "SELECT * FROM ptcvm.cancel($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11)";
constexpr char kRetryJob[] = "SELECT * FROM ptcvm.retry($1,$2,$3)";
constexpr char kJobsOf[] = "SELECT * FROM ptcvm.jobs_of($1)";
constexpr char kJobRows[] = "SELECT * FROM ptcvm.jobs($1,$2,$3,$4)";

constexpr std::size_t kMostClaims = 1'000;   // at once
constexpr int kWake = 16;                    // the column of ptcvm.claim_next() that says when the run was woken

std::int32_t small_at(const PostgresRows& rows, int row, int column) {
  return static_cast<std::int32_t>(rows.integer_at(row, column));
}

NodeRow node_at(const PostgresRows& rows, int row) {   // the column 1 is the nonce
  NodeRow out;
  out.id = rows.count_at(row, 0);
  out.name = rows.bytes_at(row, 2);
  out.owner = rows.bytes_at(row, 3);
  out.build = rows.bytes_at(row, 4);
  out.format = small_at(rows, row, 5);
  out.lease_ms = rows.integer_at(row, 6);
  out.started_ms = rows.integer_at(row, 7);
  out.until_ms = rows.integer_at(row, 8);
  out.is_draining = rows.boolean_at(row, 9);
  out.has_left = rows.boolean_at(row, 10);
  return out;
}

std::optional<std::int64_t> limit_at(const PostgresRows& rows, int row, int column) {
  return rows.null_at(row, column) ? std::nullopt : std::optional(rows.integer_at(row, column));
}

QueueRow queue_at(const PostgresRows& rows, int row) {
  QueueRow out;
  out.name = rows.bytes_at(row, 0);
  out.is_paused = rows.boolean_at(row, 1);
  out.slots = limit_at(rows, row, 2);
  out.tenant_slots = limit_at(rows, row, 3);
  out.starts_per_hour = limit_at(rows, row, 4);
  out.burst = rows.integer_at(row, 5);
  out.most_crashes = small_at(rows, row, 6);
  out.tokens = rows.integer_at(row, 7);
  out.filled_ms = rows.integer_at(row, 8);
  out.pass = rows.integer_at(row, 9);
  return out;
}

StoreResult<std::vector<JobRow>> jobs_in(const PostgresRows& rows) {
  std::vector<JobRow> out;
  for (int row = 0; row < rows.count(); ++row) {
    JobRow& job = out.emplace_back();
    job.id = rows.count_at(row, 0);
    job.log = rows.bytes_at(row, 1);
    job.queue = rows.bytes_at(row, 2);
    job.tenant = rows.bytes_at(row, 3);
    const std::int64_t state = rows.integer_at(row, 4);
    if (state < 0 || state > static_cast<std::int64_t>(JobState::DependencyFailed)) {
      return StoreError{Kind::Corrupt, "a job in no known state"};
    }
    job.state = static_cast<JobState>(state);
    job.priority = small_at(rows, row, 5);
    job.format = small_at(rows, row, 6);
    job.crashes = small_at(rows, row, 7);
    job.attempts = small_at(rows, row, 8);
    job.most_attempts = small_at(rows, row, 9);
    job.needs = rows.byte_array_at(row, 10);
    job.pass = rows.integer_at(row, 11);
    job.at_ms = rows.integer_at(row, 12);
    job.node = rows.count_at(row, 13);
    job.token = rows.count_at(row, 14);
    job.crash_head = rows.count_at(row, 15);
    job.reason = rows.bytes_at(row, 16);
    job.is_cancelled = rows.boolean_at(row, 17);
    job.blockers = small_at(rows, row, 18);
  }
  return out;
}

StoreResult<std::vector<std::string>> logs_in(const PostgresRows& rows) {
  std::vector<std::string> out;
  for (int row = 0; row < rows.count(); ++row) out.emplace_back(rows.bytes_at(row, 0));
  return out;
}

StoreResult<bool> yes_in(const PostgresRows& rows) { return rows.boolean_at(0, 0); }

constexpr std::int64_t kSealDiffers = 5, kCopy = 6;

// What ptcvm.cancel() and ptcvm.retry() answer.
StoreResult<bool> told_in(const PostgresRows& rows, std::string_view log) {
  const std::int64_t answer = rows.integer_at(0, 0);
  if (answer == 4) return run_moved(log, "");
  if (answer == kCopy) return copy_is_no_job(log);
  if (answer == kSealDiffers) return keys_needed(log);
  if (answer == 2) return no_job(log);
  if (answer == 3) return wrong_tenant(log);
  return answer == 1;
}

}   // namespace

std::unique_ptr<WakeHints> PostgresQueue::listen(std::span<const std::string> queues, std::function<void()> on_hint) {
  return std::make_unique<PostgresListener>(store_.calls_.url(), queues, std::move(on_hint));
}

StoreResult<NodeRow> PostgresQueue::join(const NodeInfo& node, std::int64_t now_ms) {
  if (auto wrong = check_node(node)) return *std::move(wrong);
  const PostgresUuid nonce = fresh_uuid();
  const auto parameters = [&](bool) {
    PostgresParameters out;
    out.uuid(nonce).bytes(node.name).bytes(node.owner).bytes(node.build).integer(node.format);
    out.integer(node.lease_ms).integer(store_.now(now_ms));
    return out;
  };
  return answer_of<NodeRow>(store_.calls_.ask(kJoin, parameters),
                            [](const PostgresRows& rows) -> StoreResult<NodeRow> { return node_at(rows, 0); });
}

StoreResult<Heartbeat> PostgresQueue::beat(std::uint64_t node, std::int64_t now_ms) {
  PostgresParameters parameters;
  parameters.count(node).integer(store_.now(now_ms));
  const auto read = [](const PostgresRows& rows) -> StoreResult<Heartbeat> {
    Heartbeat out{rows.boolean_at(0, 0), rows.boolean_at(0, 1), {}, rows.integer_at(0, 3)};
    for (int row = 1; row < rows.count(); ++row) out.cancelled.emplace_back(rows.bytes_at(row, 2));
    return out;
  };
  return answer_of<Heartbeat>(store_.calls_.look(kBeat, parameters), read);   // twice is as good as once
}

StoreResult<bool> PostgresQueue::leave(std::uint64_t node, std::int64_t now_ms) {
  const auto parameters = [&](bool again) {
    PostgresParameters out;
    out.count(node).integer(store_.now(now_ms)).boolean(again);
    return out;
  };
  return answer_of<bool>(store_.calls_.ask(kLeave, parameters), yes_in);
}

StoreResult<bool> PostgresQueue::drain(std::uint64_t node) {
  PostgresParameters parameters;
  parameters.count(node);
  return answer_of<bool>(store_.calls_.look(kDrain, parameters), yes_in);
}

StoreResult<std::vector<NodeRow>> PostgresQueue::nodes() {
  return all_of(store_.calls_.look(kAllNodes, {}), node_at);
}

StoreResult<std::vector<ClaimedRun>> PostgresQueue::claim_next(std::uint64_t node, std::string_view queue,
                                                               std::span<const std::string> tools, std::size_t most,
                                                               std::int64_t now_ms) {
  std::vector<PostgresUuid> nonces(std::min(most, kMostClaims));
  for (PostgresUuid& nonce : nonces) nonce = fresh_uuid();
  const std::vector<std::optional<std::string>> names(tools.begin(), tools.end());
  const auto parameters = [&](bool again) {
    PostgresParameters out;
    out.count(node).bytes(queue).byte_array(names).count(most).uuid_array(nonces).integer(store_.now(now_ms));
    out.boolean(again).boolean(store_.has_ring());
    return out;
  };
  const auto read = [&](const PostgresRows& rows) -> StoreResult<std::vector<ClaimedRun>> {
    std::vector<ClaimedRun> out;
    for (int row = 0; row < rows.count(); ++row) {
      if (rows.null_at(row, 0)) return dead_node(node);
      ClaimedRun run{std::string(rows.bytes_at(row, 0)), std::string(rows.bytes_at(row, 1)), rows.count_at(row, 2),
                     rows.boolean_at(row, 4), small_at(rows, row, 5), std::nullopt, limit_at(rows, row, kWake)};
      PostgresUuid nonce{};
      std::ranges::copy_n(rows.bytes_at(row, 3).begin(), static_cast<std::ptrdiff_t>(nonce.size()), nonce.begin());
      store_.keep(run.log, {run.token, {nonce}});
      if (store_.has_ring()) {           // what opening the run reads must be checked
        store_.seals_->claimed_by_queue(run.log, run.token, run.tenant);
      } else {
        run.opening = small_opening_in(rows, row, 6);
      }
      out.push_back(std::move(run));
    }
    return out;
  };
  return answer_of<std::vector<ClaimedRun>>(store_.calls_.ask(kClaimNext, parameters), read);
}

StoreResult<bool> PostgresQueue::finish(std::string_view log, std::uint64_t token, const Finish& how,
                                        std::int64_t now_ms) {
  if (auto wrong = check_log(log)) return *std::move(wrong);
  if (auto wrong = check_finish(how)) return *std::move(wrong);
  const std::vector<PostgresUuid> nonces = store_.held(log, token).nonces;
  if (token == 0 || nonces.empty()) return false;
  const auto parameters = [&](bool again) {
    PostgresParameters out;
    out.bytes(log).count(token).uuid_array(nonces).integer(static_cast<std::int64_t>(how.kind)).integer(how.delay_ms);
    out.bytes(how.reason).count(how.head).integer(store_.now(now_ms)).boolean(again);
    return out;
  };
  auto answer = store_.calls_.ask(kFinish, parameters);
  if (const auto* rows = std::get_if<PostgresRows>(&answer)) store_.calls_.tell_of(*rows, 1);
  auto out = answer_of<bool>(std::move(answer), yes_in);
  if (!std::holds_alternative<StoreError>(out)) store_.forget(log, token);   // else the caller may ask again
  if (store_.has_ring() && !std::holds_alternative<StoreError>(out)) store_.seals_->finished(log);
  return out;
}

StoreResult<std::vector<std::string>> PostgresQueue::give_back_others(std::uint64_t node,
                                                                      std::span<const KnownClaim> known,
                                                                      std::int64_t now_ms) {
  std::vector<std::optional<std::string>> logs;
  std::vector<std::int64_t> tokens;
  for (const KnownClaim& claim : known) {
    logs.emplace_back(claim.log);
    tokens.push_back(static_cast<std::int64_t>(claim.token));
  }
  PostgresParameters parameters;
  parameters.count(node).byte_array(logs).integer_array(tokens).integer(store_.now(now_ms));
  return answer_of<std::vector<std::string>>(store_.calls_.look(kGiveBackOthers, parameters), logs_in);
}

StoreResult<std::vector<std::string>> PostgresQueue::rescue(std::size_t most, std::int64_t now_ms) {
  PostgresParameters parameters;
  parameters.count(most).integer(store_.now(now_ms));
  return answer_of<std::vector<std::string>>(store_.calls_.look(kRescue, parameters), logs_in);
}

StoreResult<std::monostate> PostgresQueue::set_queue(const QueueLimits& limits) {
  if (auto wrong = check_limits(limits)) return *std::move(wrong);
  PostgresParameters parameters;
  parameters.bytes(limits.name).boolean(limits.is_paused).integer(limits.slots).integer(limits.tenant_slots);
  parameters.integer(limits.starts_per_hour).integer(limits.burst).integer(limits.most_crashes);
  return answer_of<std::monostate>(
      store_.calls_.look(kSetLimits, parameters),
      [](const PostgresRows&) -> StoreResult<std::monostate> { return std::monostate{}; });
}

StoreResult<std::vector<QueueRow>> PostgresQueue::queues() {
  return all_of(store_.calls_.look(kAllQueues, {}), queue_at);
}

StoreResult<bool> PostgresQueue::cancel(std::string_view log, std::string_view tenant, std::string_view reason,
                                        std::string_view by, std::int64_t now_ms) {
  const Fact fact = cancel_fact(reason, by, now_ms);
  if (auto wrong = check_put(log, Cut::blind(), {&fact, 1})) return *std::move(wrong);
  if (auto wrong = check_tenant(tenant)) return *std::move(wrong);
  const FactColumns columns = fact_columns({&fact, 1}, 0);
  std::optional<StoreResult<bool>> told;
  const auto once = [&](const NextSeal& seal) -> StoreResult<SealedWrite> {
    const std::int64_t op = fresh_op();
    const auto parameters = [&](bool again) {
      PostgresParameters out;
      out.bytes(log).bytes(tenant).integer(op).integer(columns.times[0]).small(columns.ranks[0]);
      out.bytes(*columns.bodies[0]).integer(store_.now(now_ms)).boolean(again);
      add_seal(out, store_.has_ring() ? &seal : nullptr);
      return out;
    };
    auto answer = store_.calls_.ask(kCancel, parameters);
    const auto* const rows = std::get_if<PostgresRows>(&answer);
    const bool has_changed = rows != nullptr && rows->integer_at(0, 0) == kSealDiffers;
    told = answer_of<bool>(std::move(answer), [&](const PostgresRows& all) { return told_in(all, log); });
    const auto* const is_done = std::get_if<bool>(&*told);
    if (has_changed) return SealedWrite::Changed;
    return is_done != nullptr && *is_done ? SealedWrite::Written : SealedWrite::Kept;
  };
  if (!store_.has_ring()) {
    (void)once({});
    return *std::move(told);
  }
  const auto next = [&](const LogHead& now, bool) { return store_.seals_->appended(log, now, columns, false); };
  const std::string whose(tenant);
  auto failed = store_.seals_->write(log, &whose, next, once);
  if (!failed) return *std::move(told);
  if (!is_of_another_tenant(*failed)) return *std::move(failed);
  const auto answer = once({});        // the run is another tenant's, if its job says so, too
  const bool has_changed = std::holds_alternative<SealedWrite>(answer) &&
                           std::get<SealedWrite>(answer) == SealedWrite::Changed;
  return has_changed ? StoreResult<bool>(*std::move(failed)) : *std::move(told);
}

StoreResult<bool> PostgresQueue::retry(std::string_view log, std::string_view tenant, std::int64_t now_ms) {
  if (auto wrong = check_log(log)) return *std::move(wrong);
  if (auto wrong = check_tenant(tenant)) return *std::move(wrong);
  PostgresParameters parameters;
  parameters.bytes(log).bytes(tenant).integer(store_.now(now_ms));
  return answer_of<bool>(store_.calls_.look(kRetryJob, parameters),
                         [&](const PostgresRows& rows) { return told_in(rows, log); });
}

StoreResult<std::vector<JobRow>> PostgresQueue::job_rows(PostgresParameters parameters) {
  return answer_of<std::vector<JobRow>>(store_.calls_.look(kJobRows, parameters), jobs_in);
}

StoreResult<std::optional<JobRow>> PostgresQueue::job(std::string_view log) {
  if (auto wrong = check_log(log)) return *std::move(wrong);
  PostgresParameters parameters;
  parameters.bytes(log).small(0).integer(0).integer(1);
  auto rows = job_rows(std::move(parameters));
  if (auto* error = std::get_if<StoreError>(&rows)) return std::move(*error);
  auto& found = std::get<std::vector<JobRow>>(rows);
  return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

StoreResult<std::vector<JobRow>> PostgresQueue::jobs_of(std::span<const std::string> logs) {
  if (logs.empty()) return std::vector<JobRow>();
  const std::vector<std::optional<std::string>> names(logs.begin(), logs.end());
  PostgresParameters parameters;
  parameters.byte_array(names);
  return answer_of<std::vector<JobRow>>(store_.calls_.look(kJobsOf, parameters), jobs_in);
}

StoreResult<std::vector<JobRow>> PostgresQueue::jobs(JobState state, std::uint64_t after, std::size_t most) {
  PostgresParameters parameters;
  parameters.null_bytes().small(static_cast<std::int16_t>(state)).count(after).count(most);
  return job_rows(std::move(parameters));
}

}   // namespace ptc
