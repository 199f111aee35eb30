#include "tools/ptcvm/trace.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "schema/fault_kind.h"
#include "tools/ptcvm/files.h"

namespace ptcvm::cli {
namespace {

using ptc::TraceEvent;
using ptc::TraceKind;

// A line that a killed process left half written would run into the next one. False: the file cannot be read.
bool cut_last_line(const std::string& path, std::string& message) {
  struct stat info = {};
  if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return true;
  const auto text = read_file(path, message);
  if (!text) return false;
  const std::size_t whole = text->rfind('\n') + 1;      // npos + 1: none is whole
  if (whole == text->size() || truncate(path.c_str(), static_cast<off_t>(whole)) == 0) return true;
  message = "cannot write " + path + ": " + std::strerror(errno);
  return false;
}

}  // namespace

std::unique_ptr<TraceFile> TraceFile::open(const std::string& path, Mode mode, std::string run, std::string& message) {
  if (mode == Mode::GoOn && !cut_last_line(path, message)) return nullptr;
  std::FILE* file = std::fopen(path.c_str(), mode == Mode::GoOn ? "ab" : "wb");
  if (file == nullptr) {
    message = "cannot write " + path + ": " + std::strerror(errno);
    return nullptr;
  }
  return std::unique_ptr<TraceFile>(new TraceFile(file, std::move(run)));
}

TraceFile::~TraceFile() { std::fclose(file_); }

std::int64_t TraceFile::now() const {
  const auto then = opened_.time_since_epoch() + (std::chrono::steady_clock::now() - start_);
  return std::chrono::duration_cast<std::chrono::microseconds>(then).count();
}

TraceEvent TraceFile::event(TraceKind kind) const {
  TraceEvent made;
  made.kind = kind;
  made.t = now();
  made.run = run_;
  return made;
}

void TraceFile::write(TraceEvent event) {
  if (auto before = std::exchange(expected_, std::nullopt)) write(std::move(*before));
  event.seq = ++last_seq_;
  std::string line;
  ptc::append_trace_line(line, event);
  std::fwrite(line.data(), 1, line.size(), file_);
  std::fflush(file_);
}

void TraceFile::start(std::string_view source_name) {
  expect_start(source_name);
  write(*std::exchange(expected_, std::nullopt));
}

void TraceFile::expect_start(std::string_view source_name) {
  expected_ = event(TraceKind::RunStart);
  expected_->name = source_name;
}

void TraceFile::expect_resume() { expected_ = event(TraceKind::Resume); }

void TraceFile::print(std::string_view text) {
  TraceEvent made = event(TraceKind::Print);
  made.text = text;
  write(std::move(made));
}

TraceEvent TraceFile::call_event(TraceKind kind, const ptc::ToolNotice& notice) const {
  TraceEvent made = event(kind);
  made.name = notice.request.tool;
  made.id = 'c' + std::to_string(notice.request.id);
  made.task = notice.request.task_id;
  made.path = notice.request.call_path;
  return made;
}

void TraceFile::expect_call(const ptc::ToolNotice& notice) {
  call_ = call_event(TraceKind::ToolEnd, notice);
  call_->operation = notice.operation;
}

// The session tells of a call in texts when it is over.
void TraceFile::tool(const ptc::ToolOutcome& call) {
  TraceEvent end = call_ ? *std::exchange(call_, std::nullopt) : event(TraceKind::ToolEnd);
  end.name = call.name;
  TraceEvent start = end;
  start.kind = TraceKind::ToolStart;
  start.t = std::max<std::int64_t>(0, end.t - static_cast<std::int64_t>(call.micros));
  start.operation.clear();
  start.args = call.args_edn;
  write(std::move(start));
  (call.failed ? end.error : end.value) = call.failed ? call.error : call.result_edn;
  end.cached = call.cached;
  end.micros = call.micros;
  write(std::move(end));
}

void TraceFile::retry(const ptc::ToolNotice& notice, std::uint64_t attempt, std::int64_t pause_ms) {
  TraceEvent made = call_event(TraceKind::Retry, notice);
  made.error = notice.error;
  made.attempt = attempt;
  made.micros = static_cast<std::uint64_t>(pause_ms) * 1000;
  write(std::move(made));
}

void TraceFile::progress(const ptc::StepSummary& step) {
  TraceEvent made = event(TraceKind::Progress);
  made.name = step.id;
  made.text = step.summary;
  write(std::move(made));
}

void TraceFile::commit(std::string_view task_id, std::string_view value_edn) {
  TraceEvent made = event(TraceKind::Commit);
  made.task = task_id;
  made.value = value_edn;
  write(std::move(made));
}

void TraceFile::reset(std::string_view task_id, std::string_view reason) {
  TraceEvent made = event(TraceKind::Reset);
  made.task = task_id;
  if (!reason.empty()) made.text = reason;
  write(std::move(made));
}

void TraceFile::open(const ptc::Operation& operation) {
  TraceEvent made = event(TraceKind::Open);
  made.id = operation.id;
  made.name = operation.tool;
  made.task = operation.task_id;
  made.path = operation.call_path;
  write(std::move(made));
}

void TraceFile::resolve(const ptc::Operation& operation) {
  TraceEvent made = event(TraceKind::Resolve);
  made.id = operation.id;
  made.name = operation.tool;
  made.status = ptc::operation_status_name(operation.status);
  if (!operation.reason.empty()) made.error = operation.reason;
  write(std::move(made));
}

void TraceFile::fault(const ptc::OutcomeFault& fault) {
  const bool is_limit = ptc::fault_info(fault.kind).phase == ptc::FaultPhase::Limit;
  TraceEvent made = event(is_limit ? TraceKind::Limit : TraceKind::Fault);
  (is_limit ? made.name : made.fault) = ptc::fault_name(fault.kind);
  (is_limit ? made.text : made.error) = fault.message;
  if (fault.span.line != 0) made.line = fault.span.line;
  if (fault.span.line != 0) made.column = fault.span.column;
  write(std::move(made));
}

void TraceFile::end(const ptc::Outcome& outcome) {
  for (const std::string& text : outcome.warnings) warn(text);
  if (outcome.status == ptc::OutcomeStatus::Error) fault(outcome.fault);
  const bool waits = outcome.status == ptc::OutcomeStatus::Suspended;
  TraceEvent made = event(waits ? TraceKind::Suspend : TraceKind::RunEnd);
  made.status = ptc::outcome_status_name(outcome.status);
  if (waits) {
    std::string& text = made.text.emplace();
    for (const ptc::PendingOutcome& operation : outcome.pending) {
      text += (text.empty() ? "" : " ") + operation.operation;
    }
  } else if (outcome.status != ptc::OutcomeStatus::Error) {
    made.value = outcome.value_edn;
  }
  made.fuel = outcome.fuel;
  made.micros = outcome.micros;
  made.bytes = outcome.peak_bytes;
  write(std::move(made));
}

void TraceFile::wait_for(std::string_view status, std::string_view what) {
  TraceEvent made = event(TraceKind::Suspend);
  made.status = status;
  made.text = what;
  write(std::move(made));
}

void TraceFile::warn(std::string_view text) {
  TraceEvent made = event(TraceKind::Warning);
  made.text = text;
  write(std::move(made));
}

void RunReporter::on_print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), prints_);
  std::fputc('\n', prints_);
  std::fflush(prints_);
  if (trace_ != nullptr) trace_->print(text);
}

void RunReporter::on_tool(const ptc::ToolOutcome& call) {
  if (trace_ != nullptr) trace_->tool(call);
}

void RunReporter::on_tool_end(const ptc::ToolNotice& notice) {
  if (trace_ != nullptr) trace_->expect_call(notice);
}

void RunReporter::on_retry(const ptc::ToolNotice& notice, std::uint64_t attempt, std::int64_t pause_ms) {
  if (trace_ != nullptr) trace_->retry(notice, attempt, pause_ms);
}

void RunReporter::on_summary(const ptc::StepSummary& step) {
  if (trace_ != nullptr) trace_->progress(step);
}

void RunReporter::on_commit(std::string_view task_id, std::string_view value_edn) {
  if (trace_ != nullptr) trace_->commit(task_id, value_edn);
}

void RunReporter::on_reset(std::string_view task_id, std::string_view reason) {
  if (trace_ != nullptr) trace_->reset(task_id, reason);
}

void RunReporter::on_open(const ptc::Operation& operation) {
  if (trace_ != nullptr) trace_->open(operation);
}

void RunReporter::on_resolve(const ptc::Operation& operation) {
  if (trace_ != nullptr) trace_->resolve(operation);
}

}  // namespace ptcvm::cli
