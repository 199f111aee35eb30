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

}  // namespace
}  // namespace ptc
