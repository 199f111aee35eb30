// Stored runs: durable runs of the runtime, as the public API shows them.
#include "ptcvm/stored_run.hpp"

#include <algorithm>
#include <atomic>

#include "api/errors.h"
#include "api/hook_guard.h"
#include "api/run_impl.h"
#include "api/store_access.h"
#include "api/stored_start.h"
#include "runtime/durable/durable_run.h"
#include "runtime/durable/turn_options.h"
#include "runtime/engine/clock.h"
#include "runtime/log/log_writer.h"

namespace ptcvm {
namespace {

RunState state_of(ptc::OutcomeStatus status) {
  switch (status) {
    case ptc::OutcomeStatus::Ok: return RunState::Completed;
    case ptc::OutcomeStatus::Return: return RunState::Returned;
    case ptc::OutcomeStatus::Suspended: return RunState::Suspended;
    default: return RunState::Failed;
  }
}

Outcome outcome_of(const ptc::Outcome& in, bool reads_value) {
  Outcome out;
  out.state = state_of(in.status);
  if (in.status == ptc::OutcomeStatus::Error) out.diagnostic = diagnostic_of(in.fault);
  if (reads_value && !in.value_edn.empty()) {
    if (auto value = Value::from_edn(in.value_edn)) out.value = std::move(*value);
  }
  out.prints = in.prints;
  out.warnings = in.warnings;
  out.summaries = in.summaries;
  out.usage.fuel = in.fuel;
  out.usage.peak_bytes = in.peak_bytes;
  out.usage.active_micros = in.micros;
  out.usage.tool_calls = static_cast<std::uint32_t>(in.tool_call_count);
  return out;
}

StoredOutcome stored_outcome(ptc::DurableOutcome in, bool reads_value) {
  StoredOutcome out;
  out.end = in.end == ptc::DurableEnd::EndedBefore ? StoredEnd::EndedBefore
            : in.end == ptc::DurableEnd::Suspended ? StoredEnd::Suspended
            : in.end == ptc::DurableEnd::InDoubt   ? StoredEnd::InDoubt
                                                   : StoredEnd::Ended;
  if (in.end == ptc::DurableEnd::InDoubt) {
    out.outcome.state = RunState::Suspended;   // nothing ran
  } else {
    out.outcome = outcome_of(in.outcome, reads_value);
  }
  for (const ptc::PendingOutcome& p : in.outcome.pending) {
    out.pending.push_back({p.operation, p.tool, p.args_edn, {}, p.since_ms, p.deadline_ms});
  }
  for (const ptc::WaitingCall& call : in.outcome.calls) {
    if (!call.question.empty()) out.questions.push_back({call.key, call.tool, call.args_edn, call.question});
  }
  for (const ptc::LoggedEffect& doubt : in.doubts) {
    out.doubts.push_back({doubt.key, doubt.tool, doubt.args, doubt.text});
  }
  out.wake_time_ms = in.outcome.next_deadline_ms;
  out.warning = in.message;
  out.value_edn = std::move(in.outcome.value_edn);   // it may be megabytes
  return out;
}

ptc::DurableOptions durable_options(const StoredOptions& options) {
  RunOptions plain;
  plain.id = options.id;
  plain.limits = options.limits;
  plain.signature = options.signature;
  plain.time_ms = options.time_ms;
  ptc::DurableOptions out;
  out.call_texts = ptc::CallTexts::No;   // hosts are told of calls by the trace, and see their number
  out.session = session_options(plain);
  out.session.source_name = options.name;
  out.session.float_precision = options.float_precision;
  out.session.strict_task_ids = options.strict_task_ids;
  out.session.keeps_session = options.keeps_session;
  out.context = options.data.is_nil() ? options.data_edn : options.data.to_edn();
  if (!options.plan.empty()) {
    out.plan.emplace();
    for (const JournalStep& step : options.plan) out.plan->push_back({step.id, step.description});
  }
  out.session.resets_need_reasons = options.resets_need_reasons;
  out.hooks.before = runtime_hook(options.hooks.before_tool);
  out.lease_ms = options.lease_ms;
  out.again = options.again;
  out.now_ms = options.clock;
  out.most_in_flight = options.parallel_calls;
  out.branches_go_on = options.branches_go_on;
  return out;
}

std::optional<Error> options_error(const StoredOptions& options) {
  if (options.parallel_calls == 0) return host_error(Errc::invalid_value, "parallel_calls must be 1 or more; found 0");
  if (auto error = precision_error(options.float_precision)) return error;
  if (options.most_limits) {
    if (auto error = limits_error(*options.most_limits)) return error;
  }
  return limits_error(options.limits);
}

// Returns how the run was begun last. wrong_state: it never was.
Result<ptc::LoggedStart> last_start(const Store& store, const std::string& run) {
  ptc::RunLog log;
  const auto add = [&log](const ptc::Fact& fact) { log.add(fact); };
  if (auto error = ptc::visit_notable(StoreAccess::store(store), run, add)) return store_error(*error);
  if (!log.last_start()) return host_error(Errc::wrong_state, "the run " + run + " was never begun");
  return *log.last_start();
}

}  // namespace

Result<ptc::Fact> start_fact(const StoredOptions& options, std::string source) {
  if (auto error = options_error(options)) return std::move(*error);
  const ptc::DurableOptions durable = durable_options(options);
  ptc::Fact out;
  out.kind = ptc::FactKind::RunStarted;
  out.author = ptc::FactAuthor::Host;
  out.time_ms = options.clock ? options.clock() : ptc::system_millis();
  out.number = 1;
  out.id = options.name;
  out.text = std::move(source);
  out.value = durable.context;
  out.args = ptc::turn_options_edn(durable.session);
  return out;
}

struct PTCVM_HIDDEN StoredRun::Impl {
  Impl(const Engine& shared, const Store& given, const Tools& tools, std::string source, const StoredOptions& options,
       ptc::DurableOptions durable)
      : engine(shared), store(given), name(durable.session.source_name), events(options.observer),
        on_error(options.hooks.on_error), reads_value(options.reads_value),
        run(EngineAccess::engine(engine), StoreAccess::store(store),
            with_after_hook(ToolAccess::registry(tools), options.hooks.after_tool), std::move(source),
            connected(std::move(durable))) {}

  ptc::DurableOptions connected(ptc::DurableOptions durable) {
    durable.on_session = [this](ptc::Session& session) { events.attend(session); };
    if (events.is_watched()) durable.reader = &events;
    durable.cancelled = &events.cancelled();
    durable.parks = &parks;
    return durable;
  }

  Result<StoredStep> step(std::uint64_t fuel);
  Result<StoredStep> done();
  Result<void> answer(std::uint64_t call, ptc::ToolReply reply, const AnswerDetails& details);

  Engine engine;                            // kept alive
  Store store;
  std::string name;                         // the name that the source has in messages
  EventSource events;
  std::atomic<bool> parks{false};
  std::function<void(const Diagnostic&)> on_error;
  const bool reads_value;
  ptc::DurableRun run;
  StoredOutcome outcome;
  Result<StoredStep> last_step = StoredStep::Yielded;
};

Result<StoredStep> StoredRun::Impl::step(std::uint64_t fuel) {
  switch (run.step(fuel)) {
    case ptc::DurableStep::Yielded: return StoredStep::Yielded;
    case ptc::DurableStep::Waits: return StoredStep::Waits;
    case ptc::DurableStep::Done: break;
  }
  return done();
}

Result<StoredStep> StoredRun::Impl::done() {
  const ptc::DurableOutcome& done = run.outcome();
  switch (done.end) {
    case ptc::DurableEnd::Busy: return host_error(Errc::busy, run.id() + " is being executed by " + done.holder.owner);
    case ptc::DurableEnd::StoreFailed: return store_error(done.error);
    case ptc::DurableEnd::Refused: return host_error(Errc::refused, done.message);
    case ptc::DurableEnd::Ended:
    case ptc::DurableEnd::EndedBefore:
    case ptc::DurableEnd::Suspended:
    case ptc::DurableEnd::InDoubt: break;
  }
  outcome = stored_outcome(run.take_outcome(), reads_value);
  if (outcome.outcome.diagnostic && on_error) tell_of_fault(on_error, *outcome.outcome.diagnostic);
  return StoredStep::Done;
}

Result<void> StoredRun::Impl::answer(std::uint64_t call, ptc::ToolReply reply, const AnswerDetails& details) {
  const auto micros = static_cast<std::uint64_t>(std::max<std::int64_t>(details.took.count(), 0));
  reply.errors = details.errors;
  if (run.session() != nullptr && run.answer(call, std::move(reply), micros)) return {};
  return host_error(Errc::wrong_state, "no call " + std::to_string(call) + " waits for an answer");
}

StoredRun::StoredRun(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
StoredRun::StoredRun(StoredRun&& moved) noexcept = default;
StoredRun& StoredRun::operator=(StoredRun&& moved) noexcept = default;
StoredRun::~StoredRun() = default;

Result<StoredRun> StoredRun::start(const Engine& engine, const Store& store, const Tools& tools,
                                   std::string_view source, const StoredOptions& options) {
  if (auto error = options_error(options)) return std::move(*error);
  return StoredRun(std::make_unique<Impl>(engine, store, tools, std::string(source), options,
                                          durable_options(options)));
}

Result<StoredRun> StoredRun::start(const Engine& engine, const Store& store, const Tools& tools,
                                   const Program& program, const StoredOptions& options) {
  if (auto error = options_error(options)) return std::move(*error);
  ptc::DurableOptions durable = durable_options(options);
  durable.program = EngineAccess::program(program);
  return StoredRun(std::make_unique<Impl>(engine, store, tools, std::string(), options, std::move(durable)));
}

Result<StoredRun> StoredRun::open(const Engine& engine, const Store& store, const Tools& tools,
                                  const StoredOptions& options) {
  if (auto error = options_error(options)) return std::move(*error);
  auto started = last_start(store, options.id);
  if (!started) return std::move(started).error();
  ptc::DurableOptions durable = durable_options(options);
  if (auto complaint = ptc::go_on_as_begun(*started, durable)) {
    return host_error(Errc::store_failed, "the options of the run " + options.id + ": " + *complaint);
  }
  if (options.most_limits) {
    ptc::Limits& own = durable.session.limits;
    own = ptc::smaller(own, runtime_limits(*options.most_limits));
  }
  return StoredRun(std::make_unique<Impl>(engine, store, tools, started->source, options, std::move(durable)));
}

std::size_t StoredRun::late_answers() const { return impl_->run.late_answers(); }

Result<StoredStep> StoredRun::step(std::uint64_t fuel) {
  impl_->last_step = impl_->step(fuel);
  return impl_->last_step;
}
Result<StoredOutcome> StoredRun::drive() {
  ptc::drive(impl_->run);
  impl_->last_step = impl_->done();
  if (!impl_->last_step) return impl_->last_step.error();
  return take_outcome();
}
const Result<StoredStep>& StoredRun::last_step() const { return impl_->last_step; }

void StoredRun::cancel() { impl_->events.cancelled() = true; }
void StoredRun::park_soon() { impl_->parks = true; }
std::string_view StoredRun::id() const { return impl_->run.id(); }
std::string_view StoredRun::name() const { return impl_->name; }
const StoredOutcome& StoredRun::outcome() const { return impl_->outcome; }
StoredOutcome StoredRun::take_outcome() { return std::exchange(impl_->outcome, {}); }

std::vector<WaitingCall> StoredRun::calls() const {
  std::vector<WaitingCall> out;
  for (const auto& [id, open] : impl_->run.calls()) {
    WaitingCall& call = out.emplace_back();
    call.id = id;
    call.tool = open.tool->definition.name;
    call.args = ValueAccess::view(impl_->run.args(id), impl_->run.session()->heap());
    call.key = open.key;
    call.task_id = open.task;
    call.attempt = open.attempt;
    call.deadline = impl_->run.session()->clock().deadline();
    call.is_deferred = open.tool->definition.deferred;
    call.fencing_token = impl_->run.claim_token();
  }
  return out;
}

Result<void> StoredRun::answer(std::uint64_t call, ValueView value, const AnswerDetails& details) {
  if (impl_->run.session() == nullptr) return impl_->answer(call, {}, details);
  return impl_->answer(call, ptc::ToolReply::value(imported(impl_->run.session()->heap(), value)), details);
}
Result<void> StoredRun::answer_error(std::uint64_t call, std::string message, const AnswerDetails& details) {
  return impl_->answer(call, ptc::ToolReply::error(std::move(message)), details);
}
Result<void> StoredRun::answer_unknown(std::uint64_t call, std::string message, const AnswerDetails& details) {
  return impl_->answer(call, ptc::ToolReply::unknown(std::move(message)), details);
}
Result<void> StoredRun::answer_pending(std::uint64_t call, std::string operation_id, const AnswerDetails& details) {
  if (impl_->run.session() == nullptr) return impl_->answer(call, {}, details);
  return impl_->answer(call, pending_reply(impl_->run.session()->heap(), std::move(operation_id), details), details);
}

Result<void> StoredRun::answer_json(std::uint64_t call, std::string_view json, const AnswerDetails& details) {
  if (!impl_->run.calls().contains(call)) return impl_->answer(call, {}, details);
  auto read = read_answer(*impl_->run.session(), json, details);
  if (!read) return std::move(read).error();
  return impl_->answer(call, std::move(*read), details);
}
Result<void> StoredRun::answer_too_large(std::uint64_t call, const AnswerDetails& details) {
  const auto at = impl_->run.calls().find(call);
  if (at == impl_->run.calls().end()) return impl_->answer(call, {}, details);
  return impl_->answer(call, ptc::ToolReply::too_large(at->second.tool->definition.name), details);
}
Result<std::string> StoredRun::args_json(std::uint64_t call) {
  const auto at = impl_->run.calls().find(call);
  if (at == impl_->run.calls().end()) return impl_->answer(call, {}, {}).error();
  const std::string tool = at->second.tool->definition.name;
  ptc::BoundedText written = impl_->run.session()->edge().write_json(impl_->run.args(call));
  if (written.end == ptc::BoundedText::End::Whole) return std::move(written.text);
  (void)impl_->answer(call, args_refusal(tool), {});
  return args_too_large(tool);
}
void StoredRun::hold_memory(std::uint64_t bytes) {
  if (impl_->run.session() != nullptr) impl_->run.session()->edge().hold(bytes);
}
std::uint64_t StoredRun::memory_left() const {
  return impl_->run.session() == nullptr ? 0 : impl_->run.session()->edge().room();
}

void StoredRun::count_time(std::chrono::microseconds spent) {
  if (impl_->run.session() == nullptr || spent.count() <= 0) return;
  impl_->run.session()->clock().add_active_micros(static_cast<std::uint64_t>(spent.count()));
}

Result<void> StoredRun::make(std::uint64_t call) {
  const auto at = impl_->run.calls().find(call);
  if (at == impl_->run.calls().end()) return impl_->answer(call, {}, {});
  if (at->second.tool->definition.deferred) {
    const std::string& tool = at->second.tool->definition.name;
    return host_error(Errc::not_available, "tool " + tool + " is deferred: answer its call");
  }
  impl_->run.make(call);
  return {};
}

std::optional<std::int64_t> StoredRun::wake_time_ms() const {
  if (impl_->run.last_step() == ptc::DurableStep::Done) return impl_->outcome.wake_time_ms;
  return impl_->run.next_attempt_ms();
}

Result<void> StoredRun::resolve(std::string_view operation, ValueView value, std::string by) {
  return impl_->store.resolve(id(), operation, value, std::move(by));
}
Result<void> StoredRun::resolve_error(std::string_view operation, std::string reason, std::string by) {
  return impl_->store.resolve_error(id(), operation, std::move(reason), std::move(by));
}
Result<void> StoredRun::resolve_cancelled(std::string_view operation, std::string reason, std::string by) {
  return impl_->store.resolve_cancelled(id(), operation, std::move(reason), std::move(by));
}
Result<void> StoredRun::progress(std::string_view operation, ValueView value, std::string by) {
  return impl_->store.progress(id(), operation, value, std::move(by));
}
Result<void> StoredRun::decide(std::string_view key, bool allowed, std::string reason, std::string by,
                               const std::optional<std::string>& args_edn) {
  return impl_->store.decide(id(), key, allowed, std::move(reason), std::move(by), args_edn);
}
Result<void> StoredRun::settle(std::string_view key, DoubtAnswer answer, ValueView result, std::string by) {
  return impl_->store.settle(id(), key, answer, result, std::move(by));
}

}  // namespace ptcvm
