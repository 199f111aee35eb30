// What a durable run is opened with, and how it ends.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/log/fact_store.h"
#include "runtime/log/run_log.h"
#include "runtime/session/session.h"

namespace ptc {

struct DurableOptions {
  SessionOptions session;                    // its run_id is the name of the log
  std::string context;                       // EDN map for data/…, or ""; kept in the log
  std::function<std::optional<std::string>(Session&)> prepare;   // returns a complaint
  std::shared_ptr<const Program> program;    // instead of the source
  std::optional<Plan> plan;                  // becomes the run's when it has none
  std::string owner;                         // who executes it, in the claim; "": process_owner()
  std::int64_t lease_ms = 60'000;            // how long the claim lasts; each write prolongs it
  std::optional<std::uint64_t> dead_token;   // names a claim whose process is known to be gone
  std::function<std::int64_t()> now_ms;      // none: the system clock
  bool again = false;                        // a new turn, also when the last one ended well
  CallTexts call_texts = CallTexts::Yes;     // No: outcomes count the calls of their turns and leave them out
  std::size_t most_in_flight = SIZE_MAX;     // calls that are handed out at once
  bool branches_go_on = false;               // a branch goes on with its answer, while calls of others are open
  ToolHooks hooks;                           // `before` is asked once for each call, whatever becomes of the process
  std::function<void(Session&)> on_session;  // one is about to be driven; it is gone when the run is over
  OutboxReader* reader = nullptr;            // gets what happens, after the log; not owned
  const std::atomic<bool>* cancelled = nullptr;   // not owned
  // True asks for the run to be parked at its next safe point without a call in flight; then it becomes false. It is
  // not owned.
  std::atomic<bool>* parks = nullptr;
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
  std::string message;          // says why the run was refused; else a warning, or ""
};

}  // namespace ptc
