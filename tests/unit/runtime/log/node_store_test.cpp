#include "runtime/log/node_store.h"

#include <gtest/gtest.h>

#include "runtime/log/memory_store.h"

namespace ptc {
namespace {

std::uint64_t held(NodeStore& store) { return std::get<Claim>(store.claim("a", "n", 0, 0, std::nullopt)).token; }

// The queue may give a run to the same node again before the node has forgotten that it gave the run back.
TEST(NodeStore, ForgetsTheClaimThatWasGivenBackAndNoOtherOne) {
  MemoryStore memory;
  NodeStore store(memory);
  store.take("a", 1);
  store.take("a", 2);
  store.leave("a", 1);
  EXPECT_EQ(held(store), 2u);
  store.leave("a", 2);
  EXPECT_EQ(held(store), 0u);
}

// The lease ends by the clock that nobody sets, and not by the one of the wall.
TEST(NodeStore, WritesNoIntentWhenItsLeaseIsOverByTheClockThatItWasGiven) {
  MemoryStore memory;
  std::int64_t boot = 0;
  NodeStore store(memory, {[] { return std::int64_t{1'000'000}; }, [&boot] { return boot; }, [](std::int64_t) {}});
  store.take("a", std::get<Claim>(memory.claim("a", "n", 0, 1'000'000)).token);
  store.set_lease_end(100);
  Fact intent;
  intent.kind = FactKind::Intent;
  intent.author = FactAuthor::Host;
  const auto put = [&] { return store.put("a", Cut::blind(1), {&intent, 1}, Durability::AsMode); };
  boot = 99;
  EXPECT_TRUE(std::holds_alternative<Written>(put()));
  boot = 100;
  const auto refused = put();
  ASSERT_TRUE(std::holds_alternative<StoreError>(refused));
  EXPECT_EQ(std::get<StoreError>(refused).kind, StoreError::Kind::Fenced);
  EXPECT_EQ(store.fenced(), 1u);
}

}  // namespace
}  // namespace ptc
