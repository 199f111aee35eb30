#include "runtime/log/node_store.h"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>

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

void NodeStore::take(const std::string& log, std::uint64_t token) {
  const std::lock_guard lock(mutex_);
  taken_.insert_or_assign(log, token);
}

void NodeStore::leave(const std::string& log, std::uint64_t token) {
  const std::lock_guard lock(mutex_);
  const auto at = taken_.find(log);
  if (at != taken_.end() && at->second == token) taken_.erase(at);
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

StoreResult<Claim> NodeStore::claim(std::string_view log, std::string_view owner, std::int64_t, std::int64_t,
                                    std::optional<std::uint64_t>) {
  const std::uint64_t token = token_of(log);
  return Claim{token, token != 0, std::string(owner), token, std::numeric_limits<std::int64_t>::max()};
}

StoreResult<bool> NodeStore::renew(std::string_view log, std::uint64_t token, std::int64_t, std::int64_t) {
  return token != 0 && token_of(log) == token;
}

StoreResult<bool> NodeStore::release(std::string_view log, std::uint64_t token) {
  return token != 0 && token_of(log) == token;
}

auto NodeStore::counted(const auto& call) {
  auto result = times_.timed(call);
  const auto* const error = std::get_if<StoreError>(&result);
  if (error == nullptr) ++commits_;
  if (error != nullptr && error->kind == StoreError::Kind::Fenced) ++fenced_;
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
  return counted([&] { return store_.put(log, cut, facts, durability); });
}

StoreResult<Decided> NodeStore::decide(std::string_view log, Cut cut, std::span<const Fact> facts) {
  return counted([&] { return store_.decide(log, cut, facts); });
}
StoreResult<ParkResult> NodeStore::park(std::string_view log, Cut cut, std::span<const Fact> facts, const Parked& run) {
  return counted([&] { return store_.park(log, cut, facts, run); });
}
StoreResult<Written> NodeStore::resumed(std::string_view log, Cut cut, std::span<const Fact> facts) {
  return counted([&] { return store_.resumed(log, cut, facts); });
}
StoreResult<Written> NodeStore::ended(std::string_view log, Cut cut, std::span<const Fact> facts) {
  return counted([&] { return store_.ended(log, cut, facts); });
}

}   // namespace ptc
