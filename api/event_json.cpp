// Events as lines of a trace: the same face that `ptcvm trace` reads.
#include "api/value_access.h"
#include "ptcvm/convert.hpp"
#include "ptcvm/event.hpp"
#include "runtime/trace/trace_event.h"
#include "vm/value/print.h"

namespace ptcvm {
namespace {

template <class T>
std::optional<T> unless(bool is_absent, T value) {
  if (is_absent) return std::nullopt;
  return value;
}

bool has_duration(EventKind kind) {
  return kind == EventKind::ToolEnd || kind == EventKind::Retry || kind == EventKind::RunEnd;
}

bool has_text(const Event& event) {
  switch (event.kind) {
    case EventKind::Progress: return event.operation.empty();
    case EventKind::Print:
    case EventKind::Warning:
    case EventKind::Ask:
    case EventKind::Limit: return true;
    default: return false;
  }
}

bool has_value(const Event& event) {
  switch (event.kind) {
    case EventKind::Commit: return true;
    case EventKind::ToolEnd: return event.error.empty() && event.operation.empty();
    case EventKind::Resolve: return event.status == "ok" && !event.value.is_nil();
    case EventKind::Progress: return !event.operation.empty();
    case EventKind::RunEnd: return event.status != "error";
    default: return false;
  }
}

constexpr std::size_t kMostValueBytes = 1u << 20;   // the most of a value that a line has

std::string edn_text(ValueView value) {
  std::string text;
  ptc::Heap* const heap = ValueAccess::heap(value);
  if (heap == nullptr) return value.to_edn();
  ptc::append_edn(text, ValueAccess::word(value), *heap, {kMostValueBytes, nullptr});
  return text;
}

// Returns the text of the handle that a call gives which started an operation.
std::string handle_edn(std::string_view operation) {
  return "(pending " + Value::of(std::string(operation)).to_edn() + ')';
}

}  // namespace

std::string event_json(const Event& in) {
  ptc::TraceEvent out;
  out.kind = ptc::trace_kind_of(event_name(in.kind));
  out.seq = in.sequence;
  out.t = in.unix_micros;
  out.run = in.run_id;
  out.turn = in.turn;
  out.name = in.name;
  const bool is_operation = in.kind == EventKind::Open || in.kind == EventKind::Resolve ||
                            (in.kind == EventKind::Progress && !in.operation.empty());
  out.id = is_operation ? in.operation : in.id;
  if (!is_operation) out.operation = in.operation;
  out.task = in.task;
  out.path = in.path;
  out.status = in.status;
  if (in.kind == EventKind::Fault) {
    out.fault = in.name;
    out.name.clear();
    out.error = std::string(in.text);
  } else {
    out.text = unless(in.text.empty() && !has_text(in), std::string(in.text));
    out.error = unless(in.error.empty(), std::string(in.error));
  }
  if (in.kind == EventKind::ToolStart || (in.kind == EventKind::Open && !in.args.is_nil())) {
    out.args = edn_text(in.args);
  }
  if (has_value(in)) out.value = edn_text(in.value);
  if (in.kind == EventKind::ToolEnd && in.error.empty() && !in.operation.empty()) out.value = handle_edn(in.operation);
  out.stack = unless(in.stack.empty(), std::string(in.stack));
  out.found = unless(in.found.empty(), std::string(in.found));
  out.line = unless<std::uint64_t>(in.line == 0, in.line);
  out.column = unless<std::uint64_t>(in.line == 0, in.column);
  out.attempt = unless<std::uint64_t>(in.attempt == 0, in.attempt);
  out.micros = unless(!has_duration(in.kind) && in.micros == 0, in.micros);
  const bool is_end = in.kind == EventKind::RunEnd;
  out.fuel = unless(!is_end && in.fuel == 0, in.fuel);
  out.bytes = unless(!is_end && in.bytes == 0, in.bytes);
  out.cached = unless(in.kind != EventKind::ToolEnd, in.cached);
  std::string line;
  ptc::append_trace_line(line, out);
  if (!line.empty() && line.back() == '\n') line.pop_back();
  return line;
}

}  // namespace ptcvm
