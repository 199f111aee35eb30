#include "tools/ptcvm/trace.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "schema/fault_kind.h"
#include "tools/ptcvm/files.h"
#include "vm/value/print.h"

namespace ptcvm::cli {
namespace {

using ptc::TraceEvent;
using ptc::TraceKind;

// Cuts a line that a killed process left half written. Returns false when the file cannot be read.
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

constexpr std::size_t kMaxValueBytes = 1u << 20;   // of a value in a line

std::string edn_text(const ptc::KeptValue& value) {
  std::string text;
  if (value) ptc::append_edn(text, value.get(), value.heap(), {kMaxValueBytes, nullptr});
  return text;
}

std::string in_quotes(std::string_view text) {
  std::string out;
  ptc::append_quoted(out, text);
  return out;
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

TraceEvent TraceFile::call_event(TraceKind kind, const ptc::OutboxItem& item) const {
  TraceEvent made = event(kind);
  made.name = item.name;
  made.id = 'c' + std::to_string(item.call);
  made.task = item.task;
  made.path = item.path;
  return made;
}

// Writes both lines of a call when the call is over.
void TraceFile::call(const ptc::OutboxItem& item) {
  TraceEvent end = call_event(TraceKind::ToolEnd, item);
  TraceEvent start = end;
  start.kind = TraceKind::ToolStart;
  start.t = std::max<std::int64_t>(0, end.t - static_cast<std::int64_t>(item.micros));
  start.args = edn_text(item.args);
  write(std::move(start));
  end.operation = item.operation;
  if (!item.error.empty()) {
    end.error = item.error;
  } else if (!item.operation.empty()) {
    end.value = "(pending " + in_quotes(item.operation) + ')';
  } else {
    end.value = edn_text(item.value);
  }
  end.cached = item.cached;
  end.micros = item.micros;
  write(std::move(end));
}

void TraceFile::item(const ptc::OutboxItem& item) {
  using Kind = ptc::OutboxItem::Kind;
  switch (item.kind) {
    case Kind::Printed: return print(item.text);
    case Kind::Answered: return call(item);
    case Kind::Retried: {
      TraceEvent made = call_event(TraceKind::Retry, item);
      made.error = item.error;
      made.attempt = item.attempt;
      made.micros = static_cast<std::uint64_t>(item.pause_ms) * 1000;
      return write(std::move(made));
    }
    case Kind::StepDone: {
      TraceEvent made = event(TraceKind::Progress);
      made.name = item.id;
      made.text = item.text;
      return write(std::move(made));
    }
    case Kind::Committed: {
      TraceEvent made = event(TraceKind::Commit);
      made.task = item.id;
      made.value = edn_text(item.value);
      return write(std::move(made));
    }
    case Kind::Reset: {
      TraceEvent made = event(TraceKind::Reset);
      made.task = item.id;
      if (!item.text.empty()) made.text = item.text;
      return write(std::move(made));
    }
    case Kind::Opened:
    case Kind::Resolved: return operation(item);
    case Kind::Began:
    case Kind::Called:
    case Kind::Judged:
    case Kind::Stepped: return;
  }
}

// What a handle shows meanwhile is no line of a trace.
void TraceFile::operation(const ptc::OutboxItem& item) {
  const bool is_opened = item.kind == ptc::OutboxItem::Kind::Opened;
  TraceEvent made = event(is_opened ? TraceKind::Open : TraceKind::Resolve);
  made.id = item.id;
  made.name = item.name;
  if (is_opened) {
    made.task = item.task;
    made.path = item.path;
  } else {
    made.status = item.status;
    if (!item.error.empty()) made.error = item.error;
  }
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

void RunReporter::read(ptc::OutboxItem item) {
  if (item.kind == ptc::OutboxItem::Kind::Printed) {
    std::fwrite(item.text.data(), 1, item.text.size(), prints_);
    std::fputc('\n', prints_);
    std::fflush(prints_);
  }
  if (trace_ != nullptr) trace_->item(item);
}

}  // namespace ptcvm::cli
