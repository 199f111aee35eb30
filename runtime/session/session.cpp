#include "runtime/session/session.h"

#include <chrono>
#include <utility>

#include "runtime/engine/compiling.h"
#include "runtime/session/capabilities.h"

namespace ptc {
namespace {

std::string memory_message(const SessionOptions& options) {
  return "memory limit of " + std::to_string(options.limits.memory_bytes) + " bytes exceeded";
}

Outcome refused_outcome(FaultKind kind, std::string message) {
  Outcome outcome;
  outcome.fault = plain_fault(kind, std::move(message));
  return outcome;
}

// The time that a turn took in other processes counts.
Run with_time_used(Restored& restored) {
  if (restored.run.limits().timeout_ms > 0) restored.run.add_active_micros(restored.host.active_ms * 1000);
  return std::move(restored.run);
}

}  // namespace

Session::Session(const Engine& engine, SessionOptions options)
    : engine_(engine), options_(std::move(options)), run_(options_.limits, engine.memory()) {
  run_.environment().shared_automata = engine_.automata();
  run_.set_identity(options_.run_id, options_.turns_before);
  run_.set_yields_at_commits(options_.yields_at_commits);
  run_.operations().last_fresh_id = options_.operations_before;
  journal_.bound_commits(options_.yields_at_commits);
}

Session::Session(const Engine& engine, Restored restored, std::shared_ptr<const ToolRegistry> tools,
                 const SessionRestore& wanted)
    : engine_(engine), options_(options_of(restored, wanted)), run_(with_time_used(restored)) {
  calls_.share_tools(std::move(tools));
  take_over(std::move(restored.host));
  clock_.tell_program();   // answers that come before the next step begin operations
}

void Session::forget_values() {
  calls_.forget();
  inputs_.forget();
  result_.forget();
}

void Session::set_reader(OutboxReader* reader) {
  outbox_.set_reader(reader);
  run_.environment().journal.keep_changes(reader != nullptr);
}

// Calls use(request) for a source in this session; the request is good during the call.
template <class Use>
auto Session::with_request(std::string_view source, Use use) const {
  const std::vector<std::string_view> memory = definitions_.names();
  const std::vector<std::string_view> tools = calls_.registry().names();
  const std::vector<std::string_view> sync_tools = calls_.registry().sync_names();
  CompileRequest request;
  request.source = source;
  request.source_name = options_.source_name;
  request.memory_names = memory;
  request.tool_names = tools;
  request.sync_tool_names = sync_tools;
  request.check_tools = options_.check_tools;
  request.max_symbols = options_.limits.symbols;
  request.strict_task_ids = options_.strict_task_ids;
  request.memory_bytes = options_.limits.memory_bytes;
  return use(request);
}

ProgramFindings Session::check(std::string_view source) const {
  return with_request(source, [](const CompileRequest& request) { return check_source(request); });
}

CompileAnswer Session::compile(std::string_view source) {
  if (edn_.has_refused()) {   // names of definitions that did not fit would be unknown
    CompileAnswer answer;
    answer.error.kind = FaultKind::MemoryExceeded;
    answer.error.message = memory_message(options_);
    return answer;
  }
  clock_.begin_compiling();
  CompileAnswer answer = with_request(source, [this](CompileRequest& request) {
    request.is_over = [this] { return clock_.is_over_while_compiling(); };
    return engine_.compile(request);
  });
  if (answer.program == nullptr && answer.error.kind == FaultKind::Cancelled) {
    TurnStop why = clock_.reason_to_stop();
    answer.error.kind = why.kind;
    answer.error.message = std::move(why.message);
  }
  clock_.end_compiling();
  return answer;
}

Outcome Session::refused(CompileAnswer answer, std::string_view source) const {
  Outcome outcome;
  outcome.fault = {answer.error.kind, std::move(answer.error.message), std::move(answer.error.hint), answer.error.span,
                   options_.source_name, std::string(source), answer.incomplete};
  return outcome;
}

Outcome Session::turn(std::string_view source) {
  const auto start = std::chrono::steady_clock::now();
  if (signature_error()) return refused_outcome(FaultKind::ParseError, result_.signature_error());
  CompileAnswer compiled = compile(source);
  Outcome outcome =
      compiled.program == nullptr ? refused(std::move(compiled), source) : turn(std::move(compiled.program));
  outcome.micros = micros_since(start);
  return outcome;
}

Outcome Session::turn(std::shared_ptr<const Program> program) {
  if (!begin(std::move(program))) return refused_outcome(FaultKind::ParseError, result_.signature_error());
  return drive();
}

Outcome Session::resume(std::optional<std::int64_t> now_millis) {
  if (!run_.in_turn()) return refused_outcome(FaultKind::BadRequest, "no turn is suspended");
  clock_.set_given_time(now_millis);
  return drive();
}

Outcome Session::resume(std::vector<Resolution> taken, std::optional<std::int64_t> now_millis) {
  if (auto refusal = operations_.resolve(std::move(taken))) {
    Outcome refused = refused_outcome(refusal->kind, std::move(refusal->message));
    records_.add_operations(refused);
    return refused;
  }
  return resume(now_millis);
}

Outcome Session::drive() {
  const auto start = std::chrono::steady_clock::now();
  for (;;) {
    const SessionStep came_to = step(options_.slice_fuel);
    if (came_to == SessionStep::Waits && calls_.retries().are_all_requests()) {
      clock_.wait_until(*calls_.retries().next_due());
    } else if (came_to != SessionStep::Yielded) {
      break;
    }
  }
  Outcome out = outcome();
  out.micros = micros_since(start);
  return out;
}

bool Session::begin(std::shared_ptr<const Program> program) {
  if (signature_error()) {
    result_.fail(plain_fault(FaultKind::ParseError, result_.signature_error()));
    last_step_ = SessionStep::Over;
    return false;
  }
  result_.begin_turn();
  records_.begin_turn();
  clock_.set_given_time(std::nullopt);
  calls_.begin_turn();
  inputs_.begin_turn();
  run_.start(std::move(program));
  clock_.begin_turn();
  if (edn_.has_refused()) {
    run_.cancel(FaultKind::MemoryExceeded, memory_message(options_));
  }
  last_step_ = SessionStep::Yielded;
  const auto begun = run_.program();
  outbox_.began(begun == nullptr ? std::string_view() : std::string_view(begun->source_name));
  return true;
}

SessionStep Session::step(std::uint64_t fuel) {
  clock_.begin_step();
  if (!run_.in_turn()) return last_step_ = SessionStep::Over;
  last_step_ = advance(fuel);
  clock_.end_step();
  outbox_.stepped(last_step_);
  clock_.end_step();                                         // what telling takes is time of the turn, too
  return last_step_;
}

SessionStep Session::advance(std::uint64_t fuel) {
  const CallPause pause = std::exchange(pause_, CallPause::None);
  const std::uint64_t fuel_before = pause == CallPause::Unknown ? run_.fuel_used() : 0;
  const bool is_stopped = clock_.stop_if_over();
  const StepWatch watch(run_, clock_);
  if (!is_stopped && last_step_ == SessionStep::Waits) {
    calls_.serve();
    if (!run_.tool_requests().empty() && !branches_go_on_) return SessionStep::Waits;
  }
  last_step_ = SessionStep::Yielded;
  for (;;) {
    clock_.tell_program();
    const StepStatus status = run_.step(fuel);
    records_.tell_reader();
    switch (status) {
      case StepStatus::Yielded:
        return visit_step_hook() ? SessionStep::Yielded : SessionStep::Over;
      case StepStatus::NeedsTool:
        // A restored run that makes calls at once was put into a snapshot where it had paused before the calls.
        return serve_calls(pause == CallPause::Before ||
                           (pause == CallPause::Unknown && run_.fuel_used() == fuel_before));
      case StepStatus::Suspended:
        if (auto complaint = snapshot_.complaint_about_size()) {
          run_.cancel(FaultKind::SnapshotTooLarge, std::move(*complaint));
          continue;
        }
        return visit_step_hook() ? SessionStep::Suspended : SessionStep::Over;
      default:
        result_.conclude(status);
        return SessionStep::Over;
    }
  }
}

// Serves the calls, or pauses before them and leaves them to the next step.
SessionStep Session::serve_calls(bool has_paused) {
  if (!visit_step_hook()) return SessionStep::Over;
  if (options_.pauses_at_calls && !has_paused) {
    pause_ = CallPause::Before;
    return SessionStep::Yielded;
  }
  calls_.serve();
  if (options_.pauses_at_calls) pause_ = CallPause::After;
  // Asked before the hook: a call that failed is among the requests again when the run is put together anew.
  const bool waits = !run_.tool_requests().empty();
  if (!visit_step_hook()) return SessionStep::Over;
  return waits ? SessionStep::Waits : SessionStep::Yielded;
}

bool Session::visit_step_hook() {
  if (!step_hook_) return true;
  auto complaint = step_hook_(*this);
  if (!complaint) return true;
  result_.fail(plain_fault(FaultKind::SnapshotInvalid, std::move(*complaint)));
  return false;
}

OutcomeStatus Session::status() const {
  return last_step_ == SessionStep::Over ? result_.status() : OutcomeStatus::Suspended;
}

Outcome Session::outcome(CallTexts texts) {
  Outcome out;
  out.status = status();
  if (out.status == OutcomeStatus::Suspended) {
    out.next_deadline_ms = run_.next_deadline();
    out.calls = calls_.waiting();
  } else {
    result_.write_to(out);
  }
  records_.add_to(out, texts);
  records_.add_operations(out);
  return out;
}

Outcome Session::suspended_outcome(CallTexts texts) {
  if (last_step_ == SessionStep::Over || last_step_ == SessionStep::Yielded) last_step_ = SessionStep::Suspended;
  return outcome(texts);
}

std::vector<std::uint8_t> Session::snapshot(const SnapshotOptions& options) const {
  SnapshotVector<std::uint8_t> out;
  write_snapshot(options, out);
  return std::move(out).take();
}

void Session::write_snapshot(const SnapshotOptions& options, SnapshotMemory& out) const {
  if (!run_.in_turn()) inputs_.give_history();
  snapshot_.write(options, last_step_ == SessionStep::Waits, out);
}

std::unique_ptr<SnapshotPieces> Session::large_snapshot(const SnapshotOptions& options) const {
  if (!is_large_snapshot(run_)) return nullptr;
  if (!run_.in_turn()) inputs_.give_history();
  return snapshot_.pieces(options, last_step_ == SessionStep::Waits);
}

std::string Session::snapshot_json(const SnapshotOptions& options) const {
  if (!run_.in_turn()) inputs_.give_history();
  return snapshot_.json(options, last_step_ == SessionStep::Waits);
}

void Session::take_over(HostState host) {
  inputs_.take_from_run();
  last_step_ = host.waits_for_host && run_.in_turn() ? SessionStep::Waits
               : run_.suspended()                    ? SessionStep::Suspended
               : run_.in_turn()                      ? SessionStep::Yielded
                                                     : SessionStep::Over;
  // The snapshot was taken where a step paused before these calls.
  pause_ = CallPause::Unknown;
  snapshot_.restore(std::move(host));
  records_.skip_all();
  run_.environment().journal.keep_changes(outbox_.is_read());
  run_.environment().shared_automata = engine_.automata();
  journal_.bound_commits(options_.yields_at_commits);
  run_.set_yields_at_commits(options_.yields_at_commits);
}

std::optional<RestoreError> Session::restart_from(std::span<const std::uint8_t> bytes) {
  RestoreOptions options;
  options.most = options_.limits;
  options.most_bytes = SIZE_MAX;   // its own
  options.programs = engine_.programs();
  options.memory = engine_.memory();
  options.check = [this](const HostState& state) { return missing_capabilities(state, calls_.registry()); };
  auto result = restore_snapshot(bytes, options);
  if (auto* error = std::get_if<RestoreError>(&result)) return std::move(*error);
  Restored& restored = std::get<Restored>(result);
  const std::int64_t clock = run_.clock();
  forget_values();
  run_ = std::move(restored.run);
  take_over(std::move(restored.host));
  clock_.set_program_time(clock);
  return std::nullopt;
}

std::variant<std::unique_ptr<Session>, RestoreError> Session::restore(const Engine& engine,
                                                                      std::span<const std::uint8_t> bytes,
                                                                      std::shared_ptr<const ToolRegistry> tools,
                                                                      const SessionRestore& wanted) {
  RestoreOptions options;
  options.most = wanted.most;
  options.most_bytes = wanted.most_bytes;
  options.programs = engine.programs();
  options.memory = engine.memory();
  options.has_read = wanted.has_read;
  options.check = [&tools](const HostState& state) { return missing_capabilities(state, *tools); };
  auto result = restore_snapshot(bytes, options);
  if (auto* error = std::get_if<RestoreError>(&result)) return std::move(*error);
  auto session = std::make_unique<Session>(engine, std::get<Restored>(std::move(result)), std::move(tools), wanted);
  if (!session->signature_error()) return session;
  return RestoreError{SnapshotError::Refused, "signature of the result: " + session->result_.signature_error()};
}

}  // namespace ptc
