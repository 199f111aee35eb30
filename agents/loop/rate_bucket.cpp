#include "agents/loop/rate_bucket.h"

#include <algorithm>
#include <charconv>

namespace ptcvm::loop {

namespace {

constexpr std::int64_t kUsOfMs = 1'000;
constexpr std::int64_t kLongestMs = 24LL * 3'600'000;   // no bucket is closed for longer, whatever a server says

}  // namespace

RateBucket RateBucket::read(RateRule rule, std::string_view text) {
  RateBucket bucket(rule);
  const char* const end = text.data() + text.size();
  const auto next = std::from_chars(text.data(), end, bucket.next_us_);
  const bool has_both = next.ec == std::errc() && next.ptr != end && *next.ptr == ' ';
  if (!has_both || std::from_chars(next.ptr + 1, end, bucket.closed_ms_).ec != std::errc()) return RateBucket(rule);
  return bucket;
}

std::string RateBucket::text() const { return std::to_string(next_us_) + " " + std::to_string(closed_ms_); }

std::int64_t RateBucket::take(std::int64_t now_ms) {
  const std::int64_t closed = std::min(closed_ms_, now_ms + kLongestMs);
  if (closed > now_ms) return closed;
  if (rule_.requests == 0) return 0;
  const std::int64_t now_us = now_ms * kUsOfMs, window_us = rule_.window_ms * kUsOfMs;
  const std::int64_t step_us = std::max<std::int64_t>(window_us / rule_.requests, 1);
  const std::int64_t begin_us = std::max(std::min(next_us_, now_us + window_us), now_us);
  const std::int64_t early_us = begin_us - (window_us - step_us);
  if (early_us > now_us) return (early_us + kUsOfMs - 1) / kUsOfMs;
  next_us_ = begin_us + step_us;
  return 0;
}

bool RateBucket::close(std::int64_t until_ms) {
  if (until_ms <= closed_ms_) return false;
  closed_ms_ = until_ms;
  return true;
}

}  // namespace ptcvm::loop
