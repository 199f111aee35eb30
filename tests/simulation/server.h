// The database of the simulation: a store in memory, the clock that counts, and what PostgreSQL adds to it: each claim
// has a nonce, and a standby that took over may lack the last commits. Each call that changes something is one event,
// and the checker looks at what it has touched.
#pragma once
#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/log/run_queue.h"
#include "tests/simulation/checker.h"
#include "tests/simulation/flows.h"
#include "tests/simulation/mutant.h"

namespace ptcvm::simulation {

inline constexpr std::int64_t kStartMs = 1'767'225'600'000;   // what right clocks show at the beginning

class Server {
 public:
  // Without `may_lose` commits are not kept for a standby.
  Server(Flows& flows, Checker& checker, Mutant mutant, bool may_lose);

  ptc::FactStore& store() { return *store_; }
  Checker& checker() { return checker_; }
  Mutant mutant() const { return mutant_; }
  std::uint64_t fresh_nonce() { return ++last_nonce_; }
  std::int64_t real_ms() const { return flows_.now() + kStartMs; }
  // The time by which leases go. `of_caller` is what the caller's clock says.
  std::int64_t clock(std::int64_t of_caller) const {
    return mutant_ == Mutant::LeaseByTheClockOfTheNode ? of_caller : real_ms();
  }

  // A call that may change something. `body` returns an answer, and is called again when a standby repeats the commits.
  // `log` is what it touches; "" when that is nothing, unless the body calls touches_all().
  template <class T>
  ptc::StoreResult<T> commit(std::string_view log, const std::function<ptc::StoreResult<T>()>& body) {
    ptc::StoreResult<T> out;
    const Commit made{++last_commit_, std::string(log), {}, [&] { out = body(); }};
    play(made);
    if (may_lose_) commits_.push_back({made.id, made.log, {}, [body] { (void)body(); }});
    return out;
  }
  // Does so for a write under a claim. The token 0 is of outsiders.
  template <class T>
  ptc::StoreResult<T> write(const std::string& log, Checker::Writer writer,
                            const std::function<ptc::StoreResult<T>()>& body) {
    const bool is_checked = mutant_ != Mutant::NoNonce && mutant_ != Mutant::FenceWithoutALock;
    if (writer.token != 0 && is_checked && nonces_[log] != writer.nonce) {
      return ptc::StoreError{ptc::StoreError::Kind::Fenced, "the claim is not the newest any more"};
    }
    ptc::StoreResult<T> out;
    const Commit made{++last_commit_, log, writer, [&] { out = body(); }};
    play(made);
    if (may_lose_) commits_.push_back({made.id, log, writer, [body] { (void)body(); }});
    return out;
  }

  void touches_all() { touches_all_ = true; }
  void set_nonce(const std::string& log, std::uint64_t nonce) { nonces_[log] = nonce; }
  std::uint64_t nonce_of(const std::string& log) { return nonces_[log]; }

  std::uint64_t last_commit() const { return last_commit_; }
  bool has_commit(std::uint64_t id) const;
  // Another copy takes over, which lacks the last commits. It has everything up to settle().
  void lose(std::size_t commits);
  void settle() { settled_ = commits_.size(); }
  void has_node(std::uint64_t id) { newest_node_ = std::max(newest_node_, id); }

 private:
  struct Commit {
    std::uint64_t id = 0;
    std::string log;
    std::optional<Checker::Writer> writer;
    std::function<void()> body;
  };
  void play(const Commit& commit);
  void skip_numbers_of_nodes();

  Flows& flows_;
  Checker& checker_;
  const Mutant mutant_;
  const bool may_lose_;
  std::unique_ptr<ptc::FactStore> store_;
  std::map<std::string, std::uint64_t> nonces_;
  std::deque<Commit> commits_;
  std::size_t settled_ = 0;
  std::uint64_t newest_node_ = 0;   // of any copy
  std::uint64_t last_nonce_ = 0, last_commit_ = 0;
  bool touches_all_ = false;
};

}  // namespace ptcvm::simulation
