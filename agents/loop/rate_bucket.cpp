#include "agents/loop/rate_bucket.h"

#include <algorithm>
#include <charconv>

namespace ptcvm::loop {

namespace {

constexpr std::int64_t kLongestMs = 24LL * 3'600'000;   // no bucket is closed for longer, whatever a server says
constexpr std::uint32_t kMostMoments = 60;              // with more requests in a window, moments are longer
constexpr char kMark = 'w';                             // begins a text; earlier versions wrote two numbers

// Takes a number and the sign before it from the front of a text.
template <class Number>
bool take_number(std::string_view& text, char sign, Number& out) {
  if (!text.starts_with(sign)) return false;
  const auto read = std::from_chars(text.data() + 1, text.data() + text.size(), out);
  if (read.ec != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  return true;
}

}  // namespace

RateBucket RateBucket::read(RateRule rule, std::string_view text) {
  RateBucket bucket(rule);
  if (!text.starts_with(kMark)) return bucket;
  text.remove_prefix(1);
  if (!take_number(text, ' ', bucket.closed_ms_)) return RateBucket(rule);
  while (!text.empty()) {
    Moment moment;
    const bool is_read = take_number(text, ' ', moment.last_ms) && take_number(text, ':', moment.requests);
    const bool is_later = bucket.sent_.empty() || moment.last_ms > bucket.sent_.back().last_ms;
    if (!is_read || !is_later) return RateBucket(rule);
    bucket.sent_.push_back(moment);
  }
  return bucket;
}

std::string RateBucket::text() const {
  std::string text = kMark + (' ' + std::to_string(closed_ms_));
  for (const Moment& moment : sent_) {
    text += ' ' + std::to_string(moment.last_ms) + ':' + std::to_string(moment.requests);
  }
  return text;
}

// A clock that was set back leaves moments that have not come; they would count for too long.
void RateBucket::forget(std::int64_t now_ms) {
  std::erase_if(sent_, [&](const Moment& moment) {
    return moment.last_ms <= now_ms - rule_.window_ms || moment.last_ms > now_ms + rule_.window_ms;
  });
}

std::int64_t RateBucket::moment_of(std::int64_t now_ms) const {
  const bool is_exact = rule_.requests <= kMostMoments;
  const std::int64_t length_ms = is_exact ? 1 : std::max<std::int64_t>(rule_.window_ms / kMostMoments, 1);
  return now_ms - now_ms % length_ms + length_ms - 1;
}

std::int64_t RateBucket::take(std::int64_t now_ms) {
  const std::int64_t closed = std::min(closed_ms_, now_ms + kLongestMs);
  if (closed > now_ms) return closed;
  if (rule_.requests == 0) return 0;
  forget(now_ms);
  std::uint64_t sent = 0;
  for (const Moment& moment : sent_) sent += moment.requests;
  if (sent >= rule_.requests) return sent_.front().last_ms + rule_.window_ms;
  const std::int64_t last_ms = moment_of(now_ms);
  if (sent_.empty() || sent_.back().last_ms < last_ms) sent_.push_back({last_ms, 0});
  ++sent_.back().requests;
  return 0;
}

bool RateBucket::close(std::int64_t until_ms) {
  if (until_ms <= closed_ms_) return false;
  closed_ms_ = until_ms;
  return true;
}

}  // namespace ptcvm::loop
