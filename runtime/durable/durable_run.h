// A run that has a log: whatever becomes of its process, the log says what happened, and opening the run again loses no
// commit and repeats no effect silently (docs/decisions/0008-durable-runs.md).
//
// One call does everything that can be done now: claims the run, reads its log, restores what was parked or runs the
// program from the top against the log, and ends when the program ends, waits, or a person has to say something.
// Calling it again is always right:
//   - a run that waits goes on when something came; it is the program that was parked, whatever the source is
//   - one whose process died goes on from what was parked last, or from the top
//   - one that failed is tried again: committed tasks and calls that were answered are hits, calls keep their keys
//   - one that ended well is not run again, unless the source is another one, somebody outside said something since (a
//     value, a reset, a doubt settled), or `again` asks for it: that begins a new turn, with new keys for calls outside
//     of tasks
//
// Effects. A tool has an effect class (schema/effects.def). Before any but a pure one is called its intent is in
// the log, and its answer is there before the program sees it; a program that runs again gets the answer from the log.
// Of a call that a dead process has left open: idempotent and keyed ones are made again, with the same key;
// reconcilable ones are asked for; for the others somebody has to say what happened (facts/answers.h), and nothing runs
// until then.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/log/fact_store.h"
#include "runtime/log/run_log.h"
#include "runtime/session/session.h"

namespace ptc {

struct DurableOptions {
  SessionOptions session;                    // its run_id is the name of the log
  std::string context;                       // EDN map for data/…, or ""; kept in the log
  std::function<std::optional<std::string>(Session&)> prepare;   // of a session that begins at the top; a complaint
  std::shared_ptr<const Program> program;    // instead of the source
  std::optional<Plan> plan;                  // becomes the run's when it has none
  std::string owner;                         // who executes it, in the claim; "": process_owner()
  std::int64_t lease_ms = 60'000;            // of the claim; it is prolonged at each write
  std::optional<std::uint64_t> dead_token;   // of a claim whose process is known to be gone
  std::function<std::int64_t()> now_ms;      // none: the system clock
  bool again = false;                        // a new turn, also when the last one ended well
  bool resets_need_reasons = false;          // (task-reset id) of a task whose calls had effects fails without one
  ToolHooks hooks;                           // `before` is asked once for each call, whatever becomes of the process
  std::function<void(Session&)> on_session;  // one is about to be driven; it is gone when run_durably() returns
  SessionObserver* observer = nullptr;       // is told what happens, after the log; not owned
  const std::atomic<bool>* cancelled = nullptr;   // not owned
};

enum class DurableEnd : std::uint8_t {
  Ended,          // the turn ended: `outcome`
  EndedBefore,    // it had ended well before: `outcome` has status and value only
  Suspended,      // parked in the store: `outcome` says what it waits for
  InDoubt,        // parked: `doubts` are what a person has to settle
  Busy,           // somebody else executes it: `holder`
  StoreFailed,    // `error`; what the log holds is right, run it again
  Refused,        // `message`: nothing ran, nothing was changed
};

struct DurableOutcome {
  DurableEnd end{};
  Outcome outcome;
  std::vector<LoggedEffect> doubts;
  Claim holder;
  StoreError error;
  std::string message;          // Refused: why. Else a warning, or ""
};

// The tools are called in this thread. The store must outlive the call.
DurableOutcome run_durably(const Engine& engine, FactStore& store, const ToolRegistry& tools, std::string_view source,
                           const DurableOptions& options);

}  // namespace ptc
