// Asynchronous operations of a run: how calls open them, how the host settles them, what is left at the end.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "vm/exec/run_impl.h"
#include "vm/value/order.h"
#include "vm/value/pending.h"
#include "vm/value/string.h"

namespace ptc {
namespace {

using Status = Operation::Status;

constexpr std::string_view kAwaitFirst = "await it first, or pass (pending-id h)";

Value handle_of(Heap& heap, const Operation& operation) { return pending_of(heap, string_of(heap, operation.id)); }

std::int64_t later(std::int64_t time, std::int64_t by) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(time, by, &sum) ? INT64_MAX : sum;
}

}  // namespace

bool RunImpl::room_for_operation() {
  if (env.operations.waiting_count() < limits.pending_operations) return true;
  return raise(FaultKind::PendingLimitExceeded,
               std::to_string(env.operations.waiting_count()) + " operations are already pending (limit " +
                   std::to_string(limits.pending_operations) + "); await some first");
}

// Of a sleep or a signal. Absent: a fault is raised.
Value RunImpl::open_operation(Fiber& fiber, Operation taken) {
  taken.call_path = call_path(fiber, taken.task_id);
  if (probe_around(fiber) != nullptr) {
    const Value handle = probe_operation(taken);
    heap.release(taken.args);
    return handle;
  }
  const Operation* known = nullptr;
  const bool fits = find_attachable(taken.task_id, taken.call_path, taken.tool, taken.args, &known);
  if (!fits || known != nullptr || !room_for_operation()) {
    heap.release(taken.args);
    return known != nullptr ? handle_of(heap, *known) : Value::absent();
  }
  taken.key = call_key(taken.task_id, taken.call_path);
  taken.id = fresh_operation_id(fiber);
  taken.created_ms = clock_millis;
  if (taken.kind != Operation::Kind::Sleep && limits.operation_ttl_ms > 0) {
    taken.due_ms = later(clock_millis, limits.operation_ttl_ms);
  }
  return handle_of(heap, env.operations.open(std::move(taken)));
}

// The wait of an auto tool's call: a stepper frame in the call's window. There must be room (make_room).
void RunImpl::push_await_call(Fiber& fiber, std::uint32_t window, Value taken_handle) {
  Value* const slots = fiber.stack + window + 1;
  slots[0] = taken_handle;
  for (std::uint32_t k = 1; k <= kStepperSlots; ++k) slots[k] = Value::nil();
  fiber.frames.push() = Frame::stepper(BuiltinId::h_await_call, slots, 1 + kStepperSlots, 0, false);
}

// A call in an open task that an earlier run made already: its operation is yielded, the tool is not called.
RunImpl::CallResult RunImpl::attach_call(Fiber& fiber, const Operation& operation, std::uint32_t window,
                                         std::string key) {
  const bool waits = operation.awaits_at_call;
  if (waits && !make_room(fiber, window + 1, kAwaitCallRegisters)) return CallResult::Faulted;
  fiber.records.push_back({operation.tool, fiber.stack[window + 1], Value::absent(), {}, true, {}, std::move(key)});
  ToolRecordData& record = fiber.records.back();
  const Value handle = handle_of(heap, operation);
  record.operation = operation.id;
  record.result = retained(handle);
  if (!waits) {
    fiber.stack[window] = handle;
    return CallResult::Done;
  }
  pass_call(fiber);
  push_await_call(fiber, window, handle);
  return CallResult::Pushed;
}

void RunImpl::put_answer(Fiber& fiber, Value taken) {
  fiber.state = Fiber::State::Ready;
  fiber.stack[fiber.result_slot] = taken;
  if (!fiber.frames.empty()) return;      // else the tool itself is the branch
  fiber.result = taken;
  fiber.state = Fiber::State::Finished;
}

void RunImpl::give_handle(Fiber& fiber, const Operation& operation, bool waits) {
  if (waits && !make_room(fiber, fiber.result_slot + 1, kAwaitCallRegisters)) {
    fail_call(fiber, fault.kind, fault.message, fault.hint);
    return;
  }
  const Value handle = handle_of(heap, operation);
  fiber.records.back().operation = operation.id;
  fiber.records.back().result = retained(handle);
  if (!waits) {
    put_answer(fiber, handle);
    return;
  }
  fiber.state = Fiber::State::Ready;
  push_await_call(fiber, fiber.result_slot, handle);
}

Fiber* RunImpl::find_waiting(Fiber& fiber, std::uint64_t request_id) {
  if (fiber.state == Fiber::State::WaitsForTool && fiber.request_id == request_id) return &fiber;
  for (const auto& child : fiber.children) {
    if (Fiber* found = find_waiting(*child, request_id)) return found;
  }
  return nullptr;
}

Fiber* RunImpl::take_request(std::uint64_t request_id, ToolRequest* out) {
  Fiber* fiber = main && request_id != 0 ? find_waiting(*main, request_id) : nullptr;
  if (fiber == nullptr) return nullptr;
  const auto at = std::find_if(requests.begin(), requests.end(),
                               [request_id](const ToolRequest& request) { return request.id == request_id; });
  if (out != nullptr) *out = std::move(*at);
  requests.erase(at);
  return fiber;
}

void RunImpl::fail_call(Fiber& fiber, FaultKind kind, std::string message, std::string hint) {
  fiber.records.back().error = message;
  fail_waiting(fiber, kind, std::move(message), std::move(hint));
}

void RunImpl::cancel_operation(std::string_view id, std::string reason) {
  Operation* operation = env.operations.find(id);
  if (operation->status != Status::Waiting) return;
  env.operations.settle_cancelled(*operation, std::move(reason));
  cancel_requests.push_back(operation->id);
}

// A turn that ended well, against the policy for what still waits.
StepStatus RunImpl::settle_outstanding(StepStatus status) {
  if (status == StepStatus::Faulted || env.operations.waiting_count() == 0) return status;
  std::vector<std::string> waiting;
  for (const Operation& operation : env.operations.all()) {
    if (operation.status == Status::Waiting) waiting.push_back(operation.id);
  }
  switch (limits.outstanding) {
    case Outstanding::Detach: return status;
    case Outstanding::Cancel:
      for (const std::string& id : waiting) cancel_operation(id, "the program ended");
      return status;
    case Outstanding::Error: break;
  }
  release_result();
  std::string ids;
  for (const std::string& id : waiting) ids += (ids.empty() ? "" : ", ") + id;
  raise(FaultKind::PendingOutstanding, "the program ended while operations are pending: " + ids,
        "await every operation before the end");
  return StepStatus::Faulted;
}

bool RunImpl::holds_no_handle(Value v, std::string_view what) {
  std::string path;
  const Value handle = find_pending(heap, v, path);
  if (handle.is_absent()) return true;
  const std::string id(pending_id_of(handle));
  return raise(FaultKind::PendingInReturn,
               std::string(what) + (path.empty() ? " is a pending operation (" + id + ')'
                                                 : " at " + path + " is a pending operation (" + id + ')') +
                   "; await it first",
               std::string(kAwaitFirst));
}

void RunImpl::collect_records(const std::vector<ToolRecordData>& from, std::vector<ToolRecord>& out) const {
  for (const ToolRecordData& record : from) {
    out.push_back({record.tool, record.args, record.result, record.error, record.cached});
    ToolRecord& shown = out.back();
    const Operation* operation = record.operation.empty() ? nullptr : env.operations.find(record.operation);
    if (operation == nullptr || operation->status == Status::Waiting || !record.error.empty()) continue;
    shown.result = operation->status == Status::Ok ? operation->result : Value::absent();
    shown.error = settlement_text(*operation);
  }
}

void RunImpl::collect_records(const Fiber& fiber, std::vector<ToolRecord>& out) const {
  collect_records(fiber.records, out);
  if (fiber.state == Fiber::State::WaitsForTask) return;   // a probe calls nothing
  for (const auto& child : fiber.children) collect_records(*child, out);
}

// ---- the face ----

void Run::set_identity(std::string run_id, std::uint64_t turn) {
  impl_->run_id = std::move(run_id);
  impl_->turn = turn;
}
const std::string& Run::run_id() const { return impl_->run_id; }
std::uint64_t Run::turn() const { return impl_->turn; }

bool Run::admit_operation(std::uint64_t request_id) {
  RunImpl& run = *impl_;
  if (run.room_for_operation()) return true;
  if (Fiber* fiber = run.take_request(request_id, nullptr)) {
    run.fail_call(*fiber, run.fault.kind, run.fault.message, run.fault.hint);
  }
  return false;
}

namespace {

// What the call and the tool's answer say about a new operation.
Operation operation_of(const ToolRequest& request, std::int64_t now) {
  Operation operation;
  operation.tool = request.tool;
  operation.args = retained(request.args);
  operation.task_id = request.task_id;
  operation.call_path = request.call_path;
  operation.key = request.key;
  operation.created_ms = now;
  return operation;
}

}  // namespace

const Operation* Run::answer_pending(std::uint64_t request_id, PendingReply reply) {
  RunImpl& run = *impl_;
  ToolRequest request;
  Fiber* fiber = run.take_request(request_id, &request);
  const Operation* operation = reply.id.empty() ? nullptr : run.env.operations.find(reply.id);
  const bool is_taken = operation != nullptr && (fiber == nullptr || operation->key != request.key);
  if (fiber == nullptr || operation != nullptr) run.heap.release(reply.immediate);
  if (fiber == nullptr) return nullptr;
  const std::string tool = "tool/" + std::string(request.tool);
  if (is_taken) {
    run.fail_call(*fiber, FaultKind::DuplicatePendingId,
                  tool + " gave the id \"" + reply.id + "\", which another operation has", {});
    return nullptr;
  }
  if (operation == nullptr) {
    Operation made = operation_of(request, run.clock_millis);
    made.id = reply.id.empty() ? run.fresh_operation_id(*fiber) : std::move(reply.id);
    made.immediate = reply.immediate;
    made.awaits_at_call = reply.use == PendingReply::Use::WaitAtCall;
    const std::int64_t ttl = reply.ttl_ms.value_or(run.limits.operation_ttl_ms);
    if (ttl > 0) made.due_ms = later(run.clock_millis, ttl);
    operation = &run.env.operations.open(std::move(made));
  }
  if (reply.use == PendingReply::Use::Unexpected) {
    run.fail_call(*fiber, FaultKind::UnexpectedPending,
                  tool + " returned a pending operation but is not declared async",
                  "the operation is known as \"" + operation->id + '"');
    return operation;
  }
  run.give_handle(*fiber, *operation, operation->awaits_at_call);
  return operation;
}

const Operation* Run::answer_resolved(std::uint64_t request_id, Settlement settlement) {
  RunImpl& run = *impl_;
  ToolRequest request;
  Fiber* fiber = run.take_request(request_id, &request);
  if (fiber == nullptr) {
    run.heap.release(settlement.value);
    return nullptr;
  }
  Operation made = operation_of(request, run.clock_millis);
  made.id = run.fresh_operation_id(*fiber);
  made.status = settlement.kind == Settlement::Kind::Ok ? Status::Ok : Status::Error;
  made.result = settlement.value;
  made.reason = std::move(settlement.reason);
  made.sequence = ++run.env.operations.last_sequence;
  made.delivered = true;
  const Operation& operation = run.env.operations.open(std::move(made));
  run.give_handle(*fiber, operation, false);
  return &operation;
}

ResolveStatus Run::can_resolve(std::string_view operation_id, const Settlement& settlement) const {
  const Operation* operation = impl_->env.operations.find(operation_id);
  if (operation == nullptr) return ResolveStatus::Unknown;
  bool same = false;
  switch (operation->status) {
    case Status::Waiting: return ResolveStatus::Done;
    case Status::Ok:
      same = settlement.kind == Settlement::Kind::Ok && canonical_order(operation->result, settlement.value) == 0;
      break;
    case Status::Error:
      same = settlement.kind == Settlement::Kind::Error && operation->reason == settlement.reason;
      break;
    case Status::Cancelled:
      same = settlement.kind == Settlement::Kind::Cancelled && operation->reason == settlement.reason;
      break;
    case Status::Expired: break;
  }
  return same ? ResolveStatus::Same : ResolveStatus::AlreadyResolved;
}

ResolveStatus Run::resolve(std::string_view operation_id, Settlement settlement) {
  Operations& operations = impl_->env.operations;
  const ResolveStatus status = can_resolve(operation_id, settlement);
  Operation* operation = operations.find(operation_id);
  const bool keeps_value = settlement.kind == Settlement::Kind::Ok || settlement.kind == Settlement::Kind::Progress;
  if (status != ResolveStatus::Done || !keeps_value) impl_->heap.release(settlement.value);
  if (status != ResolveStatus::Done) return status;
  switch (settlement.kind) {
    case Settlement::Kind::Ok: operations.settle_ok(*operation, settlement.value); break;
    case Settlement::Kind::Error: operations.settle_error(*operation, std::move(settlement.reason)); break;
    case Settlement::Kind::Cancelled: operations.settle_cancelled(*operation, std::move(settlement.reason)); break;
    case Settlement::Kind::Progress: operations.progress(*operation, settlement.value); break;
  }
  return status;
}

const Operations& Run::operations() const { return impl_->env.operations; }
Operations& Run::operations() { return impl_->env.operations; }

std::vector<AwaitedOperation> Run::awaited() const {
  std::vector<AwaitedOperation> all;
  if (impl_->main) impl_->collect_awaited(*impl_->main, all);
  std::vector<AwaitedOperation> once;
  std::unordered_map<std::string_view, std::size_t> place;
  for (const AwaitedOperation& awaited : all) {
    const auto [at, is_new] = place.emplace(awaited.id, once.size());
    if (is_new) {
      once.push_back(awaited);
    } else if (awaited.deadline_ms != 0) {
      std::int64_t& known = once[at->second].deadline_ms;
      known = known == 0 ? awaited.deadline_ms : std::min(known, awaited.deadline_ms);
    }
  }
  return once;
}

std::optional<std::int64_t> Run::next_deadline() const {
  std::optional<std::int64_t> earliest;
  for (const AwaitedOperation& operation : awaited()) {
    if (operation.deadline_ms != 0) earliest = std::min(earliest.value_or(INT64_MAX), operation.deadline_ms);
  }
  return earliest;
}

std::vector<std::string> Run::take_cancel_requests() { return std::exchange(impl_->cancel_requests, {}); }
bool Run::suspended() const { return impl_->main != nullptr && impl_->suspended; }
std::uint32_t Run::suspensions() const { return impl_->suspensions; }
void Run::add_active_micros(std::uint64_t micros) { impl_->active_micros += micros; }
std::uint64_t Run::active_micros() const { return impl_->active_micros; }

std::vector<ToolRecord> Run::tool_records() const {
  std::vector<ToolRecord> out;
  impl_->collect_records(impl_->records, out);
  if (impl_->main) impl_->collect_records(*impl_->main, out);
  return out;
}

}  // namespace ptc
