// The store as a node sees it: claims were given by a queue (run_queue.h), and the lease of the node keeps them.
//
// A call of a tool is allowed only while the lease of the node surely lasts: afterwards a write with an intent is
// refused (Fenced), by the clock of this machine that also counts while the machine sleeps. Runs and hosts have
// intents; the key of a host's begins with "intent/".
//
// The claim of a run RUN also covers its parts: the logs whose names begin with "RUN/". A part is claimed in the store,
// by an owner that names the claim of the run. A newer claim of the run takes the part from an older one at once, and
// an older one never takes it back.
//
// What calls have answered under a claim is kept until the claim is given back when the store failed to write it: it is
// worth a further try when the store is there again.
//
// What opening a run reads comes with its claim, or is read at once when somebody asks first. It answers until the
// first write of this node.
#pragma once
#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/log/call_times.h"
#include "runtime/log/forwarding_store.h"
#include "runtime/log/run_queue.h"

namespace ptc {

// The clocks by which a node goes, in ms. Any number of threads call these functions.
struct NodeTime {
  std::function<std::int64_t()> now_ms;           // since 1970
  std::function<std::int64_t()> boot_ms;          // by a clock that nobody sets, and that counts in sleep, too
  std::function<void(std::int64_t)> sleep_ms;     // holds the calling thread for so long
  static NodeTime of_machine();
};

class NodeStore : public ForwardingStore {
 public:
  explicit NodeStore(FactStore& store, NodeTime time = NodeTime::of_machine())
      : ForwardingStore(store), time_(std::move(time)) {}

  void set_lease_end(std::int64_t until_boot_ms);   // with a margin
  bool has_lease() const;

  // The queue gave that claim, and maybe what opening the run reads.
  void take(const std::string& log, std::uint64_t token, std::optional<Opening> opening = std::nullopt);
  // That claim was given back. Another claim of the log, which the queue may have given meanwhile, stays.
  void leave(const std::string& log, std::uint64_t token);

  // Whether the store took that claim back with the end of the run, as finish() does with Over.
  bool is_finished(std::string_view log, std::uint64_t token) const;

  // Returns the ends of calls that the store failed to write under this claim, in their order.
  std::vector<Fact> unwritten(std::string_view log, std::uint64_t token) const;

  std::vector<KnownClaim> claims() const;             // what the queue gave, and what was not given back
  // Returns how many facts the log of a run has at least: so many it had after the last write of this node.
  std::uint64_t known_head(std::string_view log) const;

  StoreResult<std::vector<Fact>> read_notable(std::string_view log, std::uint64_t after, std::size_t most) override;
  StoreResult<Opening> opening(std::string_view log) override;
  StoreResult<Claim> claim(std::string_view log, std::string_view owner, std::int64_t now_ms, std::int64_t lease_ms,
                           std::optional<std::uint64_t> dead) override;
  StoreResult<bool> renew(std::string_view log, std::uint64_t token, std::int64_t now_ms,
                          std::int64_t lease_ms) override;
  StoreResult<bool> release(std::string_view log, std::uint64_t token) override;   // the queue is told, not the store
  StoreResult<Written> put(std::string_view log, Cut cut, std::span<const Fact> facts,
                           Durability durability) override;
  StoreResult<Decided> decide(std::string_view log, Cut cut, std::span<const Fact> facts) override;
  StoreResult<ParkResult> park(std::string_view log, Cut cut, std::span<const Fact> facts, const Parked& run) override;
  StoreResult<Written> resumed(std::string_view log, Cut cut, std::span<const Fact> facts) override;
  StoreResult<Written> ended(std::string_view log, Cut cut, std::span<const Fact> facts) override;

  std::uint64_t commits() const { return commits_; }   // writes that were done
  std::uint64_t fenced() const { return fenced_; }     // writes that were refused, because the claim is another's now
  CallTimes::Counts write_times() const { return times_.counts(); }

 private:
  // Makes a call that writes, and counts it.
  auto counted(std::string_view log, const auto& call);
  // The same for facts of a run; the ends of calls among them are kept when the store fails.
  auto kept(std::string_view log, Cut cut, std::span<const Fact> facts, const auto& call);
  // Ends the run and its job at once, when that can be done.
  StoreResult<Written> ended_with_job(std::string_view log, Cut cut, const Fact& end);
  // Takes what is kept for opening the run. nullopt: nothing is.
  std::optional<Opening> take_opening(std::string_view log);
  std::uint64_t token_of(std::string_view log) const;
  // Returns the claim of the run that has the log as a part, or nullopt.
  std::optional<KnownClaim> whole_of(std::string_view log) const;
  StoreResult<Claim> claim_part(std::string_view log, const KnownClaim& run, std::int64_t now_ms,
                                std::int64_t lease_ms, std::optional<std::uint64_t> dead);
  bool has_part(std::string_view log, std::uint64_t token) const;

  const NodeTime time_;
  mutable std::mutex mutex_;
  std::map<std::string, std::uint64_t, std::less<>> taken_, parts_;   // tokens by log: from the queue; from the store
  std::map<std::string, std::uint64_t, std::less<>> heads_;           // by log, as taken_
  std::map<std::string, std::uint64_t, std::less<>> finished_;        // tokens by log, until they are left
  std::map<std::string, std::vector<Fact>, std::less<>> unwritten_;   // by log, as taken_
  std::map<std::string, Opening, std::less<>> openings_;   // by log, until the run was opened or written to
  std::int64_t until_boot_ms_ = 0;
  std::atomic<std::uint64_t> commits_{0}, fenced_{0};
  CallTimes times_;
};

}   // namespace ptc
