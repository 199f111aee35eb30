#include "vm/exec/run_operations.h"

#include <utility>

#include "vm/value/map.h"
#include "vm/value/order.h"
#include "vm/value/pending.h"
#include "vm/value/string.h"

namespace ptc {

using Status = Operation::Status;

bool has_room_for_operation(RunCore& core) {
  if (core.env().operations.waiting_count() < core.limits().pending_operations) return true;
  return core.raise(FaultKind::PendingLimitExceeded,
                    std::to_string(core.env().operations.waiting_count()) + " operations are already pending (limit " +
                        std::to_string(core.limits().pending_operations) + "); await some first");
}

Value handle_of(Heap& heap, const Operation& operation) { return pending_of(heap, string_of(heap, operation.id)); }

std::string subject_of(const Operation& operation) { return operation.id + " (" + operation.tool + ')'; }

std::int64_t later(std::int64_t time, std::int64_t by) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(time, by, &sum) ? INT64_MAX : sum;
}

std::string settlement_text(const Operation& operation) {
  switch (operation.status) {
    case Status::Error: {
      const bool is_tool = operation.kind == Operation::Kind::Tool;
      return (is_tool ? "Tool '" + operation.tool + '\'' : operation.tool) + " failed: " + operation.reason +
             " (pending " + operation.id + ')';
    }
    case Status::Cancelled:
      return subject_of(operation) + " was cancelled" + (operation.reason.empty() ? "" : ": " + operation.reason);
    case Status::Expired: return subject_of(operation) + " expired before it was resolved";
    case Status::Waiting:
    case Status::Ok: break;
  }
  return {};
}

namespace {

// The log of a store keeps the name of a signal while the run is in memory, in the arguments and as a key. Short names
// count nothing, so that the peak of ordinary programs is the same with a store.
std::uint64_t signal_bytes_in_log(const Environment& environment, const Operation& signal) {
  constexpr std::uint64_t kShortBytes = 4096, kCopies = 4;
  MapCursor entry(environment.operations.heap(), signal.args);   // {"name" "…"}
  if (!environment.journal.can_be_written() || !entry.next() || !entry.value().is_string()) return 0;
  const std::uint64_t size = string_view_of(entry.value()).size();
  return size > kShortBytes ? kCopies * size : 0;
}

}  // namespace

Value RunOperations::open(Fiber& fiber, Operation taken) {
  taken.call_path = call_path(fiber, taken.task_id);
  if (probe_around(fiber) != nullptr) {
    const Value handle = probes_.operation(taken);
    heap().release(taken.args);
    return handle;
  }
  const Operation* known = nullptr;
  const bool fits = sites_.find_attachable(taken.task_id, taken.call_path, taken.tool, taken.args, &known);
  if (!fits || known != nullptr || !has_room_for_operation(core_)) {
    heap().release(taken.args);
    return known != nullptr ? handle_of(heap(), *known) : Value::absent();
  }
  taken.key = sites_.key(taken.task_id, taken.call_path);
  taken.id = sites_.fresh_operation_id(fiber);
  taken.created_ms = core_.now();
  if (taken.kind != Operation::Kind::Sleep && core_.limits().operation_ttl_ms > 0) {
    taken.due_ms = later(core_.now(), core_.limits().operation_ttl_ms);
  }
  if (!heap().can_allocate_records(Operations::record_bytes_of(taken))) {
    heap().release(taken.args);
    core_.raise_memory();
    return Value::absent();
  }
  const Operation& opened = operations().open(std::move(taken));
  if (opened.kind == Operation::Kind::Signal) operations().count_record(signal_bytes_in_log(core_.env(), opened));
  return handle_of(heap(), opened);
}

void RunOperations::cancel(std::string_view id, std::string reason) {
  Operation* operation = operations().find(id);
  if (operation->status != Status::Waiting) return;
  operations().settle_cancelled(*operation, std::move(reason));
  cancel_requests_.push_back(operation->id);
}

ResolveStatus RunOperations::can_resolve(std::string_view id, const Settlement& settlement) const {
  const Operation* operation = operations().find(id);
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

ResolveStatus RunOperations::resolve(std::string_view id, Settlement settlement) {
  const ResolveStatus status = can_resolve(id, settlement);
  Operation* operation = operations().find(id);
  const bool keeps_value = settlement.kind == Settlement::Kind::Ok || settlement.kind == Settlement::Kind::Progress;
  if (status != ResolveStatus::Done || !keeps_value) heap().release(settlement.value);
  if (status != ResolveStatus::Done) return status;
  switch (settlement.kind) {
    case Settlement::Kind::Ok: operations().settle_ok(*operation, settlement.value); break;
    case Settlement::Kind::Error: operations().settle_error(*operation, std::move(settlement.reason)); break;
    case Settlement::Kind::Cancelled: operations().settle_cancelled(*operation, std::move(settlement.reason)); break;
    case Settlement::Kind::Progress: operations().progress(*operation, settlement.value); break;
  }
  return status;
}

StepStatus RunOperations::settle_outstanding(StepStatus status) {
  if (status == StepStatus::Faulted || operations().waiting_count() == 0) return status;
  std::vector<std::string> waiting;
  for (const Operation& operation : operations().all()) {
    if (operation.status == Status::Waiting) waiting.push_back(operation.id);
  }
  switch (core_.limits().outstanding) {
    case Outstanding::Detach: return status;
    case Outstanding::Cancel:
      for (const std::string& id : waiting) cancel(id, "the program ended");
      return status;
    case Outstanding::Error: break;
  }
  core_.set_result(Value::nil());
  std::string ids;
  for (const std::string& id : waiting) ids += (ids.empty() ? "" : ", ") + id;
  core_.raise(FaultKind::PendingOutstanding, "the program ended while operations are pending: " + ids,
              "await every operation before the end");
  return StepStatus::Faulted;
}

}  // namespace ptc
