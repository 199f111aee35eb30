#include "vm/exec/run_impl.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "vm/value/account.h"

namespace ptc {
namespace {

constexpr std::uint64_t kLargestSlice = std::uint64_t{1} << 62;

}  // namespace

RunImpl::RunImpl(const RunLimits& limits, std::shared_ptr<MemorySource> memory)
    : interpreter_(limits, std::move(memory),
                   {names_, links_, tasks_, probes_, calls_, tool_calls_, branches_, waits_, sorting_}),
      core_(interpreter_.core()),
      names_(core_.heap()),
      links_(core_, names_),
      sites_(core_),
      requests_(core_.heap()),
      fibers_(core_, requests_),
      tasks_(core_, fibers_),
      probes_(core_, fibers_, sites_, tasks_),
      tool_calls_(core_, fibers_, requests_, sites_, probes_),
      operations_(core_, sites_, probes_),
      calls_(core_, fibers_, links_, tool_calls_),
      branches_(core_, names_, fibers_, calls_),
      waits_(core_, fibers_, operations_),
      sorting_(core_, calls_),
      scheduler_(fibers_, tasks_, probes_) {}

// The heap gives its memory back as a whole. Only sanitized builds let go of the objects one by one, and see whether
// somebody lost a reference.
RunImpl::~RunImpl() {
  if (fibers_.in_turn()) fibers_.end_turn();
#ifdef PTC_SANITIZED
  release_everything();
  if (core_.heap().live_objects() != 0) __builtin_trap();
#endif
}

void RunImpl::release_everything() {
  core_.heap().free_garbage();
  names_.release_values();
  links_.release_values();
  tool_calls_.clear_records();
  core_.release_values();
}

void RunImpl::clear_records() {
  tool_calls_.clear_records();
  core_.clear_records();
  requests_.begin_turn();
  waits_.set_suspensions(0);
  fuel_used_ = 0;
  active_micros_ = 0;
  cancelled_ = false;
}

void RunImpl::start(std::shared_ptr<const Program> program) {
  const bool was_in_turn = fibers_.in_turn();
  if (was_in_turn) {
    fibers_.end_turn();
    names_.rollback();
  }
  clear_records();
  names_.release_base();
  if (!was_in_turn && ended_peak_) core_.heap().restore_counters(core_.heap().closure_serial(), *ended_peak_);
  core_.heap().set_limit_bytes(core_.heap().limit_bytes());   // the machine may have memory again
  suspended_ = false;
  sites_.begin_turn();
  core_.env().operations.deliver_all();
  program = links_.known(std::move(program));   // turns of one source are one program
  const Closure* const entry = links_.entry(links_.link(program));
  program_ = std::move(program);
  core_.set_fault({});
  names_.begin_turn();
  fibers_.begin_turn(entry);
}

void RunImpl::cancel(FaultKind kind, std::string message) {
  cancelled_ = true;
  cancel_kind_ = kind;
  cancel_message_ = std::move(message);
}

StepStatus RunImpl::step(std::uint64_t slice) {
  if (!fibers_.in_turn()) return StepStatus::Faulted;
  if (suspended_ && !cancelled_) {   // time passes, results arrive
    waits_.resume();
    if (scheduler_.next() == nullptr) return StepStatus::Suspended;
  }
  suspended_ = false;
  std::uint64_t slice_left = std::min(slice, kLargestSlice);
  for (;;) {
    if (const Outcome outcome = before_fiber(slice_left)) return *outcome;
    Fiber* const fiber = scheduler_.next();
    if (const Outcome outcome = fiber == nullptr ? when_all_wait() : run_slice(*fiber, slice_left)) return *outcome;
  }
}

// What ends a turn between two fibers.
RunImpl::Outcome RunImpl::before_fiber(std::uint64_t& slice_left) {
  if (cancelled_) {
    cancelled_ = false;
    core_.raise(cancel_kind_, cancel_message_);
    const Fiber* const stopped = fibers_.find_ready();
    return stopped == nullptr ? finish(StepStatus::Faulted) : finish_inside(*stopped);
  }
  if (fibers_.take_failure()) {
    const Fiber* const failed = fibers_.find_failed_call();
    return failed == nullptr ? finish(StepStatus::Faulted) : finish_inside(*failed);
  }
  Heap& heap = core_.heap();
  if (heap.has_garbage()) {   // the program goes on when it is gone, so that slices make no difference to it
    slice_left -= std::min(slice_left, heap.free_garbage(std::max(slice_left, Heap::kFreedAtOnce)));
    if (heap.has_garbage()) return StepStatus::Yielded;
  }
  if (!fibers_.entry_has_room()) {
    core_.limits().depth == 0 ? core_.raise_depth() : core_.raise_memory();
    return finish(StepStatus::Faulted);
  }
  return std::nullopt;
}

RunImpl::Outcome RunImpl::when_all_wait() {
  if (scheduler_.give_up_calls()) return std::nullopt;
  if (!requests_.none()) return StepStatus::NeedsTool;
  if (waits_.deliver() && scheduler_.next() != nullptr) return std::nullopt;
  if (waits_.any()) {
    suspended_ = true;
    waits_.count_suspension();
    return StepStatus::Suspended;
  }
  core_.raise(FaultKind::PmapError, "parallel branches wait for each other's tasks");
  return finish(StepStatus::Faulted);
}

RunImpl::Outcome RunImpl::run_slice(Fiber& fiber, std::uint64_t& slice_left) {
  const std::uint64_t most = core_.limits().fuel;
  if (fuel_used_ >= most) return finish_out_of_fuel(fiber);
  if (slice_left == 0) return StepStatus::Yielded;
  const auto before = static_cast<std::int64_t>(std::min({slice_left, most - fuel_used_, kLargestSlice}));
  core_.set_fuel_left(before);
  const ExitReason reason = run_fiber(fiber);
  const auto used = static_cast<std::uint64_t>(before - core_.fuel_left());
  fuel_used_ += used;
  slice_left -= std::min(slice_left, used);
  return after_fiber(fiber, reason);
}

// Until it has a reason to stop; what it did in bulk is paid for.
ExitReason RunImpl::run_fiber(Fiber& fiber) {
  Heap& heap = core_.heap();
  const AccountScope account(heap, patience_);
  heap.take_work();   // what the host did is nothing of the program's
  branches_.enter(fiber);
  heap.bound_freeing(true);
  const ExitReason reason = interpreter_.interpret(fiber);
  heap.bound_freeing(false);
  branches_.leave(fiber);
  core_.charge_work();
  return reason;
}

StepStatus RunImpl::finish_out_of_fuel(const Fiber& fiber) {
  core_.raise(FaultKind::FuelExceeded, "fuel limit of " + std::to_string(core_.limits().fuel) + " exceeded");
  return finish_inside(fiber);
}

// Ends the turn with the fault that was raised last. The calls of the fiber are the innermost ones of its stack.
StepStatus RunImpl::finish_inside(const Fiber& fiber) {
  core_.set_fault_stack(branch_stack(fiber, core_.fault().stack));
  return finish(StepStatus::Faulted);
}

RunImpl::Outcome RunImpl::after_fiber(Fiber& fiber, ExitReason reason) {
  const bool is_main = fiber.parent == nullptr;
  const bool goes_on =
      reason == ExitReason::OutOfSlice || reason == ExitReason::Parked || reason == ExitReason::Committed;
  const bool ends = !goes_on && (reason != ExitReason::Finished || is_main);
  if (fuel_used_ > core_.limits().fuel && ends) {
    core_.set_result(Value::nil());   // bulk work of the last builtin went over the budget: its result does not count
    return finish_out_of_fuel(fiber);
  }
  if (cancelled_) return std::nullopt;   // in the middle of a builtin
  if (goes_on && core_.heap().has_failed()) {   // the instruction has no look at the memory of its own
    core_.raise_memory();
    return finish_inside(fiber);
  }
  switch (reason) {
    case ExitReason::OutOfSlice:
    case ExitReason::Parked: break;
    case ExitReason::Committed:
      core_.heap().free_garbage();
      if (tasks_.yields_at_commits()) return StepStatus::Yielded;
      break;
    case ExitReason::Returned: return finish(StepStatus::Returned);
    case ExitReason::Failed: return finish(StepStatus::Failed);
    case ExitReason::Finished:
      if (is_main) return finish(StepStatus::Completed);
      if (&fiber == probe_around(fiber)) {
        fibers_.discard_probe(*fiber.parent);
      } else {
        fiber.state = Fiber::State::Finished;
      }
      break;
    case ExitReason::Faulted: {
      const FaultKind kind = core_.fault().kind;
      if (is_main) return finish(StepStatus::Faulted);
      if (probe_around(fiber) != nullptr && kind != FaultKind::MemoryExceeded) {
        probes_.fail(fiber);
        break;
      }
      if (ends_everything(kind)) return finish_inside(fiber);
      fibers_.fail_branch(fiber, core_.fault());
      break;
    }
  }
  return std::nullopt;
}

void RunImpl::place_fault() {
  std::shared_ptr<const Program> program = core_.fault().program;
  SourceSpan span = user_span(*fibers_.main(), &program);
  if (span.line == 0 && program_ && !program_->entry().spans.empty()) {   // noticed once the last call was over
    span = program_->entry().spans.back().span;
    program = program_;
  }
  GuestStack stack = guest_stack(*fibers_.main(), core_.fault().stack);
  // A form whose branch failed, or a limit inside of a branch, points at the call that failed.
  const bool is_of_branch = !core_.fault().stack.empty();
  const auto inner = std::find_if(stack.begin(), stack.end(), [](const GuestFrame& one) { return one.span.line != 0; });
  if (is_of_branch && inner != stack.end() && inner->link < links_.all().size()) {
    span = inner->span;
    program = links_.at(inner->link).program;
  }
  for (GuestFrame& frame : stack) {
    if (frame.link < links_.all().size()) frame.source_name = links_.at(frame.link).program->source_name;
  }
  core_.place_fault(span, std::move(program), std::move(stack));
}

StepStatus RunImpl::finish(StepStatus status) {
  status = operations_.settle_outstanding(status);
  if (status == StepStatus::Faulted) place_fault();
  Fiber& main = *fibers_.main();
  fibers_.discard_branches(main);
  fibers_.unwind(main);
  requests_.drop_all();
  tool_calls_.keep_records(main);
  for (std::string& text : main.prints) core_.env().prints.push_back(std::move(text));
  main.prints.clear();
  if (status == StepStatus::Completed) core_.set_result(std::exchange(main.result, Value::nil()));
  if (status == StepStatus::Faulted) names_.rollback();   // else the base stays for Run::revert()
  fibers_.end_turn();
  names_.release_retired();
  ended_peak_ = core_.heap().bytes_peak();
  core_.heap().set_limit_bytes(core_.heap().limit_bytes());   // what the host does with the run is a matter of its own
  return status;
}

}  // namespace ptc
