// A bucket for each server of models (rate_bucket.h), which all runs of a process share, or all processes of a store.
//
//   RateLimits rates({.requests = 60}, store);
//   const auto due = rates.take(operation.model.provider, now);   // before a request goes out
//   if (*due != 0) run.defer_model(operation.path, *due);         // it waits as a timer, so that the run can park
//
// One thread at a time uses the object.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "agents/loop/agent_run.h"
#include "agents/loop/rate_bucket.h"
#include "ptcvm/store.hpp"

namespace ptcvm::loop {

// Returns whether a log of a store has a bucket.
bool is_log_of_rates(const Store& store, const std::string& log);

class RateLimits {
 public:
  // Without a store the buckets live as long as the object. In a store each bucket is a log "rate-limit/SERVER" with a
  // state that is written anew, so it does not grow.
  explicit RateLimits(RateRule rule, std::optional<Store> store = std::nullopt);

  // Does what RateBucket::take() does with the bucket of the server. Errors: busy when another process has the bucket
  // at this moment, so that the caller asks again soon; store_failed.
  Result<std::int64_t> take(const std::string& server, std::int64_t now_ms);
  // Closes the bucket when the server refused a request because there were too many (429, 503, 529) and said how long
  // to wait. Errors: as take().
  Result<void> take_note(const std::string& server, const ModelChoice& choice, const ModelReply& reply,
                         std::int64_t now_ms);

 private:
  Result<void> change(const std::string& server, std::int64_t now_ms, const std::function<bool(RateBucket&)>& change);

  RateRule rule_;
  std::optional<Store> store_;
  std::map<std::string, RateBucket, std::less<>> buckets_;   // without a store
};

}  // namespace ptcvm::loop
