// A store keeps runs that survive their process. For each run the store has an append-only log of what happened, and
// the state in which the run is parked. run_stored() claims a run, goes on with it or runs it from the top against its
// log, and parks or ends it. It is always right to call run_stored() again with the same id: no committed task is lost,
// and no effect is repeated silently (docs/durable-runs.md).
//
//   auto store = ptcvm::open_sqlite("runs.db");                      // <ptcvm/sqlite.hpp>
//   auto outcome = ptcvm::run_stored(engine, *store, tools, source, {.id = "order-17"});
//
// A Store is a handle; all copies are the same store, and any number of threads may use them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptcvm/journal.hpp"
#include "ptcvm/run.hpp"

namespace ptcvm {

// Says whether a process executes a stored run, the run is parked, or the run is over. Moving, Moved: the run went to
// another store (run_moves.hpp), and has not arrived there, or has.
enum class StoredState : std::uint8_t { Running, Parked, Ended, Moving, Moved };

// One line of the list of runs.
struct StoredRunInfo {
  std::string id;                             // StoredOptions::id
  StoredState state{};                        // see StoredState
  bool is_woken = false;                      // true when the run is parked and an answer for it has come
  std::optional<std::int64_t> deadline_ms;    // the time at which the run wakes by itself
  std::int64_t started_ms = 0, changed_ms = 0;   // ms since 1970: the beginning; the last write
  std::uint64_t facts = 0;                    // in the log
  std::string owner;                          // the process that executes the run, or ""
  bool is_interrupted = false;                // Running, and its process is gone: run it again
};

// What a stored run waits for, or how it ended.
struct StoredDetail {
  std::string end_status;                     // how the last turn ended: "ok", "return", "fail", "error"; "": not yet
  // The operations, signals and calls that a parked run waits for, and the calls in doubt of a run that was cancelled.
  std::vector<std::string> waits_for;
  bool is_in_doubt = false;                   // a person has to say something first: Store::doubts()
  std::string moved_to;                       // Moving, Moved: the other store, as people name it
  bool is_copy = false;                       // a copy for reading, and no run
};

// What a person says about a call that may or may not have happened.
enum class DoubtAnswer : std::uint8_t {
  Happened,   // the call happened, with this result
  DidNot,     // the call did not happen; the run makes it again
  GiveUp,     // nobody shall try the call again: it is an error of its tool
};

// A handle to a store. Each call is one transaction.
class PTCVM_API Store {
 public:
  struct Impl;   // the library defines it
  static Store in_memory();

  // Write what others say, from any process, and wake the run. An operation that waits for a signal and the id of the
  // signal (put) are two names of one thing, which has one answer: the first. store_failed; already_resolved, with the
  // first answer; unknown_operation (an "opN" that the log does not know); too_large (Limits::result_bytes of the run);
  // invalid_value (a value that is no data); refused, with the detail "run_is_copy": the run is a copy for reading.
  Result<void> resolve(std::string_view run, std::string_view operation, ValueView value, std::string by = {});
  Result<void> resolve_error(std::string_view run, std::string_view operation, std::string reason, std::string by = {});
  Result<void> resolve_cancelled(std::string_view run, std::string_view operation, std::string reason = {},
                                 std::string by = {});
  // Sets what the handle of an operation shows until the operation is resolved. The program sees the value when the
  // program goes on.
  Result<void> progress(std::string_view run, std::string_view operation, ValueView value, std::string by = {});
  // Puts a value under an id: (task "id" …) has the value, and (await-signal "id") gets it.
  // An id keeps its first value. With instead_of_edn, a value that came from outside and is that one is replaced.
  Result<void> put(std::string_view run, std::string_view id, ValueView value, std::string by = {},
                   const std::optional<std::string>& instead_of_edn = std::nullopt);
  // Decides a call that a hook asked about. refused: somebody decided otherwise before, nobody asked, or the question
  // was about other arguments than args_edn.
  Result<void> decide(std::string_view run, std::string_view key, bool allowed, std::string reason = {},
                      std::string by = {}, const std::optional<std::string>& args_edn = std::nullopt);

  // Settles a call in StoredOutcome::doubts, by its key. refused: there is no such doubt (any more).
  Result<void> settle(std::string_view run, std::string_view key, DoubtAnswer answer, ValueView result = {},
                      std::string by = {});

  Result<std::vector<StoredRunInfo>> runs(std::string_view after = {}, std::size_t most = 1'000) const;   // by id
  Result<std::vector<std::string>> woken(std::int64_t now_ms, std::size_t most = 1'000) const;        // to go on with
  Result<std::optional<StoredRunInfo>> find(std::string_view run) const;   // nullopt: the store has no such run
  Result<StoredDetail> detail(std::string_view run) const;   // all members are empty: the store has no such run

  // Returns what the log of the run says. A journal without facts: the store has no such run.
  Result<RunJournal> journal(std::string_view run, JournalExtent extent = JournalExtent::Whole) const;
  // Returns the calls that may or may not have happened, and that may not simply be made again: settle().
  Result<std::vector<JournalCall>> doubts(std::string_view run) const;
  // Opens a task again: the run does it when it reaches it next; its value stays in the log. busy; refused, with the
  // detail "no_task", or "needs_reason": the calls of the task had effects, and `reason` is "".
  Result<void> reset_task(std::string_view run, std::string_view task, std::string reason = {}, std::string by = {});

  // Write every fact of a log as a line of JSON: as one text, or line by line without the line feeds.
  Result<std::string> log_json(std::string_view run) const;
  Result<void> visit_log_json(std::string_view run, const std::function<void(std::string_view line)>& visit) const;
  // Writes such lines as the log of a run that is not there yet. Under another id the calls of the run get keys of that
  // id, so calls with an answer keep it. What was parked is not part of a log: the run goes on from the
  // top, and definitions of its turns are made again from the log. invalid_value: the message says which line; refused:
  // the run is there; busy: somebody begins it.
  Result<void> import_log(std::string_view run, std::string_view lines);

 private:
  friend struct StoreAccess;
  explicit Store(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;
};

// The options of RunOptions for a stored run, and a few more.
struct StoredOptions {
  std::string id = "run";                     // the name of the run in its store
  Limits limits = {};                         // a parked run goes on with the smaller of its own limits and these
  BorrowedView data = {};                          // a map for data/…; the log keeps it
  std::string signature = {};                      // the shape of the result
  Hooks hooks = {};                                // see Hooks
  Observer* observer = nullptr;                    // not owned; Pause counts as Continue; there are no forms
  std::string name = {};                           // names the source in messages
  std::int64_t lease_ms = 60'000;             // how long the claim lasts; each write prolongs it
  bool again = false;                         // true begins a new turn although the last one ended well
  std::optional<std::int64_t> time_ms = {};        // the time for the program; nullopt: the system clock
  // true keeps the definitions of a turn for the next turn of the run. Later turns keep them with either value.
  bool keeps_session = false;
  // The most calls that StoredRun hands out at once. run_stored() makes one call after another.
  std::size_t parallel_calls = SIZE_MAX;
  // true: a branch of pmap or pcalls goes on when its own call is answered, while calls of other branches are open.
  // false: nothing runs before all of them are answered, so which calls a failing program makes does not depend on the
  // order of answers. Value and fuel of a program whose branches do not fail are the same either way.
  bool branches_go_on = false;
  // Returns the host's time in ms since 1970: leases, deadlines and facts go by this clock. Default: the system clock.
  std::function<std::int64_t()> clock = {};
  std::string data_edn = {};                       // the map for data/… as EDN text; "" when `data` is used
  std::optional<int> float_precision = {};         // rounds floats of the result to that many decimals, 0 to 300
  bool strict_task_ids = false;               // true: the id in (task id …) must be a string literal
  bool resets_need_reasons = false;           // true: (task-reset id) fails without a reason if a call had effects
  std::vector<JournalStep> plan = {};              // becomes the plan of a run that has none; refused: it has another
  // StoredRun::open(): upper bounds of the limits in the log, also where they are the defaults.
  std::optional<Limits> most_limits = {};
  // false: StoredOutcome::value_edn alone has the value, and outcome.value is nil. Reading the text takes several times
  // its memory.
  bool reads_value = true;
};

// Says how run_stored(), or the last step of a StoredRun, ended.
enum class StoredEnd : std::uint8_t {
  Ended,         // the turn is over; see outcome
  EndedBefore,   // the turn had ended well before; outcome has state and value
  Suspended,     // the run is parked; see pending and questions
  InDoubt,       // parked: the calls in `doubts` may or may not have happened, and a person must say
};

// One thing that a run waits for, as data that outlives the run.
struct StoredWait {
  std::string key;                            // the id of an operation, or the key of a question or a doubt
  std::string tool, args_edn, text;           // the tool, its arguments, the question
  // Operations only, in ms since 1970: when it began; when the program stops waiting for it. 0: there is no such time.
  std::int64_t since_ms = 0, deadline_ms = 0;
};

// Owns everything in it.
struct StoredOutcome {
  StoredEnd end{};                            // says which of the other members are set
  Outcome outcome;                            // the turn, as far as it got
  std::vector<StoredWait> pending, questions, doubts;   // for resolve(), for decide(), for settle()
  std::optional<std::int64_t> wake_time_ms;   // when to run it again although no answer has come; ms since 1970
  std::string warning;                        // "" when there is no warning
  // The value as text, "" when the turn did not end with one. outcome.value is nil when there are functions in it.
  std::string value_edn = {};
};

// Runs until the run is over or waits for something that may take long. Calls the tools in this thread, one after
// another, and sleeps here before a further attempt of at most a second. busy: another process executes the run.
// refused: nothing ran, nothing was changed. store_failed: what the log holds is right; run it again.
PTCVM_API Result<StoredOutcome> run_stored(const Engine& engine, Store& store, const Tools& tools,
                                           std::string_view source, const StoredOptions& options);
// Does the same for a run that was begun before, by its id alone, as Store::woken() gives the id. The log has its
// source, name, data, limits and signature; limits of the options count where they are smaller. wrong_state: the run
// was never begun.
PTCVM_API Result<StoredOutcome> continue_stored(const Engine& engine, Store& store, const Tools& tools,
                                                const StoredOptions& options);

}  // namespace ptcvm
