// run_stored(): a durable run of the runtime in public clothes.
#include <algorithm>

#include "api/errors.h"
#include "api/run_impl.h"
#include "api/store_access.h"
#include "runtime/durable/durable_run.h"
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

Outcome outcome_of(const ptc::Outcome& in) {
  Outcome out;
  out.state = state_of(in.status);
  if (in.status == ptc::OutcomeStatus::Error) out.diagnostic = diagnostic_of(in.fault);
  if (!in.value_edn.empty()) {
    if (auto value = Value::from_edn(in.value_edn)) out.value = std::move(*value);
  }
  out.prints = in.prints;
  out.warnings = in.warnings;
  out.summaries = in.summaries;
  out.usage.fuel = in.fuel;
  out.usage.peak_bytes = in.peak_bytes;
  out.usage.active_micros = in.micros;
  out.usage.tool_calls = static_cast<std::uint32_t>(in.tool_calls.size());
  return out;
}

StoredOutcome stored_outcome(const ptc::DurableOutcome& in) {
  StoredOutcome out;
  out.end = in.end == ptc::DurableEnd::EndedBefore ? StoredEnd::EndedBefore
            : in.end == ptc::DurableEnd::Suspended ? StoredEnd::Suspended
            : in.end == ptc::DurableEnd::InDoubt   ? StoredEnd::InDoubt
                                                   : StoredEnd::Ended;
  out.outcome = outcome_of(in.outcome);
  for (const ptc::PendingOutcome& p : in.outcome.pending) out.pending.push_back({p.operation, p.tool, p.args_edn, {}});
  for (const ptc::WaitingCall& call : in.outcome.calls) {
    if (!call.question.empty()) out.questions.push_back({call.key, call.tool, call.args_edn, call.question});
  }
  for (const ptc::LoggedEffect& doubt : in.doubts) {
    out.doubts.push_back({doubt.key, doubt.tool, doubt.args, doubt.text});
  }
  out.wake_time_ms = in.outcome.next_deadline_ms;
  out.warning = in.message;
  return out;
}

ptc::DurableOptions durable_options(const StoredOptions& options) {
  RunOptions plain;
  plain.id = options.id;
  plain.limits = options.limits;
  plain.signature = options.signature;
  plain.time_ms = options.time_ms;
  ptc::DurableOptions out;
  out.session = session_options(plain);
  out.session.source_name = options.name;
  if (!options.data.is_nil()) out.context = options.data.to_edn();
  out.hooks.before = runtime_hook(options.hooks.before_tool);
  out.lease_ms = options.lease_ms;
  out.again = options.again;
  out.now_ms = options.clock;
  return out;
}

}  // namespace

Result<StoredOutcome> run_stored(const Engine& engine, Store& store, const Tools& tools, std::string_view source,
                                 const StoredOptions& options) {
  if (auto error = limits_error(options.limits)) return std::move(*error);
  for (const ToolInfo& tool : tools.list()) {
    if (!tool.deferred) continue;
    return host_error(Errc::not_available, "tool " + tool.name +
                                               " is deferred: in a stored run use ToolMode::Async, and resolve it");
  }
  EventSource events(options.observer);
  ptc::DurableOptions durable = durable_options(options);
  durable.on_session = [&events](ptc::Session& session) { events.attend(session); };
  if (events.is_watched()) {
    durable.observer = &events;
    durable.cancelled = &events.cancelled();
  }
  const auto hooked = with_after_hook(ToolAccess::registry(tools), options.hooks.after_tool);
  const ptc::DurableOutcome done =
      ptc::run_durably(EngineAccess::engine(engine), StoreAccess::store(store), *hooked, source, durable);
  switch (done.end) {
    case ptc::DurableEnd::Busy: return host_error(Errc::busy, "the run is executed by " + done.holder.owner);
    case ptc::DurableEnd::StoreFailed: return store_error(done.error);
    case ptc::DurableEnd::Refused: return host_error(Errc::refused, done.message);
    default: break;
  }
  StoredOutcome out = stored_outcome(done);
  if (out.outcome.diagnostic && options.hooks.on_error) options.hooks.on_error(*out.outcome.diagnostic);
  return out;
}

Result<StoredOutcome> continue_stored(const Engine& engine, Store& store, const Tools& tools,
                                      const StoredOptions& options) {
  ptc::RunLog log;
  const auto add = [&log](const ptc::Fact& fact) { log.add(fact); };
  if (auto error = ptc::visit_notable(StoreAccess::store(store), options.id, add)) return store_error(*error);
  if (!log.last_start()) return host_error(Errc::wrong_state, "the run " + options.id + " was never begun");
  const ptc::LoggedStart& started = *log.last_start();
  Value data;
  if (!started.context.empty()) {
    auto read = Value::from_edn(started.context);
    if (!read) return std::move(read).error();
    data = std::move(*read);
  }
  StoredOptions own = options;
  own.name = started.source_name;
  own.data = data;
  return run_stored(engine, store, tools, started.source, own);
}

}  // namespace ptcvm
