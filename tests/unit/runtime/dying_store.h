// A store whose process dies: from some write on nothing is written, and nothing is read.
#pragma once
#include "runtime/facts/fact_store.h"

namespace ptc {

// Passes everything on until its process dies: from then on nothing is written.
class DyingStore : public FactStore {
 public:
  // Dies at the write after `writes` of them, before it takes effect or after.
  DyingStore(FactStore& store, int writes, bool after) : store_(store), left_(writes), after_(after) {}
  bool died() const { return died_; }

  StoreResult<std::vector<Put>> put(std::string_view log, std::uint64_t token, std::span<const Fact> facts) override {
    return write<std::vector<Put>>([&] { return store_.put(log, token, facts); });
  }
  StoreResult<Decided> decide(std::string_view log, Cut cut, std::span<const Fact> facts) override {
    return write<Decided>([&] { return store_.decide(log, cut, facts); });
  }
  StoreResult<ParkResult> park(std::string_view log, Cut cut, std::span<const Fact> facts, const Parked& run) override {
    return write<ParkResult>([&] { return store_.park(log, cut, facts, run); });
  }
  StoreResult<std::vector<Fact>> read(std::string_view log, std::uint64_t after, std::size_t most) override {
    if (died_) return dead();
    return store_.read(log, after, most);
  }
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
  StoreResult<bool> renew(std::string_view, std::uint64_t, std::int64_t, std::int64_t) override { return true; }
  StoreResult<bool> release(std::string_view log, std::uint64_t token) override {
    if (died_) return dead();
    return store_.release(log, token);
  }
  StoreResult<std::vector<Put>> resumed(std::string_view log, std::uint64_t token,
                                        std::span<const Fact> facts) override {
    return write<std::vector<Put>>([&] { return store_.resumed(log, token, facts); });
  }
  StoreResult<std::vector<Put>> ended(std::string_view log, std::uint64_t token, std::span<const Fact> facts) override {
    return write<std::vector<Put>>([&] { return store_.ended(log, token, facts); });
  }
  StoreResult<std::monostate> flush() override {
    if (died_) return dead();
    return store_.flush();
  }

 private:
  static StoreError dead() { return {StoreError::Kind::Io, "the process is dead"}; }

  template <class T, class Write>
  StoreResult<T> write(Write perform) {
    if (died_) return dead();
    if (left_-- > 0) return perform();
    died_ = true;
    if (after_) perform();
    return dead();
  }

  FactStore& store_;
  int left_;
  const bool after_;
  bool died_ = false;
};

}  // namespace ptc
