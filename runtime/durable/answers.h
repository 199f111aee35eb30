// What people and other systems say about a run, from any process: facts that wake it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/log/fact_store.h"
#include "runtime/log/run_log.h"

namespace ptc {

// Names the speaker and the time (milliseconds since 1970).
struct Said {
  std::string by;
  std::int64_t time_ms = 0;
};

// Returns the calls of a run that may or may not have happened, and that may not simply be made again: the calls that
// were noted, and the calls that a process which is gone has left open.
StoreResult<std::vector<LoggedEffect>> open_doubts(FactStore& store, std::string_view run);

// Records what a person says about a doubt. Returns false when there is no such doubt (any more).
enum class DoubtAnswer : std::uint8_t { Happened, DidNot, GiveUp };
StoreResult<bool> settle_doubt(FactStore& store, std::string_view run, std::string_view idempotency_key,
                               DoubtAnswer answer, std::string value_edn, Said said);
// The fact that says it.
Fact doubt_fact(const LoggedEffect& effect, EffectState state, FactAuthor author, Said said);

// The answer to an operation: status "ok" (value), "error" or "cancelled" (text). The fact that holds: this one, or an
// earlier answer. An operation that the log does not know yet may be answered.
StoreResult<Put> answer_operation(FactStore& store, std::string_view run, std::string_view operation,
                                  std::string_view status, std::string value_edn, std::string text, Said said);

// What the handle of an operation shows until the operation is resolved (EDN).
StoreResult<Put> progress_operation(FactStore& store, std::string_view run, std::string_view operation,
                                    std::string value_edn, Said said);

// What somebody decides about a call that a hook asked about. `args_edn`: the arguments that he saw; nothing: those
// that were asked about.
enum class DecideEnd : std::uint8_t {
  Done,              // also when it was decided just so before
  NotAsked,
  OtherArguments,    // it was asked about other ones
  DecidedOtherwise,  // before
};
StoreResult<DecideEnd> decide_call(FactStore& store, std::string_view run, std::string_view idempotency_key,
                                   bool is_allowed, std::string reason, const std::optional<std::string>& args_edn,
                                   Said said);

// A value under an id: a task of that id has it, and a program that waits for the signal of that name gets it. An id
// keeps its first value. Another one is refused unless it comes from outside and is what `instead_of` says (EDN).
struct ExternalPut {
  bool is_written = false;
  std::optional<LoggedTask> held;   // what stands there: the same value, or why it was refused
};
StoreResult<ExternalPut> put_external(FactStore& store, std::string_view run, std::string_view id,
                                      std::string value_edn, const std::optional<std::string>& instead_of, Said said);

// A task is done again when the run comes to it the next time; its record stays in the log, and the reason beside it.
enum class TaskResetEnd : std::uint8_t {
  Done,
  NoTask,        // nothing is recorded under that id
  NeedsReason,   // calls with effects were made for it, and the reason is ""
  Busy,          // the run is being executed
};
StoreResult<TaskResetEnd> reset_task(FactStore& store, std::string_view run, std::string_view task, std::string reason,
                                     Said said);

}  // namespace ptc
