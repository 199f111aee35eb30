// Runs that go to another store, and copies of runs.
//
//   ptcvm::move_run(laptop, production, "order-17", {.place = "postgresql:///runs"});   // goes on there
//   ptcvm::fork_run(store, "order-17", 12, "order-17-again");                           // a run of its own
//   ptcvm::pull_run(production, laptop, "order-17");                                    // for reading
//
// A moved run is in one store at any moment: the source refuses it from then on (Errc::refused, detail "run_moved").
// Any thread may call these functions, and any number of them at once. Errors of all: store_failed; refused, with a
// detail: "run_moved", "run_missing", "not_a_run" (the log belongs to a host), "run_is_copy", "run_exists",
// "run_has_order" (jobs come after the run, or it comes after runs that are not done), "store_wrong_tenant" (also
// when a run would not stay with its tenant: RUN/PART belongs to the tenant of RUN).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ptcvm/store.hpp"

namespace ptcvm {

// The id of the log that keeps the identity of a store, which move_run() makes, or how that id begins where logs are
// sealed: lists of runs leave it out.
inline constexpr std::string_view kIdentityLog = "ptcvm/store";

// Says who moves or copies a run, and how people name the other store.
struct MoveOptions {
  std::string by = {};                        // for the log
  std::string place = {};                     // move_run: the target; pull_run: the source
  std::optional<std::string> tenant = {};     // refused unless the job of the run is of that tenant; nullopt: anybody's
};

// Moves a run with its log, what is parked, its place in a queue, and the number that fences. The source writes down
// where the run goes, and refuses it from then on; the target takes it over at once; the source notes that. A move that
// was cut off at any point is ended by calling again: until then nobody can execute the run. Returns false when the run
// was moved there before. busy: somebody executes the run. refused: "same_store", too.
PTCVM_API Result<bool> move_run(const Store& from, const Store& to, std::string_view run,
                                const MoveOptions& options = {});
// Makes the run `new_run` from the facts of another one up to the fact `last`, counted from 1. Its calls have keys of
// their own. Calls that were open there are made again or are in doubt, as their effect classes say. A fork of a
// tenant's run needs a name below a run of that tenant, such as RUN/fork. refused: "no_fact", too.
PTCVM_API Result<void> fork_run(const Store& store, std::string_view run, std::uint64_t last, std::string_view new_run,
                                const MoveOptions& options = {});
// Copies a run to another store for reading; the source is only read. The copy can be looked at, and belongs to the
// tenant of the run; answers, steps and jobs of that id are refused ("run_is_copy"). busy: the run is executed, and
// changes all the time.
PTCVM_API Result<void> pull_run(const Store& from, const Store& to, std::string_view run,
                                const MoveOptions& options = {});
// Returns a store in memory with a copy of the run, or of a pulled copy, which can be stepped. The host must not make
// the calls of that copy: the log has no answer for them.
PTCVM_API Result<Store> scratch_run(const Store& from, std::string_view run);

}  // namespace ptcvm
