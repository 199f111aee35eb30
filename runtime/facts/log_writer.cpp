#include "runtime/facts/log_writer.h"

#include <utility>

#include "runtime/process_owner.h"

namespace ptc {

std::optional<StoreError> read_on(FactStore& store, std::string_view name, RunLog& into) {
  constexpr std::size_t kPage = 1'000;
  for (;;) {
    auto page = store.read(name, into.head(), kPage);
    if (auto* error = std::get_if<StoreError>(&page)) return std::move(*error);
    const auto& facts = std::get<std::vector<Fact>>(page);
    for (const Fact& fact : facts) into.add(fact);
    if (facts.size() < kPage) return std::nullopt;
  }
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
