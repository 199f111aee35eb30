#include "runtime/log/run_move.h"

#include <algorithm>
#include <utility>

#include "runtime/log/log_writer.h"
#include "runtime/log/process_owner.h"
#include "runtime/log/queue_protocol.h"
#include "runtime/log/run_tenant.h"
#include "runtime/log/store_identity.h"
#include "runtime/log/store_rules.h"
#include "runtime/log/take_answer.h"

namespace ptc {
namespace {

constexpr std::int64_t kLeaseMs = 15'000;   // the claim under which the run leaves

LogState state_named(std::string_view name) {
  for (const LogState state : {LogState::Parked, LogState::Ended}) {
    if (log_state_name(state) == name) return state;
  }
  return LogState::Running;
}

class Move {
 public:
  Move(FactStore& from, FactStore& to, std::string_view run, const MoveOptions& options)
      : from_(from), to_(to), run_(run), options_(options) {}

  StoreResult<MoveOutcome> make() {
    PTC_TAKE(target, store_identity(to_, options_.now_ms));
    PTC_TAKE(source, store_identity(from_, options_.now_ms));
    if (source == target) return MoveOutcome{MoveEnd::SameStore, {}, {}};
    target_ = target;
    for (;;) {   // twice, when somebody else moves the run meanwhile
      PTC_TAKE(known, from_.info(run_));
      if (!known || known->head == 0) return MoveOutcome{MoveEnd::Missing, {}, {}};
      if (has_left(known->state)) return go_on(*known);
      PTC_TAKE(refused, refusal());
      if (refused.end == MoveEnd::Done) {
        PTC_TAKE(left, depart());
        if (left.end != MoveEnd::Done) return left;
        continue;
      }
      PTC_TAKE(after, from_.info(run_));   // what is in the target may be this run, which another mover has brought
      if (!after || !has_left(after->state)) return refused;
    }
  }

 private:
  // What speaks against the move before anything is written. Done: nothing.
  StoreResult<MoveOutcome> refusal() {
    RunLog log;
    const auto add = [&log](const Fact& fact) { log.add(fact); };
    if (auto error = visit_notable(from_, run_, add)) return *std::move(error);
    if (!log.last_start()) return MoveOutcome{MoveEnd::NotARun, {}, {}};
    if (log.is_copy()) return MoveOutcome{MoveEnd::Copy, {}, {}};
    PTC_TAKE(job, own_job());
    PTC_TAKE(tenant, tenant_of(from_, run_));
    if (tenant && options_.tenant && *tenant != *options_.tenant) return wrong_tenant(run_);
    PTC_TAKE(checked, check_target(job, tenant));
    (void)checked;
    PTC_TAKE(there, to_.info(run_));
    if (!there) return MoveOutcome{};
    PTC_TAKE(facts, all_facts(from_, run_));
    PTC_TAKE(before, facts_before(facts));
    return MoveOutcome{before ? MoveEnd::Done : MoveEnd::Exists, {}, {}};
  }

  // Returns WrongTenant when the run would not stay with its tenant. The target checks a job once more when it arrives.
  StoreResult<std::monostate> check_target(const std::optional<JobRow>& job, const std::optional<std::string>& tenant) {
    if (!job) return check_same_tenant(from_, run_, to_, run_);
    PTC_TAKE(foreign, foreign_relative(to_, run_, *tenant));
    return foreign ? StoreResult<std::monostate>(wrong_tenant(*foreign)) : std::monostate{};
  }

  StoreResult<std::optional<JobRow>> own_job() {
    RunQueue* const queue = from_.queue();
    if (queue == nullptr) return std::optional<JobRow>();
    return queue->job(run_);
  }

  // Returns how many of the facts the target has. nullopt: it has another run of that id.
  StoreResult<std::optional<std::uint64_t>> facts_before(const std::vector<Fact>& facts) {
    using Count = std::optional<std::uint64_t>;
    PTC_TAKE(known, to_.info(run_));
    if (!known || known->head == 0) return Count(0);
    if (!has_left(known->state)) return Count();
    PTC_TAKE(there, all_facts(to_, run_));
    const bool goes_on = there.size() <= facts.size() && std::equal(there.begin(), there.end(), facts.begin());
    return goes_on ? Count(there.size()) : Count();
  }

  StoreResult<Claim> claim() {
    PTC_TAKE(claim, from_.claim(run_, process_owner(), options_.now_ms, kLeaseMs));
    if (claim.granted || !owner_is_gone(claim.owner)) return claim;
    return from_.claim(run_, process_owner(), options_.now_ms, kLeaseMs, claim.held_token);
  }

  StoreResult<MoveOutcome> depart() {
    auto claimed = claim();
    if (auto* error = std::get_if<StoreError>(&claimed)) return again_if_moved(std::move(*error));
    const Claim& own = std::get<Claim>(claimed);
    if (!own.granted) return MoveOutcome{MoveEnd::Busy, own.owner, {}};
    auto left = leave(own.token);
    auto* const error = std::get_if<StoreError>(&left);
    if (error == nullptr) return MoveOutcome{};
    if (error->kind != StoreError::Kind::Unknown) from_.release(run_, own.token);   // or its lease ends
    return again_if_moved(std::move(*error));
  }

  // Somebody else, or a call of this one whose answer was lost, has moved the run.
  static StoreResult<MoveOutcome> again_if_moved(StoreError error) {
    if (error.kind == StoreError::Kind::RunMoved) return MoveOutcome{};
    return error;
  }

  // Under the claim nobody else changes the state of the run.
  StoreResult<Written> leave(std::uint64_t token) {
    PTC_TAKE(known, from_.info(run_));
    if (!known) return StoreError{StoreError::Kind::Missing, "no such log"};
    Fact moved;
    moved.kind = FactKind::RunMoved;
    moved.author = FactAuthor::Person;
    moved.time_ms = options_.now_ms;
    moved.key = "moved/" + fresh_identity();
    moved.source = options_.by;
    moved.id = target_;
    moved.text = options_.place;
    moved.status = log_state_name(known->state);
    return from_.depart(run_, Cut::blind(token), moved);
  }

  StoreResult<MoveOutcome> go_on(const RunInfo& known) {
    PTC_TAKE(facts, all_facts(from_, run_));
    if (facts.empty() || facts.back().kind != FactKind::RunMoved) {
      return StoreError{StoreError::Kind::Corrupt, "a run has left, and its log does not say so"};
    }
    const Fact moved = facts.back();
    if (moved.id != target_) return MoveOutcome{MoveEnd::Elsewhere, {}, moved.text};
    if (known.state == LogState::Moved) return MoveOutcome{MoveEnd::Before, {}, moved.text};
    PTC_TAKE(is_there, bring(facts));
    if (!is_there) return MoveOutcome{MoveEnd::Exists, {}, {}};
    PTC_TAKE(settled, from_.settle_departure(run_, moved.key));
    (void)settled;                                    // the run may have come back meanwhile
    return MoveOutcome{};
  }

  // Returns whether the target has taken the run over, now or before.
  StoreResult<bool> bring(const std::vector<Fact>& facts) {
    PTC_TAKE(there, to_.find(run_, facts.back().key));
    if (there) return true;
    PTC_TAKE(before, facts_before(facts));
    if (before) {
      PTC_TAKE(arrived, arrive(facts, *before));
      if (arrived) return true;
    }
    PTC_TAKE(brought, to_.find(run_, facts.back().key));   // by another mover
    return brought.has_value();
  }

  StoreResult<bool> arrive(const std::vector<Fact>& facts, std::uint64_t before) {
    Arrival run;
    run.log = run_;
    run.before = before;
    run.facts.assign(facts.begin() + static_cast<std::ptrdiff_t>(before), facts.end());
    run.state = state_named(facts.back().status);
    run.token = facts.back().writer;
    PTC_TAKE(parked, from_.parked(run_));
    run.parked = std::move(parked);
    PTC_TAKE(job, own_job());
    if (job) job->state = static_cast<JobState>(job->node);
    run.job = std::move(job);
    if (!run.job) {
      PTC_TAKE(tenant, tenant_of(from_, run_));
      run.tenant = std::move(tenant);
    }
    if (run.job && to_.queue() == nullptr) {
      return StoreError{StoreError::Kind::Misuse, "the run is in a queue, and the target has none"};
    }
    return to_.arrive(run, options_.now_ms);
  }

  FactStore& from_;
  FactStore& to_;
  const std::string run_;
  const MoveOptions& options_;
  std::string target_;                   // its identity
};

}   // namespace

StoreResult<MoveOutcome> move_run(FactStore& from, FactStore& to, std::string_view run, const MoveOptions& options) {
  return Move(from, to, run, options).make();
}

}   // namespace ptc
