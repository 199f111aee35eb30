// A run that has a log: whatever becomes of its process, the log says what happened, and opening the run again loses no
// commit and repeats no effect silently (docs/decisions/0008-durable-runs.md).
//
// A run is stepped. One step claims the run, reads its log, restores what was parked or runs the program from the top
// against the log, writes down what happened, and comes back with every call that can be made now. It never waits for
// anything but the store. Opening the run again is always right:
//   - a run that waits goes on when something came; it is the program that was parked, whatever the source is
//   - one whose process died goes on from what was parked last, or from the top
//   - one that failed is tried again: committed tasks and calls that were answered are hits, calls keep their keys
//   - one that ended well is not run again, unless the source is another one, somebody outside said something since (a
//     value, a reset, a doubt settled), or `again` asks for it: that begins a new turn, with new keys for calls outside
//     of tasks
//
// Effects. A tool has an effect class (schema/effects.def). Before any but a pure one is called its intent is in the
// log; several calls may be in flight, each with its own intent. What became of a call is in the log before anybody
// outside sees what the program made of the answer; a program that runs again gets the answer from the log. A call
// whose outcome nobody knows is treated by its effect class, whether its process died or its tool was cut off:
// idempotent and keyed ones are made again, with the same key; reconcilable ones are asked for; for the others somebody
// has to say what happened (durable/answers.h), and nothing runs until then.
//
// A call that failed and is made again after more than a second parks the run: nobody waits in a thread.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/durable/durable_options.h"
#include "runtime/durable/recorded_calls.h"
#include "runtime/durable/run_facts.h"
#include "runtime/durable/run_opening.h"
#include "runtime/log/fact_store.h"
#include "runtime/log/log_writer.h"
#include "runtime/session/session.h"

namespace ptc {

// What a step led to.
enum class DurableStep : std::uint8_t {
  Yielded,   // the fuel of the step is used up
  Waits,     // calls are in flight, or a short pause before a further attempt passes
  Done,      // the claim was given back: outcome() says why. The next step opens the run again
};

// One run, stepped by one thread at a time. The engine, the store and the tools must outlive it.
class DurableRun {
 public:
  DurableRun(const Engine& engine, FactStore& store, std::shared_ptr<const ToolRegistry> tools, std::string source,
             DurableOptions options);
  ~DurableRun();
  DurableRun(const DurableRun&) = delete;
  DurableRun& operator=(const DurableRun&) = delete;

  DurableStep step(std::uint64_t fuel = UINT64_MAX);
  DurableStep last_step() const { return last_step_; }
  const DurableOutcome& outcome() const { return out_; }   // valid when the last step was Done
  DurableOutcome take_outcome() { return std::exchange(out_, {}); }

  // Returns the calls that can be made now, with their intents in the log: to be answered in any order, once each.
  const std::map<std::uint64_t, OpenCall>& calls() const { return calls_.in_flight(); }
  Value args(std::uint64_t call);          // borrowed from the session's heap until the next step or answer
  // Takes the answer. What became of the call is in the log at once, unless nothing else is in flight: then the fact
  // goes with what the program does next. Returns false when there is no such call.
  bool answer(std::uint64_t call, ToolReply reply, std::uint64_t micros = 0);
  // Returns what the handler of the tool gets for a call in flight; borrowed until the next step or answer.
  ToolCall tool_call(std::uint64_t call);
  // Calls the handler of the tool in this thread, and answers with what it gives.
  void make(std::uint64_t call);

  // Returns when to step a run that waits although no call was answered, in ms since 1970; nullopt: never.
  std::optional<std::int64_t> next_attempt_ms() const { return calls_.next_attempt_ms(); }
  // Returns the session while the run is executed, or null otherwise.
  Session* session() { return session_.get(); }
  FactStore& store() { return writer_.store(); }
  const std::string& id() const { return options_.session.run_id; }
  std::int64_t now() const { return writer_.now(); }
  // Returns how many answers came after another claim and settled a doubt there (late_answers.h).
  std::size_t late_answers() const { return facts_.late_answers(); }
  std::uint64_t claim_token() const { return writer_.token(); }   // 0: the run is not claimed

 private:
  enum class Phase : std::uint8_t { Closed, Active };
  const RunLog& log() const { return writer_.log(); }

  bool attend(std::unique_ptr<Session> session);
  bool write();
  // These functions drive the run. nullopt: the loop goes on.
  DurableStep drive(std::uint64_t fuel);
  std::optional<DurableStep> wait_for_calls();
  std::optional<DurableStep> advance(std::uint64_t& fuel);
  std::optional<DurableStep> ask_about_doubts();
  std::optional<DurableStep> suspend();
  bool is_due();
  bool goes_on();
  std::uint64_t told_until() const;
  Fact resumption() const;
  void go_on();
  void put_session_into(Parked& parked) const;   // the session must stay as it is until it is parked
  bool park();
  bool is_cancelled() const { return options_.cancelled != nullptr && options_.cancelled->load(); }
  bool wants_to_park() const { return options_.parks != nullptr && options_.parks->load(); }
  bool parks_here();
  bool park_in_the_middle();
  void end_turn();
  bool write_end(const Fact& ended);
  bool begin_again_with_whole_log();
  DurableStep close();

  const DurableOptions options_;
  LogWriter writer_;
  RunFacts facts_;
  RecordedCalls calls_;
  DurableOutcome out_;
  RunOpening opening_;
  std::unique_ptr<Session> session_;
  Phase phase_ = Phase::Closed;
  DurableStep last_step_ = DurableStep::Yielded;
  bool is_suspended_ = false;              // the session waits, and out_.outcome says for what
  bool has_answers_ = false;               // the session got answers since it was stepped last
};

// Steps a run until it is done. The tools are called in this thread, one after another; pauses of at most a second are
// slept here. No tool may be deferred.
void drive(DurableRun& run);
// Does so with a run that has one call in flight at most: a process that dies leaves one call open.
DurableOutcome run_durably(const Engine& engine, FactStore& store, const ToolRegistry& tools, std::string_view source,
                           const DurableOptions& options);

}  // namespace ptc
