#include "tools/ptcvm/trace.h"

#include <cerrno>
#include <cstring>

#include "runtime/json_text.h"

namespace ptcvm {
namespace {

void append_field(std::string& line, std::string_view name, std::string_view text) {
  line += ",\"";
  line += name;
  line += "\":";
  ptc::append_json_string(line, text);
}

void append_number(std::string& line, std::string_view name, std::uint64_t number) {
  line += ",\"";
  line += name;
  line += "\":" + std::to_string(number);
}

}  // namespace

std::unique_ptr<TraceFile> TraceFile::open(const std::string& path, std::string& message) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) {
    message = "cannot write " + path + ": " + std::strerror(errno);
    return nullptr;
  }
  return std::unique_ptr<TraceFile>(new TraceFile(file));
}

TraceFile::~TraceFile() { std::fclose(file_); }

std::string TraceFile::begin_event(std::string_view name) const {
  const auto micros =
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start_).count();
  std::string fraction = std::to_string(micros % 1000);
  fraction.insert(0, 3 - fraction.size(), '0');
  std::string line = "{\"ms\":" + std::to_string(micros / 1000) + '.' + fraction;
  append_field(line, "event", name);
  return line;
}

void TraceFile::write(std::string line) {
  line += "}\n";
  std::fwrite(line.data(), 1, line.size(), file_);
  std::fflush(file_);
}

void TraceFile::start(std::string_view source_name) {
  start_ = std::chrono::steady_clock::now();
  std::string line = begin_event("start");
  append_field(line, "program", source_name);
  write(std::move(line));
}

void TraceFile::print(std::string_view text) {
  std::string line = begin_event("print");
  append_field(line, "text", text);
  write(std::move(line));
}

void TraceFile::tool(const ptc::ToolOutcome& call) {
  std::string line = begin_event("tool");
  append_field(line, "name", call.name);
  append_field(line, "args", call.args_edn);
  append_field(line, call.failed ? "error" : "result", call.failed ? call.error : call.result_edn);
  line += call.cached ? ",\"cached\":true" : ",\"cached\":false";
  append_number(line, "micros", call.micros);
  write(std::move(line));
}

void TraceFile::commit(std::string_view task_id, std::string_view value_edn) {
  std::string line = begin_event("commit");
  append_field(line, "task", task_id);
  append_field(line, "value", value_edn);
  write(std::move(line));
}

void TraceFile::open(const ptc::Operation& operation) {
  std::string line = begin_event("open");
  append_field(line, "op", operation.id);
  append_field(line, "tool", operation.tool);
  append_field(line, "task", operation.task_id);
  append_field(line, "path", operation.call_path);
  write(std::move(line));
}

void TraceFile::resolve(const ptc::Operation& operation) {
  std::string line = begin_event("resolve");
  append_field(line, "op", operation.id);
  append_field(line, "status", ptc::operation_status_name(operation.status));
  write(std::move(line));
}

void TraceFile::end(const ptc::Outcome& outcome) {
  std::string line = begin_event("end");
  append_field(line, "status", ptc::outcome_status_name(outcome.status));
  if (outcome.status == ptc::OutcomeStatus::Error) {
    append_field(line, "kind", ptc::fault_name(outcome.fault.kind));
    append_field(line, "message", outcome.fault.message);
    append_number(line, "line", outcome.fault.span.line);
    append_number(line, "column", outcome.fault.span.column);
  } else if (outcome.status != ptc::OutcomeStatus::Suspended) {
    append_field(line, "value", outcome.value_edn);
  }
  append_number(line, "fuel", outcome.fuel);
  append_number(line, "micros", outcome.micros);
  append_number(line, "peak_bytes", outcome.peak_bytes);
  write(std::move(line));
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

void RunReporter::on_commit(std::string_view task_id, std::string_view value_edn) {
  if (trace_ != nullptr) trace_->commit(task_id, value_edn);
}

void RunReporter::on_open(const ptc::Operation& operation) {
  if (trace_ != nullptr) trace_->open(operation);
}

void RunReporter::on_resolve(const ptc::Operation& operation) {
  if (trace_ != nullptr) trace_->resolve(operation);
}

}  // namespace ptcvm
