// The interface of stores, which keep logs of facts and parked runs.
//
// A store holds logs, each under the id of a run. A log is append-only; facts are numbered from 1 without gaps. The
// class of a fact (schema/facts.def) decides when it may be written:
//   - a fact with a key is there once: a second writer gets the first fact back, and nothing is written
//   - effects, observations and control facts are never refused because of facts of others
//   - decisions are refused when somebody else observed or decided something after the cut of the writer
// One process at a time executes a run. claim() gives a token. Writes under a token that is not the newest, or that was
// given back, are refused (Fenced). The end of a lease does not fence a token; another claim does. A holder that surely
// lives keeps its claim after the end of its lease. Outsiders write
// observations and control facts under the token 0.
//
// A fact is stored with the token of its writer. The store ignores `seq` and `writer` of the facts that it is given.
//
// Waking: park() stores the snapshot of a suspended run with the keys of the facts that the run waits for. The same
// transaction checks whether one of these facts is there already, and every later put of such a fact wakes the run in
// its own transaction. So no answer is lost between evaluation and suspension.
//
// A write returns what others wrote since the writer looked last (Written), so nobody has to read after a write.
//
// When a call returns, its facts are as durable as the mode of the store says, or durable at once if the caller asks
// for it (Durability::Now). An error means that nothing was written, except Unknown: the facts may have been written,
// and the log must be read again.
//
// Any number of threads may use one store. tests/store/conformance.h checks any implementation.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runtime/log/fact.h"
#include "vm/snapshot/snapshot_pieces.h"

namespace ptc {

struct StoreError {
  enum class Kind : std::uint8_t {
    Io,          // the medium failed; nothing was written
    Unknown,     // the medium failed during the sync; the facts may have been written
    Full,        // no space left
    Corrupt,     // the stored bytes make no sense
    Version,     // a newer version wrote the store
    Locked,      // another process kept the store for too long
    Fenced,      // the claim is not the newest, or was given back
    Missing,     // the log does not exist, or nothing is parked
    Moved,       // the file of the store was removed, renamed or replaced; the facts may be in the file that is gone
    Seal,        // the log is not what its seal says, or the ring cannot open or seal it (log_seal.h)
    Misuse,      // arguments that make no sense (store_rules.h): a decision under no claim, text that is not UTF-8
    WrongTenant,   // the run is another tenant's (run_queue.h)
    DeadNode,    // the lease of the node is over, or there is no such node
    RunOrdered,  // jobs come after the run, or it comes after runs that are not done (run_queue.h): it stays
    RunMoved,    // the run went to another store (run_move.h); the message says where
    RunIsCopy,   // the run is a copy for reading (run_copy.h): nobody will read what is said to it
    ResultTooLarge,   // an answer is larger than the run takes (durable/answers.h)
  };
  Kind kind{};
  std::string message;
  std::string_view seal = {};    // Seal only: the name of the refusal, such as bad_signature; lives with the process
};
std::string_view store_error_name(StoreError::Kind kind);   // "store_io" and so on

template <class T>
using StoreResult = std::variant<T, StoreError>;

// The result of putting one fact: `fact` is the fact that the log holds under the key now.
struct Put {
  Fact fact;
  bool mine = false;             // false when somebody else put a fact under the key before
};

// Names the claim of a writer, and says what the writer has seen of the log.
struct Cut {
  std::uint64_t token = 0;   // the token of the writer's claim, or 0 for outsiders; facts of one token never conflict
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
  std::uint64_t head = 0;        // the head of the log after the write
  std::vector<Fact> others;      // facts after the cut that this call did not write, in order; none for a blind cut
  bool more = false;             // there are more others: read the log after the last one
};
struct Decided : Written {
  std::optional<Fact> conflict;  // when set, nothing was written because of this fact
};

// A suspended run. A large snapshot is not in memory when it is parked: `pieces` writes it, and `snapshot` is empty.
// Stores give back `snapshot`.
struct Parked {
  std::string continuation;                 // the name; a run has one at a time, and a newer one replaces it
  std::vector<std::uint8_t> snapshot;
  std::shared_ptr<const SnapshotPieces> pieces = nullptr;
  std::vector<std::string> wait_keys;       // keys of facts; any of them wakes the run
  std::optional<std::int64_t> deadline_ms;  // wakes the run, too
  std::uint64_t observed_seq = 0;           // facts up to here are in the snapshot

  std::size_t snapshot_size() const { return pieces != nullptr ? pieces->size() : snapshot.size(); }
  void write_snapshot(SnapshotSink& out) const;
  std::vector<std::uint8_t> whole_snapshot() const;   // in memory
};
struct ParkResult : Written {
  bool parked = false;
  std::optional<Fact> arrived;   // when set, the run was not parked: this fact came after observed_seq
  std::optional<Fact> conflict;  // when set, the run was not parked: this fact refused the decisions
};

// Moving: the run has left for another store. Moved: it has arrived there. Both refuse every write (RunMoved).
enum class LogState : std::uint8_t { Running, Parked, Ended, Moving, Moved };
std::string_view log_state_name(LogState state);

struct RunInfo {
  std::string log;
  LogState state{};
  std::uint64_t head = 0;
  std::int64_t started_ms = 0, changed_ms = 0;   // the times of the first and the last fact
  bool woken = false;                            // true when the run is parked and one of its facts has come
  std::optional<std::int64_t> deadline_ms;
  std::string owner;   // the owner of the claim that was not given back, even after its lease; or ""
};

// What opening a run reads.
struct Opening {
  std::uint64_t head = 0;          // 0: the log has no facts, and there is nothing else
  std::vector<Fact> notable;       // the notable facts up to the head, in order (is_notable in store_rules.h)
  std::vector<Fact> open_calls;    // the intents of open calls, in order
  std::optional<Parked> parked;    // what was parked last
  std::vector<Fact> later;         // all facts behind the head, when the store did not read everything at one moment
};

struct Claim {
  std::uint64_t token = 0;       // grows with each claim of the log
  bool granted = false;
  std::string owner;             // the holder now, when it is not the caller
  std::uint64_t held_token = 0;  // the token of the holder
  std::int64_t until_ms = 0;     // the time at which the claim of the holder ends
};

class RunQueue;
struct Arrival;

class FactStore {
 public:
  virtual ~FactStore() = default;

  // Returns the queues of the runs of this store (run_queue.h), or null when it has none. They live as long as it does.
  virtual RunQueue* queue() { return nullptr; }

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

  // Returns the facts after `after`, at most `most` of them, in order. An unknown log has no facts.
  virtual StoreResult<std::vector<Fact>> read(std::string_view log, std::uint64_t after, std::size_t most) = 0;
  virtual StoreResult<std::optional<Fact>> find(std::string_view log, std::string_view key) = 0;
  // Reads the notable facts among them (is_notable in store_rules.h). A run reads these facts when it is opened, and
  // looks up all others by their keys. A store that can skip the others does so here.
  virtual StoreResult<std::vector<Fact>> read_notable(std::string_view log, std::uint64_t after, std::size_t most);
  // Returns the intents of open calls, in the order of the log (open_calls.h). A store that keeps the intents apart
  // finds them without reading the log.
  virtual StoreResult<std::vector<Fact>> open_calls(std::string_view log);
  // Returns what the four calls say that opening a run needs: info(), read_notable(), open_calls(), parked(). A store
  // that is far away answers them at once.
  virtual StoreResult<Opening> opening(std::string_view log);
  // Returns what was parked last, also while the run runs again, or nullopt when the run is over.
  virtual StoreResult<std::optional<Parked>> parked(std::string_view log) = 0;
  virtual StoreResult<std::optional<RunInfo>> info(std::string_view log) = 0;
  // Returns runs in the order of their ids after `after`.
  virtual StoreResult<std::vector<RunInfo>> runs(std::string_view after, std::size_t most) = 0;
  // Returns parked runs for which a fact has come or whose deadline is not after `now_ms`, in the order in which they
  // were parked.
  virtual StoreResult<std::vector<std::string>> woken(std::int64_t now_ms, std::size_t most) = 0;

  // Claims the right to execute a run until now + lease. Refuses while another holds the claim (claim_holds() in
  // store_rules.h), unless the token of that claim is `dead`, which means that the caller knows that its process is
  // gone. Works for logs that do not exist yet.
  virtual StoreResult<Claim> claim(std::string_view log, std::string_view owner, std::int64_t now_ms,
                                   std::int64_t lease_ms, std::optional<std::uint64_t> dead = std::nullopt) = 0;
  // Each returns false when the claim is not the newest any more, or was given back.
  virtual StoreResult<bool> renew(std::string_view log, std::uint64_t token, std::int64_t now_ms,
                                  std::int64_t lease_ms) = 0;
  virtual StoreResult<bool> release(std::string_view log, std::uint64_t token) = 0;
  // Says that the parked run goes on under a claim and waits for nothing any more. The parked bytes stay until the next
  // park() or ended(), so that a run whose process dies goes on from them again. Writes the facts as put() does.
  virtual StoreResult<Written> resumed(std::string_view log, Cut cut, std::span<const Fact> facts) = 0;
  // Says that the run is over, under a claim, and removes the parked bytes. Writes the facts as put() does.
  virtual StoreResult<Written> ended(std::string_view log, Cut cut, std::span<const Fact> facts) = 0;
  // Does at once what ended() does with one fact without a key, and RunQueue::finish() with Over behind it. Returns
  // nullopt, and changes nothing, when this cannot be done so simply: the claim is not the newest, or no queue gave it,
  // the log has another head than the cut, or the store has no such step. Then ended() and finish() say more.
  virtual StoreResult<std::optional<Written>> end_job(std::string_view log, Cut cut, const Fact& end,
                                                      std::int64_t now_ms);

  // The steps of a run that goes to another store (run_move.h). A store without them refuses with Misuse.
  // Writes the fact under a claim, gives the claim back, and takes the job out of its queue, all or nothing. From then
  // on every write, claim and order is refused with RunMoved; reading goes on, also of what is parked.
  virtual StoreResult<Written> depart(std::string_view log, Cut cut, const Fact& moved);
  // Takes a run over from another store, all or nothing. Returns false, and nothing is written, when the log is not as
  // Arrival::before says, or somebody has a claim.
  virtual StoreResult<bool> arrive(const Arrival& run, std::int64_t now_ms);
  // Notes that the run which left by the fact of that key has arrived. Returns false when that is not its last fact.
  virtual StoreResult<bool> settle_departure(std::string_view log, std::string_view key);

  // Makes all earlier writes durable, whatever the mode.
  virtual StoreResult<std::monostate> flush() = 0;

 protected:
  // Makes opening() of the other calls, for a log with that head.
  StoreResult<Opening> opening_of_parts(std::string_view log, std::uint64_t head);
};

}  // namespace ptc
