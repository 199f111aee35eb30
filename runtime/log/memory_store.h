// A store in memory, for tests and for runs that nobody has to find again. The shortest description of what the calls
// mean: every other store behaves like this one (tests/store/conformance.h).
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/log/fact_store.h"
#include "runtime/log/open_calls.h"

namespace ptc {

class MemoryQueue;
class MemoryQueueTables;

class MemoryStore final : public FactStore {
 public:
  MemoryStore();
  ~MemoryStore() override;
  RunQueue* queue() override;
  StoreResult<Written> put(std::string_view log, Cut cut, std::span<const Fact> facts,
                           Durability durability = Durability::AsMode) override;
  StoreResult<Decided> decide(std::string_view log, Cut cut, std::span<const Fact> facts) override;
  StoreResult<ParkResult> park(std::string_view log, Cut cut, std::span<const Fact> facts, const Parked& run) override;
  StoreResult<std::vector<Fact>> read(std::string_view log, std::uint64_t after, std::size_t most) override;
  StoreResult<std::vector<Fact>> open_calls(std::string_view log) override;
  StoreResult<std::optional<Fact>> find(std::string_view log, std::string_view key) override;
  StoreResult<std::optional<Parked>> parked(std::string_view log) override;
  StoreResult<std::optional<RunInfo>> info(std::string_view log) override;
  StoreResult<std::vector<RunInfo>> runs(std::string_view after, std::size_t most) override;
  StoreResult<std::vector<std::string>> woken(std::int64_t now_ms, std::size_t most) override;
  StoreResult<Claim> claim(std::string_view log, std::string_view owner, std::int64_t now_ms, std::int64_t lease_ms,
                           std::optional<std::uint64_t> dead = std::nullopt) override;
  StoreResult<bool> renew(std::string_view log, std::uint64_t token, std::int64_t now_ms,
                          std::int64_t lease_ms) override;
  StoreResult<bool> release(std::string_view log, std::uint64_t token) override;
  StoreResult<Written> resumed(std::string_view log, Cut cut, std::span<const Fact> facts) override;
  StoreResult<Written> ended(std::string_view log, Cut cut, std::span<const Fact> facts) override;
  StoreResult<std::optional<Written>> end_job(std::string_view log, Cut cut, const Fact& end,
                                              std::int64_t now_ms) override;
  StoreResult<Written> depart(std::string_view log, Cut cut, const Fact& moved) override;
  StoreResult<bool> arrive(const Arrival& run, std::int64_t now_ms) override;
  StoreResult<bool> settle_departure(std::string_view log, std::string_view key) override;
  StoreResult<std::monostate> flush() override { return std::monostate{}; }

 private:
  friend class MemoryQueue;
  friend class MemoryQueueTables;
  struct Log {
    std::string name;
    std::vector<Fact> facts;
    std::map<std::string, std::uint64_t, std::less<>> by_key;
    std::vector<std::uint64_t> outdating;     // seq of the facts that outdate decisions, rising
    OpenCalls open;
    LogState state = LogState::Running;
    std::optional<Parked> parked;
    std::uint64_t since = 0;                  // Parked: the number of runs that were parked before
    bool woken = false;
    std::uint64_t token = 0;                  // the token of the newest claim
    std::string owner;                        // the owner of that claim; "" when it was given back
    std::int64_t until_ms = 0;
  };

  Log& log_made(std::string_view name);
  Log* log_named(std::string_view name);   // returns null when nothing was written or claimed
  const Fact* keyed(const Log& log, std::string_view key) const;        // returns null when no fact has the key
  std::optional<StoreError> fenced(const Log* log, std::uint64_t token) const;
  std::optional<StoreError> refused(const Log* log, std::uint64_t token) const;   // RunMoved, or Fenced
  std::optional<Fact> conflict(const Log& log, Cut cut, std::span<const Fact> facts) const;
  Fact append(Log& log, std::uint64_t token, const Fact& fact);
  Written seen(const Log& log, Cut cut) const;
  Written end(Log& log, Cut cut, std::span<const Fact> facts);
  Written put_all(Log& log, Cut cut, std::span<const Fact> facts);
  Written append_all(Log& log, Cut cut, std::span<const Fact> facts);   // decisions, whose keys are free
  RunInfo info_of(const std::string& name, const Log& log) const;

  std::mutex mutex_;
  std::map<std::string, Log, std::less<>> logs_;
  std::uint64_t parks_ = 0;
  std::unique_ptr<MemoryQueue> queue_;
};

}  // namespace ptc
