#include "runtime/trace/trace_tree.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "vm/value/text_map.h"

namespace ptc {
namespace {

constexpr std::string_view kNotKept = "not kept";
constexpr std::array<std::string_view, 6> kSpanNames = {"run", "turn", "task", "tool", "operation", "pause"};

// Writers that have one member for operations everywhere name it so in Open and Resolve, too.
const std::string& operation_of(const TraceEvent& event) { return event.id.empty() ? event.operation : event.id; }

// Spans of one run, from its events in order of time. Indices into spans_ stay; order() sorts at the end.
class RunFold {
 public:
  explicit RunFold(TraceRun& run) : run_(run) {}

  void fold() {
    const TraceEvent& first = *run_.events.front();
    root_ = add(SpanKind::Run, kNoSpan, first, run_.id);
    root().name.clear();           // the name of the program comes with a beginning
    std::set<std::uint64_t> turns;
    for (const TraceEvent* event : run_.events) {
      if (event->turn != 0) turns.insert(event->turn);
    }
    has_turns_ = turns.size() > 1;
    for (const TraceEvent* event : run_.events) {
      take(*event);
      last_us_ = event->t;
    }
    finish();
    order();
  }

 private:
  TraceSpan& root() { return spans_[root_]; }

  std::size_t add(SpanKind kind, std::size_t parent, const TraceEvent& event, std::string id) {
    TraceSpan span;
    span.kind = kind;
    span.parent = parent;
    span.id = std::move(id);
    span.name = event.name;
    span.begin_us = span.end_us = event.t;
    span.is_open = true;
    spans_.push_back(std::move(span));
    return spans_.size() - 1;
  }

  // The turn of the event, or the run.
  std::size_t turn_of(const TraceEvent& event) {
    if (!has_turns_ || event.turn == 0) return root_;
    const auto [at, is_new] = turns_.try_emplace(event.turn, kNoSpan);
    if (is_new) {
      at->second = add(SpanKind::Turn, root_, event, std::to_string(event.turn));
      spans_[at->second].name = "turn " + std::to_string(event.turn);
    }
    return at->second;
  }

  // The task of the event, or its turn. A task that was reset begins anew.
  std::size_t place_of(const TraceEvent& event) {
    const std::size_t turn = turn_of(event);
    if (event.task.empty()) return turn;
    const auto [at, is_new] = tasks_.try_emplace({turn, event.task}, kNoSpan);
    if (is_new) {
      at->second = add(SpanKind::Task, turn, event, event.task);
      spans_[at->second].name = event.task;
    }
    TraceSpan& task = spans_[at->second];
    if (task.status == kNotKept) {       // the next attempt of the turn goes on with the task
      task.is_open = true;
      task.status.clear();
    }
    return at->second;
  }

  // A task that is over does not grow, whatever comes late.
  void stretch_to(std::size_t index, const TraceEvent& event) {
    for (; index != kNoSpan; index = spans_[index].parent) {
      TraceSpan& span = spans_[index];
      if (span.is_open || span.kind != SpanKind::Task) span.end_us = std::max(span.end_us, event.t);
    }
  }

  void close(std::size_t index, const TraceEvent& event, std::string status) {
    TraceSpan& span = spans_[index];
    span.is_open = false;
    span.end_us = std::max(span.begin_us, event.t);
    span.end = &event;
    span.status = std::move(status);
  }

  void take(const TraceEvent& event) {
    if (event.kind == TraceKind::ToolEnd) return end_call(event);
    if (event.kind == TraceKind::Resolve) return resolve_operation(event);
    const std::size_t place = place_of(event);
    stretch_to(place, event);
    switch (event.kind) {
      case TraceKind::RunStart: begin_leg(event, place); break;
      case TraceKind::Resume: begin_leg(event, place); break;
      case TraceKind::Suspend: begin_pause(event, place); break;
      case TraceKind::RunEnd: end_leg(event, place); break;
      case TraceKind::ToolStart: {
        const std::size_t call = add(SpanKind::Tool, place, event, event.id);
        spans_[call].begin = &event;
        calls_[event.id] = call;
        break;
      }
      case TraceKind::Open: open_operation(event, place); break;
      case TraceKind::Commit:
        if (spans_[place].kind == SpanKind::Task) close(place, event, "ok");
        spans_[place].notes.push_back(&event);
        break;
      case TraceKind::Reset:
        if (spans_[place].kind == SpanKind::Task) close(place, event, "reset");
        spans_[place].notes.push_back(&event);
        tasks_.erase({turn_of(event), event.task});
        break;
      case TraceKind::Form:
      case TraceKind::Print:
      case TraceKind::Progress:
      case TraceKind::Ask:
      case TraceKind::Retry:
      case TraceKind::Limit:
      case TraceKind::ToolEnd:
      case TraceKind::Resolve:
      case TraceKind::Warning:
      case TraceKind::Fault:
      case TraceKind::Other: spans_[place].notes.push_back(&event); break;
    }
  }

  // A process begins to execute the run. Calls of an earlier one that have no end are lost with it.
  void begin_leg(const TraceEvent& event, std::size_t place) {
    for (const auto& [id, call] : calls_) {
      spans_[call].status = "lost";
      spans_[call].end_us = std::max(spans_[call].begin_us, last_us_);
    }
    calls_.clear();
    end_pause(event);
    if (root().name.empty()) root().name = event.name;
    if (root().begin == nullptr) root().begin = &event;
    if (spans_[place].begin == nullptr) spans_[place].begin = &event;
    root().is_open = true;
    root().status.clear();
  }

  void end_leg(const TraceEvent& event, std::size_t place) {
    end_pause(event);
    close(root_, event, event.status);
    if (spans_[place].kind == SpanKind::Turn) close(place, event, event.status);
    end_tasks(place);
  }

  // A task without a commit is over with its turn: the turn has no journal, or has left the task. The task ended with
  // its last event at the latest. What still waits keeps its task open.
  void end_tasks(std::size_t turn) {
    std::set<std::size_t> tasks;
    for (auto at = tasks_.lower_bound({turn, ""}); at != tasks_.end() && at->first.first == turn; ++at) {
      if (spans_[at->second].is_open) tasks.insert(at->second);
    }
    if (tasks.empty()) return;
    for (const TraceSpan& span : spans_) {
      if (span.is_open) tasks.erase(span.parent);
    }
    for (const std::size_t task : tasks) {
      spans_[task].is_open = false;
      spans_[task].status = kNotKept;
    }
  }

  void begin_pause(const TraceEvent& event, std::size_t place) {
    end_pause(event);
    pause_ = add(SpanKind::Pause, place, event, {});
    spans_[pause_].name = event.text.value_or("");
    spans_[pause_].begin = &event;
    root().is_open = true;
    root().status = event.status.empty() ? "suspended" : event.status;
  }

  void end_pause(const TraceEvent& event) {
    if (pause_ != kNoSpan) close(pause_, event, "over");
    if (pause_ != kNoSpan) root().status.clear();
    pause_ = kNoSpan;
  }

  void end_call(const TraceEvent& event) {
    auto at = calls_.find(event.id);
    if (at == calls_.end()) {     // its start is in a file that was not given
      at = calls_.emplace(event.id, add(SpanKind::Tool, place_of(event), event, event.id)).first;
      TraceSpan& span = spans_[at->second];
      span.begin_us = std::max<std::int64_t>(0, event.t - static_cast<std::int64_t>(event.micros.value_or(0)));
    }
    TraceSpan& span = spans_[at->second];
    if (span.name.empty()) span.name = event.name;
    stretch_to(span.parent, event);
    close(at->second, event, event.error ? "error" : event.cached.value_or(false) ? "cached" : "ok");
    calls_.erase(at);
  }

  // A process that runs the program again attaches to the operations that wait already.
  void open_operation(const TraceEvent& event, std::size_t place) {
    const std::string& id = operation_of(event);
    if (operations_.contains(id)) return;
    const std::size_t operation = add(SpanKind::Operation, place, event, id);
    spans_[operation].begin = &event;
    spans_[operation].status = "waiting";
    operations_.emplace(id, operation);
  }

  void resolve_operation(const TraceEvent& event) {
    const std::string& id = operation_of(event);
    auto at = operations_.find(id);
    if (at == operations_.end()) {
      at = operations_.emplace(id, add(SpanKind::Operation, place_of(event), event, id)).first;
    }
    TraceSpan& span = spans_[at->second];
    stretch_to(span.parent, event);
    if (!span.is_open) return;
    if (span.name.empty()) span.name = event.name;
    close(at->second, event, event.status.empty() ? "ok" : event.status);
  }

  void finish() {
    const std::int64_t last = run_.events.back()->t;
    for (TraceSpan& span : spans_) {
      const bool has_calls = span.kind == SpanKind::Task || span.kind == SpanKind::Turn;
      if (span.is_open && !has_calls && span.status != "lost") span.end_us = std::max(span.begin_us, last);
    }
    root().end_us = std::max(root().end_us, last);
    for (std::size_t k = spans_.size(); k-- > 1;) {      // parents are made before their children
      TraceSpan& parent = spans_[spans_[k].parent];
      parent.begin_us = std::min(parent.begin_us, spans_[k].begin_us);
    }
  }

  // Children behind their parents, by time. The tree is at most four deep, but it may be wide: no recursion.
  void order() {
    std::vector<std::vector<std::size_t>> children(spans_.size());
    for (std::size_t k = 0; k < spans_.size(); ++k) {
      if (spans_[k].parent != kNoSpan) children[spans_[k].parent].push_back(k);
    }
    const auto is_later = [this](std::size_t a, std::size_t b) { return spans_[a].begin_us > spans_[b].begin_us; };
    std::vector<std::size_t> todo = {root_}, new_index(spans_.size());
    while (!todo.empty()) {
      const std::size_t old = todo.back();
      todo.pop_back();
      TraceSpan& span = spans_[old];
      if (span.parent != kNoSpan) {
        span.parent = new_index[span.parent];
        span.depth = run_.spans[span.parent].depth + 1;
      }
      new_index[old] = run_.spans.size();
      run_.spans.push_back(std::move(span));
      std::vector<std::size_t>& own = children[old];
      std::reverse(own.begin(), own.end());
      std::stable_sort(own.begin(), own.end(), is_later);
      todo.insert(todo.end(), own.begin(), own.end());
    }
  }

  TraceRun& run_;
  std::vector<TraceSpan> spans_;
  std::size_t root_ = 0, pause_ = kNoSpan;
  std::int64_t last_us_ = 0;           // the time of the event before
  bool has_turns_ = false;
  std::map<std::uint64_t, std::size_t> turns_;
  std::map<std::pair<std::size_t, std::string>, std::size_t> tasks_;   // by turn and id
  TextMap<std::size_t> calls_, operations_;                           // calls that are not over; all operations
};

}  // namespace

std::string_view span_kind_name(SpanKind kind) { return kSpanNames[static_cast<std::size_t>(kind)]; }

std::uint64_t TraceSpan::micros() const { return static_cast<std::uint64_t>(end_us - begin_us); }

bool TraceSpan::has_failed() const {
  return status == "error" || status == "fail" || status == "cancelled" || status == "expired";
}

std::vector<const TraceEvent*> in_order_of_time(const std::vector<TraceEvent>& borrowed) {
  std::vector<const TraceEvent*> out;
  out.reserve(borrowed.size());
  for (const TraceEvent& event : borrowed) out.push_back(&event);
  std::stable_sort(out.begin(), out.end(), [](const TraceEvent* a, const TraceEvent* b) { return a->t < b->t; });
  return out;
}

std::vector<TraceRun> fold_runs(const std::vector<TraceEvent>& borrowed) {
  std::vector<TraceRun> runs;
  TextMap<std::size_t> known;
  for (const TraceEvent* event : in_order_of_time(borrowed)) {
    const auto [at, is_new] = known.try_emplace(event->run, runs.size());
    if (is_new) runs.push_back({event->run, {}, {}});
    runs[at->second].events.push_back(event);
  }
  for (TraceRun& run : runs) RunFold(run).fold();
  return runs;
}

}  // namespace ptc
