#include "runtime/log/claim_heartbeat.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>

#include "runtime/log/memory_store.h"
#include "tests/store/store_facts.h"

namespace ptc {
namespace {

// Counts the renewals, so that a test waits for them and for no time.
class CountedStore final : public ForwardingStore {
 public:
  explicit CountedStore(FactStore& store) : ForwardingStore(store) {}
  StoreResult<bool> renew(std::string_view log, std::uint64_t token, std::int64_t now_ms,
                          std::int64_t lease_ms) override {
    auto answer = store_.renew(log, token, now_ms, lease_ms);
    const std::lock_guard lock(mutex_);
    ++renewals_;
    now_ms_ = now_ms;
    changed_.notify_all();
    return answer;
  }
  // Waits for that many renewals since the beginning. Returns the "now" of the last one.
  std::int64_t wait_for(int renewals) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return renewals_ >= renewals; });
    return now_ms_;
  }
  int renewals() {
    const std::lock_guard lock(mutex_);
    return renewals_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int renewals_ = 0;
  std::int64_t now_ms_ = 0;
};

constexpr std::int64_t kLease = 15;   // ms: a renewal after 5 ms

TEST(ClaimHeartbeat, AToolThatIsSlowerThanTheLeaseKeepsItsRun) {
  MemoryStore memory;
  CountedStore store(memory);
  ClaimHeartbeat beats(store);
  const Claim held = taken(beats.claim("a", "one", kStoreNow, kLease, std::nullopt));
  ASSERT_TRUE(held.granted);
  const std::int64_t now = store.wait_for(10);   // the tool takes many leases
  EXPECT_GE(now, kStoreNow + 50) << "the time of the caller goes on";
  EXPECT_FALSE(taken(beats.claim("a", "two", now, kLease, std::nullopt)).granted);
  EXPECT_TRUE(put_one(beats, "a", held.token, task_fact("t")).mine);
}

TEST(ClaimHeartbeat, ALeaseEndsWithoutIt) {
  MemoryStore memory;
  std::int64_t until = 0;
  {
    ClaimHeartbeat beats(memory);
    until = taken(beats.claim("a", "one", kStoreNow, kLease, std::nullopt)).until_ms;
  }   // the process is gone, without giving the claim back
  EXPECT_TRUE(taken(memory.claim("a", "two", until + 600'000, kLease)).granted);
}

TEST(ClaimHeartbeat, AClaimThatWasGivenBackIsNotRenewed) {
  MemoryStore memory;
  CountedStore store(memory);
  ClaimHeartbeat beats(store);
  const Claim first = taken(beats.claim("a", "one", kStoreNow, kLease, std::nullopt));
  store.wait_for(1);
  EXPECT_TRUE(taken(beats.release("a", first.token)));
  EXPECT_TRUE(taken(beats.claim("b", "one", kStoreNow, kLease, std::nullopt)).granted);
  store.wait_for(store.renewals() + 3);
  EXPECT_EQ(taken(memory.info("a")).has_value(), false);
  EXPECT_TRUE(taken(memory.claim("a", "two", kStoreNow, kLease)).granted);
}

TEST(ClaimHeartbeat, AClaimThatWasLostIsNotTakenBack) {
  MemoryStore memory;
  CountedStore store(memory);
  ClaimHeartbeat beats(store);
  const Claim lost = taken(beats.claim("a", "one", kStoreNow, kLease, std::nullopt));
  const Claim next = taken(memory.claim("a", "two", kStoreNow, 1'000'000, lost.token));   // its process was gone
  ASSERT_TRUE(next.granted);
  store.wait_for(3);
  const Fact fact = task_fact("t");
  EXPECT_EQ(error_of(beats.put("a", Cut::blind(lost.token), {&fact, 1}, Durability::AsMode)), "store_fenced");
  EXPECT_TRUE(put_one(memory, "a", next.token, fact).mine);
}

}   // namespace
}   // namespace ptc
