#include "runtime/trace/otlp_trace.h"

#include "runtime/text/json_text.h"
#include "runtime/trace/trace_ids.h"
#include "schema/version.h"

namespace ptc {
namespace {

constexpr std::uint64_t kInternal = 1, kClient = 3;       // SpanKind of OTLP
constexpr std::uint64_t kStatusOk = 1, kStatusError = 2;  // StatusCode

void append_nanos(std::string& out, std::string_view name, std::int64_t micros) {
  append_json_member(out, name, std::to_string(micros) + (micros == 0 ? "" : "000"));
}

// The list "attributes"; opened by the constructor, closed by close().
class Attributes {
 public:
  explicit Attributes(std::string& out) : out_(out) {
    append_json_name(out_, "attributes");
    out_ += '[';
  }
  void text(std::string_view key, std::string_view value) {
    begin(key);
    append_json_member(out_, "stringValue", value);
    out_ += "}}";
  }
  void text(std::string_view key, const std::optional<std::string>& value) {
    if (value) text(key, std::string_view(*value));
  }
  void name(std::string_view key, const std::string& value) {
    if (!value.empty()) text(key, std::string_view(value));
  }
  // 64 bits, signed: what is larger is cut.
  void number(std::string_view key, const std::optional<std::uint64_t>& value) {
    if (!value) return;
    begin(key);
    append_json_member(out_, "intValue", std::to_string(std::min<std::uint64_t>(*value, INT64_MAX)));
    out_ += "}}";
  }
  void flag(std::string_view key, bool value) {
    begin(key);
    append_json_name(out_, "boolValue");
    out_ += value ? "true}}" : "false}}";
  }
  void close() { out_ += ']'; }

 private:
  void begin(std::string_view key) {
    append_json_comma(out_);
    out_ += '{';
    append_json_member(out_, "key", key);
    append_json_name(out_, "value");
    out_ += '{';
  }
  std::string& out_;
};

class OtlpWriter {
 public:
  explicit OtlpWriter(std::string& out) : out_(out) {}

  void run(const TraceRun& run) {
    const std::string trace = trace_id_of(run.id);
    SpanIds made(run.id);
    std::vector<std::string> ids;
    for (const TraceSpan& span : run.spans) ids.push_back(made.of(span));
    for (std::size_t k = 0; k < run.spans.size(); ++k) {
      const TraceSpan& span = run.spans[k];
      append_json_comma(out_);
      out_ += '{';
      append_json_member(out_, "traceId", trace);
      append_json_member(out_, "spanId", ids[k]);
      if (span.parent != kNoSpan) append_json_member(out_, "parentSpanId", ids[span.parent]);
      write(run, span);
      out_ += '}';
    }
  }

 private:
  void write(const TraceRun& run, const TraceSpan& span) {
    std::string name(span_kind_name(span.kind));
    if (!span.name.empty() && span.kind != SpanKind::Pause) name += ' ' + span.name;
    append_json_member(out_, "name", name);
    const bool is_call = span.kind == SpanKind::Tool || span.kind == SpanKind::Operation;
    append_json_member(out_, "kind", is_call ? kClient : kInternal);
    append_nanos(out_, "startTimeUnixNano", span.begin_us);
    append_nanos(out_, "endTimeUnixNano", span.end_us);
    attributes(run, span);
    append_json_name(out_, "events");
    out_ += '[';
    for (const TraceEvent* note : span.notes) event(*note);
    out_ += ']';
    status(run, span);
  }

  void attributes(const TraceRun& run, const TraceSpan& span) {
    Attributes list(out_);
    list.text("ptcvm.run.id", std::string_view(run.id));
    list.text("ptcvm.span", span_kind_name(span.kind));
    if (span.kind != SpanKind::Run) list.name("ptcvm." + std::string(span_kind_name(span.kind)) + ".id", span.id);
    if (span.begin != nullptr) {
      list.name("ptcvm.path", span.begin->path);
      list.text("ptcvm.args", span.begin->args);
    }
    if (span.end != nullptr) {
      list.text("ptcvm.value", span.end->value);
      list.text("ptcvm.error", span.end->error);
      list.name("ptcvm.operation", span.end->operation);
      list.number("ptcvm.fuel", span.end->fuel);
      list.number("ptcvm.memory_bytes", span.end->bytes);
      if (span.end->cached) list.flag("ptcvm.cached", *span.end->cached);
    }
    list.name("ptcvm.status", span.status);
    if (span.is_open) list.flag("ptcvm.open", true);
    list.close();
  }

  // Faults by the words that OpenTelemetry has for exceptions.
  void event(const TraceEvent& note) {
    append_json_comma(out_);
    out_ += '{';
    append_nanos(out_, "timeUnixNano", note.t);
    const bool is_fault = is_failure(note);
    append_json_member(out_, "name", is_fault ? "exception" : note.kind_name());
    Attributes list(out_);
    if (is_fault) {
      list.name("exception.type", failure_kind(note));
      list.text("exception.message", failure_text(note));
    } else {
      list.text("ptcvm.error", note.error);
      list.name("ptcvm.name", note.name);
      list.text("ptcvm.text", note.text);
    }
    list.name("ptcvm.id", note.id);
    list.name("ptcvm.task.id", note.task);
    list.name("ptcvm.status", note.status);
    list.number("ptcvm.attempt", note.attempt);
    list.text("ptcvm.value", note.value);
    list.number("code.lineno", note.line);
    list.number("code.column", note.column);
    list.close();
    out_ += '}';
  }

  void status(const TraceRun& run, const TraceSpan& span) {
    const bool is_well = !span.is_open && !span.has_failed();
    if (!is_well && !span.has_failed()) return;    // not known
    append_json_name(out_, "status");
    out_ += '{';
    append_json_member(out_, "code", is_well ? kStatusOk : kStatusError);
    if (!is_well) append_json_member(out_, "message", message_of(run, span));
    out_ += '}';
  }

  static std::string message_of(const TraceRun& run, const TraceSpan& span) {
    if (span.end != nullptr && span.end->error) return *span.end->error;
    const bool is_whole = span.kind == SpanKind::Run || span.kind == SpanKind::Turn;
    for (std::size_t k = run.events.size(); is_whole && k-- > 0;) {
      const TraceEvent& event = *run.events[k];
      const bool is_its = span.kind == SpanKind::Run || std::to_string(event.turn) == span.id;
      if (is_its && is_failure(event) && failure_text(event)) return *failure_text(event);
    }
    return span.status;
  }

  std::string& out_;
};

}  // namespace

std::string otlp_trace(const std::vector<TraceRun>& runs, std::string_view service_name) {
  std::string out = "{\"resourceSpans\":[{\"resource\":{";
  Attributes resource(out);
  resource.text("service.name", service_name);
  resource.close();
  out += "},\"scopeSpans\":[{\"scope\":{";
  append_json_member(out, "name", "ptcvm");
  append_json_member(out, "version", kEngineVersion);
  out += "},\"spans\":[";
  OtlpWriter writer(out);
  for (const TraceRun& run : runs) writer.run(run);
  return out + "]}]}]}";
}

}  // namespace ptc
