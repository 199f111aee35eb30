// Where logs of facts and parked runs are kept: the interface that the runtime needs of a store.
//
// A store holds logs, each under the id of a run. A log is append-only; facts are numbered from 1 without gaps. What a
// write may do follows from the class of its facts (schema/facts.def):
//   - a fact with a key is there once: whoever comes second gets the first one back, and nothing was written
//   - effects, observations and control facts are never refused because of what others wrote
//   - decisions are refused when somebody else observed or decided something after the writer's cut
// A run is executed by one process at a time: claim() gives a token, and writes under a token that is not the newest,
// or that was given back, are refused (Fenced). That its lease is over does not fence a token, another claim does.
// Outsiders write observations and control facts under the token 0.
//
// A fact is stored with the token under which it was written; `seq` and `writer` of what is handed in do not matter.
//
// Waking: park() stores the snapshot of a suspended run with the keys of the facts that it waits for. Whether one of
// them is there already is looked at in the same transaction, and whatever is put afterwards wakes the run in the
// transaction of the put. So no answer is lost between evaluation and suspension.
//
// A write tells its writer what others wrote since the writer looked last (Written): nobody has to read after a write.
//
// When a call returns, what it wrote is as durable as the store's mode says, or durable at once if the caller asks for
// it (Durability::Now). An error means that nothing was written, except Unknown: the facts may have been written, and
// the log must be read again.
//
// Any number of threads may use one store. tests/store/conformance.h checks any implementation.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runtime/log/fact.h"

namespace ptc {

struct StoreError {
  enum class Kind : std::uint8_t {
    Io,          // the medium failed; nothing was written
    Unknown,     // it failed while it was made durable: it may or may not have been written
    Full,        // no space left
    Corrupt,     // what is stored makes no sense
    Version,     // written by a newer version
    Locked,      // another process kept the store for too long
    Fenced,      // the claim is not the newest any more, or was given back
    Missing,     // no such log, or nothing parked
    Misuse,      // arguments that make no sense (store_rules.h): a decision under no claim, text that is not UTF-8
  };
  Kind kind{};
  std::string message;
};
std::string_view store_error_name(StoreError::Kind kind);   // "store_io" and so on

template <class T>
using StoreResult = std::variant<T, StoreError>;

// What became of a fact that was put: `fact` is what the log holds under its key now.
struct Put {
  Fact fact;
  bool mine = false;             // false: somebody put another one there before
};

// Who writes, and what the writer has seen of the log.
struct Cut {
  std::uint64_t token = 0;       // of the writer's claim, 0 from outside; facts of one token never conflict
  std::uint64_t seq = 0;         // the writer has seen every fact up to this one

  static constexpr std::uint64_t kBlind = ~std::uint64_t{0};
  // Returns the cut of a writer who does not want to be told what others wrote. A decision needs a cut that sees.
  static constexpr Cut blind(std::uint64_t token = 0) { return {token, kBlind}; }
  bool is_blind() const { return seq == kBlind; }
};

// How durable a write is when its call returns.
enum class Durability : std::uint8_t {
  AsMode,                        // as the mode of the store says
  Now,                           // on the disk, in every mode that has one, with everything that was written before
};

// The most facts of others that a write gives back.
inline constexpr std::size_t kMostOthers = 1'000;

// What a write did, and what others did since the writer looked last.
struct Written {
  std::vector<Put> puts;         // one for each fact that was handed in, in order; none when the write was refused
  std::uint64_t head = 0;        // of the log afterwards
  std::vector<Fact> others;      // facts after the cut that this call did not write, in order; none for a blind cut
  bool more = false;             // there are more others: read the log after the last one
};
struct Decided : Written {
  std::optional<Fact> conflict;  // set: nothing was written, because of this fact
};

// A suspended run.
struct Parked {
  std::string continuation;                 // its name; a run has one at a time, the newer replaces the older
  std::vector<std::uint8_t> snapshot;
  std::vector<std::string> wait_keys;       // keys of facts; any of them wakes it
  std::optional<std::int64_t> deadline_ms;  // wakes it, too
  std::uint64_t observed_seq = 0;           // facts up to here are in the snapshot
};
struct ParkResult : Written {
  bool parked = false;
  std::optional<Fact> arrived;   // not parked: this fact with one of the keys came after observed_seq
  std::optional<Fact> conflict;  // not parked: the decisions were refused because of this fact
};

enum class LogState : std::uint8_t { Running, Parked, Ended };
std::string_view log_state_name(LogState state);

struct RunInfo {
  std::string log;
  LogState state{};
  std::uint64_t head = 0;
  std::int64_t started_ms = 0, changed_ms = 0;   // of the first and of the last fact
  bool woken = false;                            // parked, and a fact that it waits for is there
  std::optional<std::int64_t> deadline_ms;
  std::string owner;                             // of the claim that was not given back, its lease over or not; or ""
};

struct Claim {
  std::uint64_t token = 0;       // grows with each claim of the log
  bool granted = false;
  std::string owner;             // who holds it now, if not the caller …
  std::uint64_t held_token = 0;  // … under which token …
  std::int64_t until_ms = 0;     // … and until when: at that moment it is free
};

class FactStore {
 public:
  virtual ~FactStore() = default;

  // Writes all facts in one transaction, in order. Each fact for itself is new, or gives back what was there under its
  // key. The first fact of a log makes the log. Refuses decisions, and effects without a claim. A run that is over runs
  // again with a new RunStarted.
  virtual StoreResult<Written> put(std::string_view log, Cut cut, std::span<const Fact> facts,
                                   Durability durability = Durability::AsMode) = 0;
  // Writes all facts or none. A fact whose key is taken is a conflict, too. Control facts may be among the decisions.
  virtual StoreResult<Decided> decide(std::string_view log, Cut cut, std::span<const Fact> facts) = 0;
  // Writes the decisions and the parked run, all or none. Looks for what arrived before it looks for conflicts.
  virtual StoreResult<ParkResult> park(std::string_view log, Cut cut, std::span<const Fact> facts,
                                       const Parked& run) = 0;

  // Facts after `after`, at most `most` of them, in order. An unknown log has none.
  virtual StoreResult<std::vector<Fact>> read(std::string_view log, std::uint64_t after, std::size_t most) = 0;
  virtual StoreResult<std::optional<Fact>> find(std::string_view log, std::string_view key) = 0;
  // The notable ones of them (is_notable in store_rules.h), which a run reads when it is opened: all others it looks up
  // by their keys. A store that can skip the others does it here.
  virtual StoreResult<std::vector<Fact>> read_notable(std::string_view log, std::uint64_t after, std::size_t most);
  // The intents of the calls that are open, in the order of the log: nobody knows yet what became of them
  // (open_calls.h). A store that keeps them apart finds them without reading the log.
  virtual StoreResult<std::vector<Fact>> open_calls(std::string_view log);
  // What was parked last, unless the run is over; also while it runs again.
  virtual StoreResult<std::optional<Parked>> parked(std::string_view log) = 0;
  virtual StoreResult<std::optional<RunInfo>> info(std::string_view log) = 0;
  // All runs in the order of their ids after `after`.
  virtual StoreResult<std::vector<RunInfo>> runs(std::string_view after, std::size_t most) = 0;
  // Parked runs for which a fact has come or whose deadline is not after `now_ms`; in the order of their parking.
  virtual StoreResult<std::vector<std::string>> woken(std::int64_t now_ms, std::size_t most) = 0;

  // The right to execute a run until now + lease. Refused while another holds it, unless that one's token is `dead`:
  // the caller knows that its process is gone. Works for logs that are not there yet.
  virtual StoreResult<Claim> claim(std::string_view log, std::string_view owner, std::int64_t now_ms,
                                   std::int64_t lease_ms, std::optional<std::uint64_t> dead = std::nullopt) = 0;
  // Both false: it is not the newest claim any more, or was given back.
  virtual StoreResult<bool> renew(std::string_view log, std::uint64_t token, std::int64_t now_ms,
                                  std::int64_t lease_ms) = 0;
  virtual StoreResult<bool> release(std::string_view log, std::uint64_t token) = 0;
  // The parked run goes on, under a claim: it waits for nothing any more. What was parked stays until the next park()
  // or ended(), so that a run whose process dies goes on from it again. Writes the facts as put() does.
  virtual StoreResult<Written> resumed(std::string_view log, Cut cut, std::span<const Fact> facts) = 0;
  // The run is over, under a claim; what was parked is gone. Writes the facts as put() does.
  virtual StoreResult<Written> ended(std::string_view log, Cut cut, std::span<const Fact> facts) = 0;

  // Makes everything durable that was written before, whatever the mode.
  virtual StoreResult<std::monostate> flush() = 0;
};

}  // namespace ptc
