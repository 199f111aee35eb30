// One run of a program: heap, namespace, fibers, records. Sans-IO: step() executes until the program ends or needs
// something from the host, and never blocks, reads a clock or calls back.
//
// A run belongs to one thread at a time and can move between threads. Values given to it must live in its heap().
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schema/source_span.h"
#include "vm/builtins/environment.h"
#include "vm/exec/program.h"
#include "vm/value/heap.h"

namespace ptc {

struct RunLimits {
  std::uint64_t fuel = 100'000'000;          // one unit: a call, a loop jump, a step or about one element of bulk work
  std::uint64_t memory_bytes = 256u << 20;
  std::uint32_t depth = 2'000;               // nested calls
  std::uint32_t loop = 10'000;               // jumps of one loop activation
  std::uint32_t tool_calls = 1'000;
  std::uint32_t max_parallel = 10'000;       // branches of one pmap or pcalls
  DataLimits data;
  bool operator==(const RunLimits&) const = default;
};

// A guest fault with its position in the user's program.
struct RunFault {
  FaultKind kind{};
  std::string message, hint;
  SourceSpan span;
  std::shared_ptr<const Program> program;    // whose source the span is in; may be null
};

// A tool call that waits for the host.
struct ToolRequest {
  std::uint64_t id;          // unique in the run, counted from 1
  std::string_view tool;
  Value args;                // borrowed: map with string keys
  SourceSpan span;
};

struct ToolRecord {
  std::string tool;
  Value args;                // owned by the run
  Value result;              // owned by the run; Absent when it failed
  std::string error;
  bool cached = false;
  std::uint32_t order = 0;   // position in the order of calls
};

enum class StepStatus : std::uint8_t {
  Completed,    // result(): the program's value
  Returned,     // result(): (return v)
  Failed,       // result(): (fail v)
  Faulted,      // fault(); the namespace is as it was at start()
  NeedsTool,    // tool_requests() wait for answer() or answer_error()
  Yielded,      // the slice is used up; step() goes on
};

class RunImpl;

class Run {
 public:
  explicit Run(const RunLimits& limits);
  ~Run();
  Run(Run&&) noexcept;
  Run& operator=(Run&&) noexcept;

  Heap& heap();
  Environment& environment();                         // prints, journal, summaries, warnings
  const RunLimits& limits() const;

  // Before start(). All values are taken.
  void define(std::string_view name, Value taken);    // a name of the user namespace
  void undefine(std::string_view name);
  void set_context(Value taken_map);
  void set_history(std::vector<Value> taken_newest_first);
  void set_budget(Value taken_map);
  void enable_journal();                              // without it (task …) does not cache

  // May be called again after a run ended: the next turn, with the namespace as it is now.
  void start(std::shared_ptr<const Program> program);

  // Executes at most about fuel_slice units.
  StepStatus step(std::uint64_t fuel_slice = UINT64_MAX);

  Value result() const;                               // borrowed
  const RunFault& fault() const;
  void cancel(FaultKind kind, std::string message);   // the next step() reports it as a fault (timeout, cancelled)

  std::span<const ToolRequest> tool_requests() const;
  // Before a tool is really called (not when its answer comes from a cache): counts the call. False: the limit of
  // tool calls is passed; the request failed with tool_call_limit_exceeded and must not be made.
  [[nodiscard]] bool admit(std::uint64_t request_id);
  void answer(std::uint64_t request_id, Value taken, bool cached = false);
  void answer_error(std::uint64_t request_id, std::string message);   // raises tool_error at the call
  void answer_fault(std::uint64_t request_id, FaultKind kind, std::string message, std::string hint);
  // The time that the program sees, in milliseconds since 1970. Call it before each step(); the core has no clock.
  void set_clock(std::int64_t epoch_millis);

  std::span<const ToolRecord> tool_records() const;
  std::uint64_t fuel_used() const;
  // Every name of the user namespace with its value, in name order, borrowed.
  void for_each_definition(const std::function<void(std::string_view, Value)>& visit) const;
  std::shared_ptr<const Program> program() const;

  // For vm/snapshot alone.
  explicit Run(std::unique_ptr<RunImpl> restored);
  RunImpl& impl() const { return *impl_; }

 private:
  std::unique_ptr<RunImpl> impl_;
};

}  // namespace ptc
