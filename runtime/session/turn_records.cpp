#include "runtime/session/turn_records.h"

#include <algorithm>
#include <map>

#include "runtime/session/record_texts.h"
#include "runtime/text/written_size.h"

namespace ptc {

void TurnRecords::skip_all() {
  const Environment& records = run_.environment();
  seen_prints_ = records.prints.size();
  seen_summaries_ = records.summaries.size();
  seen_operations_ = records.operations.all().size();
}

void TurnRecords::tell_opened(std::size_t until) {
  const auto& operations = run_.operations().all();
  for (; seen_operations_ < until; ++seen_operations_) outbox_.opened(operations[seen_operations_], run_.heap());
}

void TurnRecords::tell_reader() {
  if (!outbox_.is_read()) return;
  Environment& records = run_.environment();
  for (; seen_prints_ < records.prints.size(); ++seen_prints_) outbox_.printed(records.prints[seen_prints_]);
  for (; seen_summaries_ < records.summaries.size(); ++seen_summaries_) {
    const StepSummary& step = records.summaries[seen_summaries_];
    outbox_.step_done(step.id, step.summary);
  }
  for (const Journal::Change& change : records.journal.take_changes()) {
    const Owned value(run_.heap(), change.value);
    tell_opened(change.operations);
    if (change.kind == Journal::Change::Kind::Reset) {
      outbox_.reset(change.id, change.reason);
    } else {
      outbox_.committed(change.id, run_.heap(), value.get(), change.returned);
    }
  }
  tell_opened(run_.operations().all().size());
}

void TurnRecords::add_to(Outcome& outcome, CallTexts texts) const {
  outcome.prints = prints();
  outcome.warnings = warnings();
  for (const StepSummary& step : summaries()) outcome.summaries.emplace_back(step.id, step.summary);
  std::sort(outcome.summaries.begin(), outcome.summaries.end());
  if (texts == CallTexts::Yes) outcome.tool_calls = tool_calls();
  outcome.tool_call_count = run_.tool_records().size();
  outcome.fuel = run_.fuel_used();
  outcome.peak_bytes = run_.heap().bytes_peak();
}

std::vector<ToolOutcome> TurnRecords::tool_calls() const {
  std::vector<ToolOutcome> all;
  RecordTexts texts(run_.heap());
  for (const ToolRecord& record : run_.tool_records()) {
    ToolOutcome& call = all.emplace_back();
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
  return all;
}

std::vector<std::string> TurnRecords::warnings() const {
  std::vector<std::string> all = run_.environment().warnings;
  const Journal& journal = run_.environment().journal;
  if (journal.can_be_written()) return all;   // the rule has looked at each value when its task ended
  for (const Journal::Entry& entry : journal.entries()) {
    if (can_be_written(entry.value)) continue;
    all.push_back("task \"" + entry.id + "\": its value is too large to be written out");
  }
  return all;
}

void TurnRecords::add_operations(Outcome& outcome) {
  outcome.cancelled = run_.take_cancel_requests();
  outcome.pending = pending();
}

std::vector<PendingOutcome> TurnRecords::pending() const {
  std::vector<PendingOutcome> all;
  if (run_.operations().waiting_count() == 0) return all;
  std::map<std::string_view, std::int64_t> awaited;
  for (const AwaitedOperation& operation : run_.awaited()) awaited.emplace(operation.id, operation.deadline_ms);
  RecordTexts texts(run_.heap());
  for (const Operation& operation : run_.operations().all()) {
    if (operation.status != Operation::Status::Waiting) continue;
    PendingOutcome& out = all.emplace_back();
    out.operation = operation.id;
    out.tool = operation.tool;
    out.args_edn = texts.edn(operation.args);
    out.args_json = texts.json(operation.args);
    out.immediate_edn = texts.edn(operation.immediate);
    out.since_ms = operation.created_ms;
    const auto at = awaited.find(operation.id);
    out.awaited = at != awaited.end();
    if (out.awaited) out.deadline_ms = at->second;
    if (operation.kind == Operation::Kind::Sleep) out.deadline_ms = operation.due_ms;
  }
  return all;
}

}  // namespace ptc
