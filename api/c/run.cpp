#include "api/c/run.h"

#include <algorithm>
#include <string>
#include <utility>

#include "schema/limits.h"

namespace ptcvm::c {
namespace {

static_assert(PTCVM_COMPLETED == static_cast<int>(RunState::Completed));
static_assert(PTCVM_YIELDED == static_cast<int>(RunState::Yielded));

std::optional<std::int64_t> time_in(int32_t has_time, std::int64_t ms) {
  return has_time != 0 ? std::optional(ms) : std::nullopt;
}

}  // namespace

ptcvm_limits limits_out(const Limits& from) {
  ptcvm_limits out = {};
  ptc::for_each_limit_of(out, from, [](const ptc::LimitInfo&, auto& member, const auto& value) { member = value; });
  return out;
}

Limits limits_in(const ptcvm_limits* limits) {
  const ptcvm_limits given = options_in(limits, limits_out(Limits{}));
  Limits out;
  ptc::for_each_limit_of(out, given, [](const ptc::LimitInfo& limit, auto& member, const auto& value) {
    using Member = std::remove_reference_t<decltype(member)>;
    if (!std::in_range<Member>(value)) {   // later members are wider in C
      throw Failure{{Errc::invalid_value, ptc::limit_refusal(limit, std::to_string(value)), {}}};
    }
    member = static_cast<Member>(value);
  });
  return out;
}

RunOptions run_options(const ptcvm_run_options& given, EventQueue* events) {
  RunOptions out;
  if (given.id.size > 0) out.id = text_in(given.id);
  out.tools = tools_in(given.tools);
  out.limits = limits_in(given.limits);
  out.data = view_in(given.data);
  out.data_json = text_in(given.data_json);
  out.signature = text_in(given.signature);
  out.hooks = hooks_in(given.tools, given.before_tool, given.before_tool_data);
  out.observer = events;
  out.time_ms = time_in(given.has_time, given.time_ms);
  out.journal = given.no_journal == 0;
  out.pauses_at_calls = given.pauses_at_calls != 0;
  out.is_out_of_time = given.is_out_of_time != 0;
  return out;
}

RestoreOptions restore_options(const ptcvm_restore_options& given, EventQueue* events) {
  RestoreOptions out;
  out.tools = tools_in(given.tools);
  out.limits = limits_in(given.limits);
  if (given.max_bytes > 0) out.max_bytes = given.max_bytes;
  out.hooks = hooks_in(given.tools, given.before_tool, given.before_tool_data);
  out.observer = events;
  out.time_ms = time_in(given.has_time, given.time_ms);
  out.pauses_at_calls = given.pauses_at_calls != 0;
  return out;
}

ptcvm_usage usage_out(const Usage& usage) {
  ptcvm_usage out = {};
  out.fuel = usage.fuel;
  out.peak_bytes = usage.peak_bytes;
  out.active_micros = usage.active_micros;
  out.tool_calls = usage.tool_calls;
  out.suspensions = usage.suspensions;
  return out;
}

namespace {

std::unique_ptr<ptcvm_run> run_of(std::unique_ptr<EventQueue> events, Run run) {
  auto made = std::make_unique<ptcvm_run>();
  made->events = std::move(events);
  made->run = &made->own.emplace(std::move(run));
  return made;
}

}  // namespace
}  // namespace ptcvm::c

namespace c = ptcvm::c;

ptcvm_state ptcvm_run::step(std::uint64_t fuel) noexcept {
  if (is_stepping || is_broken) return PTCVM_NO_STATE;
  calls.clear();
  questions.clear();
  pending.clear();
  records.clear();
  is_stepping = true;
  try {
    const ptcvm::RunState state = events == nullptr ? run->step(fuel) : step_with_events(fuel);
    is_stepping = false;
    return static_cast<ptcvm_state>(state);
  } catch (...) {   // out of memory in the middle of something: the state of the run is not known any more
    is_stepping = false;
    is_broken = true;
    return PTCVM_NO_STATE;
  }
}

ptcvm::RunState ptcvm_run::step_with_events(std::uint64_t fuel) {
  while (!run->is_over()) {
    if (events->is_full()) return ptcvm::RunState::Yielded;
    const std::uint64_t slice = std::min(fuel, c::kEventSlice);
    const ptcvm::RunState state = run->step(slice);
    if (fuel != PTCVM_ALL_FUEL) fuel -= slice;
    if (state != ptcvm::RunState::Yielded || fuel == 0 || events->pauses_at_calls() || waits()) return state;
  }
  return run->state();
}

ptcvm_status ptcvm_limits_default(ptcvm_limits* limits) {
  return c::guarded(nullptr, [&] { c::struct_out(limits, c::limits_out(ptcvm::Limits{})); });
}

ptcvm_status ptcvm_run_start(const ptcvm_engine* engine, const ptcvm_program* program,
                             const ptcvm_run_options* options, ptcvm_run** out, ptcvm_error** error) {
  return c::guarded(out, error, [&] {
    const ptcvm_run_options given = c::options_in(options);
    auto events = c::event_queue(given.event_capacity, given.event_forms, given.pauses_at_calls);
    ptcvm::Run run = c::taken(ptcvm::Run::start(c::the(engine).engine, c::the(program).program,
                                                c::run_options(given, events.get())));
    return c::run_of(std::move(events), std::move(run));
  });
}

ptcvm_status ptcvm_run_restore(const ptcvm_engine* engine, ptcvm_text snapshot, const ptcvm_restore_options* options,
                               ptcvm_run** out, ptcvm_error** error) {
  return c::guarded(out, error, [&] {
    const ptcvm_restore_options given = c::options_in(options);
    auto events = c::event_queue(given.event_capacity, given.event_forms, given.pauses_at_calls);
    ptcvm::Run run = c::taken(ptcvm::Run::restore(c::the(engine).engine, c::bytes_in(snapshot),
                                                  c::restore_options(given, events.get())));
    return c::run_of(std::move(events), std::move(run));
  });
}

void ptcvm_run_free(ptcvm_run* run) {
  if (run != nullptr && run->own) delete run;
}

ptcvm_state ptcvm_run_step(ptcvm_run* run, uint64_t fuel) { return run == nullptr ? PTCVM_NO_STATE : run->step(fuel); }
ptcvm_state ptcvm_run_get_state(const ptcvm_run* run) {
  return run == nullptr || run->is_broken ? PTCVM_NO_STATE : static_cast<ptcvm_state>(run->run->state());
}
int32_t ptcvm_run_park(ptcvm_run* run) {
  return c::quietly(0, [&] { return c::the(run).idle().park() ? 1 : 0; });
}
void ptcvm_run_cancel(ptcvm_run* run) {
  if (run != nullptr) run->run->cancel();
}

ptcvm_view ptcvm_run_result(ptcvm_run* run) {
  return c::quietly(ptcvm_view{}, [&] {
    const ptcvm::Run& of = c::the(run).idle();
    return of.is_over() ? c::view_out(of.result()) : ptcvm_view{};
  });
}
int32_t ptcvm_run_diagnostic(ptcvm_run* run, ptcvm_diagnostic* out) {
  return c::quietly(0, [&] {
    ptcvm_run& of = c::the(run);
    of.diagnostic = of.idle().diagnostic();
    if (!of.diagnostic) return 0;
    c::diagnostic_out(out, *of.diagnostic);
    return 1;
  });
}
int32_t ptcvm_run_call_frame(const ptcvm_run* run, size_t index, ptcvm_call_frame* out) {
  return c::quietly(0, [&] { return c::call_frame_out(c::the(run).diagnostic, index, out); });
}
ptcvm_status ptcvm_run_prints(const ptcvm_run* run, ptcvm_texts** out, ptcvm_error** error) {
  return c::guarded(out, error, [&] { return c::texts_of(c::the(run).idle().prints()); });
}
ptcvm_status ptcvm_run_warnings(const ptcvm_run* run, ptcvm_texts** out, ptcvm_error** error) {
  return c::guarded(out, error, [&] { return c::texts_of(c::the(run).idle().warnings()); });
}
ptcvm_status ptcvm_run_get_usage(const ptcvm_run* run, ptcvm_usage* out) {
  return c::guarded(nullptr, [&] { c::struct_out(out, c::usage_out(c::the(run).idle().usage())); });
}
size_t ptcvm_run_memory_bytes(const ptcvm_run* run) { return run == nullptr ? 0 : run->run->memory_bytes(); }
ptcvm_text ptcvm_run_id(const ptcvm_run* run) {
  return run == nullptr ? ptcvm_text{nullptr, 0} : c::text_out(run->run->id());
}
ptcvm_status ptcvm_run_journal_edn(const ptcvm_run* run, ptcvm_buffer** out, ptcvm_error** error) {
  return c::guarded(out, error, [&] { return c::buffer_of(c::the(run).idle().journal_edn()); });
}
int32_t ptcvm_run_wake_time(const ptcvm_run* run, int64_t* out_ms) {
  return c::quietly(0, [&] {
    const auto wake = c::the(run).idle().wake_time_ms();
    if (!wake || out_ms == nullptr) return 0;
    *out_ms = *wake;
    return 1;
  });
}
void ptcvm_run_set_time(ptcvm_run* run, int64_t ms) {
  if (run != nullptr) run->run->set_time(ms);
}

ptcvm_status ptcvm_run_snapshot(const ptcvm_run* run, int32_t by_hash, ptcvm_buffer** out, ptcvm_error** error) {
  return c::guarded(out, error, [&] { return c::buffer_of(c::the(run).idle().snapshot(by_hash == 0)); });
}
ptcvm_status ptcvm_run_snapshot_json(const ptcvm_run* run, ptcvm_buffer** out, ptcvm_error** error) {
  return c::guarded(out, error, [&] { return c::buffer_of(c::the(run).idle().snapshot_json()); });
}
