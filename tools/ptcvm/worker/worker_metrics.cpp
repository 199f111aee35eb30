#include "tools/ptcvm/worker/worker_metrics.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "runtime/text/json_text.h"

namespace ptcvm::cli {
namespace {

// Writes families of the text format: HELP, TYPE, and a line for each number.
class MetricsText {
 public:
  void family(std::string_view name, std::string_view type, std::string_view help) {
    name_ = "ptcvm_worker_" + std::string(name);
    out_.append("# HELP ").append(name_).append(" ").append(help).append("\n");
    out_.append("# TYPE ").append(name_).append(" ").append(type).append("\n");
  }
  // `labels` are pairs of a name and a text.
  void number(double value, std::initializer_list<std::pair<std::string_view, std::string_view>> labels = {}) {
    out_ += name_;
    const char* before = "{";
    for (const auto& [name, text] : labels) {
      out_.append(before).append(name).append("=\"").append(escaped(text)).append("\"");
      before = ",";
    }
    if (labels.size() != 0) out_ += '}';
    const bool is_whole = value == static_cast<double>(static_cast<std::int64_t>(value));
    out_ += ' ' + (is_whole ? std::to_string(static_cast<std::int64_t>(value)) : std::to_string(value)) + '\n';
  }
  void counter(std::string_view name, std::string_view help, std::uint64_t value) {
    family(name, "counter", help);
    number(static_cast<double>(value));
  }
  void gauge(std::string_view name, std::string_view help, double value) {
    family(name, "gauge", help);
    number(value);
  }
  // A histogram has a bucket for each upper end, which counts what is below it, and the parts "_sum" and "_count".
  void histogram(std::string_view name, std::string_view help) { family(name, "histogram", help); }
  void bucket(double up_to, std::uint64_t count) {
    const std::string end = std::isinf(up_to) ? "+Inf" : shortest(up_to);
    const std::string name = std::exchange(name_, name_ + "_bucket");
    number(static_cast<double>(count), {{"le", end}});
    name_ = name;
  }
  void part(std::string_view suffix, double value) {
    const std::string name = std::exchange(name_, name_ + std::string(suffix));
    number(value);
    name_ = name;
  }
  std::string take() { return std::move(out_); }

 private:
  static std::string shortest(double number) {
    std::array<char, 32> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr};
  }
  static std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
      if (c == '\n') {
        out += "\\n";
        continue;
      }
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    return out;
  }

  std::string out_, name_;
};

void add_times(MetricsText& out, std::string_view name, std::string_view help, const WorkerTimes& times) {
  out.histogram(name, help);
  std::uint64_t calls = 0;
  for (const WorkerTimes::Interval& interval : times.intervals) out.bucket(interval.up_to, calls += interval.calls);
  out.part("_sum", times.seconds);
  out.part("_count", static_cast<double>(calls));
}

double seconds(std::int64_t millis) { return static_cast<double>(millis) / 1'000; }

void add_queues(MetricsText& out, const std::vector<QueueStatus>& queues, std::int64_t now_ms) {
  using Count = std::uint64_t QueueStatus::*;
  constexpr std::pair<std::string_view, Count> kStates[] = {
      {"ready", &QueueStatus::ready},     {"timer", &QueueStatus::timers},
      {"held", &QueueStatus::held},       {"waiting", &QueueStatus::waiting},
      {"blocked", &QueueStatus::blocked}, {"quarantined", &QueueStatus::quarantined},
      {"dead", &QueueStatus::dead},       {"dependency_failed", &QueueStatus::dependency_failed}};
  out.family("queue_runs", "gauge", "Runs of a queue in a state, over all workers");
  for (const QueueStatus& queue : queues) {
    for (const auto& [state, count] : kStates) {
      out.number(static_cast<double>(queue.*count), {{"queue", queue.name}, {"state", state}});
    }
  }
  out.family("queue_oldest_ready_seconds", "gauge", "How long the oldest ready run of a queue is ready");
  for (const QueueStatus& queue : queues) {
    const std::int64_t since = queue.ready_since_ms.value_or(now_ms);
    out.number(seconds(std::max<std::int64_t>(now_ms - since, 0)), {{"queue", queue.name}});
  }
  out.family("queue_paused", "gauge", "1 when the queue gives no runs");
  for (const QueueStatus& queue : queues) out.number(queue.is_paused ? 1 : 0, {{"queue", queue.name}});
}

void add_upkeep(MetricsText& out, const StoreUpkeep& upkeep) {
  out.family("table_live_rows", "gauge", "Rows of a table of the store, about");
  for (const StoreUpkeep::Table& table : upkeep.tables) {
    out.number(static_cast<double>(table.live_rows), {{"table", table.name}});
  }
  out.family("table_dead_rows", "gauge", "Rows of a table that are dead until a vacuum, about");
  for (const StoreUpkeep::Table& table : upkeep.tables) {
    out.number(static_cast<double>(table.dead_rows), {{"table", table.name}});
  }
  out.gauge("oldest_view_age_transactions", "Transactions since the oldest view of the rows that somebody holds",
            static_cast<double>(upkeep.oldest_view_age));
}

}  // namespace

std::string worker_state(const WorkerSample& sample) {
  if (sample.stats.node == 0) return "starting";
  if (sample.stats.is_draining) return "draining";
  return sample.stats.since_heartbeat < sample.lease ? "ok" : "no_lease";
}

std::string health_json(const WorkerSample& sample) {
  std::string out = "{";
  ptc::append_json_member(out, "status", worker_state(sample));
  ptc::append_json_member(out, "name", sample.name);
  ptc::append_json_member(out, "node", sample.stats.node);
  ptc::append_json_member(out, "running", sample.stats.running);
  ptc::append_json_member(out, "heartbeat_age_ms", static_cast<std::int64_t>(sample.stats.since_heartbeat.count()));
  ptc::append_json_member(out, "lease_ms", static_cast<std::int64_t>(sample.lease.count()));
  out += std::string(",\"store\":") + (sample.queues ? "true" : "false");
  return out + "}\n";
}

std::string metrics_text(const WorkerSample& sample) {
  const WorkerStats& stats = sample.stats;
  MetricsText out;
  out.family("info", "gauge", "The worker: its name, its number, and how it hears of ready runs");
  out.number(1, {{"name", sample.name}, {"node", std::to_string(stats.node)},
                 {"mode", stats.is_listening ? "listen" : "poll"}});
  out.gauge("up", "1 when the worker has its lease and takes runs", worker_state(sample) == "ok" ? 1 : 0);
  out.gauge("store_up", "1 when the store answered last", sample.queues ? 1 : 0);
  out.gauge("heartbeat_age_seconds", "Since the store prolonged the lease", seconds(stats.since_heartbeat.count()));
  out.gauge("running", "Runs in the hands of this worker", static_cast<double>(stats.running));
  out.counter("claims_total", "Runs that were claimed", stats.claimed);
  out.counter("commits_total", "Writes of runs that were done", stats.commits);
  out.counter("ended_total", "Turns that ended well", stats.ended);
  out.counter("failed_total", "Turns that failed", stats.failed);
  out.counter("waiting_total", "Runs that were given back because they wait", stats.waiting);
  out.counter("parked_total", "Runs that were parked in the middle of their program", stats.parked);
  out.counter("drained_total", "Runs that a stop parked in the middle of their program", stats.drained);
  out.counter("abandoned_total", "Runs that were given back while their calls were open", stats.abandoned);
  out.counter("doubts_total", "Runs that wait for a person to say what became of a call", stats.doubts);
  out.counter("given_up_total", "Runs that cannot be executed", stats.given_up);
  out.counter("rescues_total", "Runs of dead workers that were made ready again", stats.rescued);
  out.counter("lost_total", "Runs that somebody else had taken over", stats.lost);
  out.counter("fenced_writes_total", "Writes that were refused because the claim was another's", stats.fenced);
  out.counter("healed_doubts_total", "Answers that came after the run was lost, and settled a doubt", stats.healed);
  out.counter("late_answers_total", "Calls that returned after the run was lost", stats.late);
  add_times(out, "claim_seconds", "How long asking a queue for runs took", stats.claim_times);
  add_times(out, "write_seconds", "How long writing facts of runs took", stats.write_times);
  add_times(out, "wake_seconds", "From what woke a run to its claim, by the clock of the store", stats.wake_times);
  if (sample.queues) add_queues(out, *sample.queues, sample.now_ms);
  if (sample.upkeep) add_upkeep(out, *sample.upkeep);
  return out.take();
}

}  // namespace ptcvm::cli
