// A store that passes every call on to another store: the base of stores that change only a few calls. opening() is not
// passed on: it is made of calls that the derived store may change.
#pragma once
#include "runtime/log/fact_store.h"

namespace ptc {

class ForwardingStore : public FactStore {
 public:
  // The other store must outlive this one.
  explicit ForwardingStore(FactStore& store) : store_(store) {}

  RunQueue* queue() override { return store_.queue(); }
  StoreResult<Written> put(std::string_view log, Cut cut, std::span<const Fact> facts,
                           Durability durability) override {
    return store_.put(log, cut, facts, durability);
  }
  StoreResult<Decided> decide(std::string_view log, Cut cut, std::span<const Fact> facts) override {
    return store_.decide(log, cut, facts);
  }
  StoreResult<ParkResult> park(std::string_view log, Cut cut, std::span<const Fact> facts, const Parked& run) override {
    return store_.park(log, cut, facts, run);
  }
  StoreResult<std::vector<Fact>> read(std::string_view log, std::uint64_t after, std::size_t most) override {
    return store_.read(log, after, most);
  }
  StoreResult<std::vector<Fact>> read_notable(std::string_view log, std::uint64_t after, std::size_t most) override {
    return store_.read_notable(log, after, most);
  }
  StoreResult<std::vector<Fact>> open_calls(std::string_view log) override { return store_.open_calls(log); }
  StoreResult<std::optional<Fact>> find(std::string_view log, std::string_view key) override {
    return store_.find(log, key);
  }
  StoreResult<std::optional<Parked>> parked(std::string_view log) override { return store_.parked(log); }
  StoreResult<std::optional<RunInfo>> info(std::string_view log) override { return store_.info(log); }
  StoreResult<std::vector<RunInfo>> runs(std::string_view after, std::size_t most) override {
    return store_.runs(after, most);
  }
  StoreResult<std::vector<std::string>> woken(std::int64_t now_ms, std::size_t most) override {
    return store_.woken(now_ms, most);
  }
  StoreResult<Claim> claim(std::string_view log, std::string_view owner, std::int64_t now_ms, std::int64_t lease_ms,
                           std::optional<std::uint64_t> dead) override {
    return store_.claim(log, owner, now_ms, lease_ms, dead);
  }
  StoreResult<bool> renew(std::string_view log, std::uint64_t token, std::int64_t now_ms,
                          std::int64_t lease_ms) override {
    return store_.renew(log, token, now_ms, lease_ms);
  }
  StoreResult<bool> release(std::string_view log, std::uint64_t token) override { return store_.release(log, token); }
  StoreResult<Written> resumed(std::string_view log, Cut cut, std::span<const Fact> facts) override {
    return store_.resumed(log, cut, facts);
  }
  StoreResult<Written> ended(std::string_view log, Cut cut, std::span<const Fact> facts) override {
    return store_.ended(log, cut, facts);
  }
  StoreResult<Written> depart(std::string_view log, Cut cut, const Fact& moved) override {
    return store_.depart(log, cut, moved);
  }
  StoreResult<bool> arrive(const Arrival& run, std::int64_t now_ms) override { return store_.arrive(run, now_ms); }
  StoreResult<bool> settle_departure(std::string_view log, std::string_view key) override {
    return store_.settle_departure(log, key);
  }
  StoreResult<std::monostate> flush() override { return store_.flush(); }

 protected:
  FactStore& store_;
};

}  // namespace ptc
