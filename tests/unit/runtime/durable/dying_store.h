// A store whose process dies: from some write on nothing is written, and nothing is read.
#pragma once
#include "runtime/log/forwarding_store.h"

namespace ptc {

// Passes everything on until its process dies: from then on nothing is written.
class DyingStore : public ForwardingStore {
 public:
  // Dies at the write after `writes` of them, before it takes effect or after.
  DyingStore(FactStore& store, int writes, bool after) : ForwardingStore(store), left_(writes), after_(after) {}
  bool died() const { return died_; }

  StoreResult<Written> put(std::string_view log, Cut cut, std::span<const Fact> facts,
                           Durability durability) override {
    return write<Written>([&] { return store_.put(log, cut, facts, durability); });
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
  StoreResult<bool> renew(std::string_view, std::uint64_t, std::int64_t, std::int64_t) override { return true; }
  StoreResult<std::vector<Fact>> read_notable(std::string_view log, std::uint64_t after, std::size_t most) override {
    if (died_) return dead();
    return store_.read_notable(log, after, most);
  }
  StoreResult<std::vector<Fact>> open_calls(std::string_view log) override {
    if (died_) return dead();
    return store_.open_calls(log);
  }
  StoreResult<bool> release(std::string_view log, std::uint64_t token) override {
    if (died_) return dead();
    return store_.release(log, token);
  }
  StoreResult<Written> resumed(std::string_view log, Cut cut, std::span<const Fact> facts) override {
    return write<Written>([&] { return store_.resumed(log, cut, facts); });
  }
  StoreResult<Written> ended(std::string_view log, Cut cut, std::span<const Fact> facts) override {
    return write<Written>([&] { return store_.ended(log, cut, facts); });
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

  int left_;
  const bool after_;
  bool died_ = false;
};

}  // namespace ptc
