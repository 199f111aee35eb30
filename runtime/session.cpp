// Driving a turn: start, step in slices, serve what the run asks for, collect what it leaves behind.
#include "runtime/session.h"

#include <algorithm>

#include "runtime/clock.h"
#include "runtime/record_texts.h"
#include "runtime/result_rounding.h"
#include "vm/value/map.h"
#include "vm/value/pending.h"
#include "vm/value/print.h"
#include "vm/value/string.h"

namespace ptc {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxEventBytes = 1u << 20;       // of a value that an observer is shown
constexpr std::size_t kHistorySize = 3;

std::string edn_of(Heap& heap, Value v) {
  std::string text;
  append_edn(text, v, heap);
  return text;
}

bool can_be_written(Heap& heap, Value v) { return written_size(heap, v, kMaxWrittenSize) < kMaxWrittenSize; }

std::uint64_t micros_since(Clock::time_point start) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start).count());
}

OutcomeFault fault_of(const RunFault& fault) {
  OutcomeFault out{fault.kind, fault.message, fault.hint, fault.span, {}, {}, false};
  if (fault.program != nullptr) {
    out.source_name = fault.program->source_name;
    out.source = fault.program->source;
  }
  return out;
}

OutcomeFault plain_fault(FaultKind kind, std::string message, std::string hint = {}) {
  return {kind, std::move(message), std::move(hint), {}, {}, {}, false};
}

}  // namespace

Session::Session(const Engine& engine, SessionOptions options)
    : engine_(engine), options_(std::move(options)), run_(std::make_unique<Run>(options_.limits)) {
  run_->set_identity(options_.run_id, options_.turns_before);
  run_->set_yields_at_commits(options_.yields_at_commits);
  run_->operations().last_fresh_id = options_.operations_before;
  if (options_.signature.empty()) return;
  auto parsed = parse_signature(options_.signature);
  if (auto* signature = std::get_if<Signature>(&parsed)) {
    signature_ = std::move(*signature);
  } else {
    const SignatureError& error = std::get<SignatureError>(parsed);
    signature_error_ = "signature: " + error.message + " at column " + std::to_string(error.column);
  }
}

Session::~Session() { forget_values(); }

void Session::forget_values() {
  Heap& own = heap();
  own.release(context_);
  own.release(result_);
  context_ = result_ = Value::nil();
  for (const Value v : history_) own.release(v);
  history_.clear();
  for (const auto& [key, cached] : tool_cache_) own.release(cached);
  tool_cache_.clear();
}

std::vector<std::string_view> Session::definition_names() const {
  std::vector<std::string_view> names;
  run_->for_each_definition([&names](std::string_view name, Value) { names.push_back(name); });
  return names;
}

CompileAnswer Session::compile(std::string_view source) const {
  const std::vector<std::string_view> memory = definition_names();
  const std::vector<std::string_view> tools = tools_.names();
  const std::vector<std::string_view> sync_tools = tools_.sync_names();
  CompileRequest request;
  request.source = source;
  request.source_name = options_.source_name;
  request.memory_names = memory;
  request.tool_names = tools;
  request.sync_tool_names = sync_tools;
  request.check_tools = options_.check_tools;
  request.max_symbols = options_.max_symbols;
  request.strict_task_ids = options_.strict_task_ids;
  return engine_.compile(request);
}

Outcome Session::turn(std::string_view source) {
  const auto start = Clock::now();
  Outcome outcome;
  if (!signature_error_.empty()) {
    outcome.fault = plain_fault(FaultKind::ParseError, signature_error_);
    return outcome;
  }
  CompileAnswer compiled = compile(source);
  outcome = compiled.program == nullptr ? refused(std::move(compiled), source) : turn(std::move(compiled.program));
  outcome.micros = micros_since(start);
  return outcome;
}

Outcome Session::refused(CompileAnswer answer, std::string_view source) const {
  Outcome outcome;
  outcome.fault = {answer.error.kind, std::move(answer.error.message), std::move(answer.error.hint), answer.error.span,
                   options_.source_name, std::string(source), answer.incomplete};
  return outcome;
}

Outcome Session::turn(std::shared_ptr<const Program> program) {
  if (!signature_error_.empty()) {
    Outcome refused;
    refused.fault = plain_fault(FaultKind::ParseError, signature_error_);
    return refused;
  }
  begin_turn(std::move(program));
  return drive();
}

void Session::begin_turn(std::shared_ptr<const Program> program) {
  heap().release(result_);
  result_ = Value::nil();
  seen_prints_ = 0;
  now_.reset();
  if (!context_.is_nil()) run_->set_context(retained(context_));
  std::vector<Value> history;
  for (const Value v : history_) history.push_back(retained(v));
  run_->set_history(std::move(history));
  run_->start(std::move(program));
}

Outcome Session::drive() {
  Outcome outcome;
  const auto start = Clock::now();
  if (options_.timeout) deadline_ = start + *options_.timeout - std::chrono::microseconds(run_->active_micros());
  const auto finished = [&]() -> Outcome&& {
    outcome.micros = micros_since(start);
    run_->add_active_micros(outcome.micros);
    return std::move(outcome);
  };
  for (;;) {
    if (cancelled()) {
      run_->cancel(FaultKind::Cancelled, "the program was stopped");
    } else if (deadline_ && Clock::now() >= *deadline_) {
      run_->cancel(FaultKind::Timeout, "execution exceeded " + std::to_string(options_.timeout->count()) + "ms limit");
    }
    run_->set_clock(now_ ? *now_ : options_.fixed_clock_millis.value_or(system_millis()));
    const StepStatus status = run_->step(options_.slice_fuel);
    report_progress();
    if (status == StepStatus::Suspended) {
      if (auto complaint = snapshot_too_large()) {
        run_->cancel(FaultKind::SnapshotTooLarge, std::move(*complaint));
        continue;
      }
    }
    const bool goes_on = status == StepStatus::Yielded || status == StepStatus::NeedsTool;
    if ((goes_on || status == StepStatus::Suspended) && !visit_step_hook(outcome)) return finished();
    if (!goes_on) {
      finish(status, outcome);
      return finished();
    }
    if (status == StepStatus::NeedsTool) {
      serve_tools();
      if (!visit_step_hook(outcome)) return finished();
    }
  }
}

bool Session::visit_step_hook(Outcome& outcome) {
  if (!step_hook_) return true;
  auto complaint = step_hook_(*this);
  if (!complaint) return true;
  outcome.status = OutcomeStatus::Error;
  outcome.fault = plain_fault(FaultKind::SnapshotInvalid, std::move(*complaint));
  return false;
}

Outcome Session::suspended_outcome() {
  Outcome outcome;
  finish(StepStatus::Suspended, outcome);
  return outcome;
}

Outcome Session::resume(std::optional<std::int64_t> now_millis) {
  if (!run_->in_turn()) {
    Outcome refused;
    refused.fault = plain_fault(FaultKind::BadRequest, "no turn is suspended");
    return refused;
  }
  now_ = now_millis;
  return drive();
}

Outcome Session::resume(std::vector<Resolution> taken, std::optional<std::int64_t> now_millis) {
  if (auto refusal = resolve(std::move(taken))) {
    Outcome refused;
    refused.fault = plain_fault(refusal->kind, std::move(refusal->message));
    collect_pending(refused);
    return refused;
  }
  return resume(now_millis);
}

void Session::report_progress() {
  if (observer_ == nullptr) return;
  const Environment& records = run_->environment();
  for (; seen_prints_ < records.prints.size(); ++seen_prints_) observer_->on_print(records.prints[seen_prints_]);
  const auto& operations = records.operations.all();
  for (; seen_operations_ < operations.size(); ++seen_operations_) observer_->on_open(operations[seen_operations_]);
  for (const Journal::Change& change : run_->environment().journal.take_changes()) {
    const Owned value(heap(), change.value);
    if (change.kind == Journal::Change::Kind::Reset) {
      observer_->on_reset(change.id, change.reason);
      continue;
    }
    std::string text;
    const std::size_t most = observer_->wants_whole_values() ? SIZE_MAX : kMaxEventBytes;
    append_edn(text, value.get(), heap(), {most, nullptr});
    if (change.returned) {
      observer_->on_return(change.id, text);
    } else {
      observer_->on_commit(change.id, text);
    }
  }
}

void Session::set_observer(SessionObserver* observer) {
  observer_ = observer;
  run_->environment().journal.keep_changes(observer != nullptr);
}

void Session::finish(StepStatus status, Outcome& outcome) {
  if (status == StepStatus::Suspended) {
    outcome.status = OutcomeStatus::Suspended;
    outcome.next_deadline_ms = run_->next_deadline();
  } else if (status == StepStatus::Faulted) {
    outcome.status = OutcomeStatus::Error;
    outcome.fault = fault_of(run_->fault());
  } else {
    outcome.status = status == StepStatus::Completed  ? OutcomeStatus::Ok
                     : status == StepStatus::Returned ? OutcomeStatus::Return
                                                      : OutcomeStatus::Fail;
    collect_value(outcome);
  }
  collect_records(outcome);
  collect_pending(outcome);
}

void Session::collect_value(Outcome& outcome) {
  if (!definitions_fit()) {
    run_->revert();
    outcome.status = OutcomeStatus::Error;
    outcome.fault = plain_fault(FaultKind::MemoryLimitExceeded, "the definitions are too large to be written out",
                                "define a part of the data, or a summary");
    return;
  }
  if (!can_be_written(heap(), run_->result())) {
    run_->revert();
    outcome.status = OutcomeStatus::Error;
    outcome.fault = plain_fault(FaultKind::MemoryExceeded, "the result is too large to be written out",
                                "return a part of it, or its count");
    return;
  }
  if (signature_ && outcome.status != OutcomeStatus::Fail) {
    std::string path;
    if (const Value handle = find_pending(heap(), run_->result(), path); !handle.is_absent()) {
      outcome.status = OutcomeStatus::Error;
      outcome.fault = plain_fault(FaultKind::PendingInReturn,
                                  "the result" + (path.empty() ? path : " at " + path) + " is a pending operation (" +
                                      std::string(pending_id_of(handle)) + "); await it first");
      run_->revert();
      return;
    }
    const auto mismatches = check_type(heap(), signature_->result, run_->result(), "return");
    if (!mismatches.empty()) {
      outcome.status = OutcomeStatus::Error;
      run_->revert();
      outcome.fault = plain_fault(FaultKind::ValidationError, mismatch_text(mismatches),
                                  "the result must match " + render_type(signature_->result));
      return;
    }
  }
  result_ = retained(run_->result());
  if (outcome.status != OutcomeStatus::Fail) push_history(result_);
  if (options_.float_precision) result_ = round_result(heap(), result_, *options_.float_precision);
  outcome.value_edn = edn_of(heap(), result_);
}

void Session::push_history(Value borrowed) {
  history_.insert(history_.begin(), retained(borrowed));
  if (history_.size() > kHistorySize) {
    heap().release(history_.back());
    history_.pop_back();
  }
}

bool Session::definitions_fit() const {
  std::uint64_t size = 0;
  run_->for_each_definition([this, &size](std::string_view, Value value) {
    if (size < kMaxWrittenSize) size += written_size(run_->heap(), value, kMaxWrittenSize - size);
  });
  return size < kMaxWrittenSize;
}

void Session::collect_records(Outcome& outcome) {
  Environment& records = run_->environment();
  outcome.prints = records.prints;
  outcome.warnings = records.warnings;
  warn_of_large_commits(outcome);
  for (const StepSummary& step : records.summaries) outcome.summaries.emplace_back(step.id, step.summary);
  std::sort(outcome.summaries.begin(), outcome.summaries.end());
  RecordTexts texts(heap());
  for (const ToolRecord& record : run_->tool_records()) {
    ToolOutcome& call = outcome.tool_calls.emplace_back();
    call.name = record.tool;
    call.args_edn = texts.edn(record.args);
    call.cached = record.cached;
    call.failed = record.result.is_absent();
    if (call.failed) {
      call.error = record.error;
    } else {
      call.result_edn = texts.edn(record.result);
    }
  }
  outcome.fuel = run_->fuel_used();
  outcome.peak_bytes = heap().bytes_peak();
}

void Session::warn_of_large_commits(Outcome& outcome) {
  for (const Journal::Entry& entry : run_->environment().journal.entries()) {
    if (can_be_written(heap(), entry.value)) continue;
    outcome.warnings.push_back("task \"" + entry.id + "\": its value is too large to be written out");
  }
}

std::string Session::memory_edn() {
  std::string text = "{";
  run_->for_each_definition([&](std::string_view name, Value value) {
    if (text.size() > 1) text += ' ';
    append_edn(text, Value::of(heap().intern(name)), heap());
    text += ' ';
    append_edn(text, value, heap());
  });
  return text + '}';
}

std::optional<std::string> Session::journal_edn() {
  const Environment& records = run_->environment();
  if (!records.has_journal) return std::nullopt;
  std::string text = "{";
  for (const Journal::Entry& entry : records.journal.entries()) {
    if (!can_be_written(heap(), entry.value)) continue;
    if (text.size() > 1) text += ' ';
    append_quoted(text, entry.id);
    text += ' ';
    append_edn(text, entry.value, heap());
  }
  return text + '}';
}

}  // namespace ptc
