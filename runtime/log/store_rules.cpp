#include "runtime/log/store_rules.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>

#include "runtime/log/living_claims.h"
#include "runtime/log/run_move.h"
#include "vm/value/utf8.h"

namespace ptc {
namespace {

using Check = std::optional<StoreError>;

Check misuse(std::string message) { return StoreError{StoreError::Kind::Misuse, std::move(message)}; }

Check check_facts(std::span<const Fact> facts) {
  for (const Fact& fact : facts) {
    if (!is_storable(fact)) return misuse("a fact of no known kind, with text that is not UTF-8, or too large");
  }
  return std::nullopt;
}

Check check_keys_differ(std::span<const Fact> facts) {
  std::set<std::string_view> keys;
  for (const Fact& fact : facts) {
    if (!fact.key.empty() && !keys.insert(fact.key).second) return misuse("two decisions under the key " + fact.key);
  }
  return std::nullopt;
}

}  // namespace

Check check_log(std::string_view log) {
  if (log.empty()) return misuse("the id of a log is empty");
  return utf8_is_valid(log) ? std::nullopt : misuse("the id of a log is not UTF-8");
}

Check check_put(std::string_view log, Cut cut, std::span<const Fact> facts) {
  if (auto wrong = check_log(log)) return wrong;
  for (const Fact& fact : facts) {
    if (static_cast<std::size_t>(fact.kind) >= kFacts.size()) break;   // said below
    const FactClass of = fact_class(fact.kind);
    if (of == FactClass::Decision) return misuse("decisions are not put but decided");
    if (cut.token == 0 && of == FactClass::Effect) return misuse("an effect under no claim");
  }
  return check_facts(facts);
}

Check check_resume_or_end(std::string_view log, Cut cut, std::span<const Fact> facts) {
  if (cut.token == 0) return misuse("a run is resumed and ended under a claim");
  return check_put(log, cut, facts);
}

Check check_end_job(std::string_view log, Cut cut, const Fact& end) {
  if (auto wrong = check_resume_or_end(log, cut, {&end, 1})) return wrong;
  const bool is_plain = end.key.empty() && end.kind == FactKind::TurnEnded;
  return is_plain ? std::nullopt : misuse("a job ends by a fact of the kind TurnEnded without a key");
}

Check check_decide(std::string_view log, Cut cut, std::span<const Fact> facts) {
  if (auto wrong = check_log(log)) return wrong;
  if (cut.token == 0) return misuse("a decision under no claim");
  if (auto wrong = check_facts(facts)) return wrong;
  for (const Fact& fact : facts) {
    const FactClass of = fact_class(fact.kind);
    if (of == FactClass::Effect || of == FactClass::Observation) return misuse("effects and observations are put");
  }
  return check_keys_differ(facts);
}

Check check_park(std::string_view log, Cut cut, std::span<const Fact> facts, const Parked& run) {
  if (auto wrong = check_decide(log, cut, facts)) return wrong;
  if (run.continuation.empty() || !utf8_is_valid(run.continuation)) return misuse("a parked run has a name");
  for (const std::string& key : run.wait_keys) {
    if (key.empty() || !utf8_is_valid(key)) return misuse("a run waits for a key that no fact has");
    if (std::ranges::any_of(facts, [&](const Fact& fact) { return fact.key == key; })) {
      return misuse("a run waits for a fact that it writes itself: " + key);
    }
  }
  return std::nullopt;
}

Check check_depart(std::string_view log, Cut cut, const Fact& moved) {
  if (auto wrong = check_resume_or_end(log, cut, {&moved, 1})) return wrong;
  const bool is_departure = moved.kind == FactKind::RunMoved && !moved.key.empty();
  return is_departure ? std::nullopt : misuse("a run leaves by a fact of the kind RunMoved with a key");
}

Check check_arrival(const Arrival& run) {
  if (auto wrong = check_log(run.log)) return wrong;
  if (auto wrong = check_facts(run.facts)) return wrong;
  if (run.facts.empty()) return misuse("a run arrives with a new fact");
  if (has_left(run.state)) return misuse("a run arrives running, parked or ended");
  return run.state == LogState::Parked && !run.parked ? misuse("nothing is parked") : std::nullopt;
}

Check check_claim(std::string_view log, std::string_view owner, std::int64_t lease_ms) {
  if (auto wrong = check_log(log)) return wrong;
  if (owner.empty() || !utf8_is_valid(owner)) return misuse("a claim has an owner");
  return check_lease(lease_ms);
}

Check check_lease(std::int64_t lease_ms) {
  return lease_ms < 0 ? misuse("a lease is no shorter than nothing") : std::nullopt;
}

bool claim_holds(std::string_view log, const Claim& held, std::int64_t now_ms, std::optional<std::uint64_t> dead) {
  if (held.owner.empty() || dead == held.held_token) return false;
  return held.until_ms > now_ms || is_held_by_the_living(log, held.owner, held.held_token);
}

Check check_cut(std::uint64_t head, Cut cut) { return cut.is_blind() ? std::nullopt : check_seen(head, cut.seq); }

Check check_seen(std::uint64_t head, std::uint64_t seq) {
  return seq > head ? misuse("nobody has seen what is not written yet") : std::nullopt;
}

bool has_left(LogState state) { return state == LogState::Moving || state == LogState::Moved; }

std::vector<std::string> wholes_of(std::string_view log) {
  std::vector<std::string> out;
  for (std::size_t slash = log.rfind('/'); slash != std::string_view::npos && slash > 0; slash = log.rfind('/')) {
    log = log.substr(0, slash);
    out.emplace_back(log);
  }
  return out;
}

StoreError run_moved(std::string_view log, std::string_view place) {
  const std::string where = place.empty() ? "another store; `ptcvm runs` shows where" : std::string(place);
  return {StoreError::Kind::RunMoved, "the run " + std::string(log) + " was moved to " + where};
}

StoreError copy_is_no_job(std::string_view log) {
  return {StoreError::Kind::RunIsCopy,
          std::string(log) + " is a copy for reading, and no job: its run is in the store that it was pulled from. "
                             "Give the order there, or take another id; `ptcvm resume --recorded` reads the copy"};
}

StoreError run_has_order(std::string_view log) {
  return {StoreError::Kind::RunOrdered,
          "the run " + std::string(log) + " comes after runs that are not done, or jobs come after it: it stays"};
}

bool is_woken_by(const Parked& parked, std::span<const Fact> facts) {
  return std::ranges::any_of(facts, [&](const Fact& fact) {
    const auto& keys = parked.wait_keys;
    return fact.seq > parked.observed_seq && std::ranges::find(keys, fact.key) != keys.end();
  });
}

bool outdates_decisions(FactKind kind) {
  return fact_class(kind) == FactClass::Observation || fact_class(kind) == FactClass::Decision;
}

bool ends_well(const Fact& fact) {
  return fact.kind == FactKind::TurnEnded && fact.key.empty() && (fact.status == "ok" || fact.status == "return");
}

bool ends_well(std::span<const Fact> facts) { return !facts.empty() && ends_well(facts.back()); }

bool is_notable(FactKind kind) { return fact_info(kind).scope == FactScope::Notable; }

std::int64_t rank_of(FactKind kind) {
  if (outdates_decisions(kind)) return 2;
  return is_notable(kind) ? 1 : 0;
}

bool has_decision(std::span<const Fact> facts) {
  return std::ranges::any_of(facts, [](const Fact& f) { return fact_class(f.kind) == FactClass::Decision; });
}

std::int64_t lease_end(std::int64_t now_ms, std::int64_t lease_ms) {
  constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
  return now_ms > kLast - lease_ms ? kLast : now_ms + lease_ms;
}

}  // namespace ptc
