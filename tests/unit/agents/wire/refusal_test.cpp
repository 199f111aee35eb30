#include "agents/wire/refusal.h"

#include <gtest/gtest.h>

namespace ptcvm::wire {
namespace {

constexpr std::int64_t kNow = 1'445'412'470'000;   // Wed, 21 Oct 2015 07:27:50 GMT

ReplyError refusal(int status, const Headers& headers, std::string_view body = "{}") {
  return read_refusal(Protocol::Chat, status, headers, body, kNow);
}

TEST(Refusal, IsRetriedByItsStatus) {
  for (const int status : {408, 409, 429, 500, 502, 503, 529}) EXPECT_TRUE(refusal(status, {}).is_retryable) << status;
  for (const int status : {400, 401, 403, 404, 413, 422}) EXPECT_FALSE(refusal(status, {}).is_retryable) << status;
}

TEST(Refusal, GoesByTheHeaderBeforeTheStatus) {
  EXPECT_TRUE(refusal(400, {{"X-Should-Retry", "true"}}).is_retryable);
  EXPECT_FALSE(refusal(500, {{"x-should-retry", "false"}}).is_retryable);
}

TEST(Refusal, IsNotRetriedWhenTheQuotaIsUsedUp) {
  const std::string_view body = R"({"error": {"type": "insufficient_quota", "message": "no money"}})";
  EXPECT_FALSE(refusal(429, {{"retry-after", "1"}}, body).is_retryable);
  EXPECT_TRUE(status_allows_retry(429, {}));
}

TEST(Refusal, SaysHowLongToWait) {
  const auto wait = [](const Headers& headers) { return refusal(429, headers).retry_wait_ms; };
  EXPECT_EQ(wait({}), std::nullopt);
  EXPECT_EQ(wait({{"Retry-After", "20"}}), 20'000);
  EXPECT_EQ(wait({{"retry-after", "0.5"}}), 500);
  EXPECT_EQ(wait({{"retry-after-ms", "250"}, {"retry-after", "20"}}), 250);
  EXPECT_EQ(wait({{"retry-after-ms", "0"}, {"retry-after", "1"}}), 1'000);
  EXPECT_EQ(wait({{"retry-after", "Wed, 21 Oct 2015 07:28:00 GMT"}}), 10'000);
  EXPECT_EQ(wait({{"retry-after", "Wed, 21 Oct 2015 07:27:00 GMT"}}), std::nullopt);
  for (const char* text : {"-1", "soon", "1e300", "Wed, 99 Oct 2015 07:28:00 GMT", ""}) {
    EXPECT_EQ(wait({{"retry-after", text}}), std::nullopt) << text;
  }
}

TEST(Refusal, KeepsTheWordsOfTheServer) {
  const ReplyError error = refusal(404, {}, R"({"error": {"type": "not_found", "message": "no such model"}})");
  EXPECT_EQ(error.code, "not_found");
  EXPECT_EQ(error.message, "404 no such model");
  EXPECT_EQ(refusal(502, {}, "<html>Bad gateway").message, "502 <html>Bad gateway");
  EXPECT_EQ(refusal(502, {}, "").message, "502 status code (no body)");
}

}  // namespace
}  // namespace ptcvm::wire
