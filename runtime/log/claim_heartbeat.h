// Prolongs the claims that are made through it, as long as this process lives: a run whose tool takes longer than the
// lease keeps its claim, and a process that is gone or stopped loses its claims when their leases are over.
//
// One thread renews each claim when a third of its lease has passed, until the claim is given back or lost. The thread
// begins with the first claim. It goes by the monotonic clock and adds what has passed to the "now" with which the
// claim was made, so a caller with a clock of its own keeps that clock.
#pragma once
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "runtime/log/listing_store.h"

namespace ptc {

class ClaimHeartbeat : public ForwardingStore, public OverviewSource {
 public:
  // The other store must outlive this one, and takes calls from any thread.
  explicit ClaimHeartbeat(FactStore& store) : ForwardingStore(store) {}
  ~ClaimHeartbeat() override;

  StoreResult<Claim> claim(std::string_view log, std::string_view owner, std::int64_t now_ms, std::int64_t lease_ms,
                           std::optional<std::uint64_t> dead) override;
  StoreResult<bool> release(std::string_view log, std::uint64_t token) override;
  StoreResult<Opening> opening(std::string_view log) override { return store_.opening(log); }
  StoreResult<std::vector<Overview>> overviews(std::string_view after, std::size_t most) override {
    return overviews_of(store_, after, most);
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Held {
    std::uint64_t token = 0;
    std::int64_t now_ms = 0, lease_ms = 0;   // what claim() got
    Clock::time_point claimed, due;
    int misses = 0;   // renewals in a row that the store refused
  };
  void beat();
  void renew_due(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Held, std::less<>> held_;   // by log
  bool is_ending_ = false;
  std::thread thread_;
};

}   // namespace ptc
