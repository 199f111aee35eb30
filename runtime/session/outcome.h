// The result of one turn of a session, as texts. An outcome stays valid when the session is gone.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/engine/diagnostic_text.h"
#include "schema/fault_kind.h"
#include "schema/source_span.h"
#include "vm/exec/program.h"

namespace ptc {

enum class OutcomeStatus : std::uint8_t { Ok, Return, Fail, Error, Suspended };

constexpr std::string_view outcome_status_name(OutcomeStatus status) {
  switch (status) {
    case OutcomeStatus::Ok: return "ok";
    case OutcomeStatus::Return: return "return";
    case OutcomeStatus::Fail: return "fail";
    case OutcomeStatus::Error: return "error";
    case OutcomeStatus::Suspended: return "suspended";
  }
  return "";
}

struct OutcomeFault {
  FaultKind kind{};
  std::string message, hint;
  SourceSpan span;
  std::string source_name, source;     // the source that the span points into
  bool incomplete = false;             // true when the program ended inside of a form
  std::string found = {};              // the value that did not fit, as text, or ""
  std::vector<CallFrame> stack = {};   // innermost first; bounded (vm/exec/guest_stack.h)
};

struct ToolOutcome {
  std::string name, args_edn, result_edn;
  std::string error;                   // the message of a failed call
  bool failed = false, cached = false;
  std::uint64_t micros = 0;
};

// An operation that still waits.
struct PendingOutcome {
  std::string operation, tool, args_edn, args_json, immediate_edn;
  std::int64_t since_ms = 0;           // 0 when the host gave no time
  std::int64_t deadline_ms = 0;        // when the wait ends by itself; 0 means never
  bool awaited = false;                // true when a part of the program waits for the operation now
};

// A call that waits for the host.
struct WaitingCall {
  std::uint64_t id = 0;                // the number of the call, unique in the run
  std::string tool, args_edn, args_json;
  std::string key;                     // stays the same for the same call when the program runs again
  std::string task_id;
  std::string question;                // the question of a hook; "" for a call of a deferred tool
  std::uint32_t line = 0, column = 0;
};

// Says whether an outcome has the texts of all calls of its turn. They cost what they are long.
enum class CallTexts : bool { No, Yes };

struct Outcome {
  OutcomeStatus status = OutcomeStatus::Error;
  std::string value_edn;               // the value, unless the status is Error or Suspended
  OutcomeFault fault;                  // the fault, when the status is Error
  std::vector<std::string> prints;
  std::vector<std::pair<std::string, std::string>> summaries;   // ids and texts of steps, sorted by id
  std::vector<ToolOutcome> tool_calls;    // empty when nobody wants them (CallTexts::No)
  std::size_t tool_call_count = 0;
  std::vector<PendingOutcome> pending;    // every operation that waits, in order of opening
  std::vector<WaitingCall> calls;         // calls that wait for the host, in the order in which they were made
  std::optional<std::int64_t> next_deadline_ms;   // when to resume a suspended turn at the latest
  std::vector<std::string> cancelled;     // operations that the program gave up; tell their tools
  std::vector<std::string> warnings;
  std::uint64_t fuel = 0, micros = 0, peak_bytes = 0;
};

// Returns the fault as text, with excerpt and hint.
std::string render_fault(const OutcomeFault& fault, bool colour = false);

}  // namespace ptc
