// Writes the facts of one claim, and knows what the log says: what is notable (store_rules.h) and what was written
// since the log was opened; tasks and calls of before are looked up when somebody asks for them. So a run with a long
// log is opened as quickly as one with a short one. After the first thing that goes wrong nothing is written any more:
// what a run does from there on would be missing in its log, so the run has to stop.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/log/fact_store.h"
#include "runtime/log/run_log.h"

namespace ptc {

// Calls `visit` with every fact of a log after `after`, in order. The error, if there is one.
std::optional<StoreError> visit_facts(FactStore& store, std::string_view name, std::uint64_t after,
                                      const std::function<void(const Fact&)>& visit);
// The same for the notable ones.
std::optional<StoreError> visit_notable(FactStore& store, std::string_view name,
                                        const std::function<void(const Fact&)>& visit);
// Adds what a log holds after `into.head()`. The error, if there is one.
std::optional<StoreError> read_on(FactStore& store, std::string_view name, RunLog& into);

class LogWriter {
 public:
  LogWriter(FactStore& store, std::string name, std::function<std::int64_t()> now_ms, std::int64_t lease_ms)
      : store_(store), name_(std::move(name)), now_ms_(std::move(now_ms)), lease_ms_(lease_ms) {}

  // Takes the run over, also from a process that is surely gone (process_owner.h), or whose token is `dead`. Not
  // granted: somebody else holds it. Nothing: it is stopped.
  std::optional<Claim> claim(std::string_view owner, std::optional<std::uint64_t> dead = std::nullopt);
  // Writes what waits and makes everything durable, unless it is stopped. Gives the claim back, if there is one.
  void release();
  // Forgets the claim, the log and the error: the next claim begins anew.
  void reopen();
  std::uint64_t token() const { return token_; }
  const std::string& name() const { return name_; }
  FactStore& store() { return store_; }
  const RunLog& log() const { return log_; }   // without the tasks and calls that were not looked up yet
  // Reads the notable facts and the open calls, under the claim. False: it is stopped.
  bool open();
  // Everything, from the first fact on; also of a writer that is stopped, which it is no more.
  bool open_whole();
  bool is_whole() const { return opened_head_ == 0; }

  // What a task came to in an epoch. The text lives until the next call.
  struct FoundTask {
    const std::string* edn = nullptr;   // null: nothing
    bool returned = false;              // by a (return v) that ended this turn
  };
  FoundTask task(std::string_view id, std::uint64_t epoch);
  const LoggedEffect* effect(std::string_view idempotency_key);   // null: no such call
  std::int64_t now() const { return now_ms_(); }
  Fact made(FactKind kind, FactAuthor author) const;        // with the time, not written yet

  // Writes the facts that wait and then these, in order and in one transaction, and adds to log() what others wrote
  // since. Returns for each of these what the log holds under its key now, until the next call; null: it is stopped.
  // Prolongs the claim from time to time.
  const std::vector<Put>* write(std::span<const Fact> facts, Durability durability = Durability::AsMode);
  // The same for one fact. Nothing: it is stopped.
  std::optional<Fact> put(Fact fact, Durability durability = Durability::AsMode);

  // Lets what became of a call (EffectSettled) wait for the next write, which takes it along in its transaction;
  // decide() and park() write what waits in a transaction of its own before theirs. log() knows it at once. What waits
  // is lost when the process dies: its call is then open in the log. Facts of other kinds stop the writer.
  void stage(Fact settlement);
  // Writes what waits, if anything does. False: it is stopped.
  bool flush_staged();

  // Writes all of them or, when others decided or observed something meanwhile, none; log() then has what they said.
  // `parked`: the run is parked with the facts. False: not written, or stopped.
  bool decide(std::span<const Fact> facts);
  bool park(std::span<const Fact> facts, const Parked& parked);
  bool resume(const Fact& fact);                            // what was parked goes on. False: stopped
  bool end(const Fact& fact);                               // the run is over. False: stopped
  // Everything that the log holds and was not read yet: own facts, and those of others. False: it is stopped.
  bool catch_up();
  bool flush();                                             // makes everything durable that was written

  bool stopped() const { return error_.has_value(); }
  const StoreError& error() const { return *error_; }       // when stopped
  void stop(StoreError error);                              // the first one stays

 private:
  // The value of what a store said; null: an error, the writer is stopped.
  template <class T>
  T* good(StoreResult<T>& result) {
    if (auto* error = std::get_if<StoreError>(&result)) {
      stop(std::move(*error));
      return nullptr;
    }
    return &std::get<T>(result);
  }
  void keep_claim();
  std::optional<Fact> find(std::string_view key);
  const Fact* recalled_task(const std::string& key);
  Cut cut() const { return {token_, log_.head()}; }
  // Writes what waits and `facts` with one call of the store; it is handed all of them.
  const std::vector<Put>* write_with_staged(std::span<const Fact> facts, const auto& call);
  bool take(Written& written);
  bool is_as_staged(const std::vector<Put>& puts) const;

  FactStore& store_;
  const std::string name_;
  const std::function<std::int64_t()> now_ms_;
  const std::int64_t lease_ms_;
  std::int64_t claimed_ms_ = 0;
  std::uint64_t token_ = 0;
  RunLog log_;
  std::uint64_t opened_head_ = 0;       // facts up to here may have to be looked up; 0: none
  TextMap<Fact> recalled_;              // tasks, by key
  std::vector<Fact> staged_;            // what waits; log_ knows it
  std::vector<Put> puts_;               // of the last write
  std::optional<StoreError> error_;
};

}  // namespace ptc
