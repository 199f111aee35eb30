// A stored run in steps, for hosts that own the loop: nothing blocks, and several calls are in flight at once.
//
//   auto run = ptcvm::StoredRun::start(engine, store, tools, source, {.id = "order-17"});
//   for (;;) {
//     const auto step = run->step();
//     if (!step || *step == ptcvm::StoredStep::Done) break;
//     for (const ptcvm::WaitingCall& call : run->calls()) begin(call.id, call.tool, call.args);   // of the host
//     wait_for_an_answer();                                                                       // of the host
//     run->answer(id, value);
//   }
//
// step() claims the run, goes on with it or runs it from the top against its log, and writes down what happened. It
// comes back with every call that can be made now; the intent of each is on the disk. Calls are answered in any order.
// When the run is over, or waits for something that may take long, it is parked or ended in the store, and the claim
// is given back: the next step opens it again. A process that dies loses nothing: the next process that steps the run
// finds each call that was open, and the effect class of its tool decides.
//
// A StoredRun belongs to one thread at a time. Engine, store and tools are kept by it.
#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptcvm/store.hpp"

namespace ptcvm {

// What a step led to.
enum class StoredStep : std::uint8_t {
  Yielded,   // the step has used up its fuel
  Waits,     // the run waits for calls(), or for wake_time_ms() when there are none
  Done,      // outcome() says how the step ended: the run is over, suspended or in doubt
};

// See the top of this file. Movable, not copyable.
class PTCVM_API StoredRun {
 public:
  struct Impl;   // the library defines it
  // Prepares the run; nothing is claimed or written before the first step.
  static Result<StoredRun> start(const Engine& engine, const Store& store, const Tools& tools, std::string_view source,
                                 const StoredOptions& options);
  // Does the same with a program that is compiled. The log keeps its source.
  static Result<StoredRun> start(const Engine& engine, const Store& store, const Tools& tools, const Program& program,
                                 const StoredOptions& options);
  // Prepares a run that was begun before, by its id alone: the log has its source, name, data, limits and signature.
  // Limits of `options` count where they are smaller. wrong_state: the run was never begun.
  static Result<StoredRun> open(const Engine& engine, const Store& store, const Tools& tools,
                                const StoredOptions& options);
  StoredRun(StoredRun&& moved) noexcept;
  StoredRun& operator=(StoredRun&& moved) noexcept;
  ~StoredRun();                           // gives the claim back; open calls stay open in the log

  // Goes on for at most about `fuel` units of work. Never waits, except for the disk. busy: another process executes
  // the run. refused: nothing ran. store_failed: what the log holds is right; step again.
  Result<StoredStep> step(std::uint64_t fuel = UINT64_MAX);
  // Returns what the last step gave; Yielded before the first step.
  const Result<StoredStep>& last_step() const;
  void cancel();                          // the next step ends the turn with the fault "cancelled"; any thread
  // The next step parks the run as soon as no call is in flight, also in the middle of an expression, and is Done with
  // StoredEnd::Suspended; the wake_time_ms() of the outcome is now. A later step, here or in another process, goes on
  // from there. A run that ends or waits before that ends or waits as ever. Any thread may call it.
  void park_soon();
  std::string_view id() const;            // StoredOptions::id
  std::string_view name() const;          // returns the name of the source: StoredOptions::name, or what the log has

  // Returns the calls that the host must make now, in the order of calling. Views are valid until the run is stepped
  // or a call is answered.
  std::vector<WaitingCall> calls() const;
  // Says what became of a call. The answer is on the disk at once; the answer of the last call in flight goes there
  // with what the program does next. wrong_state: there is no such call.
  Result<void> answer(std::uint64_t call, ValueView value, const AnswerDetails& details = {});
  Result<void> answer_error(std::uint64_t call, std::string message, const AnswerDetails& details = {});
  // Says that the call may or may not have happened. A call that may not be made again is in doubt: the run is, too.
  Result<void> answer_unknown(std::uint64_t call, std::string message, const AnswerDetails& details = {});
  // Says that the call started an operation (tools of mode Async or Auto). The id "" lets the run choose one.
  Result<void> answer_pending(std::uint64_t call, std::string operation_id = {}, const AnswerDetails& details = {});
  // Do for a stored run what the functions of Run with these names do.
  std::uint64_t memory_left() const;      // 0 while the run is not open: before the first step, and when it is Done
  void hold_memory(std::uint64_t bytes);
  Result<std::string> args_json(std::uint64_t call);
  Result<void> answer_json(std::uint64_t call, std::string_view json, const AnswerDetails& details = {});
  Result<void> answer_too_large(std::uint64_t call, const AnswerDetails& details = {});
  // Calls the tool's own callable in this thread, and answers with its outcome. not_available: the tool is deferred.
  Result<void> make(std::uint64_t call);
  // Counts time that the host spent on calls as time of the turn (Limits::timeout_ms). make() does so itself.
  void count_time(std::chrono::microseconds spent);

  // Returns when the host should step a waiting run although no call was answered, in ms since 1970; nullopt: never.
  std::optional<std::int64_t> wake_time_ms() const;
  // Returns how the last step that was Done ended, and what somebody must resolve, decide or settle.
  const StoredOutcome& outcome() const;
  StoredOutcome take_outcome();           // hands the outcome over
  // Returns how many answers came after somebody else had claimed the run, and settled a doubt there: the answers of
  // calls that may not simply be made again. The step failed with store_fenced all the same.
  std::size_t late_answers() const;

  // Write what others say, as Store::resolve() and the like do for this run. While the run is executed, the program
  // sees the answer at its next suspension. A run that is Done goes on with the next step.
  Result<void> resolve(std::string_view operation, ValueView value, std::string by = {});
  Result<void> resolve_error(std::string_view operation, std::string reason, std::string by = {});
  Result<void> resolve_cancelled(std::string_view operation, std::string reason = {}, std::string by = {});
  Result<void> progress(std::string_view operation, ValueView value, std::string by = {});
  Result<void> decide(std::string_view key, bool allowed, std::string reason = {}, std::string by = {},
                      const std::optional<std::string>& args_edn = std::nullopt);
  Result<void> settle(std::string_view key, DoubtAnswer answer, ValueView result = {}, std::string by = {});

 private:
  friend Result<StoredOutcome> run_stored(const Engine& engine, Store& store, const Tools& tools,
                                          std::string_view source, const StoredOptions& options);
  friend Result<StoredOutcome> continue_stored(const Engine& engine, Store& store, const Tools& tools,
                                               const StoredOptions& options);
  explicit StoredRun(std::unique_ptr<Impl> impl);
  Result<StoredOutcome> drive();          // steps the run until it is done, and makes its calls
  std::unique_ptr<Impl> impl_;
};

}  // namespace ptcvm
