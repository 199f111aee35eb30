#include "runtime/log/claim_heartbeat.h"

#include <algorithm>
#include <vector>

namespace ptc {
namespace {

constexpr int kMostMisses = 3;

std::chrono::milliseconds pause_of(std::int64_t lease_ms) {
  return std::chrono::milliseconds(std::clamp<std::int64_t>(lease_ms / 3, 1, 3'600'000));
}

}   // namespace

ClaimHeartbeat::~ClaimHeartbeat() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

StoreResult<Claim> ClaimHeartbeat::claim(std::string_view log, std::string_view owner, std::int64_t now_ms,
                                         std::int64_t lease_ms, std::optional<std::uint64_t> dead) {
  const Clock::time_point before = Clock::now();
  auto answer = store_.claim(log, owner, now_ms, lease_ms, dead);
  const auto* const claim = std::get_if<Claim>(&answer);
  if (claim == nullptr || !claim->granted) return answer;
  {
    const std::lock_guard lock(mutex_);
    held_.insert_or_assign(std::string(log), Held{claim->token, now_ms, lease_ms, before, before + pause_of(lease_ms)});
    if (!thread_.joinable()) thread_ = std::thread([this] { beat(); });
  }
  changed_.notify_all();
  return answer;
}

StoreResult<bool> ClaimHeartbeat::release(std::string_view log, std::uint64_t token) {
  {
    const std::lock_guard lock(mutex_);
    const auto at = held_.find(log);
    if (at != held_.end() && at->second.token == token) held_.erase(at);
  }
  return store_.release(log, token);
}

void ClaimHeartbeat::beat() {
  std::unique_lock lock(mutex_);
  while (!is_ending_) {
    const auto next = std::ranges::min_element(held_, {}, [](const auto& each) { return each.second.due; });
    if (next == held_.end()) {
      changed_.wait(lock);
    } else if (const Clock::time_point due = next->second.due; Clock::now() < due) {
      changed_.wait_until(lock, due);
    } else {
      renew_due(lock);
    }
  }
}

// A store that does not answer is asked again after the same pause. A refusal counts when it comes three times: a store
// that finds out the fate of a write refuses for a moment.
void ClaimHeartbeat::renew_due(std::unique_lock<std::mutex>& lock) {
  const Clock::time_point now = Clock::now();
  std::vector<std::pair<std::string, Held>> due;
  for (auto& [log, held] : held_) {
    if (held.due > now) continue;
    held.due = now + pause_of(held.lease_ms);
    due.emplace_back(log, held);
  }
  lock.unlock();
  std::vector<bool> is_refused;
  for (const auto& [log, held] : due) {
    const auto passed = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - held.claimed).count();
    const auto answer = store_.renew(log, held.token, held.now_ms + passed, held.lease_ms);
    const auto* const is_renewed = std::get_if<bool>(&answer);
    is_refused.push_back(is_renewed != nullptr && !*is_renewed);
  }
  lock.lock();
  for (std::size_t i = 0; i < due.size(); ++i) {
    const auto at = held_.find(due[i].first);
    if (at == held_.end() || at->second.token != due[i].second.token) continue;
    at->second.misses = is_refused[i] ? at->second.misses + 1 : 0;
    if (at->second.misses == kMostMisses) held_.erase(at);
  }
}

}   // namespace ptc
