// Writes the facts of one claim, and knows what the log says. After the first thing that goes wrong nothing is written
// any more: what a run does from there on would be missing in its log, so the run has to stop.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/facts/fact_store.h"
#include "runtime/facts/run_log.h"

namespace ptc {

class LogWriter {
 public:
  LogWriter(FactStore& store, std::string name, std::function<std::int64_t()> now_ms)
      : store_(store), name_(std::move(name)), now_ms_(std::move(now_ms)) {}

  void set_token(std::uint64_t token) { token_ = token; }   // of the claim
  std::uint64_t token() const { return token_; }
  const std::string& name() const { return name_; }
  FactStore& store() { return store_; }
  const RunLog& log() const { return log_; }
  std::int64_t now() const { return now_ms_(); }
  Fact made(FactKind kind, FactAuthor author) const;        // with the time, not written yet

  // What the log holds under its key now; nothing: it is stopped.
  std::optional<Fact> put(Fact fact);
  // Everything that the log holds and was not read yet: own facts, and those of others. False: it is stopped.
  bool catch_up();
  bool flush();

  bool stopped() const { return error_.has_value(); }
  const StoreError& error() const { return *error_; }       // when stopped
  void stop(StoreError error);                              // the first one stays

 private:
  FactStore& store_;
  const std::string name_;
  const std::function<std::int64_t()> now_ms_;
  std::uint64_t token_ = 0;
  RunLog log_;
  std::optional<StoreError> error_;
};

}  // namespace ptc
