// The invariants of docs/many-nodes.md and of the decision records 0032 and 0033, looked at after each event. The
// checker keeps a record of its own of what nodes were told and what is in the logs, and shares no code with the store.
//
//   I1   no fact of an older claim after a newer one              I7   no more runs held than slots
//   I2   a tool is called after its intent is in the log,         I8   a node gets runs whose tools it has
//        while the lease of the node lasts                        I9   a fact that was acknowledged stays
//   I3   nobody loses runs before the lease is over by the        I10  a key is in a log once
//        clock of the database; numbers of nodes are used once    I11  the third rescue without progress sets it aside
//   I4   token and nonce: also after another copy took over       I12  each moment of a schedule is fired once
//   I5   each run is in one place, which fits its log             E    calls are repeated as their effect classes say
//   I6   a fact and its wake are one transaction                  T    timers go by the clock of the database
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/log/run_queue.h"
#include "tests/simulation/story.h"

namespace ptcvm::simulation {

// The longest pause of a worker or a tool, and how far a node that joins over a slow network misses the clock.
inline constexpr std::int64_t kLongestTimerMs = 12'000 + 13'000;

class Checker {
 public:
  struct Writer {
    std::string run;
    std::uint64_t token = 0, nonce = 0;   // 0: an outsider
  };

  explicit Checker(Story& story) : story_(story) {}

  void expect_run(const std::string& run, std::vector<std::string> needs);
  void set_slots(std::optional<std::int64_t> slots) { slots_ = slots; }

  // What the server tells.
  void joined(const ptc::NodeRow& node, std::int64_t now_ms, std::vector<std::string> tools);
  void beaten(std::uint64_t node, std::int64_t now_ms);
  void left(std::uint64_t node) { nodes_[node].until_ms = 0; }
  void claimed(const std::string& run, std::uint64_t node, std::uint64_t token, std::uint64_t nonce);
  void rescued(const std::vector<std::string>& runs, std::int64_t now_ms, ptc::FactStore& store);
  void writes(const Writer& writer) { writer_ = writer; }     // the next look sees its facts
  void wrote() { writer_.reset(); }
  // After an event that touched the run, or any of them.
  void look(ptc::FactStore& store, const std::string& run, std::int64_t now_ms);
  void look_at_all(ptc::FactStore& store, std::int64_t now_ms);
  void forgets();                                              // another copy takes over: its commits are played again
  void fired(const std::string& moment);
  void rescued_no_more(const std::string& run) { runs_[run].rescues = 0; }   // given back, or a person says: try again
  void acknowledged(const std::string& run, std::uint64_t head);

  // What tools tell: before a call, with nothing between the last check of the library and this; and when it has an
  // effect.
  void begins_call(std::uint64_t node, const std::string& run, const std::string& key, std::int64_t now_ms);
  void called(ptc::FactStore& store, const std::string& run, const std::string& key, bool is_unsafe, bool has_lease);
  std::size_t calls_of(const std::string& key) const;
  bool has_lease(std::uint64_t node, std::int64_t now_ms) const;
  bool has_lost_commits() const { return has_lost_; }

 private:
  struct Known {
    std::vector<std::string> needs;
    std::uint64_t token = 0, nonce = 0, node = 0;   // the newest claim
    std::uint64_t head = 0, acknowledged = 0;
    std::map<std::string, std::uint64_t> keys;
    int rescues = 0;                                // without progress
  };
  struct Node {
    std::int64_t until_ms = 0, lease_ms = 0;
    std::vector<std::string> tools;
  };
  void look_at_run(ptc::FactStore& store, const std::string& run, Known& known, std::int64_t now_ms);
  void look_at_job(ptc::FactStore& store, const std::string& run, const Known& known, const ptc::RunInfo& info,
                   std::int64_t now_ms);
  void look_at_wait(ptc::FactStore& store, const std::string& run, const Known& known);
  void look_at_slots(ptc::FactStore& store);
  void add(const std::string& run, Known& known, const ptc::Fact& fact);
  void fail(const char* invariant, const std::string& run, const std::string& what) {
    story_.fail(run, std::string(invariant) + ": " + what);
  }

  Story& story_;
  std::map<std::string, Known> runs_;
  std::map<std::uint64_t, Node> nodes_;
  std::optional<std::int64_t> slots_;
  std::optional<Writer> writer_;
  std::map<std::string, std::size_t> calls_;        // by key
  std::set<std::string> moments_;
  bool has_lost_ = false;
};

}  // namespace ptcvm::simulation
