#include "runtime/log/node_store.h"

#include <time.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <iterator>
#include <limits>
#include <thread>

#include "runtime/log/store_rules.h"

namespace ptc {

namespace {

std::int64_t wall_millis() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

std::int64_t boot_millis() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return std::int64_t{now.tv_sec} * 1'000 + now.tv_nsec / 1'000'000;
}

// The owner of a part: "claim 7 of RUN". No process has such a name (process_owner.h).
constexpr std::string_view kOwnerBegin = "claim ", kOwnerMiddle = " of ";

std::string owner_of_part(const KnownClaim& run) {
  return std::string(kOwnerBegin) + std::to_string(run.token) + std::string(kOwnerMiddle) + run.log;
}

// Returns the token of the claim of the run that an owner names; 0: it names none.
std::uint64_t token_in(std::string_view owner, std::string_view run) {
  if (!owner.starts_with(kOwnerBegin)) return 0;
  owner.remove_prefix(kOwnerBegin.size());
  std::uint64_t token = 0;
  const auto [end, error] = std::from_chars(owner.data(), owner.data() + owner.size(), token);
  owner.remove_prefix(static_cast<std::size_t>(end - owner.data()));
  const bool is_of_run = owner.starts_with(kOwnerMiddle) && owner.substr(kOwnerMiddle.size()) == run;
  return error == std::errc() && is_of_run ? token : 0;
}

}   // namespace

NodeTime NodeTime::of_machine() {
  return {wall_millis, boot_millis, [](std::int64_t ms) {
            std::this_thread::sleep_for(std::chrono::milliseconds(ms));
          }};
}

void NodeStore::set_lease_end(std::int64_t until_boot_ms) {
  const std::lock_guard lock(mutex_);
  until_boot_ms_ = until_boot_ms;
}

bool NodeStore::has_lease() const {
  const std::lock_guard lock(mutex_);
  return time_.boot_ms() < until_boot_ms_;
}

void NodeStore::take(const std::string& log, std::uint64_t token, std::optional<Opening> opening) {
  const std::lock_guard lock(mutex_);
  openings_.erase(log);
  if (opening) openings_.emplace(log, *std::move(opening));
  taken_.insert_or_assign(log, token);
  heads_.insert_or_assign(log, 0);
  finished_.erase(log);
  unwritten_.erase(log);
}

void NodeStore::leave(const std::string& log, std::uint64_t token) {
  const std::lock_guard lock(mutex_);
  const auto at = taken_.find(log);
  if (at == taken_.end() || at->second != token) return;
  taken_.erase(at);
  heads_.erase(log);
  finished_.erase(log);
  unwritten_.erase(log);
  openings_.erase(log);
}

bool NodeStore::is_finished(std::string_view log, std::uint64_t token) const {
  const std::lock_guard lock(mutex_);
  const auto at = finished_.find(log);
  return at != finished_.end() && at->second == token;
}

std::uint64_t NodeStore::known_head(std::string_view log) const {
  const std::lock_guard lock(mutex_);
  const auto at = heads_.find(log);
  return at == heads_.end() ? 0 : at->second;
}

std::uint64_t NodeStore::token_of(std::string_view log) const {
  const std::lock_guard lock(mutex_);
  const auto at = taken_.find(log);
  return at == taken_.end() ? 0 : at->second;
}

std::vector<KnownClaim> NodeStore::claims() const {
  const std::lock_guard lock(mutex_);
  std::vector<KnownClaim> out;
  for (const auto& [log, token] : taken_) out.push_back({log, token});
  return out;
}

std::optional<KnownClaim> NodeStore::whole_of(std::string_view log) const {
  const std::lock_guard lock(mutex_);
  for (std::size_t at = log.rfind('/'); at != std::string_view::npos && at != 0; at = log.rfind('/', at - 1)) {
    const auto whole = taken_.find(log.substr(0, at));
    if (whole != taken_.end()) return KnownClaim{whole->first, whole->second};
  }
  return std::nullopt;
}

std::optional<Opening> NodeStore::take_opening(std::string_view log) {
  const std::lock_guard lock(mutex_);
  const auto at = openings_.find(log);
  return at == openings_.end() ? std::nullopt : std::optional(std::move(openings_.extract(at).mapped()));
}

StoreResult<Opening> NodeStore::opening(std::string_view log) {
  if (auto kept = take_opening(log)) return *std::move(kept);
  return store_.opening(log);
}

// A caller that looks at a run before it opens the run reads everything at once.
StoreResult<std::vector<Fact>> NodeStore::read_notable(std::string_view log, std::uint64_t after, std::size_t most) {
  const std::uint64_t token = token_of(log);
  if (after != 0 || token == 0) return store_.read_notable(log, after, most);
  auto result = opening(log);
  if (auto* error = std::get_if<StoreError>(&result)) return std::move(*error);
  auto& opening = std::get<Opening>(result);
  std::vector<Fact> out = opening.notable;
  std::ranges::copy_if(opening.later, std::back_inserter(out), is_notable, &Fact::kind);
  if (out.size() > most) out.resize(most);
  const std::lock_guard lock(mutex_);
  const auto at = taken_.find(log);
  if (at != taken_.end() && at->second == token) openings_.insert_or_assign(std::string(log), std::move(opening));
  return out;
}

StoreResult<Claim> NodeStore::claim(std::string_view log, std::string_view owner, std::int64_t now_ms,
                                    std::int64_t lease_ms, std::optional<std::uint64_t> dead) {
  const std::uint64_t token = token_of(log);
  const auto run = token == 0 ? whole_of(log) : std::nullopt;
  if (!run) return Claim{token, token != 0, std::string(owner), token, std::numeric_limits<std::int64_t>::max()};
  auto told = claim_part(log, *run, now_ms, lease_ms, dead);
  const auto* const claim = std::get_if<Claim>(&told);
  if (claim != nullptr && claim->granted) {
    const std::lock_guard lock(mutex_);
    parts_.insert_or_assign(std::string(log), claim->token);
  }
  return told;
}

StoreResult<Claim> NodeStore::claim_part(std::string_view log, const KnownClaim& run, std::int64_t now_ms,
                                         std::int64_t lease_ms, std::optional<std::uint64_t> dead) {
  const std::string owner = owner_of_part(run);
  auto told = store_.claim(log, owner, now_ms, lease_ms, dead);
  const auto* const claim = std::get_if<Claim>(&told);
  if (claim == nullptr || claim->granted) return told;
  const std::uint64_t before = token_in(claim->owner, run.log);
  if (before == 0 || before > run.token) return told;
  return store_.claim(log, owner, now_ms, lease_ms, claim->held_token);
}

bool NodeStore::has_part(std::string_view log, std::uint64_t token) const {
  const std::lock_guard lock(mutex_);
  const auto at = parts_.find(log);
  return at != parts_.end() && at->second == token;
}

StoreResult<bool> NodeStore::renew(std::string_view log, std::uint64_t token, std::int64_t now_ms,
                                   std::int64_t lease_ms) {
  if (has_part(log, token)) return store_.renew(log, token, now_ms, lease_ms);
  return token != 0 && token_of(log) == token;
}

StoreResult<bool> NodeStore::release(std::string_view log, std::uint64_t token) {
  if (!has_part(log, token)) return token != 0 && token_of(log) == token;
  {
    const std::lock_guard lock(mutex_);
    parts_.erase(parts_.find(log));
  }
  return store_.release(log, token);
}

auto NodeStore::counted(std::string_view log, const auto& call) {
  (void)take_opening(log);
  auto result = times_.timed(call);
  const auto* const error = std::get_if<StoreError>(&result);
  if (error == nullptr) ++commits_;
  if (error != nullptr && error->kind == StoreError::Kind::Fenced) ++fenced_;
  if (error != nullptr) return result;
  const std::lock_guard lock(mutex_);
  if (const auto at = heads_.find(log); at != heads_.end()) {
    std::visit([&at](const auto& done) {
      if constexpr (requires { done.head; }) at->second = std::max(at->second, done.head);
    }, result);
  }
  return result;
}

auto NodeStore::kept(std::string_view log, Cut cut, std::span<const Fact> facts, const auto& call) {
  auto result = counted(log, call);
  const auto* const error = std::get_if<StoreError>(&result);
  if (error == nullptr || error->kind == StoreError::Kind::Fenced) return result;   // a run keeps the answers itself
  const std::lock_guard lock(mutex_);
  if (const auto claim = taken_.find(log); claim != taken_.end() && claim->second == cut.token) {
    std::vector<Fact>& all = unwritten_[std::string(log)];
    const auto is_end = [](const Fact& fact) { return fact.kind == FactKind::EffectSettled; };
    std::ranges::copy_if(facts, std::back_inserter(all), is_end);
  }
  return result;
}

StoreResult<Written> NodeStore::put(std::string_view log, Cut cut, std::span<const Fact> facts,
                                    Durability durability) {
  const bool has_intent = std::ranges::any_of(facts, [](const Fact& fact) {
    return fact.kind == FactKind::Intent || fact.key.starts_with("host/intent/");
  });
  if (has_intent && !has_lease()) {
    ++fenced_;
    return StoreError{StoreError::Kind::Fenced, "the lease of this worker is over, so it calls no tool"};
  }
  return kept(log, cut, facts, [&] { return store_.put(log, cut, facts, durability); });
}

std::vector<Fact> NodeStore::unwritten(std::string_view log, std::uint64_t token) const {
  const std::lock_guard lock(mutex_);
  const auto claim = taken_.find(log);
  const auto facts = unwritten_.find(log);
  const bool are_there = claim != taken_.end() && claim->second == token && facts != unwritten_.end();
  return are_there ? facts->second : std::vector<Fact>();
}

StoreResult<Decided> NodeStore::decide(std::string_view log, Cut cut, std::span<const Fact> facts) {
  return kept(log, cut, facts, [&] { return store_.decide(log, cut, facts); });
}
StoreResult<ParkResult> NodeStore::park(std::string_view log, Cut cut, std::span<const Fact> facts, const Parked& run) {
  return kept(log, cut, facts, [&] { return store_.park(log, cut, facts, run); });
}
StoreResult<Written> NodeStore::resumed(std::string_view log, Cut cut, std::span<const Fact> facts) {
  return kept(log, cut, facts, [&] { return store_.resumed(log, cut, facts); });
}
StoreResult<Written> NodeStore::ended(std::string_view log, Cut cut, std::span<const Fact> facts) {
  const bool is_end_of_job = facts.size() == 1 && ends_well(facts[0]) && cut.token != 0 && token_of(log) == cut.token;
  if (is_end_of_job) return counted(log, [&] { return ended_with_job(log, cut, facts[0]); });
  return kept(log, cut, facts, [&] { return store_.ended(log, cut, facts); });
}

StoreResult<Written> NodeStore::ended_with_job(std::string_view log, Cut cut, const Fact& end) {
  auto told = store_.end_job(log, cut, end, time_.now_ms());
  if (auto* error = std::get_if<StoreError>(&told)) return std::move(*error);
  auto& done = std::get<std::optional<Written>>(told);
  if (!done) return store_.ended(log, cut, {&end, 1});
  const std::lock_guard lock(mutex_);
  if (const auto at = taken_.find(log); at != taken_.end() && at->second == cut.token) {
    finished_.insert_or_assign(std::string(log), cut.token);
  }
  return *std::move(done);
}

}   // namespace ptc
