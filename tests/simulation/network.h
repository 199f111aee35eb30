// The way from a process to the database: slow, cut at times, and forgetful of answers. All that a process knows of the
// store goes through here: its store (facts), its queue (jobs), and the nonces of its claims. Calls that break are made
// again, as the store in PostgreSQL does (runtime/log/postgres/postgres_calls.h). A call that was given up may arrive
// all the same.
#pragma once
#include <map>
#include <string>

#include "runtime/log/fact_store.h"
#include "runtime/log/run_queue.h"
#include "tests/simulation/server.h"
#include "tests/simulation/story.h"

namespace ptcvm::simulation {

// How often something goes wrong: one call in so many, or never (0).
struct Faults {
  std::int64_t lost_request = 0, lost_answer = 0, slow = 0;
};

// One process: alive, cut off, or dead.
struct Process {
  std::string name;
  bool is_dead = false;                  // every call fails from now on
  bool is_trusted = false;               // nothing is lost on its way
  std::int64_t asleep_until_ms = 0;      // stopped, as by SIGSTOP
  std::int64_t cut_until_ms = 0;         // no packet gets through
  std::int64_t wall_offset_ms = 0, boot_offset_ms = 0;   // what its clocks are off
};

class Network final : public ptc::FactStore, private ptc::RunQueue {
 public:
  Network(Flows& flows, Server& server, Story& story, const Faults& faults, Process& process)
      : flows_(flows), server_(server), story_(story), faults_(faults), process_(process) {}

  ptc::RunQueue* queue() override { return this; }
  void set_tools(std::vector<std::string> tools) { tools_ = std::move(tools); }

  ptc::StoreResult<ptc::Written> put(std::string_view log, ptc::Cut cut, std::span<const ptc::Fact> facts,
                                     ptc::Durability durability) override;
  ptc::StoreResult<ptc::Decided> decide(std::string_view log, ptc::Cut cut,
                                        std::span<const ptc::Fact> facts) override;
  ptc::StoreResult<ptc::ParkResult> park(std::string_view log, ptc::Cut cut, std::span<const ptc::Fact> facts,
                                         const ptc::Parked& run) override;
  ptc::StoreResult<ptc::Written> resumed(std::string_view log, ptc::Cut cut,
                                         std::span<const ptc::Fact> facts) override;
  ptc::StoreResult<ptc::Written> ended(std::string_view log, ptc::Cut cut, std::span<const ptc::Fact> facts) override;
  ptc::StoreResult<std::optional<ptc::Written>> end_job(std::string_view log, ptc::Cut cut, const ptc::Fact& end,
                                                        std::int64_t now_ms) override;
  ptc::StoreResult<std::vector<ptc::Fact>> read(std::string_view log, std::uint64_t after, std::size_t most) override;
  ptc::StoreResult<std::optional<ptc::Fact>> find(std::string_view log, std::string_view key) override;
  ptc::StoreResult<std::vector<ptc::Fact>> open_calls(std::string_view log) override;
  ptc::StoreResult<std::optional<ptc::Parked>> parked(std::string_view log) override;
  ptc::StoreResult<std::optional<ptc::RunInfo>> info(std::string_view log) override;
  ptc::StoreResult<std::vector<ptc::RunInfo>> runs(std::string_view after, std::size_t most) override;
  ptc::StoreResult<std::vector<std::string>> woken(std::int64_t, std::size_t) override { return unused(); }
  ptc::StoreResult<ptc::Claim> claim(std::string_view, std::string_view, std::int64_t, std::int64_t,
                                     std::optional<std::uint64_t>) override {
    return unused();
  }
  ptc::StoreResult<bool> renew(std::string_view, std::uint64_t, std::int64_t, std::int64_t) override {
    return unused();
  }
  ptc::StoreResult<bool> release(std::string_view, std::uint64_t) override { return unused(); }
  ptc::StoreResult<std::monostate> flush() override { return std::monostate{}; }

 private:
  ptc::StoreResult<ptc::NodeRow> join(const ptc::NodeInfo& node, std::int64_t now_ms) override;
  ptc::StoreResult<ptc::Heartbeat> beat(std::uint64_t node, std::int64_t now_ms) override;
  ptc::StoreResult<bool> leave(std::uint64_t node, std::int64_t now_ms) override;
  ptc::StoreResult<std::vector<ptc::Enqueued>> enqueue(std::span<const ptc::Job> jobs, std::int64_t now_ms) override;
  ptc::StoreResult<std::vector<ptc::ClaimedRun>> claim_next(std::uint64_t node, std::string_view queue,
                                                            std::span<const std::string> tools, std::size_t most,
                                                            std::int64_t now_ms) override;
  ptc::StoreResult<bool> finish(std::string_view log, std::uint64_t token, const ptc::Finish& how,
                                std::int64_t now_ms) override;
  ptc::StoreResult<std::vector<std::string>> give_back_others(std::uint64_t node,
                                                              std::span<const ptc::KnownClaim> known,
                                                              std::int64_t now_ms) override;
  ptc::StoreResult<std::vector<std::string>> rescue(std::size_t most, std::int64_t now_ms) override;
  ptc::StoreResult<bool> cancel(std::string_view log, std::string_view tenant, std::string_view reason,
                                std::string_view by, std::int64_t now_ms) override;
  ptc::StoreResult<bool> retry(std::string_view log, std::string_view tenant, std::int64_t now_ms) override;
  ptc::StoreResult<std::optional<ptc::JobRow>> job(std::string_view log) override;
  ptc::StoreResult<bool> fire(std::string_view name, const ptc::Firing& moments, std::span<const ptc::Job> jobs,
                              std::int64_t now_ms) override;
  ptc::StoreResult<std::vector<ptc::ScheduleRow>> schedules() override;
  // Nothing in the simulation asks for these.
  ptc::StoreResult<bool> drain(std::uint64_t) override { return unused(); }
  ptc::StoreResult<std::vector<ptc::NodeRow>> nodes() override { return unused(); }
  ptc::StoreResult<std::monostate> set_queue(const ptc::QueueLimits&) override { return unused(); }
  ptc::StoreResult<std::vector<ptc::QueueRow>> queues() override { return unused(); }
  ptc::StoreResult<std::vector<ptc::JobRow>> jobs(ptc::JobState, std::uint64_t, std::size_t) override {
    return unused();
  }
  ptc::StoreResult<std::vector<ptc::QueueDepth>> depths() override { return unused(); }
  ptc::StoreResult<std::vector<std::string>> prune(std::int64_t, bool, std::size_t, std::int64_t) override {
    return unused();
  }
  ptc::StoreResult<std::int64_t> time(std::int64_t) override { return server_.real_ms(); }
  ptc::StoreResult<std::monostate> set_schedule(const ptc::ScheduleRow&) override { return unused(); }
  ptc::StoreResult<bool> remove_schedule(std::string_view, std::string_view) override { return unused(); }

  static ptc::StoreError unused() { return {ptc::StoreError::Kind::Misuse, "the simulation has no such call"}; }

  template <class T>
  using Call = std::function<ptc::StoreResult<T>()>;
  struct Sent {
    const char* what;
    std::string_view run;               // "" when it is about no run
    bool is_write = false;              // when it is made again, the server must say whether it was done
    bool is_quiet = false;              // not worth telling
  };
  // Makes the call at the server, when it gets there, and gives its answer, when that comes back. A call whose answer
  // did not come is made again, until the patience is over.
  template <class T>
  ptc::StoreResult<T> travel(const Sent& sent, const Call<T>& call);
  template <class T>
  ptc::StoreResult<T> given_up(const Sent& sent, const Call<T>& call, bool may_be_done, bool is_under_way);
  template <class T>
  ptc::StoreResult<T> look(const char* what, std::string_view run, const Call<T>& call) {
    return travel<T>({what, run, false, true}, call);
  }
  template <class T>
  ptc::StoreResult<T> write(const char* what, std::string_view log, ptc::Cut cut, const Call<T>& call);
  template <class T>
  ptc::StoreResult<T> order(const Sent& sent, const Call<T>& call);
  // Takes a packet some time. Returns whether it gets through.
  bool passes(std::int64_t one_is_lost_in);
  std::uint64_t nonce_of(std::string_view log, std::uint64_t token) const;
  void tell(const Sent& sent, const std::string& outcome);

  Flows& flows_;
  Server& server_;
  Story& story_;
  const Faults& faults_;
  Process& process_;
  std::vector<std::string> tools_;
  struct Held {
    std::uint64_t token = 0, nonce = 0;
    bool is_doubtful = false;           // the fate of a write is unknown: the claim can be given back, and no more
  };
  std::map<std::string, Held, std::less<>> held_;
};

}  // namespace ptcvm::simulation
