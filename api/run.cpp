// Stepping a run: slices of the session, with a look at the observer in between.
#include "ptcvm/run.hpp"

#include <algorithm>
#include <chrono>

#include "api/errors.h"
#include "api/hook_guard.h"
#include "api/octets.h"
#include "api/run_impl.h"
#include "runtime/engine/clock.h"
#include "runtime/session/spent_bytes.h"
#include "runtime/text/counted_bytes.h"
#include "runtime/text/json_value.h"
#include "vm/value/utf8.h"

namespace ptcvm {
namespace {

constexpr std::uint64_t kLeastJournalBytes = 4u << 20;
constexpr std::uint64_t kSliceFuel = 50'000;   // between two looks at clock, cancel flag and observer

bool ended(RunState state) {
  return state == RunState::Completed || state == RunState::Returned || state == RunState::Failed;
}

}  // namespace

const char* run_state_name(RunState state) {
  static constexpr const char* kNames[] = {"completed", "returned", "failed", "suspended", "yielded"};
  return kNames[static_cast<std::size_t>(state)];
}

ptc::RunLimits runtime_limits(const Limits& in) {
  ptc::RunLimits out;
  ptc::for_each_limit_of(out, in, [](const ptc::LimitInfo&, auto& member, const auto& given) { member = given; });
  return out;
}

std::optional<Error> precision_error(std::optional<int> decimals) {
  constexpr int kMostDecimals = 300;
  if (!decimals || (*decimals >= 0 && *decimals <= kMostDecimals)) return std::nullopt;
  return host_error(Errc::invalid_value, "float_precision is " + std::to_string(*decimals) + ", and must be 0 to 300");
}

std::optional<Error> limits_error(const Limits& limits) {
  std::string problem = ptc::limits_problem(runtime_limits(limits));
  if (problem.empty()) return std::nullopt;
  return host_error(Errc::invalid_value, std::move(problem));
}

ptc::SessionOptions session_options(const RunOptions& options) {
  ptc::SessionOptions out;
  out.limits = runtime_limits(options.limits);
  out.signature = options.signature;
  out.fixed_clock_millis = options.time_ms;
  out.run_id = options.id;
  out.source_name = options.name;
  out.float_precision = options.float_precision;
  out.strict_task_ids = options.strict_task_ids;
  out.check_tools = options.check_tools;
  out.pauses_at_calls = options.pauses_at_calls;
  out.is_out_of_time = options.is_out_of_time;
  return out;
}

void Run::Impl::attend(std::unique_ptr<ptc::Session> made) {
  session = std::move(made);
  events.attend(*session);
  if (events.is_watched()) session->set_reader(&events);
  session->clock().set_cancel_flag(&events.cancelled());
  if (hands_out_calls) session->calls().hand_out_all();
}

void Run::Impl::attend(std::unique_ptr<ptc::Session> made, const Hooks& wanted) {
  attend(std::move(made));
  session->gate().set_hooks({runtime_hook(wanted.before_tool), {}});
  on_error = wanted.on_error;
}

namespace {

// Reads the data within the memory of the session. When the data does not fit, the turn ends with memory_exceeded.
std::optional<Error> load_data(ptc::Session& session, std::string_view json) {
  const ptc::CountedBytes counted(session.heap(), json.size());
  auto read = ptc::read_json(session.heap(), json);
  if (const auto* const error = std::get_if<ptc::JsonError>(&read)) {
    if (error->kind != ptc::JsonError::Kind::TooLarge) return text_error("JSON", json, *error);
    session.edn().refuse();
    return std::nullopt;
  }
  ptc::Owned data(session.heap(), std::get<ptc::Value>(read));
  if (!data.get().is_map()) return host_error(Errc::invalid_value, "data_json must be an object");
  session.inputs().set_context(data.take());
  return std::nullopt;
}

}  // namespace

Result<std::unique_ptr<Run::Impl>> make_impl(const Engine& engine, const RunOptions& options) {
  if (auto error = limits_error(options.limits)) return std::move(*error);
  if (auto error = precision_error(options.float_precision)) return std::move(*error);
  if (!ptc::utf8_is_valid(options.id)) return host_error(Errc::invalid_value, "the id of a run must be UTF-8");
  auto impl = std::make_unique<Run::Impl>(engine, options.observer);
  auto session = std::make_unique<ptc::Session>(EngineAccess::engine(engine), session_options(options));
  if (session->signature_error()) {
    session->begin(nullptr);
    Error error = host_error(Errc::invalid_signature, session->fault().message);
    error.diagnostic = diagnostic_of(session->fault());
    return error;
  }
  session->calls().share_tools(with_after_hook(ToolAccess::registry(options.tools), options.hooks.after_tool));
  if (options.journal) session->journal().enable();
  impl->hands_out_calls = options.hands_out_calls;
  if (!options.data_json.empty()) {
    if (auto error = load_data(*session, options.data_json)) return std::move(*error);
  } else if (!options.data.is_nil()) {
    if (options.data.kind() != ValueKind::Map) return host_error(Errc::invalid_value, "data must be a map");
    session->inputs().set_context(imported(session->heap(), options.data));
  }
  impl->attend(std::move(session), options.hooks);
  return impl;
}

Result<std::unique_ptr<Run::Impl>> restore_impl(const Engine& engine, std::span<const std::byte> snapshot,
                                                const RestoreOptions& options, SpentBytes has_read) {
  if (auto error = limits_error(options.limits)) return std::move(*error);
  auto impl = std::make_unique<Run::Impl>(engine, options.observer);
  ptc::SessionRestore wanted;
  wanted.most = runtime_limits(options.limits);
  wanted.most_bytes = options.max_bytes;
  wanted.fixed_clock_millis = options.time_ms;
  wanted.pauses_at_calls = options.pauses_at_calls;
  wanted.has_read = std::move(has_read);
  auto restored = ptc::Session::restore(EngineAccess::engine(engine), octets(snapshot),
                                        with_after_hook(ToolAccess::registry(options.tools), options.hooks.after_tool),
                                        wanted);
  if (const auto* error = std::get_if<ptc::RestoreError>(&restored)) return restore_error(*error);
  impl->hands_out_calls = options.hands_out_calls;
  impl->attend(std::get<std::unique_ptr<ptc::Session>>(std::move(restored)), options.hooks);
  impl->state = impl->session->run().in_turn() ? run_state_of(*impl->session) : RunState::Completed;
  return impl;
}

Run::Run(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Run::Run(Run&& moved) noexcept = default;
Run& Run::operator=(Run&& moved) noexcept = default;
Run::~Run() = default;

Result<Run> Run::start(const Engine& engine, const Program& program, const RunOptions& options) {
  auto impl = make_impl(engine, options);
  if (!impl) return std::move(impl).error();
  (*impl)->session->begin(EngineAccess::program(program));
  return Run(std::move(*impl));
}

Result<Run> Run::restore(const Engine& engine, std::span<const std::byte> snapshot, const RestoreOptions& options) {
  auto impl = restore_impl(engine, snapshot, options);
  if (!impl) return std::move(impl).error();
  return Run(std::move(*impl));
}

Result<Run> Run::restore_from(const Engine& engine, std::span<std::byte> snapshot, const RestoreOptions& options) {
  const std::span<std::uint8_t> bytes(reinterpret_cast<std::uint8_t*>(snapshot.data()), snapshot.size());
  auto impl = restore_impl(engine, snapshot, options, ptc::giving_back(bytes));
  if (!impl) return std::move(impl).error();
  return Run(std::move(*impl));
}

RunState run_state_of(const ptc::Session& session) {
  switch (session.last_step()) {
    case ptc::SessionStep::Suspended: return RunState::Suspended;
    case ptc::SessionStep::Yielded: return RunState::Yielded;
    case ptc::SessionStep::Waits:
      return session.gate().waits_for_decisions_only() ? RunState::Suspended : RunState::Yielded;
    case ptc::SessionStep::Over: break;
  }
  switch (session.status()) {
    case ptc::OutcomeStatus::Ok: return RunState::Completed;
    case ptc::OutcomeStatus::Return: return RunState::Returned;
    default: return RunState::Failed;
  }
}

bool Run::Impl::park() {
  if (parked) return true;
  if (!ptc::ParkedSession::can_park(*session)) return false;
  parked = std::make_unique<ptc::ParkedSession>(*session);
  session.reset();
  return true;
}

ptc::Session& Run::Impl::awake() {
  if (parked) {
    attend(std::move(*std::exchange(parked, nullptr)).wake(EngineAccess::engine(engine)));
  }
  return *session;
}

RunState Run::Impl::step(std::uint64_t fuel) {
  awake();
  const bool forms = events.wants_forms();
  if (forms) events.form();
  for (;;) {
    const std::uint64_t before = session->run().fuel_used();
    const std::uint64_t slice = forms ? 1 : std::min(fuel, kSliceFuel);
    session->step(slice);
    const RunState came_to = run_state_of(*session);
    if (ended(came_to)) return settle(came_to);
    if (forms) events.form();
    const bool is_paused = events.take_pause();
    const bool waits = session->last_step() != ptc::SessionStep::Yielded;
    if (waits && !events.cancelled()) return settle(came_to);
    const std::uint64_t used = session->run().is_freeing() ? slice : session->run().fuel_used() - before;
    fuel -= std::min(fuel, used);
    if (is_paused || fuel == 0 || session->is_at_calls()) return settle(RunState::Yielded);
  }
}

RunState Run::Impl::settle(RunState came_to) {
  state = came_to;
  const bool is_fault = ended(came_to) && session->status() == ptc::OutcomeStatus::Error;
  if (is_fault && on_error) tell_of_fault(on_error, diagnostic_of(session->fault()));
  return came_to;
}

std::optional<std::string> Run::Impl::result_text(ptc::BoundedWriter writer) {
  if (!ended(state) || awake().status() == ptc::OutcomeStatus::Error) return std::nullopt;
  std::string text;
  if (session->write_result(writer, text)) return text;
  settle(RunState::Failed);
  return std::nullopt;
}

RunState Run::step(std::uint64_t fuel) { return ended(impl_->state) ? impl_->state : impl_->step(fuel); }
RunState Run::state() const { return impl_->state; }
bool Run::is_over() const { return ended(impl_->state); }
bool Run::park() { return impl_->park(); }
void Run::cancel() { impl_->events.cancelled() = true; }

std::size_t Run::memory_bytes() const {
  ptc::Heap& heap = impl_->awake().heap();
  heap.free_garbage();
  return heap.bytes_used();
}
std::string Run::journal_edn() const {
  ptc::Session& session = impl_->awake();
  return session.journal().edn(std::max(ptc::room_of(session.heap()), kLeastJournalBytes)).value_or("{}");
}

}  // namespace ptcvm
