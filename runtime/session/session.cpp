// A session between its turns, and what a turn leaves behind. Driving a turn is in session_turn.cpp.
#include "runtime/session/session.h"

#include <algorithm>

#include "runtime/session/record_texts.h"
#include "runtime/text/result_rounding.h"
#include "vm/value/map.h"
#include "vm/value/print.h"
#include "vm/value/string.h"

namespace ptc {
namespace {

constexpr std::size_t kHistorySize = 3;

}  // namespace

Session::Session(const Engine& engine, SessionOptions options)
    : engine_(engine), options_(std::move(options)), run_(options_.limits, engine.memory()) {
  run_.set_identity(options_.run_id, options_.turns_before);
  run_.set_yields_at_commits(options_.yields_at_commits);
  run_.operations().last_fresh_id = options_.operations_before;
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
  calls_.forget();
  own.release(context_);
  own.release(result_);
  context_ = result_ = Value::nil();
  for (const Value v : history_) own.release(v);
  history_.clear();
}

std::vector<std::string_view> Session::definition_names() const {
  std::vector<std::string_view> names;
  run_.for_each_definition([&names](std::string_view name, Value) { names.push_back(name); });
  return names;
}

CompileAnswer Session::compile(std::string_view source) const {
  const std::vector<std::string_view> memory = definition_names();
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
  return engine_.compile(request);
}

void Session::report_progress() {
  if (!outbox_.is_read()) return;
  const Environment& records = run_.environment();
  for (; seen_prints_ < records.prints.size(); ++seen_prints_) outbox_.printed(records.prints[seen_prints_]);
  const auto report_operations = [&](std::size_t until) {
    const auto& operations = records.operations.all();
    for (; seen_operations_ < until; ++seen_operations_) outbox_.opened(operations[seen_operations_], heap());
  };
  const std::vector<StepSummary>& summaries = records.summaries;
  for (; seen_summaries_ < summaries.size(); ++seen_summaries_) {
    outbox_.step_done(summaries[seen_summaries_].id, summaries[seen_summaries_].summary);
  }
  for (const Journal::Change& change : run_.environment().journal.take_changes()) {
    const Owned value(heap(), change.value);
    report_operations(change.operations);
    if (change.kind == Journal::Change::Kind::Reset) {
      outbox_.reset(change.id, change.reason);
    } else {
      outbox_.committed(change.id, heap(), value.get(), change.returned);
    }
  }
  report_operations(records.operations.all().size());
}

void Session::set_reader(OutboxReader* reader) {
  outbox_.set_reader(reader);
  run_.environment().journal.keep_changes(reader != nullptr);
}

void Session::push_history(Value borrowed) {
  history_.insert(history_.begin(), retained(borrowed));
  if (history_.size() > kHistorySize) {
    heap().release(history_.back());
    history_.pop_back();
  }
}

bool Session::definitions_fit() {
  std::uint64_t size = 0;
  run_.for_each_definition([this, &size](std::string_view, Value value) {
    if (size < kMaxWrittenSize) size += written_size(run_.heap(), value, kMaxWrittenSize - size);
  });
  return size < kMaxWrittenSize;
}

void Session::collect_records(Outcome& outcome) {
  Environment& records = run_.environment();
  outcome.prints = records.prints;
  outcome.warnings = warnings();
  for (const StepSummary& step : records.summaries) outcome.summaries.emplace_back(step.id, step.summary);
  std::sort(outcome.summaries.begin(), outcome.summaries.end());
  RecordTexts texts(heap());
  for (const ToolRecord& record : run_.tool_records()) {
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
  outcome.fuel = run_.fuel_used();
  outcome.peak_bytes = heap().bytes_peak();
}

std::vector<std::string> Session::warnings() {
  std::vector<std::string> out = run_.environment().warnings;
  for (const Journal::Entry& entry : run_.environment().journal.entries()) {
    if (can_be_written(heap(), entry.value)) continue;
    out.push_back("task \"" + entry.id + "\": its value is too large to be written out");
  }
  return out;
}

std::string Session::memory_edn() {
  std::string text = "{";
  run_.for_each_definition([&](std::string_view name, Value value) {
    if (text.size() > 1) text += ' ';
    append_edn(text, Value::of(heap().intern(name)), heap());
    text += ' ';
    append_edn(text, value, heap());
  });
  return text + '}';
}

std::optional<std::string> Session::journal_edn() {
  const Environment& records = run_.environment();
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
