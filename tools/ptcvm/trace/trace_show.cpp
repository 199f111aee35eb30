#include "tools/ptcvm/trace/trace_show.h"

#include <algorithm>
#include <set>

#include "tools/ptcvm/text/moments.h"
#include "tools/ptcvm/text/text_table.h"

namespace ptcvm::cli {
namespace {

constexpr std::size_t kBarWidth = 30;
constexpr std::string_view kRed = "\033[31m", kYellow = "\033[33m", kFaint = "\033[2m", kPlain = "\033[0m";

// "12.345", of microseconds.
std::string millis_text(std::uint64_t micros) {
  std::string fraction = std::to_string(micros % 1000);
  fraction.insert(0, 3 - fraction.size(), '0');
  return std::to_string(micros / 1000) + '.' + fraction;
}

std::string right_aligned(std::string text, std::size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}

void append_word(std::string& out, std::string_view word) {
  if (word.empty()) return;
  if (!out.empty()) out += ' ';
  out += word;
}

std::string place_text(const ptc::TraceEvent& event) {
  if (!event.line) return {};
  return "at " + std::to_string(*event.line) + ':' + std::to_string(event.column.value_or(1));
}

std::string what_text(const ptc::TraceEvent& event) {
  std::string out;
  append_word(out, event.id);
  append_word(out, event.name);
  append_word(out, event.operation);
  append_word(out, event.task);
  append_word(out, event.fault);
  append_word(out, event.status);
  append_word(out, event.args.value_or(""));
  append_word(out, event.text.value_or(""));
  if (event.value) append_word(out, "= " + *event.value);
  append_word(out, event.error.value_or(""));
  if (event.found) append_word(out, "(found " + *event.found + ")");
  append_word(out, place_text(event));
  std::string facts;
  const auto add = [&facts](const std::string& fact) { facts += (facts.empty() ? "" : ", ") + fact; };
  if (event.attempt) add("attempt " + std::to_string(*event.attempt));
  if (event.cached.value_or(false)) add("cached");
  if (event.micros) add(duration_text(*event.micros));
  if (event.fuel) add("fuel " + std::to_string(*event.fuel));
  if (event.bytes) add(std::to_string(*event.bytes) + " bytes");
  out = cut_text(out, 160);
  if (!facts.empty()) append_word(out, '(' + facts + ')');
  return out;
}

std::string_view colour_of(const ptc::TraceEvent& event) {
  if (event.kind != ptc::TraceKind::Retry && event.error) return kRed;
  if (event.status == "error" || event.status == "fail") return kRed;
  switch (event.kind) {
    case ptc::TraceKind::Ask:
    case ptc::TraceKind::Retry:
    case ptc::TraceKind::Limit:
    case ptc::TraceKind::Warning:
    case ptc::TraceKind::Suspend:
      return kYellow;
    case ptc::TraceKind::Form:
    case ptc::TraceKind::ToolStart:
      return kFaint;
    default:
      return {};
  }
}

// The table with each row in its colour; the headings in none.
std::string coloured_table(const std::vector<std::vector<std::string>>& rows,
                           const std::vector<std::string_view>& colours) {
  const std::string table = text_table(rows);
  std::string out;
  std::size_t row = 0;
  for (std::size_t at = 0; at < table.size(); ++row) {
    const std::size_t end = table.find('\n', at);
    const std::string_view colour = row == 0 ? std::string_view() : colours[row - 1];
    out.append(colour).append(table, at, end - at).append(colour.empty() ? std::string_view() : kPlain).append("\n");
    at = end + 1;
  }
  return out;
}

std::string title_of(const ptc::TraceSpan& span) {
  std::string out(2 * span.depth, ' ');
  if (span.kind != ptc::SpanKind::Turn) out.append(ptc::span_kind_name(span.kind)).append(" ");
  if (span.kind == ptc::SpanKind::Run) return out + span.id;
  std::string name = span.name.empty() ? span.id : span.name;
  if (span.kind == ptc::SpanKind::Operation && !span.name.empty()) name += ' ' + span.id;
  out += cut_text(name, 60);
  const bool is_call = span.kind == ptc::SpanKind::Tool && span.begin != nullptr;
  if (is_call && span.begin->args) append_word(out, cut_text(*span.begin->args, 40));
  return out;
}

std::string state_of(const ptc::TraceSpan& span) {
  std::string out = span.status;
  if (span.is_open && out.empty()) out = span.kind == ptc::SpanKind::Run ? "no end" : "open";
  if (span.kind == ptc::SpanKind::Run && !span.name.empty()) out += ", " + span.name;
  if (span.kind == ptc::SpanKind::Pause) out = span.is_open ? "waits" : "";
  if (span.end != nullptr && span.end->error) out += ": " + cut_text(*span.end->error, 60);
  return out;
}

// When it was, of the whole run: filled blocks for work, light ones for waiting.
std::string bar_of(const ptc::TraceSpan& span, const ptc::TraceSpan& whole) {
  const long double total = static_cast<long double>(std::max<std::uint64_t>(whole.micros(), 1));
  const auto column = [&](std::int64_t at) {
    const long double part = static_cast<long double>(at - whole.begin_us) / total;
    return static_cast<std::size_t>(std::clamp(part, 0.0L, 1.0L) * kBarWidth);
  };
  const std::size_t from = std::min(column(span.begin_us), kBarWidth - 1);
  const std::size_t to = std::max(from + 1, column(span.end_us));
  const bool waits = span.kind == ptc::SpanKind::Operation || span.kind == ptc::SpanKind::Pause;
  std::string out(from, ' ');
  for (std::size_t k = from; k < to; ++k) out += waits ? "░" : "█";
  return out;
}

}   // namespace

std::string show_events(const std::vector<const ptc::TraceEvent*>& events, bool colour) {
  if (events.empty()) return {};
  std::set<std::string_view> runs;
  for (const ptc::TraceEvent* event : events) runs.insert(event->run);
  const std::int64_t first = events.front()->t;
  const std::size_t width = millis_text(static_cast<std::uint64_t>(events.back()->t - first)).size();
  std::vector<std::vector<std::string>> rows = {{right_aligned("MS", width), "EVENT", "WHAT"}};
  std::vector<std::string_view> colours;
  for (const ptc::TraceEvent* event : events) {
    std::string since = right_aligned(millis_text(static_cast<std::uint64_t>(event->t - first)), width);
    rows.push_back({std::move(since), std::string(event->kind_name()), what_text(*event)});
    colours.push_back(colour ? colour_of(*event) : std::string_view());
  }
  for (std::size_t k = 0; runs.size() > 1 && k < rows.size(); ++k) {
    rows[k].insert(rows[k].begin() + 1, k == 0 ? "RUN" : events[k - 1]->run);
  }
  return coloured_table(rows, colours);
}

std::string show_tree(const std::vector<ptc::TraceRun>& runs, bool colour) {
  std::string out;
  for (const ptc::TraceRun& run : runs) {
    std::vector<std::vector<std::string>> rows = {{"WHAT", "TIME", "WHEN", "STATUS"}};
    std::vector<std::string_view> colours;
    for (const ptc::TraceSpan& span : run.spans) {
      std::string bar = bar_of(span, run.root());
      rows.push_back({title_of(span), duration_text(span.micros()), std::move(bar), state_of(span)});
      colours.push_back(!colour ? std::string_view() : span.has_failed() ? kRed : span.is_open ? kYellow : "");
    }
    if (!out.empty()) out += '\n';
    out += coloured_table(rows, colours);
  }
  return out;
}

std::string show_slow(const std::vector<ptc::SlowCalls>& calls) {
  std::vector<std::vector<std::string>> rows = {
      {"KIND", "NAME", "COUNT", "TOTAL", "MEAN", "MAX", "FAILED", "CACHED", "OPEN"}};
  for (const ptc::SlowCalls& one : calls) {
    rows.push_back({std::string(ptc::span_kind_name(one.kind)), one.name, std::to_string(one.count),
                    duration_text(one.total_us), duration_text(one.mean_us()), duration_text(one.max_us),
                    std::to_string(one.failed), std::to_string(one.cached), std::to_string(one.open)});
  }
  return text_table(rows);
}

}   // namespace ptcvm::cli
