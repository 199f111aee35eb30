#include "runtime/trace/chrome_trace.h"

#include <algorithm>
#include <set>

#include "runtime/text/json_text.h"

namespace ptc {
namespace {

constexpr std::uint64_t kRunLane = 1;

class ChromeWriter {
 public:
  void run(const TraceRun& run) {
    ++process_;
    name_lane("process_name", 0, run.root().name.empty() ? run.id : run.root().name + " (" + run.id + ')');
    name_lane("thread_name", kRunLane, "run");
    next_lane_ = kRunLane + 1;
    for (const TraceSpan& span : run.spans) {
      if (is_of_run(span.kind)) complete(span, kRunLane);
      if (span.kind == SpanKind::Operation) operation(run, span);
      for (const TraceEvent* note : span.notes) instant(*note);
    }
    on_lanes(run, SpanKind::Task, "tasks");
    on_lanes(run, SpanKind::Tool, "calls");
  }

  std::string take() { return out_.empty() ? "[]\n" : '[' + out_ + "]\n"; }

 private:
  static bool is_of_run(SpanKind kind) {
    return kind == SpanKind::Run || kind == SpanKind::Turn || kind == SpanKind::Pause;
  }

  // Each on the lane that is free for the longest time, or on a new one.
  void on_lanes(const TraceRun& run, SpanKind kind, std::string_view what) {
    std::vector<const TraceSpan*> spans;
    for (const TraceSpan& span : run.spans) {
      if (span.kind == kind) spans.push_back(&span);
    }
    std::stable_sort(spans.begin(), spans.end(),
                     [](const TraceSpan* a, const TraceSpan* b) { return a->begin_us < b->begin_us; });
    std::set<std::pair<std::int64_t, std::uint64_t>> free_from;   // when, lane
    for (const TraceSpan* span : spans) {
      std::uint64_t lane = next_lane_;
      if (!free_from.empty() && free_from.begin()->first <= span->begin_us) {
        lane = free_from.begin()->second;
        free_from.erase(free_from.begin());
      } else {
        name_lane("thread_name", next_lane_++, std::string(what) + ' ' + std::to_string(free_from.size() + 1));
      }
      free_from.emplace(span->end_us, lane);
      complete(*span, lane);
    }
  }

  void begin(std::string_view phase, std::string_view name, std::uint64_t lane) {
    out_ += out_.empty() ? "\n{" : ",\n{";
    append_json_member(out_, "ph", phase);
    append_json_member(out_, "name", name);
    append_json_member(out_, "pid", process_);
    append_json_member(out_, "tid", lane);
  }

  void name_lane(std::string_view what, std::uint64_t lane, const std::string& name) {
    begin("M", what, lane);
    append_json_name(out_, "args");
    out_ += '{';
    append_json_member(out_, "name", name);
    out_ += "}}";
  }

  void begin_at(std::string_view phase, std::string_view name, std::string_view category, std::uint64_t lane,
                std::int64_t t) {
    begin(phase, name, lane);
    append_json_member(out_, "cat", category);
    append_json_member(out_, "ts", t);
  }

  // Leaves out the members that `before` has written; its task and path are the same.
  void arguments_of(const TraceEvent* event, const TraceEvent* before = nullptr) {
    if (event == nullptr) return;
    const auto add = [&](std::string_view name, auto member) {
      const bool is_there = before != nullptr && before->*member;
      if (event->*member && !is_there) append_json_member(out_, name, *(event->*member));
    };
    if (before == nullptr && !event->task.empty()) append_json_member(out_, "task", event->task);
    if (before == nullptr && !event->path.empty()) append_json_member(out_, "path", event->path);
    if (!event->fault.empty()) append_json_member(out_, "kind", event->fault);
    add("args", &TraceEvent::args);
    add("value", &TraceEvent::value);
    add("text", &TraceEvent::text);
    add("error", &TraceEvent::error);
    add("line", &TraceEvent::line);
    add("column", &TraceEvent::column);
    add("fuel", &TraceEvent::fuel);
    add("bytes", &TraceEvent::bytes);
  }

  void complete(const TraceSpan& span, std::uint64_t lane) {
    begin_at("X", span.name.empty() ? span_kind_name(span.kind) : std::string_view(span.name),
             span_kind_name(span.kind), lane, span.begin_us);
    append_json_member(out_, "dur", span.micros());
    append_json_name(out_, "args");
    out_ += '{';
    if (!span.id.empty()) append_json_member(out_, "id", span.id);
    if (!span.status.empty()) append_json_member(out_, "status", span.status);
    if (span.is_open) append_json_member(out_, "end", "not seen");
    arguments_of(span.begin);
    arguments_of(span.end, span.begin);
    out_ += "}}";
  }

  void operation(const TraceRun& run, const TraceSpan& span) {
    const auto half = [&](std::string_view phase, std::int64_t t, const TraceEvent* event) {
      begin_at(phase, span.name.empty() ? span_kind_name(span.kind) : std::string_view(span.name), "operation",
               kRunLane, t);
      append_json_member(out_, "id", run.id + '/' + span.id);
      append_json_name(out_, "args");
      out_ += '{';
      append_json_member(out_, "status", phase == "b" ? "waiting" : std::string_view(span.status));
      arguments_of(event);
      out_ += "}}";
    };
    half("b", span.begin_us, span.begin);
    if (!span.is_open) half("e", span.end_us, span.end);
  }

  void instant(const TraceEvent& event) {
    begin_at("i", event.kind_name(), "event", kRunLane, event.t);
    append_json_member(out_, "s", "t");
    append_json_name(out_, "args");
    out_ += '{';
    if (!event.name.empty()) append_json_member(out_, "name", event.name);
    arguments_of(&event);
    out_ += "}}";
  }

  std::string out_;
  std::uint64_t process_ = 0, next_lane_ = 0;
};

}  // namespace

std::string chrome_trace(const std::vector<TraceRun>& runs) {
  ChromeWriter writer;
  for (const TraceRun& run : runs) writer.run(run);
  return writer.take();
}

}  // namespace ptc
