// What a run says about itself, and what its host says to it.
#include <algorithm>
#include <map>

#include "api/errors.h"
#include "api/run_impl.h"
#include "runtime/engine/clock.h"
#include "runtime/session/tool_requests.h"

namespace ptcvm {
namespace {

Errc refusal_code(ptc::FaultKind kind) {
  switch (kind) {
    case ptc::FaultKind::UnknownOperation: return Errc::unknown_operation;
    case ptc::FaultKind::AlreadyResolved: return Errc::already_resolved;
    case ptc::FaultKind::ResultTooLarge: return Errc::too_large;
    default: return Errc::invalid_value;
  }
}

Error refusal_error(const ptc::ResolveRefusal& refusal) {
  return {refusal_code(refusal.kind), refusal.message, std::nullopt, ptc::fault_name(refusal.kind)};
}

Result<void> told(ptc::Session& session, std::vector<ptc::Resolution> resolutions) {
  if (const auto refusal = session.operations().resolve(std::move(resolutions))) return refusal_error(*refusal);
  return {};
}

Result<void> told(ptc::Session& session, ptc::Resolution resolution) {
  std::vector<ptc::Resolution> one;
  one.push_back(std::move(resolution));
  return told(session, std::move(one));
}

ptc::Resolution runtime_resolution(ptc::Heap& heap, const Resolution& given) {
  switch (given.kind) {
    case Resolution::Kind::Ok: break;
    case Resolution::Kind::Error: return ptc::Resolution::error(given.operation, given.reason);
    case Resolution::Kind::Cancelled: return ptc::Resolution::cancel(given.operation, given.reason);
    case Resolution::Kind::Progress: return ptc::Resolution::progress(given.operation, imported(heap, given.value));
  }
  return ptc::Resolution::ok(given.operation, imported(heap, given.value));
}

Error no_such_call(std::uint64_t call) {
  return host_error(Errc::wrong_state, "no call " + std::to_string(call) + " waits for an answer");
}

Result<void> answered(ptc::Session& session, std::uint64_t call, ptc::ToolReply reply, const AnswerDetails& details) {
  const auto micros = static_cast<std::uint64_t>(std::max<std::int64_t>(details.took.count(), 0));
  if (session.calls().answer(call, std::move(reply), micros)) return {};
  return no_such_call(call);
}

// A call that the host may answer now.
struct OpenCall {
  std::string tool;
  ptc::Value args;               // borrowed
};

std::optional<OpenCall> open_call(ptc::Session& session, std::uint64_t id) {
  if (const auto call = session.calls().handed().find(id)) return OpenCall{call->tool->definition.name, call->args};
  const ptc::ToolRequest* const request = ptc::find_request(session.run(), id);
  if (request == nullptr) return std::nullopt;
  return OpenCall{std::string(request->tool), request->args};
}

}  // namespace

Result<ptc::ToolReply> read_answer(ptc::Session& session, std::string_view json, const AnswerDetails& details) {
  auto read = session.edge().read_answer(json, details.announces);
  if (auto* const reply = std::get_if<ptc::ToolReply>(&read)) return std::move(*reply);
  return text_error("JSON", json, std::get<ptc::JsonError>(read));
}

ptc::ToolReply args_refusal(const std::string& tool) {
  ptc::ToolReply reply = ptc::ToolReply::error(args_too_large(tool).message);
  reply.fault = ptc::FaultKind::MemoryExceeded;
  return reply;
}

Error args_too_large(const std::string& tool) {
  return host_error(Errc::too_large, "the arguments of " + tool + " do not fit into the memory of the run");
}

ptc::ToolReply pending_reply(ptc::Heap& heap, std::string operation_id, const AnswerDetails& details) {
  std::optional<std::int64_t> ttl_ms;
  if (details.ttl.count() > 0) ttl_ms = details.ttl.count();
  return ptc::ToolReply::pending(std::move(operation_id), imported(heap, details.progress), ttl_ms);
}

ValueView Run::result() const { return ValueAccess::view(impl_->awake().result(), impl_->awake().heap()); }

std::optional<std::string> Run::result_edn() { return impl_->result_text(ptc::edn_within); }
std::optional<std::string> Run::result_json() { return impl_->result_text(ptc::json_within); }

std::optional<Diagnostic> Run::diagnostic() const {
  if (impl_->state != RunState::Failed || impl_->awake().status() != ptc::OutcomeStatus::Error) return std::nullopt;
  return diagnostic_of(impl_->awake().fault());
}

std::vector<std::string> Run::prints() const { return impl_->awake().records().prints(); }
std::vector<std::string> Run::warnings() const { return impl_->awake().records().warnings(); }

std::vector<std::pair<std::string, std::string>> Run::summaries() const {
  std::vector<std::pair<std::string, std::string>> out;
  for (const ptc::StepSummary& step : impl_->awake().records().summaries()) out.emplace_back(step.id, step.summary);
  std::sort(out.begin(), out.end());
  return out;
}

std::string_view Run::id() const { return impl_->awake().run().run_id(); }

Usage Run::usage() const {
  const ptc::Run& run = impl_->awake().run();
  Usage out;
  out.fuel = run.fuel_used();
  out.peak_bytes = impl_->awake().heap().bytes_peak();
  out.active_micros = run.active_micros();
  out.tool_calls = static_cast<std::uint32_t>(run.limits().tool_calls - run.tool_calls_left());
  out.suspensions = run.suspensions();
  return out;
}

Outcome Run::outcome() const {
  Outcome out;
  out.state = impl_->state;
  out.diagnostic = diagnostic();
  if (is_over() && !out.diagnostic) out.value = Value::copy_of(result());
  out.prints = prints();
  out.warnings = warnings();
  out.summaries = summaries();
  out.usage = usage();
  return out;
}

std::vector<PendingOperation> Run::pending() const {
  ptc::Session& session = impl_->awake();
  std::map<std::string_view, std::int64_t> awaited;
  for (const ptc::AwaitedOperation& operation : session.run().awaited()) {
    awaited.emplace(operation.id, operation.deadline_ms);
  }
  std::vector<PendingOperation> out;
  for (const ptc::Operation& operation : session.run().operations().all()) {
    if (operation.status != ptc::Operation::Status::Waiting) continue;
    PendingOperation& one = out.emplace_back();
    one.id = operation.id;
    one.tool = operation.tool;
    one.args = ValueAccess::view(operation.args, session.heap());
    one.progress = ValueAccess::view(operation.immediate, session.heap());
    one.since_ms = operation.created_ms;
    const auto at = awaited.find(operation.id);
    one.is_awaited = at != awaited.end();
    if (one.is_awaited) one.deadline_ms = at->second;
    one.is_sleep = operation.kind == ptc::Operation::Kind::Sleep;
    if (one.is_sleep) one.deadline_ms = operation.due_ms;
    one.is_signal = operation.kind == ptc::Operation::Kind::Signal;
  }
  return out;
}

std::vector<PendingRecord> Run::pending_records() const {
  std::vector<PendingRecord> out;
  for (ptc::PendingOutcome& operation : impl_->awake().records().pending()) {
    out.push_back({std::move(operation.operation), std::move(operation.tool), std::move(operation.args_edn),
                   std::move(operation.args_json), std::move(operation.immediate_edn), operation.since_ms,
                   operation.deadline_ms, operation.awaited});
  }
  return out;
}

std::vector<CallRecord> Run::call_records() const {
  std::vector<CallRecord> out;
  for (ptc::ToolOutcome& call : impl_->awake().records().tool_calls()) {
    out.push_back({std::move(call.name), std::move(call.args_edn), std::move(call.result_edn), std::move(call.error),
                   call.failed, call.cached});
  }
  return out;
}

Result<void> Run::resolve(std::string_view operation, ValueView value) {
  return told(impl_->awake(), ptc::Resolution::ok(std::string(operation), imported(impl_->awake().heap(), value)));
}
Result<void> Run::resolve_error(std::string_view operation, std::string reason) {
  return told(impl_->awake(), ptc::Resolution::error(std::string(operation), std::move(reason)));
}
Result<void> Run::resolve_cancelled(std::string_view operation, std::string reason) {
  return told(impl_->awake(), ptc::Resolution::cancel(std::string(operation), std::move(reason)));
}
Result<void> Run::progress(std::string_view operation, ValueView value) {
  return told(impl_->awake(),
              ptc::Resolution::progress(std::string(operation), imported(impl_->awake().heap(), value)));
}

Result<void> Run::resolve_all(std::span<const Resolution> resolutions) {
  ptc::Session& session = impl_->awake();
  std::vector<ptc::Resolution> all;
  all.reserve(resolutions.size());
  for (const Resolution& given : resolutions) all.push_back(runtime_resolution(session.heap(), given));
  return told(session, std::move(all));
}

std::vector<std::string> Run::take_cancelled() { return impl_->awake().operations().take_cancel_requests(); }

std::optional<std::int64_t> Run::wake_time_ms() const {
  std::optional<std::int64_t> wake;
  if (impl_->state == RunState::Suspended) wake = impl_->awake().run().next_deadline();
  if (const auto retry = impl_->awake().calls().retries().next_due()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*retry - std::chrono::steady_clock::now());
    const std::int64_t at = ptc::system_millis() + std::max<std::int64_t>(left.count(), 0);
    if (!wake || at < *wake) wake = at;
  }
  return wake;
}

void Run::set_time(std::int64_t ms) {
  ptc::TurnClock& clock = impl_->awake().clock();
  clock.set_given_time(ms);
  clock.set_program_time(ms);   // answers that come before the next step begin operations
}

namespace {

std::vector<WaitingCall> waiting(ptc::Session& session, bool wants_questions) {
  std::vector<WaitingCall> out;
  for (const ptc::ToolRequest& request : session.run().tool_requests()) {
    if (session.calls().retries().contains(request.id)) continue;
    const ptc::Approval* const question = session.gate().question_about(request);
    if ((question != nullptr) != wants_questions) continue;
    WaitingCall& call = out.emplace_back();
    call.id = request.id;
    call.tool = request.tool;
    call.args = ValueAccess::view(request.args, session.heap());
    call.key = question != nullptr ? session.gate().key_of(request) : request.key;
    call.task_id = request.task_id;
    if (question != nullptr) call.question = question->text;
    call.deadline = session.clock().deadline();
  }
  return out;
}

std::vector<WaitingCall> handed(ptc::Session& session) {
  std::vector<WaitingCall> out;
  for (const ptc::HandedCall& call : session.calls().handed().all()) {
    WaitingCall& one = out.emplace_back();
    one.id = call.id;
    one.tool = call.tool->definition.name;
    one.args = ValueAccess::view(call.args, session.heap());
    one.key = call.meta.idempotency_key;
    one.task_id = call.meta.task_id;
    one.is_deferred = call.tool->definition.deferred;
    one.deadline = session.clock().deadline();
  }
  return out;
}

}  // namespace

std::vector<WaitingCall> Run::calls() const {
  ptc::Session& session = impl_->awake();
  return impl_->hands_out_calls ? handed(session) : waiting(session, false);
}
std::vector<WaitingCall> Run::questions() const { return waiting(impl_->awake(), true); }

Result<void> Run::answer(std::uint64_t call, ValueView value, const AnswerDetails& details) {
  ptc::Session& session = impl_->awake();
  return answered(session, call, ptc::ToolReply::value(imported(session.heap(), value)), details);
}
Result<void> Run::answer_error(std::uint64_t call, std::string message, const AnswerDetails& details) {
  return answered(impl_->awake(), call, ptc::ToolReply::error(std::move(message)), details);
}
Result<void> Run::answer_pending(std::uint64_t call, std::string operation_id, const AnswerDetails& details) {
  ptc::Session& session = impl_->awake();
  return answered(session, call, pending_reply(session.heap(), std::move(operation_id), details), details);
}

Result<void> Run::answer_json(std::uint64_t call, std::string_view json, const AnswerDetails& details) {
  ptc::Session& session = impl_->awake();
  if (!open_call(session, call)) return no_such_call(call);
  auto read = read_answer(session, json, details);
  if (!read) return std::move(read).error();
  return answered(session, call, std::move(*read), details);
}
Result<void> Run::answer_too_large(std::uint64_t call, const AnswerDetails& details) {
  ptc::Session& session = impl_->awake();
  const std::optional<OpenCall> open = open_call(session, call);
  return open ? answered(session, call, ptc::ToolReply::too_large(open->tool), details) : no_such_call(call);
}
Result<std::string> Run::args_json(std::uint64_t call) {
  ptc::Session& session = impl_->awake();
  const std::optional<OpenCall> open = open_call(session, call);
  if (!open) return no_such_call(call);
  ptc::BoundedText written = session.edge().write_json(open->args);
  if (written.end == ptc::BoundedText::End::Whole) return std::move(written.text);
  (void)answered(session, call, args_refusal(open->tool), {});
  return args_too_large(open->tool);
}
void Run::hold_memory(std::uint64_t bytes) { impl_->awake().edge().hold(bytes); }
std::uint64_t Run::memory_left() const { return impl_->awake().edge().room(); }

Result<void> Run::make(std::uint64_t call) {
  ptc::Session& session = impl_->awake();
  const std::optional<ptc::HandedCall> at = session.calls().handed().find(call);
  if (!at) return no_such_call(call);
  const ptc::ToolDefinition& tool = at->tool->definition;
  if (tool.deferred) return host_error(Errc::not_available, "tool " + tool.name + " is deferred: answer its call");
  session.calls().note_call(call, 1);
  const auto start = std::chrono::steady_clock::now();
  ptc::ToolReply reply = at->tool->handler(
      {tool.name, at->args, session.heap(), session.clock().deadline(), &impl_->events.cancelled(), at->meta});
  AnswerDetails details;
  details.took = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start);
  count_time(details.took);
  return answered(session, call, std::move(reply), details);
}

void Run::count_time(std::chrono::microseconds spent) {
  if (spent.count() > 0) impl_->awake().clock().add_active_micros(static_cast<std::uint64_t>(spent.count()));
}

Result<void> Run::decide(std::string_view key, bool allowed, std::string reason,
                         const std::optional<std::string>& args_edn) {
  if (auto complaint = impl_->awake().gate().decide(key, allowed, std::move(reason), args_edn)) {
    return host_error(Errc::refused, std::move(*complaint));
  }
  return {};
}

}  // namespace ptcvm
