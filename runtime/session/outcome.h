// What one turn of a session came to. Texts only: an outcome stays valid when the session is gone.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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
  std::string source_name, source;     // whose text the span is in
  bool incomplete = false;             // the program ended inside of a form
};

struct ToolOutcome {
  std::string name, args_edn, result_edn;
  std::string error;                   // when failed
  bool failed = false, cached = false;
  std::uint64_t micros = 0;
};

// An operation that still waits.
struct PendingOutcome {
  std::string operation, tool, args_edn, args_json, immediate_edn;
  std::int64_t since_ms = 0;           // 0: the host gave no time
  std::int64_t deadline_ms = 0;        // when the wait for it ends by itself; 0: never
  bool awaited = false;                // a part of the program waits for it now
};

// A call that waits for the host.
struct WaitingCall {
  std::uint64_t id = 0;                // unique in the run
  std::string tool, args_edn, args_json;
  std::string key;                     // the same for the same call, whenever the program runs again
  std::string task_id;
  std::string question;                // of a hook that asks; "" for a call of a deferred tool
  std::uint32_t line = 0, column = 0;
};

struct Outcome {
  OutcomeStatus status = OutcomeStatus::Error;
  std::string value_edn;               // unless Error or Suspended
  OutcomeFault fault;                  // when Error
  std::vector<std::string> prints;
  std::vector<std::pair<std::string, std::string>> summaries;   // step id, text; in id order
  std::vector<ToolOutcome> tool_calls;
  std::vector<PendingOutcome> pending;    // every operation of the session that waits, in order of opening
  std::vector<WaitingCall> calls;         // that wait for the host, in the order of calling
  std::optional<std::int64_t> next_deadline_ms;   // of a suspended turn: when to resume it at the latest
  std::vector<std::string> cancelled;     // operations whose tools should be told that nobody waits any more
  std::vector<std::string> warnings;
  std::uint64_t fuel = 0, micros = 0, peak_bytes = 0;
};

// The fault with excerpt and hint.
std::string render_fault(const OutcomeFault& fault, bool colour = false);

}  // namespace ptc
