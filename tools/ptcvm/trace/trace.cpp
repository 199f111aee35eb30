#include "tools/ptcvm/trace/trace.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "tools/ptcvm/process/files.h"

namespace ptcvm::cli {
namespace {

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

Event made(EventKind kind) {
  Event event;
  event.kind = kind;
  return event;
}

// Says how a turn ended in the words of the command line: (fail …) and a fault are different there.
std::string_view status_of(RunState state, bool is_fault) {
  switch (state) {
    case RunState::Completed: return "ok";
    case RunState::Returned: return "return";
    case RunState::Failed: return is_fault ? "error" : "fail";
    case RunState::Suspended:
    case RunState::Yielded: return "suspended";
  }
  return "";
}

std::optional<RunState> state_of(std::string_view name) {
  for (const RunState state : {RunState::Completed, RunState::Returned, RunState::Failed}) {
    if (name == run_state_name(state)) return state;
  }
  return std::nullopt;
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

void TraceFile::put(std::string_view line) {
  std::fwrite(line.data(), 1, line.size(), file_);
  std::fflush(file_);
}

void TraceFile::release() {
  is_held_ = false;
  put(std::exchange(held_, {}));
}

// Lines of files have no turn: a file is about one turn, or says where each begins.
void TraceFile::write(Event event) {
  if (const auto before = std::exchange(expected_, std::nullopt)) {
    Event first = made(before->kind);
    first.name = before->name;
    first.unix_micros = before->unix_micros;
    write(first);
  }
  event.sequence = ++last_seq_;
  event.run_id = run_;
  event.turn = 0;
  if (event.unix_micros == 0) event.unix_micros = now();
  const std::string line = event_json(event) + '\n';
  if (is_held_) {
    held_ += line;
  } else {
    put(line);
  }
}

void TraceFile::start(std::string_view source_name) {
  Event begin = made(EventKind::RunStart);
  begin.name = source_name;
  write(begin);
}

void TraceFile::expect_start(std::string_view source_name) {
  expected_ = {EventKind::RunStart, now(), std::string(source_name)};
}
void TraceFile::expect_resume() { expected_ = {EventKind::Resume, now(), {}}; }

// Writes both lines of a call when the call is over.
void TraceFile::call(Event end) {
  end.unix_micros = now();
  Event begin = made(EventKind::ToolStart);
  begin.name = end.name;
  begin.id = end.id;
  begin.task = end.task;
  begin.path = end.path;
  begin.args = end.args;
  begin.unix_micros = std::max<std::int64_t>(1, end.unix_micros - static_cast<std::int64_t>(end.micros));
  write(begin);
  write(end);
}

void TraceFile::over(Event end) {
  const std::optional<RunState> state = state_of(end.status);
  if (state) end.status = status_of(*state, is_fault_);
  is_over_ = true;
  write(end);
}

void TraceFile::event(const Event& event) {
  Event line = event;
  line.unix_micros = 0;
  switch (event.kind) {
    case EventKind::Limit:
    case EventKind::Fault:
      is_fault_ = true;
      return write(line);
    case EventKind::RunEnd: return over(line);
    case EventKind::Print:
    case EventKind::Warning: return write(line);
    default: break;
  }
  line.line = line.column = 0;       // places are of faults
  switch (event.kind) {
    case EventKind::ToolEnd: return call(line);
    case EventKind::Open:
      line.args = {};                // the call has them
      return write(line);
    case EventKind::Resolve:
      line.value = {};               // the program shows it when it awaits the operation; the call has the task
      line.task = {};
      return write(line);
    case EventKind::Progress:
      if (!event.operation.empty()) return;    // what a handle shows meanwhile is no line
      return write(line);
    case EventKind::Commit:
    case EventKind::Reset:
    case EventKind::Retry: return write(line);
    default: return;                 // the command tells where a turn begins and waits
  }
}

void TraceFile::end(const Outcome& outcome, ValueView value) {
  if (std::exchange(is_over_, false)) return;
  for (const std::string& text : outcome.warnings) warn(text);
  if (outcome.diagnostic) {
    const Diagnostic& fault = *outcome.diagnostic;
    Event line = made(fault.is_limit ? EventKind::Limit : EventKind::Fault);
    line.name = fault.kind;
    line.text = fault.message;
    line.line = fault.line;
    line.column = fault.column;
    const std::string stack = call_line(fault.stack);
    line.stack = stack;
    line.found = fault.found;
    write(line);
  }
  Event line = made(EventKind::RunEnd);
  line.status = status_of(outcome.state, outcome.diagnostic.has_value());
  line.value = outcome.diagnostic ? ValueView() : value;
  line.micros = outcome.usage.active_micros;
  line.fuel = outcome.usage.fuel;
  line.bytes = outcome.usage.peak_bytes;
  write(line);
}

void TraceFile::suspend(const Outcome& outcome, std::string_view waits_for) {
  for (const std::string& text : outcome.warnings) warn(text);
  Event line = made(EventKind::Suspend);
  line.status = status_of(RunState::Suspended, false);
  line.text = waits_for;
  line.micros = outcome.usage.active_micros;
  line.fuel = outcome.usage.fuel;
  line.bytes = outcome.usage.peak_bytes;
  write(line);
}

void TraceFile::wait_for(std::string_view status, std::string_view what) {
  Event line = made(EventKind::Suspend);
  line.status = status;
  line.text = what;
  write(line);
}

void TraceFile::warn(std::string_view text) {
  Event line = made(EventKind::Warning);
  line.text = text;
  write(line);
}

Verdict RunReporter::on_event(const Event& event) {
  if (event.kind == EventKind::Print) {
    unwritten_.append(event.text).push_back('\n');
    if (unwritten_.size() >= kMostUnwritten) write_prints();
  } else {
    write_prints();
  }
  if (trace_ != nullptr) trace_->event(event);
  return Verdict::Continue;
}

void RunReporter::write_prints() {
  if (unwritten_.empty()) return;
  std::fwrite(unwritten_.data(), 1, unwritten_.size(), prints_);
  std::fflush(prints_);
  unwritten_.clear();
}

}  // namespace ptcvm::cli
