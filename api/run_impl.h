// A run of the public API: a session of the runtime, and the observer that turns what happens in it into events.
#pragma once
#include <atomic>
#include <memory>

#include "api/engine_access.h"
#include "api/tools_access.h"
#include "ptcvm/run.hpp"
#include "runtime/session/parked_session.h"

namespace ptcvm {

// Reads the outbox of one run and makes events of its items. Nothing here is done for a run without an observer.
class EventSource final : public ptc::OutboxReader {
 public:
  explicit EventSource(Observer* observer) : observer_(observer) {}

  void attend(ptc::Session& session);                     // also one that was restored
  bool is_watched() const { return observer_ != nullptr; }
  bool wants_forms() const { return observer_ != nullptr && observer_->wants_forms(); }
  bool take_pause() { return std::exchange(pause_, false); }
  std::atomic<bool>& cancelled() { return cancelled_; }     // set by the host, or by a verdict

  void form();

  void read(ptc::OutboxItem item) override;

 private:
  Event made(EventKind kind) const;
  void send(Event event);
  void deliver(Event& event);
  void begin(const ptc::OutboxItem& item);
  void stepped(ptc::SessionStep step);
  void over();
  Event call_event(EventKind kind, const ptc::OutboxItem& item);
  Event named_event(EventKind kind, const ptc::OutboxItem& item) const;
  Event operation_event(const ptc::OutboxItem& item) const;

  Observer* const observer_;
  ptc::Session* session_ = nullptr;
  std::uint64_t sequence_ = 0;
  bool pause_ = false, is_suspended_ = false;
  std::uint32_t suspensions_ = 0;           // counts the suspensions of the turn that events have told
  std::atomic<bool> cancelled_{false};
  std::uint32_t form_line_ = 0, form_column_ = 0;
  std::string number_;                      // text of the call number of the event that is being sent
};

struct PTCVM_HIDDEN Run::Impl {
  Impl(const Engine& shared, Observer* observer) : engine(shared), events(observer) {}

  void attend(std::unique_ptr<ptc::Session> made);
  void attend(std::unique_ptr<ptc::Session> made, const Hooks& wanted);
  bool park();
  ptc::Session& awake();                    // where anything but park() looks at the session
  RunState step(std::uint64_t fuel);
  RunState settle(RunState came_to);
  std::optional<std::string> result_text(ptc::BoundedWriter writer);

  Engine engine;                            // keeps it alive
  std::unique_ptr<ptc::Session> session;    // null while it is parked
  std::unique_ptr<ptc::ParkedSession> parked;
  EventSource events;
  std::function<void(const Diagnostic&)> on_error;
  bool hands_out_calls = false;             // see RunOptions
  RunState state = RunState::Yielded;
};

// Returns the state of the turn of a session: calls that the host answers make it yield, questions alone suspend it.
RunState run_state_of(const ptc::Session& session);
ptc::RunLimits runtime_limits(const Limits& limits);
// Returns Errc::invalid_value when the number of decimals is out of its range.
std::optional<Error> precision_error(std::optional<int> decimals);
// Returns Errc::invalid_value for the first limit that is out of its range.
std::optional<Error> limits_error(const Limits& limits);
ptc::SessionOptions session_options(const RunOptions& options);
// Returns a session with the options' data, tools and hooks, before its first turn.
Result<std::unique_ptr<Run::Impl>> make_impl(const Engine& engine, const RunOptions& options);
// Is told which bytes of a snapshot nobody reads again (Run::restore_from()); may be empty.
using SpentBytes = std::function<void(std::span<const std::uint8_t>)>;
Result<std::unique_ptr<Run::Impl>> restore_impl(const Engine& engine, std::span<const std::byte> snapshot,
                                                const RestoreOptions& options, SpentBytes has_read = {});
// Reads the JSON text of an answer within the memory and the time of the turn. Error: invalid_value.
Result<ptc::ToolReply> read_answer(ptc::Session& session, std::string_view json, const AnswerDetails& details);
// Return the end of a call whose arguments do not fit into the memory of the run, for the program and for the host.
ptc::ToolReply args_refusal(const std::string& tool);
Error args_too_large(const std::string& tool);
// Returns the reply for a call that started an operation; its value is in the heap.
ptc::ToolReply pending_reply(ptc::Heap& heap, std::string operation_id, const AnswerDetails& details);
Outcome outcome_of_error(const Error& error);

}  // namespace ptcvm
