#include "vm/exec/tool_calls.h"

#include <optional>
#include <utility>

#include "vm/exec/run_operations.h"
#include "vm/value/map.h"

namespace ptc {
namespace {

using Status = Operation::Status;

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

void pass_call(Fiber& fiber) {
  if (!fiber.frames.empty() && fiber.frames.back().kind == Frame::Kind::Bytecode) ++fiber.frames.back().pc;
}

void put_answer(Fiber& fiber, Value taken) {
  fiber.state = Fiber::State::Ready;
  fiber.stack[fiber.result_slot] = taken;
  if (!fiber.frames.empty()) return;      // else the tool itself is the branch
  fiber.result = taken;
  fiber.state = Fiber::State::Finished;
}

void push_await_call(Fiber& fiber, std::uint32_t window, Value taken_handle) {
  Value* const slots = fiber.stack + window + 1;
  slots[0] = taken_handle;
  for (std::uint32_t k = 1; k <= kStepperSlots; ++k) slots[k] = Value::nil();
  fiber.frames.push() = Frame::stepper(BuiltinId::h_await_call, slots, 1 + kStepperSlots, 0, false);
}

CallResult ToolCalls::call(Fiber& fiber, const Keyword* tool, std::uint32_t window) {
  const Value args = fiber.stack[window + 1];
  if (!args.is_map()) {
    core_.raise(FaultKind::BadProgram, "a tool is called with something that is no map");
    return CallResult::Faulted;
  }
  if (probe_around(fiber) != nullptr) return probes_.call(fiber, tool, window);
  std::string task_id;
  std::string path = call_path(fiber, task_id);
  const Operation* known = nullptr;
  if (!sites_.find_attachable(task_id, path, tool->name(), args, &known)) return CallResult::Faulted;
  std::string key = sites_.key(task_id, path);
  if (known != nullptr) return attach(fiber, *known, window, kept_key(fiber, key));
  if (!heap().can_allocate_records(2 * key.size())) {   // the request has the id of the task and the key
    core_.raise_memory();
    return CallResult::Faulted;
  }
  fiber.state = Fiber::State::WaitsForTool;
  fiber.request_id = requests_.next_id();
  fiber.result_slot = window;
  fiber.records.push_back({std::string(tool->name()), args, Value::absent(), {}, false, {}, kept_key(fiber, key)});
  pass_call(fiber);
  requests_.add(request_of(fiber, std::move(task_id), std::move(path), std::move(key)));
  return CallResult::Parked;
}

// An earlier run made this call already: it yields that operation, and the tool is not called.
CallResult ToolCalls::attach(Fiber& fiber, const Operation& operation, std::uint32_t window, std::string key) {
  const bool waits = operation.awaits_at_call;
  if (waits && !fibers_.make_room(fiber, window + 1, kAwaitCallRegisters)) return CallResult::Faulted;
  fiber.records.push_back({operation.tool, fiber.stack[window + 1], Value::absent(), {}, true, {}, std::move(key)});
  ToolRecordData& record = fiber.records.back();
  const Value handle = handle_of(heap(), operation);
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

ToolRequest ToolCalls::request_of(const Fiber& fiber, std::string task_id, std::string path, std::string key) const {
  const ToolRecordData& record = fiber.records.back();
  return {fiber.request_id, heap().find_interned(record.tool)->name(), record.args, user_span(fiber, nullptr),
          std::move(task_id), std::move(path), std::move(key)};
}

Value ToolCalls::arguments(Value tool, const Value* args, std::uint32_t count) {
  if (count > 1 && count % 2 == 1) {
    core_.raise(FaultKind::InvalidToolArgs, "tool/" + std::string(tool.keyword->name()) +
                                                " takes one map or keys and values, got " + std::to_string(count) +
                                                " arguments");
    return Value::absent();
  }
  Value map = count == 1 ? retained(args[0]) : map_empty(heap());
  for (std::uint32_t k = 0; k + 1 < count; k += 2) {
    map = map_assoc(heap(), map, retained(args[k]), retained(args[k + 1]));
  }
  return core_.call_plain(BuiltinId::h_tool_args, {&map, 1});
}

// ---- as the host says ----

bool ToolCalls::admit(std::uint64_t request_id) {
  const std::uint32_t most = core_.limits().tool_calls;
  if (requests_.made() < most) {
    requests_.count_call();
    return true;
  }
  answer_fault(request_id, FaultKind::ToolCallLimitExceeded,
               "tool call limit exceeded (" + std::to_string(most) + " calls)", {});
  return false;
}

bool ToolCalls::admit_operation(std::uint64_t request_id) {
  if (has_room_for_operation(core_)) return true;
  if (Fiber* fiber = take_request(request_id, nullptr)) {
    fail(*fiber, core_.fault().kind, core_.fault().message, core_.fault().hint);
  }
  return false;
}

void ToolCalls::answer(std::uint64_t request_id, Value taken, bool cached) {
  Fiber* fiber = take_request(request_id, nullptr);
  if (fiber == nullptr) {
    heap().release(taken);
    return;
  }
  fiber->records.back().result = retained(taken);
  fiber->records.back().cached = cached;
  put_answer(*fiber, taken);
}

void ToolCalls::answer_fault(std::uint64_t request_id, FaultKind kind, std::string message, std::string hint,
                             std::string found) {
  Fiber* fiber = take_request(request_id, nullptr);
  if (fiber != nullptr) fail(*fiber, kind, std::move(message), std::move(hint), std::move(found));
}

const Operation* ToolCalls::answer_pending(std::uint64_t request_id, PendingReply reply) {
  ToolRequest request;
  Fiber* fiber = take_request(request_id, &request);
  const Operation* operation = reply.id.empty() ? nullptr : operations().find(reply.id);
  const bool is_taken = operation != nullptr && (fiber == nullptr || operation->key != request.key);
  if (fiber == nullptr || operation != nullptr) heap().release(reply.immediate);
  if (fiber == nullptr) return nullptr;
  const std::string tool = "tool/" + std::string(request.tool);
  if (is_taken) {
    fail(*fiber, FaultKind::DuplicatePendingId,
         tool + " gave the id \"" + reply.id + "\", which another operation has", {});
    return nullptr;
  }
  if (operation == nullptr) {
    Operation made = operation_of(request, core_.now());
    made.id = reply.id.empty() ? sites_.fresh_operation_id(*fiber) : std::move(reply.id);
    made.immediate = reply.immediate;
    made.awaits_at_call = reply.use == PendingReply::Use::WaitAtCall;
    const std::int64_t ttl = reply.ttl_ms.value_or(core_.limits().operation_ttl_ms);
    if (ttl > 0) made.due_ms = later(core_.now(), ttl);
    operation = &operations().open(std::move(made));
  }
  if (reply.use == PendingReply::Use::Unexpected) {
    fail(*fiber, FaultKind::UnexpectedPending, tool + " returned a pending operation but is not declared async",
         "the operation is known as \"" + operation->id + '"');
    return operation;
  }
  give_handle(*fiber, *operation, operation->awaits_at_call);
  return operation;
}

const Operation* ToolCalls::answer_resolved(std::uint64_t request_id, Settlement settlement) {
  ToolRequest request;
  Fiber* fiber = take_request(request_id, &request);
  if (fiber == nullptr) {
    heap().release(settlement.value);
    return nullptr;
  }
  Operation made = operation_of(request, core_.now());
  made.id = sites_.fresh_operation_id(*fiber);
  made.status = settlement.kind == Settlement::Kind::Ok ? Status::Ok : Status::Error;
  made.result = settlement.value;
  made.reason = std::move(settlement.reason);
  made.sequence = ++operations().last_sequence;
  made.delivered = true;
  const Operation& operation = operations().open(std::move(made));
  give_handle(*fiber, operation, false);
  return &operation;
}

Fiber* ToolCalls::take_request(std::uint64_t request_id, ToolRequest* out) {
  Fiber* const fiber = fibers_.waiting_for(request_id);
  if (fiber == nullptr) return nullptr;
  std::optional<ToolRequest> taken = requests_.take(request_id);
  if (!taken) return nullptr;
  if (out != nullptr) *out = std::move(*taken);
  return fiber;
}

void ToolCalls::give_handle(Fiber& fiber, const Operation& operation, bool waits) {
  if (waits && !fibers_.make_room(fiber, fiber.result_slot + 1, kAwaitCallRegisters)) {
    fail(fiber, core_.fault().kind, core_.fault().message, core_.fault().hint);
    return;
  }
  const Value handle = handle_of(heap(), operation);
  fiber.records.back().operation = operation.id;
  fiber.records.back().result = retained(handle);
  if (!waits) {
    put_answer(fiber, handle);
    return;
  }
  fiber.state = Fiber::State::Ready;
  push_await_call(fiber, fiber.result_slot, handle);
}

void ToolCalls::fail(Fiber& fiber, FaultKind kind, std::string message, std::string hint, std::string found) {
  fiber.records.back().error = message;
  RunFault fault;
  fault.kind = kind;
  fault.message = std::move(message);
  fault.hint = std::move(hint);
  fault.found = std::move(found);
  fibers_.fail_waiting(fiber, std::move(fault));
}

// ---- records ----

std::vector<ToolRecord> ToolCalls::records() const {
  std::vector<ToolRecord> out;
  show_records(records_, out);
  if (fibers_.in_turn()) show_records(*std::as_const(fibers_).main(), out);
  return out;
}

void ToolCalls::keep_records(Fiber& main) {
  for (ToolRecordData& record : main.records) records_.push_back(std::move(record));
  main.records.clear();
}

void ToolCalls::clear_records() {
  for (const ToolRecordData& record : records_) {
    heap().release(record.args);
    heap().release(record.result);
  }
  records_.clear();
}

void ToolCalls::show_records(const std::vector<ToolRecordData>& from, std::vector<ToolRecord>& out) const {
  for (const ToolRecordData& record : from) {
    out.push_back({record.tool, record.args, record.result, record.error, record.cached});
    ToolRecord& shown = out.back();
    const Operation* operation = record.operation.empty() ? nullptr : operations().find(record.operation);
    if (operation == nullptr || operation->status == Status::Waiting || !record.error.empty()) continue;
    shown.result = operation->status == Status::Ok ? operation->result : Value::absent();
    shown.error = settlement_text(*operation);
  }
}

void ToolCalls::show_records(const Fiber& fiber, std::vector<ToolRecord>& out) const {
  show_records(fiber.records, out);
  if (fiber.state == Fiber::State::WaitsForTask) return;   // a probe calls nothing
  for (const auto& child : fiber.children) show_records(*child, out);
}

}  // namespace ptc
