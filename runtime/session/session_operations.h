// The asynchronous operations of a session as its host sees them: what it says about those that wait, and all of them
// as JSON, for hosts that keep them without a snapshot. The run keeps the table.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/session/call_desk.h"
#include "runtime/session/outbox.h"
#include "runtime/session/session_options.h"
#include "vm/exec/run.h"

namespace ptc {

// What a host says about an operation: value, error, cancel or progress. A value is in the heap of the session; the
// function that gets the resolution takes it.
struct Resolution {
  std::string operation;
  Settlement settlement;

  static Resolution ok(std::string operation, Value taken) {
    return {std::move(operation), {Settlement::Kind::Ok, taken, {}}};
  }
  static Resolution error(std::string operation, std::string reason) {
    return {std::move(operation), {Settlement::Kind::Error, Value::nil(), std::move(reason)}};
  }
  static Resolution cancel(std::string operation, std::string reason = {}) {
    return {std::move(operation), {Settlement::Kind::Cancelled, Value::nil(), std::move(reason)}};
  }
  static Resolution progress(std::string operation, Value taken_immediate) {
    return {std::move(operation), {Settlement::Kind::Progress, taken_immediate, {}}};
  }
};

// Says why resolutions were refused: already_resolved, unknown_operation, result_too_large, invalid_tool (not plain
// data).
struct ResolveRefusal {
  FaultKind kind{};
  std::string message;
};

class SessionOperations {
 public:
  // All of them must outlive the object.
  SessionOperations(Run& run, Outbox& outbox, const CallDesk& calls, const SessionOptions& options)
      : run_(run), outbox_(outbox), calls_(calls), options_(options) {}

  // Resolves operations at any time: all of them or, when one is refused, none.
  std::optional<ResolveRefusal> resolve(std::vector<Resolution> taken);
  // Converts results to the signatures of their tools. Returns the first refusal.
  std::optional<ResolveRefusal> fit(std::span<Resolution> resolutions);
  // Returns why the value of a resolution cannot be taken (its size, or what it holds), or nullopt when it can.
  std::optional<ResolveRefusal> refuse_value(const Resolution& resolution) const;
  // Returns the operations that the program gave up, once; the host tells their tools.
  std::vector<std::string> take_cancel_requests() { return run_.take_cancel_requests(); }
  // Sets when an operation was created, if it was started before. Sleeps and lifetimes end accordingly.
  void set_age(std::string_view operation, std::int64_t created_ms);

  std::string json() const;                                 // a JSON list; see operations_json.cpp for its members
  std::string json_of(const Operation& operation) const;    // one element of the list
  // Loads such a list, before the first turn. Returns a message when it refuses the text.
  std::optional<std::string> load(std::string_view json);

 private:
  std::optional<ResolveRefusal> refuse(std::span<const Resolution> resolutions) const;

  Run& run_;
  Outbox& outbox_;
  const CallDesk& calls_;
  const SessionOptions& options_;
};

}  // namespace ptc
