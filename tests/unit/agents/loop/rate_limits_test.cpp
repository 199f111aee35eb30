// How often servers of models are asked.
#include "agents/loop/rate_limits.h"

#include <gtest/gtest.h>

#include "agents/loop/stored_agent.h"
#include "ptcvm/host_log.hpp"

namespace ptcvm::loop {
namespace {

constexpr std::int64_t kNow = 1'700'000'000'000;

ModelReply refused(std::string wait_ms) { return {429, {{"retry-after-ms", std::move(wait_ms)}}, "{}", false}; }

TEST(RateBucketTest, a_request_leaves_the_window_after_its_length) {
  RateBucket bucket({.requests = 3, .window_ms = 60'000});
  for (const std::int64_t at : {kNow, kNow + 10, kNow + 20}) EXPECT_EQ(bucket.take(at), 0);
  EXPECT_EQ(bucket.take(kNow + 30), kNow + 60'000);
  EXPECT_EQ(bucket.take(kNow + 59'999), kNow + 60'000);
  EXPECT_EQ(bucket.take(kNow + 60'000), 0);
  EXPECT_EQ(bucket.take(kNow + 60'000), kNow + 60'010);
  EXPECT_EQ(bucket.take(kNow + 200'000), 0);
}

TEST(RateBucketTest, no_window_has_more_requests_than_the_rule_says) {
  for (const std::uint32_t most : {1u, 7u, 60u, 61u, 500u}) {
    constexpr std::int64_t kWindowMs = 1'000;
    RateBucket bucket({.requests = most, .window_ms = kWindowMs});
    std::vector<std::int64_t> sent;
    for (std::int64_t at = kNow; at < kNow + 10'000; at += 1 + at % 3) {
      while (bucket.take(at) == 0) sent.push_back(at);
      bucket = RateBucket::read({.requests = most, .window_ms = kWindowMs}, bucket.text());
    }
    for (std::size_t i = most; i < sent.size(); ++i) EXPECT_GE(sent[i] - sent[i - most], kWindowMs) << most;
    EXPECT_GE(sent.size(), most * 9u);
    EXPECT_LE(bucket.text().size(), 61u * 20);
  }
}

TEST(RateBucketTest, a_clock_that_was_set_back_holds_nobody_for_long) {
  RateBucket bucket({.requests = 1, .window_ms = 1'000});
  EXPECT_EQ(bucket.take(kNow + 3'600'000), 0);
  EXPECT_EQ(bucket.take(kNow), 0);
}

TEST(RateBucketTest, what_the_server_said_counts_without_a_rule_and_survives_as_text) {
  RateBucket bucket({});
  EXPECT_EQ(bucket.take(kNow), 0);
  EXPECT_TRUE(bucket.close(kNow + 500));
  EXPECT_FALSE(bucket.close(kNow + 400));
  RateBucket again = RateBucket::read({}, bucket.text());
  EXPECT_EQ(again.take(kNow), kNow + 500);
  EXPECT_EQ(again.take(kNow + 500), 0);
  for (const char* const wrong :
       {"", "x", "1", "w", "w 99999999999999999999", "w 9223372036854775807 9223372036854775807:4294967295",
        "w 0 5:1 5:1", "w 0 7", "w 0 -9223372036854775808:9", "1700000000000000 0"}) {
    EXPECT_LE(RateBucket::read({}, wrong).take(kNow), kNow + 24LL * 3'600'000) << wrong;
    EXPECT_LE(RateBucket::read({.requests = 1}, wrong).take(kNow), kNow + 24LL * 3'600'000) << wrong;
  }
}

TEST(RateLimitsTest, servers_have_buckets_of_their_own) {
  RateLimits rates({.requests = 1});
  EXPECT_EQ(rates.take("a", kNow).value(), 0);
  EXPECT_EQ(rates.take("b", kNow).value(), 0);
  EXPECT_EQ(rates.take("a", kNow).value(), kNow + 60'000);
}

TEST(RateLimitsTest, a_refusal_closes_the_bucket_of_all_that_share_the_store_and_the_store_does_not_grow) {
  const Store store = Store::in_memory();
  RateLimits one({}, store), other({}, store);
  ASSERT_TRUE(one.take_note("a", {}, refused("2500"), kNow));
  EXPECT_EQ(other.take("a", kNow).value(), kNow + 2'500);
  EXPECT_EQ(other.take("b", kNow).value(), 0);
  RateLimits counting({.requests = 2}, store), too({.requests = 2}, store);
  EXPECT_EQ(counting.take("c", kNow).value(), 0);
  EXPECT_EQ(too.take("c", kNow).value(), 0);
  EXPECT_EQ(counting.take("c", kNow).value(), kNow + 60'000);
  const HostLog log = HostLog::of(store, "rate-limit/c");
  const auto before = log.head().value();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(counting.take("c", kNow + i * 60'000));
  EXPECT_EQ(log.head().value(), before);
}

TEST(RateLimitsTest, a_refusal_for_good_or_without_a_time_closes_nothing) {
  RateLimits rates({});
  ASSERT_TRUE(rates.take_note("a", {}, {429, {}, "{}", false}, kNow));
  ASSERT_TRUE(rates.take_note("a", {}, {400, {{"retry-after", "60"}}, "{}", false}, kNow));
  ASSERT_TRUE(rates.take_note("a", {}, {200, {{"retry-after", "60"}}, "{}", false}, kNow));
  EXPECT_EQ(rates.take("a", kNow).value(), 0);
}

TEST(RateLimitsTest, a_request_that_is_put_off_waits_as_a_timer_and_is_not_charged) {
  const Engine engine;
  const auto definition = read_agent_text(R"({"prompt": "x", "limits": {"model_calls": 1}})");
  const Agent agent = Agent::make(engine, *definition).value();
  const Store store = Store::in_memory();
  std::int64_t now = kNow;
  const StoredAgentOptions options{.start = {.id = "r"}, .clock = [&] { return now; }};
  {
    StoredAgent stored = StoredAgent::open(agent, store, options).value();
    ASSERT_TRUE(stored.advance());
    ASSERT_TRUE(stored.step());
    ASSERT_EQ(stored.take_orders().size(), 1u);
    ASSERT_TRUE(stored.defer_model("model", kNow + 5'000));
    ASSERT_TRUE(stored.step());
    EXPECT_TRUE(stored.take_orders().empty());
    EXPECT_EQ(stored.run().pending(), std::vector<std::string>{"timer"});
    EXPECT_EQ(stored.run().usage().model_calls, 0u);
    EXPECT_EQ(stored.defer_model("model", kNow).error().code, Errc::unknown_operation);
    ASSERT_TRUE(stored.park());
  }
  now = kNow + 5'000;
  StoredAgent stored = StoredAgent::open(agent, store, options).value();
  ASSERT_TRUE(stored.advance());
  ASSERT_TRUE(stored.step());
  const auto orders = stored.take_orders();
  ASSERT_EQ(orders.size(), 1u);
  EXPECT_EQ(orders[0].attempt, 1u);
  EXPECT_EQ(stored.run().usage().model_calls, 1u);
}

}  // namespace
}  // namespace ptcvm::loop
