// Events as lines of a trace: the same face that `ptcvm trace` reads.
#include "ptcvm/event.hpp"
#include "runtime/trace/trace_event.h"

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

bool has_text(EventKind kind) {
  switch (kind) {
    case EventKind::Print:
    case EventKind::Warning:
    case EventKind::Ask:
    case EventKind::Reset:
    case EventKind::Limit: return true;
    default: return false;
  }
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
  out.status = in.status;
  if (in.kind == EventKind::Fault) {
    out.fault = in.name;
    out.name.clear();
    out.error = std::string(in.text);
  } else {
    out.text = unless(in.text.empty() && !has_text(in.kind), std::string(in.text));
    out.error = unless(in.error.empty(), std::string(in.error));
  }
  const bool has_args = in.kind == EventKind::ToolStart || in.kind == EventKind::Open;
  if (has_args) out.args = in.args.to_edn();
  const bool has_value = in.kind == EventKind::Commit || in.kind == EventKind::RunEnd ||
                         (in.kind == EventKind::ToolEnd && in.error.empty() && in.operation.empty()) ||
                         (in.kind == EventKind::Resolve && in.status == "ok") ||
                         (in.kind == EventKind::Progress && is_operation);
  if (has_value) out.value = in.value.to_edn();
  out.line = unless<std::uint64_t>(in.line == 0, in.line);
  out.column = unless<std::uint64_t>(in.line == 0, in.column);
  out.attempt = unless<std::uint64_t>(in.attempt == 0, in.attempt);
  out.micros = unless(!has_duration(in.kind), in.micros);
  const bool is_end = in.kind == EventKind::RunEnd;
  out.fuel = unless(!is_end && in.fuel == 0, in.fuel);
  out.bytes = unless(!is_end, in.bytes);
  out.cached = unless(in.kind != EventKind::ToolEnd, in.cached);
  std::string line;
  ptc::append_trace_line(line, out);
  if (!line.empty() && line.back() == '\n') line.pop_back();
  return line;
}

}  // namespace ptcvm
