// Invariant: a log with facts or with a claim is in logs_; readers do not see a log without facts.
#include "runtime/log/memory_store.h"

#include <algorithm>

#include "runtime/log/memory_queue.h"
#include "runtime/log/run_move.h"
#include "runtime/log/store_rules.h"

namespace ptc {
namespace {

StoreError error(StoreError::Kind kind, std::string message) { return {kind, std::move(message)}; }

}  // namespace

MemoryStore::MemoryStore() : queue_(std::make_unique<MemoryQueue>(*this)) {}
MemoryStore::~MemoryStore() = default;
RunQueue* MemoryStore::queue() { return queue_.get(); }

MemoryStore::Log& MemoryStore::log_made(std::string_view name) {
  Log& log = logs_[std::string(name)];
  log.name = name;
  return log;
}

MemoryStore::Log* MemoryStore::log_named(std::string_view name) {
  const auto at = logs_.find(name);
  return at == logs_.end() ? nullptr : &at->second;
}

const Fact* MemoryStore::keyed(const Log& log, std::string_view key) const {
  const auto at = log.by_key.find(key);
  return at == log.by_key.end() ? nullptr : &log.facts[at->second - 1];
}

std::optional<StoreError> MemoryStore::fenced(const Log* log, std::uint64_t token) const {
  if (token == 0 || (log != nullptr && log->token == token && !log->owner.empty())) return std::nullopt;
  return error(StoreError::Kind::Fenced, "the claim is not the newest any more");
}

std::optional<StoreError> MemoryStore::refused(const Log* log, std::uint64_t token) const {
  if (log != nullptr && has_left(log->state)) return run_moved(log->name, log->facts.back().text);
  return fenced(log, token);
}

std::optional<Fact> MemoryStore::conflict(const Log& log, Cut cut, std::span<const Fact> facts) const {
  if (has_decision(facts)) {
    for (auto at = std::ranges::upper_bound(log.outdating, cut.seq); at != log.outdating.end(); ++at) {
      if (log.facts[*at - 1].writer != cut.token) return log.facts[*at - 1];
    }
  }
  for (const Fact& fact : facts) {
    if (fact.key.empty()) continue;
    if (const Fact* taken = keyed(log, fact.key)) return *taken;
  }
  return std::nullopt;
}

Fact MemoryStore::append(Log& log, std::uint64_t token, const Fact& fact) {
  Fact& written = log.facts.emplace_back(fact);
  written.seq = log.facts.size();
  written.writer = token;
  if (outdates_decisions(fact.kind)) log.outdating.push_back(written.seq);
  log.open.add(written);
  if (fact.kind == FactKind::RunStarted && log.state == LogState::Ended) log.state = LogState::Running;
  if (!fact.key.empty()) {
    log.by_key.emplace(fact.key, written.seq);
    if (log.state == LogState::Parked && std::ranges::find(log.parked->wait_keys, fact.key) !=
                                             log.parked->wait_keys.end()) {
      log.woken = true;
      queue_->wake(log.name, fact.time_ms);
    }
  }
  return written;
}

// What is in the log already, for a writer who has seen it up to the cut.
Written MemoryStore::seen(const Log& log, Cut cut) const {
  Written out;
  out.head = log.facts.size();
  if (cut.seq >= out.head) return out;
  const std::size_t count = std::min<std::size_t>(out.head - cut.seq, kMostOthers);
  const auto begin = log.facts.begin() + static_cast<std::ptrdiff_t>(cut.seq);
  out.others.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
  out.more = count < out.head - cut.seq;
  return out;
}

Written MemoryStore::put_all(Log& log, Cut cut, std::span<const Fact> facts) {
  Written out = seen(log, cut);
  for (const Fact& fact : facts) {
    const Fact* const there = fact.key.empty() ? nullptr : keyed(log, fact.key);
    if (there != nullptr) {
      out.puts.push_back({*there, false});
    } else {
      out.puts.push_back({append(log, cut.token, fact), true});
    }
  }
  out.head = log.facts.size();
  return out;
}

Written MemoryStore::append_all(Log& log, Cut cut, std::span<const Fact> facts) {
  Written out = seen(log, cut);
  for (const Fact& fact : facts) out.puts.push_back({append(log, cut.token, fact), true});
  out.head = log.facts.size();
  return out;
}

RunInfo MemoryStore::info_of(const std::string& name, const Log& log) const {
  RunInfo out;
  out.log = name;
  out.state = log.state;
  out.head = log.facts.size();
  out.started_ms = log.facts.front().time_ms;
  out.changed_ms = log.facts.back().time_ms;
  if (log.state == LogState::Parked) {
    out.woken = log.woken;
    out.deadline_ms = log.parked->deadline_ms;
  }
  out.owner = log.owner;
  return out;
}

StoreResult<Written> MemoryStore::put(std::string_view log, Cut cut, std::span<const Fact> facts, Durability) {
  if (auto wrong = check_put(log, cut, facts)) return *wrong;
  const std::lock_guard lock(mutex_);
  Log* const found = log_named(log);
  if (auto wrong = refused(found, cut.token)) return *wrong;
  if (auto wrong = check_cut(found == nullptr ? 0 : found->facts.size(), cut)) return *wrong;
  if (found == nullptr && facts.empty()) return Written{};
  return put_all(found == nullptr ? log_made(log) : *found, cut, facts);
}

StoreResult<Decided> MemoryStore::decide(std::string_view log, Cut cut, std::span<const Fact> facts) {
  if (auto wrong = check_decide(log, cut, facts)) return *wrong;
  const std::lock_guard lock(mutex_);
  Log* const found = log_named(log);
  if (auto wrong = refused(found, cut.token)) return *wrong;
  if (auto wrong = check_seen(found->facts.size(), cut.seq)) return *wrong;
  if (auto out = conflict(*found, cut, facts)) return Decided{seen(*found, cut), std::move(out)};
  return Decided{append_all(*found, cut, facts), std::nullopt};
}

StoreResult<ParkResult> MemoryStore::park(std::string_view log, Cut cut, std::span<const Fact> facts,
                                          const Parked& run) {
  if (auto wrong = check_park(log, cut, facts, run)) return *wrong;
  const std::lock_guard lock(mutex_);
  Log* const found = log_named(log);
  if (auto wrong = refused(found, cut.token)) return *wrong;
  if (auto wrong = check_seen(found->facts.size(), std::max(cut.seq, run.observed_seq))) return *wrong;
  if (found->facts.empty() && facts.empty()) return error(StoreError::Kind::Missing, "no such log");
  const Fact* arrived = nullptr;
  for (const std::string& key : run.wait_keys) {
    const Fact* const there = keyed(*found, key);
    if (there == nullptr || there->seq <= run.observed_seq) continue;
    if (arrived == nullptr || there->seq < arrived->seq) arrived = there;
  }
  if (arrived != nullptr) return ParkResult{seen(*found, cut), false, *arrived, std::nullopt};
  if (auto out = conflict(*found, cut, facts)) {
    return ParkResult{seen(*found, cut), false, std::nullopt, std::move(out)};
  }
  found->state = LogState::Running;   // what is written here wakes nothing
  Written written = append_all(*found, cut, facts);
  found->state = LogState::Parked;
  found->parked = run;
  if (run.pieces != nullptr) found->parked->snapshot = run.whole_snapshot();
  found->parked->pieces.reset();
  found->since = parks_++;
  found->woken = false;
  return ParkResult{std::move(written), true, std::nullopt, std::nullopt};
}

StoreResult<std::vector<Fact>> MemoryStore::read(std::string_view log, std::uint64_t after, std::size_t most) {
  if (auto wrong = check_log(log)) return *wrong;
  const std::lock_guard lock(mutex_);
  std::vector<Fact> out;
  const Log* const found = log_named(log);
  if (found == nullptr || after >= found->facts.size()) return out;
  const auto begin = found->facts.begin() + static_cast<std::ptrdiff_t>(after);
  const auto left = static_cast<std::size_t>(found->facts.end() - begin);
  out.assign(begin, begin + static_cast<std::ptrdiff_t>(std::min(most, left)));
  return out;
}

StoreResult<std::optional<Fact>> MemoryStore::find(std::string_view log, std::string_view key) {
  if (auto wrong = check_log(log)) return *wrong;
  const std::lock_guard lock(mutex_);
  const Log* const found = log_named(log);
  const Fact* const fact = found == nullptr ? nullptr : keyed(*found, key);
  return fact == nullptr ? std::nullopt : std::optional(*fact);
}

StoreResult<std::vector<Fact>> MemoryStore::open_calls(std::string_view log) {
  if (auto wrong = check_log(log)) return *wrong;
  const std::lock_guard lock(mutex_);
  const Log* const found = log_named(log);
  return found == nullptr ? std::vector<Fact>() : found->open.intents();
}

StoreResult<std::optional<Parked>> MemoryStore::parked(std::string_view log) {
  if (auto wrong = check_log(log)) return *wrong;
  const std::lock_guard lock(mutex_);
  const Log* const found = log_named(log);
  return found == nullptr ? std::nullopt : found->parked;
}

StoreResult<std::optional<RunInfo>> MemoryStore::info(std::string_view log) {
  if (auto wrong = check_log(log)) return *wrong;
  const std::lock_guard lock(mutex_);
  const Log* const found = log_named(log);
  if (found == nullptr || found->facts.empty()) return std::nullopt;
  return info_of(std::string(log), *found);
}

StoreResult<std::vector<RunInfo>> MemoryStore::runs(std::string_view after, std::size_t most) {
  const std::lock_guard lock(mutex_);
  std::vector<RunInfo> out;
  for (auto at = logs_.upper_bound(after); at != logs_.end() && out.size() < most; ++at) {
    if (!at->second.facts.empty()) out.push_back(info_of(at->first, at->second));
  }
  return out;
}

StoreResult<std::vector<std::string>> MemoryStore::woken(std::int64_t now_ms, std::size_t most) {
  const std::lock_guard lock(mutex_);
  std::map<std::uint64_t, const std::string*> found;
  for (const auto& [name, log] : logs_) {
    if (log.state != LogState::Parked) continue;
    const auto& deadline = log.parked->deadline_ms;
    if (log.woken || (deadline && *deadline <= now_ms)) found.emplace(log.since, &name);
  }
  std::vector<std::string> out;
  for (const auto& [since, name] : found) {
    if (out.size() < most) out.push_back(*name);
  }
  return out;
}

StoreResult<Claim> MemoryStore::claim(std::string_view log, std::string_view owner, std::int64_t now_ms,
                                      std::int64_t lease_ms, std::optional<std::uint64_t> dead) {
  if (auto wrong = check_claim(log, owner, lease_ms)) return *wrong;
  const std::lock_guard lock(mutex_);
  queue_->release_if_dead(log, now_ms);
  Log& found = log_made(log);
  if (auto wrong = refused(&found, 0)) return *wrong;
  const Claim held{0, false, found.owner, found.token, found.until_ms};
  if (claim_holds(log, held, now_ms, dead)) return held;
  ++found.token;
  found.owner = owner;
  found.until_ms = lease_end(now_ms, lease_ms);
  return Claim{found.token, true, found.owner, found.token, found.until_ms};
}

StoreResult<bool> MemoryStore::renew(std::string_view log, std::uint64_t token, std::int64_t now_ms,
                                     std::int64_t lease_ms) {
  if (auto wrong = check_log(log)) return *wrong;
  if (auto wrong = check_lease(lease_ms)) return *wrong;
  const std::lock_guard lock(mutex_);
  Log* const found = log_named(log);
  if (found == nullptr || token == 0 || fenced(found, token)) return false;
  found->until_ms = lease_end(now_ms, lease_ms);
  return true;
}

StoreResult<bool> MemoryStore::release(std::string_view log, std::uint64_t token) {
  if (auto wrong = check_log(log)) return *wrong;
  const std::lock_guard lock(mutex_);
  Log* const found = log_named(log);
  if (found == nullptr || token == 0 || fenced(found, token)) return false;
  found->owner.clear();
  return true;
}

StoreResult<Written> MemoryStore::resumed(std::string_view log, Cut cut, std::span<const Fact> facts) {
  if (auto wrong = check_resume_or_end(log, cut, facts)) return *wrong;
  const std::lock_guard lock(mutex_);
  Log* const found = log_named(log);
  if (auto wrong = refused(found, cut.token)) return *wrong;
  if (auto wrong = check_cut(found->facts.size(), cut)) return *wrong;
  if (!found->parked) return error(StoreError::Kind::Missing, "nothing is parked");
  found->state = LogState::Running;
  found->woken = false;
  return put_all(*found, cut, facts);
}

StoreResult<Written> MemoryStore::ended(std::string_view log, Cut cut, std::span<const Fact> facts) {
  if (auto wrong = check_resume_or_end(log, cut, facts)) return *wrong;
  const std::lock_guard lock(mutex_);
  Log* const found = log_named(log);
  if (auto wrong = refused(found, cut.token)) return *wrong;
  if (auto wrong = check_cut(found->facts.size(), cut)) return *wrong;
  if (found->facts.empty() && facts.empty()) return error(StoreError::Kind::Missing, "no such log");
  Written out = end(*found, cut, facts);
  if (ends_well(facts)) queue_->end_unheld(log, cut.token, facts.back().time_ms);
  return out;
}

Written MemoryStore::end(Log& log, Cut cut, std::span<const Fact> facts) {
  Written out = put_all(log, cut, facts);
  log.state = LogState::Ended;
  log.parked.reset();
  log.woken = false;
  return out;
}

StoreResult<std::optional<Written>> MemoryStore::end_job(std::string_view log, Cut cut, const Fact& end,
                                                         std::int64_t now_ms) {
  if (auto wrong = check_end_job(log, cut, end)) return *wrong;
  const std::lock_guard lock(mutex_);
  Log* const found = log_named(log);
  const bool is_simple = !refused(found, cut.token) && found->facts.size() == cut.seq &&
                         queue_->holds(log, cut.token);
  if (!is_simple) return std::optional<Written>();
  Written out = this->end(*found, cut, {&end, 1});
  queue_->finish_over(log, cut.token, out.head, now_ms);
  return std::optional(std::move(out));
}

StoreResult<Written> MemoryStore::depart(std::string_view log, Cut cut, const Fact& moved) {
  if (auto wrong = check_depart(log, cut, moved)) return *wrong;
  const std::lock_guard lock(mutex_);
  Log* const found = log_named(log);
  if (auto wrong = refused(found, cut.token)) return *wrong;
  if (auto wrong = check_cut(found->facts.size(), cut)) return *wrong;
  if (found->facts.empty()) return error(StoreError::Kind::Missing, "no such log");
  if (auto wrong = queue_->depart(log)) return *wrong;
  found->state = LogState::Moving;
  found->owner.clear();
  return put_all(*found, cut, {&moved, 1});
}

StoreResult<bool> MemoryStore::arrive(const Arrival& run, std::int64_t now_ms) {
  if (auto wrong = check_arrival(run)) return *wrong;
  const std::lock_guard lock(mutex_);
  if (const std::string* const tenant = arrival_tenant(run)) {
    if (auto wrong = queue_->check_arrival(run.log, *tenant)) return *std::move(wrong);
  }
  Log& log = log_made(run.log);
  const bool is_free = log.owner.empty() && (log.facts.empty() || has_left(log.state));
  if (!is_free || log.facts.size() != run.before) return false;
  for (const Fact& fact : run.facts) append(log, fact.writer, fact);
  log.token = std::max(log.token, run.token);
  log.state = run.state;
  log.parked = run.parked;
  log.since = parks_++;
  log.woken = run.state == LogState::Parked && is_woken_by(*run.parked, log.facts);
  if (run.job) queue_->arrive(*run.job, now_ms);
  return true;
}

StoreResult<bool> MemoryStore::settle_departure(std::string_view log, std::string_view key) {
  if (auto wrong = check_log(log)) return *wrong;
  const std::lock_guard lock(mutex_);
  Log* const found = log_named(log);
  if (found == nullptr || !has_left(found->state) || found->facts.back().key != key) return false;
  found->state = LogState::Moved;
  return true;
}

}  // namespace ptc
