// Logs of hosts: an agent, a chain of tasks or a conversation keeps facts of its own in a store, with the rules that
// the facts of runs have. A fact with a key is there once. A decision is refused when somebody else wrote something
// that matters after the writer looked. One holder of a claim writes at a time. A parked log is woken by the keys for
// which it waits.
//
//   HostLog log = HostLog::of(store, "conversation-7");
//   const HostClaim claim = log.claim("", now_ms, 60'000).value();
//   if (!claim.is_granted) return busy(claim.owner);
//   const HostWritten done = log.decide({claim.token, seen}, {&draft, 1}).value();
//   if (done.conflict) look_again(done.others);
//
// The engine reads no name and no body. Store::runs(), find(), woken(), log_json() and import_log() treat such a log
// like the log of a run. A log belongs to a host or to a run, never to both: StoredRun::open() refuses the log of a
// host with wrong_state, and StoredRun::start() with refused. Docs: docs/embedding/stores.md.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ptcvm/store.hpp"

namespace ptcvm {

// Says what a write of a fact may do.
enum class HostFactClass : std::uint8_t {
  Observation,   // something outside happened; anybody may put it, and it outdates decisions
  Effect,        // the host did something in the world; needs a claim, and no conflict loses it
  Decision,      // the host had seen everything and decided; only decide() and park() take it, and it outdates others
  Control,       // the host notes something about itself
};

// One fact. The host sets fact_class, name, key, body, by and time_ms; the store sets seq and writer.
struct HostFact {
  std::uint64_t seq = 0;              // the place in the log, from 1, without gaps
  HostFactClass fact_class{};         // see HostFactClass
  std::string name;                   // what kind of fact it is, as the host calls it; may be ""
  // Unique in the log; "" for a fact without a key. A key that begins with "intent/" says what the host is about to do:
  // a worker whose lease is over refuses the fact.
  std::string key;
  std::string body;                   // UTF-8, JSON by custom
  std::string by;                     // who said or did it; may be ""
  std::int64_t time_ms = 0;           // ms since 1970, by the clock of the host
  std::uint64_t writer = 0;           // the token of the claim under which it was written; 0 for others
  // False for a fact that another call of the store wrote (Store::put(), for example). Its name is the kind of the
  // fact, its body the line that Store::log_json() has, and it has no key here.
  bool is_of_host = true;
};

// What became of a fact that was put.
struct HostPut {
  HostFact fact;                      // the fact that the log holds now; not the given one when is_mine is false
  bool is_mine = false;               // false when the log had a fact under the key before
};

// What a write did, and what others wrote since the writer looked.
struct HostWritten {
  std::vector<HostPut> puts;          // one for each given fact, in order; none when nothing was written
  std::uint64_t head = 0;             // seq of the last fact of the log
  std::vector<HostFact> others;       // facts after the cut that this call did not write; none for a blind cut
  bool more = false;                  // true when there are more than the 1,000 in `others`: read() after the last one
  std::optional<HostFact> conflict;   // decide() and park(): set when nothing was written because of this fact
};

// Names the claim of a writer, and says what the writer has seen of the log. Facts that were written under the same
// token never refuse a decision.
struct HostCut {
  std::uint64_t token = 0;            // HostClaim::token; 0 for a writer without a claim
  std::uint64_t seq = 0;              // the writer has seen every fact up to this one
  // Returns the cut of a writer who does not want to be told what others wrote. Decisions refuse such a cut.
  static constexpr HostCut blind(std::uint64_t token = 0) { return {token, ~std::uint64_t{0}}; }
};

// The state in which a host leaves a log that waits.
struct HostParked {
  std::string continuation = "host";        // names the state; not ""
  std::vector<std::byte> snapshot;          // bytes of the host; the store does not read them
  std::vector<std::string> wait_keys;       // a fact under one of these keys wakes the log
  std::optional<std::int64_t> deadline_ms;  // the log wakes at this time, too
  std::uint64_t observed_seq = 0;           // the snapshot knows the facts up to this one
};

// What park() did.
struct HostParkResult : HostWritten {
  bool is_parked = false;             // false when `arrived` or `conflict` is set: nothing was written
  std::optional<HostFact> arrived;    // a fact that the log waits for and that came after observed_seq
};

// What claim() got.
struct HostClaim {
  std::uint64_t token = 0;            // names the claim in each write; 0 when it was not granted
  bool is_granted = false;            // false when somebody else holds the log
  std::string owner;                  // who holds the log now
  std::int64_t until_ms = 0;          // the time at which the lease of the holder ends
};

// A handle to the log of a host. All copies are the same handle, and any number of threads may use them. Each call is
// one transaction. Errors of every call: store_failed, whose detail says how: "store_fenced" when the claim is not the
// newest or was given back, "store_misuse" when the arguments make no sense (text that is not UTF-8, an id that is "",
// an effect without a claim, a decision in put(), an effect or observation in decide(), a cut after the head).
class PTCVM_API HostLog {
 public:
  // Returns the log of this id, whether it has facts already or not. The handle keeps the store.
  static HostLog of(const Store& store, std::string id);
  const std::string& id() const;

  // Returns the name of this process, as claims with the owner "" have it.
  static std::string this_process();
  // Returns whether the process of that name is surely gone: it ran on this machine, and has ended. Returns false for
  // processes of other machines, and for names that this_process() did not make.
  static bool is_gone(std::string_view owner);
  // Returns the time by which claims end, in ms since 1970: the time of the store, or now_ms when a store has no clock.
  Result<std::int64_t> store_time_ms(std::int64_t now_ms) const;

  // Writes all facts in one transaction, in order. A fact whose key the log has already is not written, and the put
  // says what is there. Takes everything except decisions.
  Result<HostWritten> put(HostCut cut, std::span<const HostFact> facts);
  // Writes all facts, or none: when somebody else observed or decided something after the cut, or a key is taken,
  // `conflict` is set. Takes decisions and control facts, under a claim.
  Result<HostWritten> decide(HostCut cut, std::span<const HostFact> facts);
  // Writes the facts as decide() does and parks the log, or does neither. Says what has arrived before it looks for
  // conflicts.
  Result<HostParkResult> park(HostCut cut, std::span<const HostFact> facts, const HostParked& parked);
  // Says that a parked log goes on under a claim and waits for nothing any more. The parked bytes stay until the next
  // park() or ended(), so a process that dies goes on from them again. Writes the facts as put() does. "store_missing":
  // nothing is parked.
  Result<HostWritten> resumed(HostCut cut, std::span<const HostFact> facts);
  // Says that the host is done with the log, under a claim, and removes the parked bytes. Writes the facts as put()
  // does. The log takes further facts, and park() makes it wait again. "store_missing": the log has no facts.
  Result<HostWritten> ended(HostCut cut, std::span<const HostFact> facts);
  // Makes all earlier writes durable, whatever the mode of the store.
  Result<void> flush();

  // Returns at most `most` facts after `after`, in order. A log that nobody has written has none.
  Result<std::vector<HostFact>> read(std::uint64_t after = 0, std::size_t most = 1'000) const;
  // Returns the fact of this key, or nullopt when the log has none.
  Result<std::optional<HostFact>> find(std::string_view key) const;
  // Returns what was parked last, also after resumed(), or nullopt when nothing was parked or the log ended.
  Result<std::optional<HostParked>> parked() const;
  // Returns seq of the last fact, or 0 when there is none.
  Result<std::uint64_t> head() const;

  // Claims the log until now_ms + lease_ms. With the owner "" the claim names this process and holds while the process
  // lives and a copy of this handle exists; the claim of a process that is gone, or of a handle of this process that is
  // gone, is taken over at once. With another owner only the lease counts.
  Result<HostClaim> claim(std::string owner, std::int64_t now_ms, std::int64_t lease_ms);
  // Prolongs a claim. Returns false when the claim is not the newest any more, or was given back.
  Result<bool> renew(std::uint64_t token, std::int64_t now_ms, std::int64_t lease_ms);
  // Gives a claim back. Returns false as renew() does.
  Result<bool> release(std::uint64_t token);

 private:
  struct Impl;
  explicit HostLog(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;
};

}  // namespace ptcvm
