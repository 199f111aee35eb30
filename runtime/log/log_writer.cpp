#include "runtime/log/log_writer.h"

#include <utility>

#include "runtime/log/process_owner.h"

namespace ptc {

namespace {

// `read` gives the page after a place in the log.
std::optional<StoreError> visit_pages(std::uint64_t after, const auto& read,
                                      const std::function<void(const Fact&)>& visit) {
  constexpr std::size_t kPage = 1'000;
  for (;;) {
    StoreResult<std::vector<Fact>> page = read(after, kPage);
    if (auto* error = std::get_if<StoreError>(&page)) return std::move(*error);
    const auto& facts = std::get<std::vector<Fact>>(page);
    for (const Fact& fact : facts) visit(fact);
    if (facts.size() < kPage) return std::nullopt;
    after = facts.back().seq;
  }
}

}  // namespace

std::optional<StoreError> visit_facts(FactStore& store, std::string_view name, std::uint64_t after,
                                      const std::function<void(const Fact&)>& visit) {
  const auto read = [&](std::uint64_t seq, std::size_t most) { return store.read(name, seq, most); };
  return visit_pages(after, read, visit);
}

std::optional<StoreError> visit_notable(FactStore& store, std::string_view name,
                                        const std::function<void(const Fact&)>& visit) {
  const auto read = [&](std::uint64_t seq, std::size_t most) { return store.read_notable(name, seq, most); };
  return visit_pages(0, read, visit);
}

std::optional<StoreError> read_on(FactStore& store, std::string_view name, RunLog& into) {
  return visit_facts(store, name, into.head(), [&into](const Fact& fact) { into.add(fact); });
}

std::optional<Claim> LogWriter::claim(std::string_view owner, std::optional<std::uint64_t> dead) {
  claimed_ms_ = now();
  auto result = store_.claim(name_, owner, claimed_ms_, lease_ms_, dead);
  const Claim* const claim = good(result);
  if (claim == nullptr) return std::nullopt;
  if (claim->granted) {
    token_ = claim->token;
  } else if (dead != claim->held_token && owner_is_gone(claim->owner)) {
    return this->claim(owner, claim->held_token);
  }
  return *claim;
}

void LogWriter::release() {
  flush();
  if (token_ != 0) store_.release(name_, token_);   // or its lease ends
}

// Well before the lease is over. A claim that was lost shows when something is written.
void LogWriter::keep_claim() {
  const std::int64_t time = now();
  if (time - claimed_ms_ < lease_ms_ / 3) return;
  auto renewed = store_.renew(name_, token_, time, lease_ms_);
  if (good(renewed) != nullptr) claimed_ms_ = time;
}

Fact LogWriter::made(FactKind kind, FactAuthor author) const {
  Fact fact;
  fact.kind = kind;
  fact.author = author;
  fact.time_ms = now();
  return fact;
}

std::optional<Fact> LogWriter::put(Fact fact) {
  if (stopped()) return std::nullopt;
  keep_claim();
  auto result = store_.put(name_, token_, {&fact, 1});
  auto* const held = good(result);
  if (held == nullptr || !catch_up()) return std::nullopt;
  return std::move(held->front().fact);
}

bool LogWriter::decide(std::span<const Fact> facts) {
  if (stopped()) return false;
  auto result = store_.decide(name_, {token_, log_.head()}, facts);
  const Decided* const decided = good(result);
  return decided != nullptr && catch_up() && !decided->conflict;
}

bool LogWriter::park(std::span<const Fact> facts, const Parked& parked) {
  if (stopped()) return false;
  auto result = store_.park(name_, {token_, log_.head()}, facts, parked);
  const ParkResult* const done = good(result);
  return done != nullptr && catch_up() && done->parked;
}

bool LogWriter::resume(const Fact& fact) {
  if (stopped()) return false;
  auto result = store_.resumed(name_, token_, {&fact, 1});
  return good(result) != nullptr && catch_up();
}

bool LogWriter::end(const Fact& fact) {
  if (stopped()) return false;
  auto result = store_.ended(name_, token_, {&fact, 1});
  return good(result) != nullptr && catch_up();
}

bool LogWriter::open() {
  auto result = store_.info(name_);
  const auto* const info = good(result);
  if (info == nullptr) return false;
  opened_head_ = *info ? (*info)->head : 0;
  if (opened_head_ == 0) return true;
  if (auto error = visit_notable(store_, name_, [this](const Fact& fact) { log_.add(fact); })) {
    stop(std::move(*error));
    return false;
  }
  log_.skip_to(opened_head_);
  const auto doubted = log_.doubted();
  for (const auto& [key, attempt] : doubted) effect(key);
  recall_last_call();
  return catch_up();
}

bool LogWriter::open_whole() {
  error_.reset();
  log_ = RunLog();
  recalled_.clear();
  opened_head_ = 0;
  return catch_up();
}

// A call that a process left open when it died is the last thing that it wrote: others only wrote after it.
void LogWriter::recall_last_call() {
  for (std::uint64_t seq = opened_head_; seq > 0; --seq) {
    auto page = store_.read(name_, seq - 1, 1);
    const auto* const facts = good(page);
    if (facts == nullptr || facts->empty()) return;
    if (facts->front().writer == 0) continue;
    if (facts->front().kind == FactKind::Intent) effect(facts->front().idempotency_key);
    return;
  }
}

std::optional<Fact> LogWriter::find(std::string_view key) {
  auto result = store_.find(name_, key);
  auto* const found = good(result);
  return found == nullptr ? std::nullopt : std::move(*found);
}

const Fact* LogWriter::recalled_task(const std::string& key) {
  if (const auto known = recalled_.find(key); known != recalled_.end()) return &known->second;
  auto found = find(key);
  return found ? &recalled_.emplace(key, std::move(*found)).first->second : nullptr;
}

// Of a task's own value and one from outside the first in the log counts.
LogWriter::FoundTask LogWriter::task(std::string_view id, std::uint64_t epoch) {
  const std::string* const held = log_.value_in(id, epoch);
  const LoggedTask* const latest = epoch == log_.epoch(id) ? log_.task(id) : nullptr;
  const bool is_external = latest != nullptr && !latest->source.empty();
  if (!is_whole() && (held == nullptr || is_external)) {
    const Fact* const fact = recalled_task(task_key(id, epoch));
    if (fact != nullptr && (!is_external || fact->seq < latest->seq)) {
      return {&fact->value, fact->status == "return" && fact->seq > log_.turn_began()};
    }
  }
  return {held, held != nullptr && log_.returned_from(id)};
}

const LoggedEffect* LogWriter::effect(std::string_view key) {
  if (const LoggedEffect* known = log_.effect(key)) return known;
  for (std::uint64_t attempt = 1; !is_whole(); ++attempt) {
    const auto intent = find(intent_key(key, attempt));
    if (!intent) break;
    log_.recall(*intent);
    const auto settled = find(effect_key(key, attempt));
    if (settled) log_.recall(*settled);
    if (settled && settled->kind != FactKind::EffectDoubted) continue;
    if (const auto said = find(doubt_key(key, attempt))) log_.recall(*said);
  }
  return log_.effect(key);
}

bool LogWriter::catch_up() {
  if (!stopped()) {
    if (auto error = read_on(store_, name_, log_)) stop(std::move(*error));
  }
  return !stopped();
}

bool LogWriter::flush() {
  if (stopped()) return false;
  auto flushed = store_.flush();
  return good(flushed) != nullptr;
}

void LogWriter::stop(StoreError error) {
  if (!error_) error_ = std::move(error);
}

}  // namespace ptc
