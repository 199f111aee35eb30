// Steppers: stored runs that the host drives, for C.
#include "ptcvm/stored_run.hpp"

#include <algorithm>

#include "api/c/stored.h"

namespace ptcvm::c {

// One call of the list that was taken last. Its arguments are owned, so that answers leave the list as it is.
struct ListedCall {
  WaitingCall call;
  Value args;
};

}  // namespace ptcvm::c

struct ptcvm_stepper {
  ptcvm_stepper(std::unique_ptr<ptcvm::c::EventQueue> queue, ptcvm::StoredRun made)
      : events(std::move(queue)), run(std::move(made)) {}

  std::unique_ptr<ptcvm::c::EventQueue> events;    // called by the run: goes after it; null without events
  std::unique_ptr<ptcvm::c::HeldEvent> event;      // the one that was taken last
  ptcvm::StoredRun run;
  bool is_executing = false;                       // in a step or a callback; stays so when memory ran out there
  bool has_outcome = false;                        // the last step was the last one, and nobody took the outcome
  std::optional<std::int64_t> taken_wake_time;     // what the outcome that was taken says
  std::vector<ptcvm::c::ListedCall> calls;

  // The run between two steps. Throws a Failure within a step or a callback, and when memory ran out in one.
  ptcvm::StoredRun& idle() {
    if (is_executing) {
      throw ptcvm::c::Failure{{ptcvm::Errc::wrong_state, "the run is being stepped, or broken", {}}};
    }
    return run;
  }
  // Calls executed(StoredRun&), which may call back into the host.
  template <class F>
  auto execute(F&& executed) {
    ptcvm::StoredRun& open = idle();
    is_executing = true;
    auto result = executed(open);
    is_executing = false;
    return result;
  }
};

namespace ptcvm::c {
namespace {

static_assert(PTCVM_STEP_DONE == static_cast<int>(StoredStep::Done));

// prepared(const StoredOptions&) makes the run.
template <class F>
std::unique_ptr<ptcvm_stepper> stepper_of(const ptcvm_stored_options* options, const ptcvm_tools* tools,
                                          F&& prepared) {
  const ptcvm_stored_options given = options_in(options);
  std::unique_ptr<EventQueue> events = event_queue(given.event_capacity, 0);
  StoredRun run = taken(prepared(stored_options(given, tools, events.get())));
  return std::make_unique<ptcvm_stepper>(std::move(events), std::move(run));
}

// Steps in slices, with a look at the queue of events in between.
Result<StoredStep> step_with_events(StoredRun& run, const EventQueue& events, std::uint64_t fuel) {
  for (;;) {
    const std::uint64_t slice = std::min(fuel, kEventSlice);
    Result<StoredStep> step = run.step(slice);
    if (fuel != PTCVM_ALL_FUEL) fuel -= slice;
    if (!step || *step != StoredStep::Yielded || fuel == 0 || events.is_full()) return step;
  }
}

// said(StoredRun&) is what the host says.
template <class F>
ptcvm_status told(ptcvm_stepper* stepper, ptcvm_error** error, F&& said) noexcept {
  return guarded(error, [&] { taken(said(the(stepper).idle())); });
}

std::vector<ListedCall> listed(const StoredRun& run) {
  std::vector<ListedCall> out;
  for (WaitingCall& call : run.calls()) {
    ListedCall& one = out.emplace_back();
    one.args = Value::copy_of(call.args);
    one.call = std::move(call);
    one.call.args = one.args;
  }
  return out;
}

}  // namespace
}  // namespace ptcvm::c

namespace c = ptcvm::c;
using ptcvm::StoredRun;

ptcvm_status ptcvm_stepper_start(const ptcvm_engine* engine, const ptcvm_store* store, const ptcvm_tools* tools,
                                 ptcvm_text source, const ptcvm_stored_options* options, ptcvm_stepper** out,
                                 ptcvm_error** error) {
  return c::guarded(out, error, [&] {
    return c::stepper_of(options, tools, [&](const ptcvm::StoredOptions& wanted) {
      return StoredRun::start(c::the(engine).engine, c::the(store).store, c::tools_in(tools), c::text_in(source),
                              wanted);
    });
  });
}
ptcvm_status ptcvm_stepper_open(const ptcvm_engine* engine, const ptcvm_store* store, const ptcvm_tools* tools,
                                const ptcvm_stored_options* options, ptcvm_stepper** out, ptcvm_error** error) {
  return c::guarded(out, error, [&] {
    return c::stepper_of(options, tools, [&](const ptcvm::StoredOptions& wanted) {
      return StoredRun::open(c::the(engine).engine, c::the(store).store, c::tools_in(tools), wanted);
    });
  });
}
void ptcvm_stepper_free(ptcvm_stepper* stepper) { delete stepper; }

ptcvm_status ptcvm_stepper_step(ptcvm_stepper* stepper, uint64_t fuel, int32_t* out_step, ptcvm_error** error) {
  if (out_step != nullptr) *out_step = PTCVM_STEP_NONE;
  return c::guarded(error, [&] {
    c::require(out_step != nullptr, "the place for the result is NULL");
    const c::EventQueue* const events = c::the(stepper).events.get();
    if (events != nullptr && events->is_full()) {
      (void)stepper->idle();
      *out_step = PTCVM_STEP_YIELDED;
      return;
    }
    const auto result = stepper->execute([&](StoredRun& run) {
      return events == nullptr ? run.step(fuel) : c::step_with_events(run, *events, fuel);
    });
    stepper->has_outcome = result && *result == ptcvm::StoredStep::Done;
    stepper->taken_wake_time = std::nullopt;
    const ptcvm::StoredStep step = c::taken(result);
    *out_step = static_cast<int32_t>(step);
  });
}
void ptcvm_stepper_cancel(ptcvm_stepper* stepper) {
  if (stepper != nullptr) stepper->run.cancel();
}
ptcvm_text ptcvm_stepper_id(const ptcvm_stepper* stepper) {
  return stepper == nullptr ? ptcvm_text{nullptr, 0} : c::text_out(stepper->run.id());
}

size_t ptcvm_stepper_call_count(ptcvm_stepper* stepper) {
  return c::quietly(std::size_t{0}, [&] { return (stepper->calls = c::listed(c::the(stepper).idle())).size(); });
}
ptcvm_status ptcvm_stepper_call_at(const ptcvm_stepper* stepper, size_t index, ptcvm_waiting_call* out) {
  return c::guarded(nullptr, [&] { c::struct_out(out, c::call_out(c::at(c::the(stepper).calls, index).call)); });
}

ptcvm_status ptcvm_stepper_answer(ptcvm_stepper* stepper, uint64_t call, ptcvm_view value, ptcvm_error** error) {
  return c::told(stepper, error, [&](StoredRun& run) { return run.answer(call, c::view_in(value)); });
}
ptcvm_status ptcvm_stepper_answer_json(ptcvm_stepper* stepper, uint64_t call, ptcvm_text json, ptcvm_error** error) {
  return c::told(stepper, error, [&](StoredRun& run) { return run.answer_json(call, c::text_in(json)); });
}
ptcvm_status ptcvm_stepper_answer_edn(ptcvm_stepper* stepper, uint64_t call, ptcvm_text edn, ptcvm_error** error) {
  return c::told(stepper, error, [&](StoredRun& run) { return run.answer(call, c::edn_in(edn)); });
}
ptcvm_status ptcvm_stepper_answer_error(ptcvm_stepper* stepper, uint64_t call, ptcvm_text message,
                                        ptcvm_error** error) {
  return c::told(stepper, error, [&](StoredRun& run) { return run.answer_error(call, c::string_in(message)); });
}
ptcvm_status ptcvm_stepper_answer_unknown(ptcvm_stepper* stepper, uint64_t call, ptcvm_text message,
                                          ptcvm_error** error) {
  return c::told(stepper, error, [&](StoredRun& run) { return run.answer_unknown(call, c::string_in(message)); });
}
ptcvm_status ptcvm_stepper_answer_pending(ptcvm_stepper* stepper, uint64_t call, ptcvm_text operation,
                                          ptcvm_error** error) {
  return c::told(stepper, error, [&](StoredRun& run) { return run.answer_pending(call, c::string_in(operation)); });
}
ptcvm_status ptcvm_stepper_make(ptcvm_stepper* stepper, uint64_t call, ptcvm_error** error) {
  return c::guarded(error,
                    [&] { c::taken(c::the(stepper).execute([&](StoredRun& run) { return run.make(call); })); });
}

int32_t ptcvm_stepper_next_event(ptcvm_stepper* stepper, ptcvm_event* out) {
  return c::quietly(0, [&] {
    ptcvm_stepper& of = c::the(stepper);
    return c::next_event(of.events.get(), of.event, out);
  });
}
ptcvm_status ptcvm_stepper_event_json(const ptcvm_stepper* stepper, ptcvm_buffer** out, ptcvm_error** error) {
  return c::guarded(out, error, [&] { return c::event_line(c::the(stepper).event.get()); });
}

int32_t ptcvm_stepper_wake_time(const ptcvm_stepper* stepper, int64_t* out_ms) {
  if (stepper == nullptr || out_ms == nullptr) return 0;
  const std::optional<std::int64_t> own = stepper->run.wake_time_ms();
  const std::optional<std::int64_t>& due = own ? own : stepper->taken_wake_time;
  if (due) *out_ms = *due;
  return due ? 1 : 0;
}
ptcvm_status ptcvm_stepper_take_outcome(ptcvm_stepper* stepper, ptcvm_stored** out, ptcvm_error** error) {
  return c::guarded(out, error, [&] {
    StoredRun& run = c::the(stepper).idle();
    if (!stepper->has_outcome) {
      throw c::Failure{{ptcvm::Errc::wrong_state, "the run is not done, or its outcome was taken", {}}};
    }
    auto outcome = std::unique_ptr<ptcvm_stored>(new ptcvm_stored{});
    stepper->taken_wake_time = run.wake_time_ms();
    outcome->outcome = run.take_outcome();
    stepper->has_outcome = false;
    return outcome;
  });
}

ptcvm_status ptcvm_stepper_resolve(ptcvm_stepper* stepper, ptcvm_text operation, ptcvm_view value, ptcvm_text by,
                                   ptcvm_error** error) {
  return c::told(stepper, error, [&](StoredRun& run) {
    return run.resolve(c::text_in(operation), c::view_in(value), c::string_in(by));
  });
}
ptcvm_status ptcvm_stepper_resolve_json(ptcvm_stepper* stepper, ptcvm_text operation, ptcvm_text json, ptcvm_text by,
                                        ptcvm_error** error) {
  return c::told(stepper, error, [&](StoredRun& run) {
    return run.resolve(c::text_in(operation), c::json_in(json), c::string_in(by));
  });
}
ptcvm_status ptcvm_stepper_resolve_edn(ptcvm_stepper* stepper, ptcvm_text operation, ptcvm_text edn, ptcvm_text by,
                                       ptcvm_error** error) {
  return c::told(stepper, error, [&](StoredRun& run) {
    return run.resolve(c::text_in(operation), c::edn_in(edn), c::string_in(by));
  });
}
ptcvm_status ptcvm_stepper_resolve_error(ptcvm_stepper* stepper, ptcvm_text operation, ptcvm_text reason,
                                         ptcvm_text by, ptcvm_error** error) {
  return c::told(stepper, error, [&](StoredRun& run) {
    return run.resolve_error(c::text_in(operation), c::string_in(reason), c::string_in(by));
  });
}
ptcvm_status ptcvm_stepper_resolve_cancelled(ptcvm_stepper* stepper, ptcvm_text operation, ptcvm_text reason,
                                             ptcvm_text by, ptcvm_error** error) {
  return c::told(stepper, error, [&](StoredRun& run) {
    return run.resolve_cancelled(c::text_in(operation), c::string_in(reason), c::string_in(by));
  });
}
ptcvm_status ptcvm_stepper_progress(ptcvm_stepper* stepper, ptcvm_text operation, ptcvm_view value, ptcvm_text by,
                                    ptcvm_error** error) {
  return c::told(stepper, error, [&](StoredRun& run) {
    return run.progress(c::text_in(operation), c::view_in(value), c::string_in(by));
  });
}
ptcvm_status ptcvm_stepper_decide(ptcvm_stepper* stepper, ptcvm_text key, int32_t is_allowed, ptcvm_text reason,
                                  ptcvm_text by, const ptcvm_text* args_edn, ptcvm_error** error) {
  return c::told(stepper, error, [&](StoredRun& run) {
    return run.decide(c::text_in(key), is_allowed != 0, c::string_in(reason), c::string_in(by),
                      c::seen_args(args_edn));
  });
}
ptcvm_status ptcvm_stepper_settle(ptcvm_stepper* stepper, ptcvm_text key, int32_t answer, ptcvm_view result,
                                  ptcvm_text by, ptcvm_error** error) {
  return c::told(stepper, error, [&](StoredRun& run) {
    return run.settle(c::text_in(key), c::doubt_answer(answer), c::view_in(result), c::string_in(by));
  });
}
