#include "runtime/trace/step_record.h"

#include <algorithm>
#include <boost/json.hpp>
#include <map>

#include "runtime/text/edn_json.h"
#include "runtime/text/json_text.h"
#include "runtime/trace/saturated_sum.h"
#include "runtime/trace/trace_ids.h"
#include "vm/value/calendar.h"

namespace ptc {
namespace {

constexpr std::int64_t kMicrosPerSecond = 1'000'000;

std::string instant_text(std::int64_t micros) {
  std::string text;
  append_instant(text, {micros / kMicrosPerSecond, static_cast<std::uint32_t>(micros % kMicrosPerSecond) * 1000});
  return text;
}

void append_value(std::string& out, std::string_view name, const std::optional<std::string>& edn) {
  append_json_name(out, name);
  if (!edn) {
    out += "null";
  } else if (edn->starts_with('(')) {     // a handle: no data
    append_json_string(out, *edn);
  } else {
    out += json_of_edn(*edn);
  }
}

void append_text_or_null(std::string& out, std::string_view name, const std::optional<std::string>& text) {
  append_json_name(out, name);
  if (text) append_json_string(out, *text);
  if (!text) out += "null";
}

// What the events of a run come to.
struct Result {
  const TraceEvent* end = nullptr;      // the end of the last turn; null when the turn is not over
  const TraceEvent* fault = nullptr;    // the fault of the last turn
  std::map<std::string, const TraceEvent*> journal;
  std::uint64_t fuel = 0, waiting_fuel = 0, micros = 0, bytes = 0, turns = 0;
};

void take(Result& result, const TraceEvent& event) {
  switch (event.kind) {
    case TraceKind::RunStart: result.end = result.fault = nullptr; break;
    case TraceKind::Limit:
    case TraceKind::Fault: result.fault = &event; break;
    case TraceKind::Commit: result.journal[event.task] = &event; break;
    case TraceKind::Reset: result.journal.erase(event.task); break;
    case TraceKind::Suspend: result.waiting_fuel = event.fuel.value_or(0); break;
    case TraceKind::RunEnd:       // its fuel covers the whole turn, its time covers this process
      result.end = &event;
      result.fuel = saturated_sum(result.fuel, event.fuel.value_or(0));
      result.waiting_fuel = 0;
      ++result.turns;
      break;
    default: break;
  }
  if (event.kind != TraceKind::Suspend && event.kind != TraceKind::RunEnd) return;
  result.micros = saturated_sum(result.micros, event.micros.value_or(0));
  result.bytes = std::max(result.bytes, event.bytes.value_or(0));
}

// The text of a member of a JSON object; nothing when there is none.
std::optional<std::string> text_member(const std::string& json, std::string_view name) {
  boost::system::error_code error;
  const boost::json::value read = boost::json::parse(json, error);
  const boost::json::object* const object = error ? nullptr : read.if_object();
  const boost::json::value* const member = object == nullptr ? nullptr : object->if_contains(name);
  const boost::json::string* const text = member == nullptr ? nullptr : member->if_string();
  if (text == nullptr) return std::nullopt;
  return std::string(text->data(), text->size());
}

class StepWriter {
 public:
  explicit StepWriter(const TraceRun& run) : run_(run) {
    for (const TraceEvent* event : run.events) take(result_, *event);
  }

  std::string text() {
    append_json_member(out_, "run", run_.id);
    append_json_member(out_, "trace_id", trace_id_of(run_.id));
    append_json_member(out_, "status", status());
    const bool is_well = result_.end != nullptr && !has_failed();
    append_value(out_, "return", is_well ? result_.end->value : std::nullopt);
    fail();
    append_json_name(out_, "journal");
    out_ += '{';
    for (const auto& [task, commit] : result_.journal) {
      append_json_comma(out_);
      append_json_string(out_, task);
      out_ += ':';
      out_ += json_of_edn(commit->value.value_or(""));
    }
    out_ += '}';
    prints();
    calls("tool_calls", SpanKind::Tool);
    calls("operations", SpanKind::Operation);
    usage();
    return std::move(out_) + '}';
  }

 private:
  bool has_failed() const { return result_.end->status == "error" || result_.end->status == "fail"; }

  std::string_view status() const {
    if (result_.end != nullptr) return result_.end->status;
    return run_.root().status.empty() ? std::string_view("running") : std::string_view(run_.root().status);
  }

  void fail() {
    append_json_name(out_, "fail");
    if (result_.end == nullptr || !has_failed()) {
      out_ += "null";
      return;
    }
    out_ += '{';
    if (result_.end->status == "error") {
      const TraceEvent* const fault = result_.fault != nullptr ? result_.fault : result_.end;
      const std::string& kind = failure_kind(*fault);
      append_json_member(out_, "reason", kind.empty() ? "error" : std::string_view(kind));
      append_json_member(out_, "message", failure_text(*fault).value_or(""));
      if (fault->line) append_json_member(out_, "line", *fault->line);
      if (fault->column) append_json_member(out_, "column", *fault->column);
    } else {                               // (fail v): what v says about itself
      const std::string edn = result_.end->value.value_or("");
      const std::string details = json_of_edn(edn);
      append_json_member(out_, "reason", text_member(details, "reason").value_or("fail"));
      append_json_member(out_, "message", text_member(details, "message").value_or(edn));
      append_json_name(out_, "details");
      out_ += details;
    }
    out_ += '}';
  }

  void prints() {
    append_json_name(out_, "prints");
    out_ += '[';
    for (const TraceEvent* event : run_.events) {
      if (event->kind != TraceKind::Print) continue;
      append_json_comma(out_);
      append_json_string(out_, event->text.value_or(""));
    }
    out_ += ']';
  }

  void calls(std::string_view name, SpanKind kind) {
    append_json_name(out_, name);
    out_ += '[';
    for (const TraceSpan& span : run_.spans) {
      if (span.kind == kind) call(span);
    }
    out_ += ']';
  }

  void call(const TraceSpan& span) {
    append_json_comma(out_);
    out_ += '{';
    append_json_member(out_, "id", span.id);
    append_json_member(out_, "name", span.name);
    append_value(out_, "args", span.begin == nullptr ? std::nullopt : span.begin->args);
    append_value(out_, "result", span.end == nullptr ? std::nullopt : span.end->value);
    append_text_or_null(out_, "error", span.end == nullptr ? std::nullopt : span.end->error);
    append_json_member(out_, "status", span.status);
    append_json_member(out_, "timestamp", instant_text(span.begin_us));
    append_json_member(out_, "duration_ms", span.micros() / 1000);
    out_ += '}';
  }

  void usage() {
    append_json_name(out_, "usage");
    out_ += '{';
    append_json_member(out_, "duration_ms", result_.micros / 1000);
    append_json_member(out_, "memory_bytes", result_.bytes);
    append_json_member(out_, "fuel", saturated_sum(result_.fuel, result_.waiting_fuel));
    append_json_member(out_, "turns", std::max<std::uint64_t>(result_.turns, 1));
    out_ += '}';
  }

  const TraceRun& run_;
  Result result_;
  std::string out_ = "{";
};

}  // namespace

std::string step_record(const TraceRun& run) { return StepWriter(run).text(); }

}  // namespace ptc
