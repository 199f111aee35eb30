// Tokens and cost of kept replies, as `ptcvm agent cost` shows them.
#include "tools/ptcvm/agent/agent_cost.h"

#include <gtest/gtest.h>

namespace ptcvm::cli {
namespace {

KeptRequest replied(wire::Protocol protocol, const char* body) {
  KeptRequest kept;
  kept.choice.protocol = protocol;
  kept.choice.name = "m";
  kept.reply.emplace();
  kept.reply->status = 200;
  kept.reply->body = body;
  return kept;
}

const loop::ModelPrices kPrices{{"m", {.input = 2, .cached = 1, .cache_written = 3, .output = 8}}};

// The protocol "messages" counts what the cache had apart from the input, and the others count it among the input.
TEST(AgentCost, InputIsTheSameSumInEachProtocol) {
  constexpr const char* kBody = R"({"type":"message","role":"assistant","content":[],"usage":{"input_tokens":10,
      "cache_read_input_tokens":90,"cache_creation_input_tokens":5,"output_tokens":7}})";
  const auto messages = cost_lines({replied(wire::Protocol::Messages, kBody)}, &kPrices);
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_EQ(messages[0].input, 105);
  EXPECT_EQ(messages[0].cached, 90);
  EXPECT_EQ(messages[0].millionths, 10U * 2 + 90 * 1 + 5 * 3 + 7 * 8);
}

TEST(AgentCost, AGoodReplyWithoutTokensHasAnUnknownCost) {
  const auto lines = cost_lines({replied(wire::Protocol::Messages, R"({"type":"message","content":[]})")}, &kPrices);
  EXPECT_FALSE(sum_of(lines).money());
  EXPECT_EQ(sum_of(lines).money_text(), "?");
}

// A run keeps what each reply cost when it came: another process may have had other prices.
TEST(AgentCost, WithoutPricesEachReplyCostsWhatTheLogSays) {
  constexpr const char* kBody = R"({"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":7}})";
  KeptRequest dear = replied(wire::Protocol::Chat, kBody), cheap = dear;
  dear.reply->money = 500;
  cheap.reply->money = 3;
  EXPECT_EQ(cost_lines({dear, cheap}, nullptr).at(0).money_text(), "0.000503");
  EXPECT_EQ(cost_lines({dear, cheap}, &kPrices).at(0).millionths, 2U * (10 * 2 + 7 * 8));
  const auto unknown = cost_lines({dear, replied(wire::Protocol::Chat, kBody)}, nullptr);
  EXPECT_EQ(unknown.at(0).money_text(), "?");
  EXPECT_NE(unknown_cost(unknown).find("--prices"), std::string::npos);
}

}  // namespace
}  // namespace ptcvm::cli
