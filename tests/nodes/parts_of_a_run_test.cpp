// Logs that belong to a run of a queue: the claim of the run covers them, and each newer claim fences the older ones.
#include <gtest/gtest.h>

#include "runtime/log/memory_store.h"
#include "runtime/log/node_store.h"

namespace ptc {
namespace {

constexpr std::int64_t kForever = INT64_MAX;

// A worker that has the run "job" under a token.
struct Holder {
  Holder(FactStore& store, std::uint64_t token) : node(store) {
    node.set_lease_end(kForever);
    node.take("job", token);
  }
  Claim claim(std::string_view log) { return std::get<Claim>(node.claim(log, "a process", 1, 60'000, std::nullopt)); }
  bool writes(std::string_view log, std::uint64_t token, std::string key = {}) {
    Fact fact;
    fact.kind = FactKind::HostNoted;
    fact.key = std::move(key);
    return std::holds_alternative<Written>(node.put(log, Cut::blind(token), {&fact, 1}, Durability::AsMode));
  }
  NodeStore node;
};

TEST(PartsOfARun, ANewerClaimOfTheRunTakesThemAtOnce) {
  MemoryStore store;
  Holder older(store, 3), newer(store, 4);
  const Claim first = older.claim("job/steps");
  ASSERT_TRUE(first.granted);
  EXPECT_TRUE(older.writes("job/steps", first.token));
  const Claim second = newer.claim("job/steps");
  ASSERT_TRUE(second.granted) << "nobody waits for the lease of a worker that lost the run";
  EXPECT_TRUE(newer.writes("job/steps", second.token));
  EXPECT_FALSE(older.writes("job/steps", first.token));
  EXPECT_FALSE(older.claim("job/steps").granted);
}

TEST(PartsOfARun, ArePartsByNameAndOnlyWhileTheRunIsHeld) {
  MemoryStore store;
  Holder holder(store, 3);
  EXPECT_FALSE(holder.claim("job2").granted);
  EXPECT_FALSE(holder.claim("other/steps").granted);
  const Claim part = holder.claim("job/steps/deep");
  EXPECT_TRUE(part.granted);
  EXPECT_TRUE(std::get<bool>(holder.node.renew("job/steps/deep", part.token, 2, 60'000)));
  EXPECT_TRUE(std::get<bool>(holder.node.release("job/steps/deep", part.token)));
  holder.node.leave("job", 3);
  EXPECT_FALSE(holder.claim("job/steps/deep").granted);
}

TEST(PartsOfARun, AreNotTakenFromSomebodyWhoWorksWithoutTheQueue) {
  MemoryStore store;
  Holder holder(store, 3);
  ASSERT_TRUE(std::get<Claim>(store.claim("job/steps", "a person", 1, 60'000)).granted);
  const Claim claim = holder.claim("job/steps");
  EXPECT_FALSE(claim.granted);
  EXPECT_EQ(claim.owner, "a person");
}

TEST(PartsOfARun, TakeNoIntentsAfterTheLease) {
  MemoryStore store;
  Holder holder(store, 3);
  const Claim part = holder.claim("job/steps");
  ASSERT_TRUE(holder.writes("job/steps", part.token, "host/intent/1"));
  holder.node.set_lease_end(0);
  EXPECT_FALSE(holder.writes("job/steps", part.token, "host/intent/2"));
}

}  // namespace
}  // namespace ptc
