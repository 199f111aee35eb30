#include "agents/loop/rate_limits.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "agents/wire/reply_reader.h"
#include "ptcvm/host_log.hpp"

namespace ptcvm::loop {

namespace {

constexpr std::int64_t kLeaseMs = 10'000;
constexpr std::int64_t kLongestClosedMs = 3'600'000;   // as a run waits for its next attempt, whatever a server says
constexpr std::string_view kName = "rate_limit";   // names the state, and the only fact of the log
constexpr std::string_view kPrefix = "rate-limit/";

HostLog log_of(const Store& store, const std::string& server) {
  return HostLog::of(store, std::string(kPrefix) + server);
}

Result<RateBucket> bucket_of(const HostLog& log, RateRule rule) {
  const auto parked = log.parked();
  if (!parked) return parked.error();
  if (!*parked) return RateBucket(rule);
  const auto& bytes = (*parked)->snapshot;
  return RateBucket::read(rule, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

// Writes the bucket under a claim. A log needs a fact before something can be parked in it.
Result<void> keep(HostLog& log, std::uint64_t token, const RateBucket& bucket, std::int64_t now_ms) {
  const auto head = log.head();
  if (!head) return head.error();
  std::uint64_t seen = *head;
  if (seen == 0) {
    HostFact begun;
    begun.fact_class = HostFactClass::Control;
    begun.name = begun.key = kName;
    begun.body = "{}";
    begun.time_ms = now_ms;
    const auto written = log.put({token, 0}, {&begun, 1});
    if (!written) return written.error();
    seen = written->head;
  }
  HostParked parked;
  parked.continuation = kName;
  parked.observed_seq = seen;
  const std::string text = bucket.text();
  parked.snapshot.resize(text.size());
  std::memcpy(parked.snapshot.data(), text.data(), text.size());
  const auto done = log.park({token, seen}, {}, parked);
  if (!done) return done.error();
  return {};
}

}  // namespace

bool is_log_of_rates(const Store& store, const std::string& log) {
  if (!log.starts_with(kPrefix)) return false;
  const auto first = HostLog::of(store, log).read(0, 1);
  return first && !first->empty() && first->front().is_of_host && first->front().name == kName;
}

RateLimits::RateLimits(RateRule rule, std::optional<Store> store) : rule_(rule), store_(std::move(store)) {}

Result<void> RateLimits::change(const std::string& server, std::int64_t now_ms,
                                const std::function<bool(RateBucket&)>& change) {
  if (!store_) {
    change(buckets_.try_emplace(server, rule_).first->second);
    return {};
  }
  HostLog log = log_of(*store_, server);
  const auto claim = log.claim("", now_ms, kLeaseMs);
  if (!claim) return claim.error();
  if (!claim->is_granted) return Error{Errc::busy, "the rate limit of " + server + " is in use", std::nullopt, {}};
  auto bucket = bucket_of(log, rule_);
  Result<void> kept;
  if (!bucket) {
    kept = bucket.error();
  } else if (change(*bucket)) {
    kept = keep(log, claim->token, *bucket, now_ms);
  }
  const auto released = log.release(claim->token);
  if (kept && !released) return released.error();
  return kept;
}

Result<std::int64_t> RateLimits::take(const std::string& server, std::int64_t now_ms) {
  std::int64_t due = 0;
  if (store_ && rule_.requests == 0) {   // nothing is counted, so nothing is written
    auto bucket = bucket_of(log_of(*store_, server), rule_);
    if (!bucket) return bucket.error();
    return bucket->take(now_ms);
  }
  const auto changed = change(server, now_ms, [&](RateBucket& bucket) {
    due = bucket.take(now_ms);
    return due == 0;
  });
  if (!changed) return changed.error();
  return due;
}

Result<void> RateLimits::take_note(const std::string& server, const ModelChoice& choice, const ModelReply& reply,
                                   std::int64_t now_ms) {
  constexpr int kTooMany = 429, kUnavailable = 503, kOverloaded = 529;
  if (reply.status != kTooMany && reply.status != kUnavailable && reply.status != kOverloaded) return {};
  wire::ReplyReader reader({choice.protocol, choice.is_stream, reply.status, reply.headers});
  reader.feed(reply.body);
  const wire::Reply read =
      reader.finish(reply.is_cut ? wire::ReplyReader::End::Cut : wire::ReplyReader::End::Proper, now_ms);
  if (!read.error || !read.error->is_retryable || !read.error->retry_wait_ms) return {};
  const std::int64_t until_ms = now_ms + std::clamp<std::int64_t>(*read.error->retry_wait_ms, 0, kLongestClosedMs);
  return change(server, now_ms, [&](RateBucket& bucket) { return bucket.close(until_ms); });
}

}  // namespace ptcvm::loop
