// ptcvm trace: what recorded events say, for people and for other programs.
#include <algorithm>
#include <iostream>

#include "runtime/trace/chrome_trace.h"
#include "runtime/trace/otlp_trace.h"
#include "runtime/trace/step_record.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/process/terminal.h"
#include "tools/ptcvm/store/store_options.h"
#include "tools/ptcvm/text/known_words.h"
#include "tools/ptcvm/trace/trace_input.h"
#include "tools/ptcvm/trace/trace_post.h"
#include "tools/ptcvm/trace/trace_show.h"
#include "tools/ptcvm/trace/trace_steps.h"

namespace ptcvm::cli {
namespace {

constexpr const char* kTraceExamples = R"(Examples:
  ptcvm run agent.ptc --id may --tool search='python3 search.py' --trace may.jsonl
  ptcvm trace show may.jsonl
  ptcvm trace show may.jsonl --kind print --kind fault --json
  ptcvm trace tree may.jsonl may-resumed.jsonl
  ptcvm trace slow *.jsonl --top 5
  ptcvm trace chrome may.jsonl > may.trace.json
  ptcvm trace otlp may.jsonl --endpoint http://localhost:4318
  ptcvm trace step may.jsonl

Events of one run id belong together, in whatever files and processes they were recorded. A last line that is cut off is
only warned of: the process that wrote it was killed. Exit status 65: a file cannot be read, or a line is no event; 74:
the endpoint did not take the spans.)";

struct TraceRequest {
  std::vector<std::string> files, runs, kinds;
  bool json = false;
  std::size_t top = SIZE_MAX;
  PostOptions post;
};

using Events = std::vector<ptc::TraceEvent>;

// Returns why no event can be of a kind, or "". Events of newer writers have kinds that nobody here knows.
std::string kind_problem(const std::string& kind, const Events& events) {
  const auto has_kind = [&kind](const ptc::TraceEvent& event) { return event.kind_name() == kind; };
  if (ptc::trace_kind_of(kind) != ptc::TraceKind::Other || std::ranges::any_of(events, has_kind)) return "";
  std::vector<std::string_view> known;
  for (int k = 0; k < static_cast<int>(ptc::TraceKind::Other); ++k) {
    known.push_back(ptc::trace_kind_name(static_cast<ptc::TraceKind>(k)));
  }
  return "--kind: " + unknown_word("kind of event", kind, known);
}

int show_trace(const TraceRequest& request, const Events& events) {
  for (const std::string& kind : request.kinds) {
    const std::string problem = kind_problem(kind, events);
    if (problem.empty()) continue;
    complain(problem);
    return kUsage;                               // as for a wrong value of every other option
  }
  std::vector<const ptc::TraceEvent*> shown = ptc::in_order_of_time(events);
  std::erase_if(shown, [&request](const ptc::TraceEvent* event) {
    return !request.kinds.empty() && std::count(request.kinds.begin(), request.kinds.end(), event->kind_name()) == 0;
  });
  std::string out;
  if (!request.json) out = show_events(shown, stdout_has_colour());
  for (std::size_t k = 0; request.json && k < shown.size(); ++k) ptc::append_trace_line(out, *shown[k]);
  if (shown.empty()) std::cerr << "no events\n";
  std::cout << out;
  return kSuccess;
}

int tree(const TraceRequest&, const Events& events) {
  if (events.empty()) std::cerr << "no events\n";
  std::cout << show_tree(ptc::fold_runs(events), stdout_has_colour());
  return kSuccess;
}

int slow(const TraceRequest& request, const Events& events) {
  std::vector<ptc::SlowCalls> calls = ptc::slow_calls(ptc::fold_runs(events));
  if (calls.empty()) std::cerr << "no calls\n";
  calls.resize(std::min(calls.size(), request.top));
  if (!calls.empty()) std::cout << show_slow(calls);
  return kSuccess;
}

int chrome(const TraceRequest&, const Events& events) {
  std::cout << ptc::chrome_trace(ptc::fold_runs(events));
  return kSuccess;
}

int otlp(const TraceRequest& request, const Events& events) {
  const std::string text = ptc::otlp_trace(ptc::fold_runs(events), request.post.service_name);
  if (request.post.endpoint.empty()) {
    std::cout << text << '\n';
    return kSuccess;
  }
  if (!events.empty()) return post_spans(text, request.post);
  std::cerr << "no events\n";
  return kSuccess;
}

int step(const TraceRequest&, const Events& events) {
  if (!events.empty() && can_step_through()) {
    step_through(TraceSteps(ptc::in_order_of_time(events), stdout_has_colour()));
    return kSuccess;
  }
  for (const ptc::TraceRun& run : ptc::fold_runs(events)) std::cout << ptc::step_record(run) << '\n';
  return kSuccess;
}

int run_on_events(const TraceRequest& request, int (*action)(const TraceRequest&, const Events&)) {
  Events events;
  std::string message;
  for (const std::string& file : request.files) {
    if (!read_trace(file, request.runs, events, message)) return refuse_input(message);
  }
  return action(request, events);
}

}  // namespace

void add_trace_command(CLI::App& app, int& status) {
  auto* trace = app.add_subcommand("trace", "What recorded events say: run --trace FILE records them");
  trace->require_subcommand(1);
  trace->footer(kTraceExamples);
  auto request = std::make_shared<TraceRequest>();
  const auto add = [&](const char* name, const char* what, int (*action)(const TraceRequest&, const Events&)) {
    auto* command = trace->add_subcommand(name, what);
    command->add_option("FILE", request->files, "What --trace wrote; - is standard input")->required();
    command->add_option("--run,--id", request->runs, "Only the run of that id; repeatable")
        ->type_name("ID")
        ->allow_extra_args(false);
    command->footer(kTraceExamples);
    command->callback([request, action, &status] { status = run_on_events(*request, action); });
    return command;
  };

  auto* shown = add("show", "Every event in order of time", show_trace);
  shown->add_option("--kind", request->kinds, "Only events of that kind: print, tool_end …; repeatable")
      ->type_name("KIND")
      ->allow_extra_args(false);
  shown->add_flag("--json", request->json, "A line of JSON for each, as they were recorded");
  add("tree", "Runs, tasks, calls and operations with their times", tree);
  add("slow", "Tools and operations by the time they took", slow)
      ->add_option("--top", request->top, "Only the first N")
      ->type_name("N");
  add("chrome", "For chrome://tracing and Perfetto", chrome);
  declare_post_options(*add("otlp", "OpenTelemetry spans as OTLP/JSON, printed or posted", otlp), request->post);
  add("step", "Step through the events with keys; not on a terminal: the result of each run as a line of JSON", step);
}

}  // namespace ptcvm::cli
