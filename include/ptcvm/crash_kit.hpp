// The crash kit: runs a program on a store, kills its process at each point at which the process writes or calls a
// tool, lets new processes finish the run, and compares the log with what an independent ledger has seen.
//
//   ptcvm::crash::Options options;
//   options.source = "(task \"pay\" (tool/pay {:cents 500}))";
//   options.tools = [](ptcvm::Tools& tools, ptcvm::crash::Ledger& ledger, ptcvm::crash::Points&) {
//     …  return ledger.happened(call, "\"tx1\"");  …
//   };
//   const ptcvm::crash::Report report = ptcvm::crash::Kit(options).every_boundary();
//   std::puts(report.table().c_str());
//   return report.ok() ? 0 : 1;
//
// Link the component "crash_kit" (ptcvm::crash_kit). docs/testing-your-agents.md lists the claims that each run is held
// to.
//
// POSIX only: the kit forks. Have no other threads and no open store in the process while the kit works.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "ptcvm/crash_ledger.hpp"
#include "ptcvm/crash_points.hpp"
#include "ptcvm/crash_report.hpp"
#include "ptcvm/engine.hpp"
#include "ptcvm/sqlite.hpp"
#include "ptcvm/store.hpp"

namespace ptcvm::crash {

// A call that is in doubt, as the log has it.
struct Doubt {
  std::string key, tool, args;             // idempotency key; name; arguments as EDN
};
// What a person says about a doubt.
struct Word {
  DoubtAnswer answer{};                    // see DoubtAnswer
  std::string value;                       // what the call answered, as EDN, when it happened
};

// An operation that waits, as the log has it.
struct Operation {
  std::string id, tool, args;              // id: for Store::resolve(); arguments as EDN
};
// The answer to an operation.
struct Answer {
  std::string value = {};                  // EDN; when there is no error
  std::string error = {};                  // not "": the operation fails with this reason
  // Not "": the value is put under this id by Store::put() instead. (await-signal id) waits for such a value.
  std::string id = {};
};

// Does all that one process can do now for a run. run_stored() is one; a host can test a loop of its own.
using Drive = std::function<Result<StoredOutcome>(const Engine& engine, Store& store, const Tools& tools,
                                                  std::string_view source, const StoredOptions& options)>;

// Returns a Drive that steps a StoredRun and makes its calls one after another while up to `calls_in_flight` calls are
// open. The order of the calls follows from `seed` and from the size of the log, so each process has another order.
PTCVM_API Drive stepping(std::size_t calls_in_flight, std::uint64_t seed);

// What is tested, and how.
struct Options {
  std::string source;                      // the text of the program
  // Adds the tools, in each process anew. A tool with an effect tells the ledger at the moment of its effect.
  std::function<void(Tools& tools, Ledger& ledger, Points& points)> tools = {};
  // Name of the run, limits, data and so on. The kit sets the clock. What is borrowed here must outlive the kit.
  StoredOptions run = {};
  // Opens the store, in each process anew, in files whose names begin with `path`. Default: SQLite.
  std::function<Result<Store>(const std::string& path, Points& points)> open = {};
  // What the store promises. Group: what was written is claimed to be there only after a write that flushes.
  Durability durability = Durability::Sync;
  Drive drive = {};                        // default: run_stored()
  // Speaks for the person who is asked. Default: a call that is in the ledger happened, with the value there, and no
  // other call did.
  std::function<Word(const Doubt& doubt, const Ledger& ledger)> settle = {};
  // Answers an operation; nullopt: not yet, others are answered first. Default: the value that is in the ledger for the
  // call that started the operation.
  std::function<std::optional<Answer>(const Operation& operation, const Ledger& ledger)> answer = {};
  std::string folder = {};                 // where stores are made; "": the system's folder for temporary files
  bool points_at_writes = true;            // false: writes of the store are no points
  bool points_at_tools = true;             // false: calls of tools are no points
  bool repeatable = true;                  // the program does the same, killed or not; else that is not claimed
  int most_processes = 200;                // bounds the processes of one run; with more, the run does not end
  std::chrono::seconds most_time{120};     // bounds the time of one process; after that the process hangs
};

// A kill of the process that executes the run.
struct Kill {
  std::uint64_t point = 0;                 // at this point since the last kill, counted over processes from 1
  std::chrono::microseconds after{0};      // point 0: after this time
};

// Tests one program. Makes one run after the other, and is used by one thread.
class PTCVM_API Kit {
 public:
  struct Impl;   // belongs to the library
  // Starts nothing yet. A kit that cannot make its folder or its ledger complains in each row.
  explicit Kit(Options options);
  Kit(Kit&& moved) noexcept;
  Kit& operator=(Kit&& moved) noexcept;
  ~Kit();

  // Makes a run without a kill, then a run for each point (or each `step`-th) with a kill there, until no such point is
  // left. Stops after the first row when the run without a kill has complaints.
  Report every_boundary(std::uint64_t step = 1);
  // Makes runs with up to six kills each, at random points and after random times, until there were `kills` of them.
  // The kills of a run follow from `seed` and the number of the run. Each run has with_random_kills(seed + number).
  Report random_kills(std::size_t kills, std::uint64_t seed);

  // Returns the run that the others are compared with. It is made once.
  const Row& undisturbed();
  // Makes one run with several kills, one after the other.
  Row with_kills(std::span<const Kill> kills);
  Row with_kills(std::initializer_list<Kill> kills) { return with_kills({kills.begin(), kills.size()}); }   // the same
  // Makes one run with the kills that follow from `seed`. A kill by time may hit elsewhere when the seed is used again.
  Row with_random_kills(std::uint64_t seed);

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace ptcvm::crash
