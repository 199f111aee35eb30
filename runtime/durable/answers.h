// Writes what people and other systems say about a run, from any process: facts that wake the run. A copy for reading
// takes no answers: RunIsCopy. An answer that the run could not take is refused: ResultTooLarge.
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
// Makes the fact.
Fact doubt_fact(const LoggedEffect& effect, EffectState state, FactAuthor author, Said said);

// Writes the answer to an operation: status "ok" (value), "error" or "cancelled" (text). Returns the fact that holds:
// this one, or an earlier answer. An operation that waits for a signal is answered by the signal, too: the first of the
// two counts, and the fact that is returned then has the status, value, text and source of the first. An operation that
// the log does not know yet may be answered. But a run that was begun names "op3" and the like itself: Missing.
StoreResult<Put> answer_operation(FactStore& store, std::string_view run, std::string_view operation,
                                  std::string_view status, std::string value_edn, std::string text, Said said);

// Returns what the handle of an operation shows until the operation is resolved (EDN).
StoreResult<Put> progress_operation(FactStore& store, std::string_view run, std::string_view operation,
                                    std::string value_edn, Said said);

// Writes a decision about a call that a hook asked about. `args_edn` are the arguments that the person saw; nullopt
// means the arguments of the question.
enum class DecideEnd : std::uint8_t {
  Done,              // also when the same was decided before
  NotAsked,
  OtherArguments,    // the question was about other arguments
  DecidedOtherwise,  // before
};
StoreResult<DecideEnd> decide_call(FactStore& store, std::string_view run, std::string_view idempotency_key,
                                   bool is_allowed, std::string reason, const std::optional<std::string>& args_edn,
                                   Said said);

// Puts a value under an id: a task of that id has it, and a program that waits for the signal of that name gets it. An
// id keeps its first value. Another value is refused, unless the first came from outside and equals `instead_of` (EDN).
struct ExternalPut {
  bool is_written = false;
  std::optional<LoggedTask> held;   // the value that is there: the same, or the reason of the refusal
  std::optional<LoggedOperation> answered;   // the reason of the refusal: the signal was answered by its operation
};
StoreResult<ExternalPut> put_external(FactStore& store, std::string_view run, std::string_view id,
                                      std::string value_edn, const std::optional<std::string>& instead_of, Said said);

// Opens a task again: the run does it when it reaches it next. The record stays in the log, with the reason.
enum class TaskResetEnd : std::uint8_t {
  Done,
  NoTask,        // the log has nothing under that id
  NeedsReason,   // calls of the task had effects, and the reason is ""
  Busy,          // a process executes the run
};
StoreResult<TaskResetEnd> reset_task(FactStore& store, std::string_view run, std::string_view task, std::string reason,
                                     Said said);

}  // namespace ptc
