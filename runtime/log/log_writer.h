// Writes the facts of one claim and knows the log: its notable facts (store_rules.h) and everything that was written
// since it was opened. Older tasks and calls are looked up when somebody asks for them, so opening a run with a long
// log is as quick as opening one with a short log. After the first failure nothing is written any more: later facts
// would be missing in the log, so the run must stop.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/log/fact_store.h"
#include "runtime/log/living_claims.h"
#include "runtime/log/run_log.h"

namespace ptc {

// Calls `visit` with every fact of a log after `after`, in order. Returns the error, if there is one.
std::optional<StoreError> visit_facts(FactStore& store, std::string_view name, std::uint64_t after,
                                      const std::function<void(const Fact&)>& visit);
// Returns all facts of a log, in order.
StoreResult<std::vector<Fact>> all_facts(FactStore& store, std::string_view name);
// Calls `visit` with every notable fact of a log, in order. Returns the error, if there is one.
std::optional<StoreError> visit_notable(FactStore& store, std::string_view name,
                                        const std::function<void(const Fact&)>& visit);
// Adds the facts of a log after `into.head()`. Returns the error, if there is one.
std::optional<StoreError> read_on(FactStore& store, std::string_view name, RunLog& into);

class LogWriter {
 public:
  LogWriter(FactStore& store, std::string name, std::function<std::int64_t()> now_ms, std::int64_t lease_ms)
      : store_(store), name_(std::move(name)), now_ms_(std::move(now_ms)), lease_ms_(lease_ms) {}

  // Claims the run, also from a process that is surely gone (process_owner.h) or whose token is `dead`. A claim that is
  // not granted names the holder. Returns nullopt when the writer is stopped.
  std::optional<Claim> claim(std::string_view owner, std::optional<std::uint64_t> dead = std::nullopt);
  // Makes everything durable, unless the writer is stopped. Gives the claim back, if there is one.
  void release();
  // Forgets the claim, the log and the error: the next claim begins anew.
  void reopen();
  std::uint64_t token() const { return token_; }
  // Prolongs the claim when a third of its lease has passed. A writer that waits for something must call this from time
  // to time; writes do it by themselves.
  void keep_claim();
  const std::string& name() const { return name_; }
  FactStore& store() { return store_; }
  const RunLog& log() const { return log_; }   // leaves out tasks and calls that were not looked up yet
  // Reads the notable facts, the open calls and what is parked, under the claim. Returns false when the writer is
  // stopped.
  bool open();
  // Returns what was parked last, or nullopt, also when the writer is stopped. The first answer after open() is the one
  // that open() has read.
  std::optional<Parked> parked();
  // Reads everything from the first fact on. A stopped writer works again afterwards.
  bool open_whole();
  bool is_whole() const { return opened_head_ == 0; }

  // The result of a task in an epoch. The text lives until the next call.
  struct FoundTask {
    const std::string* edn = nullptr;   // null when there is no result
    bool returned = false;              // true for a (return v) that ended this turn
  };
  FoundTask task(std::string_view id, std::uint64_t epoch);
  const LoggedEffect* effect(std::string_view idempotency_key);   // returns null when there is no such call
  std::int64_t now() const { return now_ms_(); }
  Fact made(FactKind kind, FactAuthor author) const;        // has the time, and is not written yet

  // Writes the facts, in order and in one transaction, and adds to log() what others wrote since. Returns for each of
  // these facts the fact that the log holds under its key now, until the next call; returns null when the writer is
  // stopped. Prolongs the claim from time to time.
  const std::vector<Put>* write(std::span<const Fact> facts, Durability durability = Durability::AsMode);
  // Writes one fact. Returns nullopt when the writer is stopped.
  std::optional<Fact> put(Fact fact, Durability durability = Durability::AsMode);

  // Writes all facts or, when others decided or observed something meanwhile, none; log() then has the facts of others.
  // With `parked`, parks the run with the facts. Returns false when nothing was written or the writer is stopped.
  bool decide(std::span<const Fact> facts);
  bool park(std::span<const Fact> facts, const Parked& parked);
  bool resume(const Fact& fact);                            // the parked run goes on; returns false when stopped
  bool end(const Fact& fact);                               // the run is over; returns false when stopped
  // Reads everything that the log holds and that was not read yet: own facts and facts of others. Returns false when
  // the writer is stopped.
  bool catch_up();
  bool flush();                                             // makes all earlier writes durable

  bool stopped() const { return error_.has_value(); }
  const StoreError& error() const { return *error_; }       // valid when stopped
  void stop(StoreError error);                              // the first error stays

 private:
  // Returns the value of an answer of the store, or null after an error, which stops the writer.
  template <class T>
  T* good(StoreResult<T>& result) {
    if (auto* error = std::get_if<StoreError>(&result)) {
      stop(std::move(*error));
      return nullptr;
    }
    return &std::get<T>(result);
  }
  void add_own(const Fact& fact);
  void take_back(const LoggedEffect& effect);
  void forget();
  std::optional<Fact> find(std::string_view key);
  const Fact* recalled_task(const std::string& key);
  Cut cut() const { return {token_, log_.head()}; }
  const std::vector<Put>* write_by(const auto& call);       // the call of the store that writes
  bool take(Written& written);

  FactStore& store_;
  const std::string name_;
  const std::function<std::int64_t()> now_ms_;
  const std::int64_t lease_ms_;
  std::int64_t claimed_ms_ = 0;
  std::uint64_t token_ = 0;
  LivingClaim living_;                  // while token_ is held
  RunLog log_;
  std::optional<std::optional<Parked>> opened_parked_;   // what open() has read, until somebody asks for it
  std::uint64_t opened_head_ = 0;       // facts up to here may need looking up; 0 when none do
  std::size_t held_bytes_ = 0;          // texts of own facts in log_
  bool has_let_go_ = false;             // log_ lacks texts of own facts, which may need looking up
  TextMap<Fact> recalled_;              // tasks by their keys
  std::size_t recalled_bytes_ = 0;
  std::vector<Put> puts_;               // the puts of the last write
  std::optional<StoreError> error_;
};

}  // namespace ptc
