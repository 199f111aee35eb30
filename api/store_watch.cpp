#include "ptcvm/store_watch.hpp"

#include <type_traits>

#include "api/store_access.h"
#include "runtime/log/forwarding_store.h"

namespace ptcvm {
namespace {

class WatchedStore final : public ptc::ForwardingStore {
 public:
  WatchedStore(Store store, StoreWatcher& watcher)
      : ForwardingStore(StoreAccess::store(store)), handle_(std::move(store)), watcher_(watcher) {}

  ptc::StoreResult<ptc::Written> put(std::string_view log, ptc::Cut cut, std::span<const ptc::Fact> facts,
                                     ptc::Durability durability) override {
    const StoreWrite write{log, name_of(facts), durability == ptc::Durability::Now};
    return told(write, [&] { return store_.put(log, cut, facts, durability); });
  }
  ptc::StoreResult<ptc::Decided> decide(std::string_view log, ptc::Cut cut,
                                        std::span<const ptc::Fact> facts) override {
    return told({log, name_of(facts)}, [&] { return store_.decide(log, cut, facts); });
  }
  ptc::StoreResult<ptc::ParkResult> park(std::string_view log, ptc::Cut cut, std::span<const ptc::Fact> facts,
                                         const ptc::Parked& run) override {
    return told({log, "park"}, [&] { return store_.park(log, cut, facts, run); });
  }
  ptc::StoreResult<ptc::Claim> claim(std::string_view log, std::string_view owner, std::int64_t now_ms,
                                     std::int64_t lease_ms, std::optional<std::uint64_t> dead) override {
    return told({log, "claim"}, [&] { return store_.claim(log, owner, now_ms, lease_ms, dead); });
  }
  ptc::StoreResult<bool> renew(std::string_view log, std::uint64_t token, std::int64_t now_ms,
                               std::int64_t lease_ms) override {
    return told({log, "renew"}, [&] { return store_.renew(log, token, now_ms, lease_ms); });
  }
  ptc::StoreResult<bool> release(std::string_view log, std::uint64_t token) override {
    return told({log, "release"}, [&] { return store_.release(log, token); });
  }
  ptc::StoreResult<ptc::Written> resumed(std::string_view log, ptc::Cut cut,
                                         std::span<const ptc::Fact> facts) override {
    return told({log, "resumed"}, [&] { return store_.resumed(log, cut, facts); });
  }
  ptc::StoreResult<ptc::Written> ended(std::string_view log, ptc::Cut cut,
                                       std::span<const ptc::Fact> facts) override {
    return told({log, "ended"}, [&] { return store_.ended(log, cut, facts); });
  }
  ptc::StoreResult<std::optional<ptc::Written>> end_job(std::string_view log, ptc::Cut cut, const ptc::Fact& end,
                                                        std::int64_t now_ms) override {
    return told({log, "ended"}, [&] { return store_.end_job(log, cut, end, now_ms); });
  }
  ptc::StoreResult<std::monostate> flush() override {
    return told({{}, "flush", true}, [&] { return store_.flush(); });
  }

 private:
  static std::string_view name_of(std::span<const ptc::Fact> facts) {
    if (facts.empty()) return "nothing";
    return facts.front().key.empty() ? ptc::fact_name(facts.front().kind) : std::string_view(facts.front().key);
  }
  template <class Answer>
  static std::vector<WrittenFact> added_by(const Answer& answer) {
    std::vector<WrittenFact> added;
    if constexpr (std::is_base_of_v<ptc::Written, Answer>) {
      for (const ptc::Put& put : answer.puts) {
        if (put.mine && !put.fact.key.empty()) added.push_back({put.fact.key, put.fact.value});
      }
    }
    return added;
  }

  template <class Perform, class Result = std::invoke_result_t<Perform>>
  Result told(const StoreWrite& write, Perform perform) {
    watcher_.before_write(write);
    Result result = perform();
    const auto* const answer = std::get_if<0>(&result);
    watcher_.after_write(write, answer == nullptr ? std::vector<WrittenFact>() : added_by(*answer));
    return result;
  }

  const Store handle_;      // keeps the other store
  StoreWatcher& watcher_;
};

}  // namespace

Store watch_store(const Store& store, StoreWatcher& watcher) {
  return StoreAccess::made(std::make_unique<WatchedStore>(store, watcher));
}

}  // namespace ptcvm
