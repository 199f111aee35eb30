// Moves a run from one store to another one, whatever kinds they are: its facts, what is parked, the token of its
// newest claim, and its job.
//
//   depart   the source writes the fact RunMoved under a claim: from then on it refuses every write, claim and order by
//            the name run_moved. Nothing of the run changes there any more
//   arrive   the target takes everything over, all or nothing
//   settle   the source notes that the run has arrived
//
// A move that was cut off at any point is ended by another call; until then the run is in the source and nobody can
// execute it. The fact names the target by the identity of the store (store_identity.h), and has a key of its own: a
// target whose log has the key has taken the run over before. So any number of movers do no harm, and a run may come
// back: a store takes a run over whose log goes on where its own log of the run ends.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/log/run_queue.h"

namespace ptc {

// What a store takes over from another one.
struct Arrival {
  std::string log;
  std::uint64_t before = 0;            // the facts that the store has, from when the run left it; 0: none
  std::vector<Fact> facts;             // the facts behind them, with their writers
  LogState state = LogState::Running;  // Running, Parked or Ended
  std::optional<Parked> parked;        // the run goes on from it, also when it is Running
  std::uint64_t token = 0;             // tokens of later claims are larger
  // In the state before the move; nullopt: the run is in no queue. Moved: a copy, whose job is in another store.
  std::optional<JobRow> job;
  std::optional<std::string> tenant = {};   // without a job: whose the run is, as a part of a run; nullopt: anybody's
};

// Returns whose the run is, or null when it may be anybody's.
inline const std::string* arrival_tenant(const Arrival& run) {
  return run.job ? &run.job->tenant : run.tenant ? &*run.tenant : nullptr;
}

struct MoveOptions {
  std::string by;                      // who says so
  std::string place;                   // how people name the target
  std::int64_t now_ms = 0;             // ms since 1970
  std::optional<std::string> tenant;   // whose job the run must be; nullopt: anybody's
};

// How a move came out. Only Done and Before have the run in the target.
enum class MoveEnd : std::uint8_t {
  Done,
  Before,      // an earlier move had brought it there
  Missing,     // the source has no such run
  NotARun,     // the log has no program: it belongs to a host
  Copy,        // the log is a copy for reading
  Busy,        // somebody executes the run: `holder`
  SameStore,   // source and target are one store
  Exists,      // the target has another run of that id
  Elsewhere,   // the run was moved to another store: `place`
};
struct MoveOutcome {
  MoveEnd end = MoveEnd::Done;
  std::string holder, place;
};

// Errors: what the stores say; RunOrdered, when jobs come after the run or it is blocked; WrongTenant, also when
// the run would be a part of another tenant's run in the target, or have one. The run is never lost: after an error,
// call again.
StoreResult<MoveOutcome> move_run(FactStore& from, FactStore& to, std::string_view run, const MoveOptions& options);

}   // namespace ptc
