// What a host pays: programs from source and from the cache, runs that are parked, events, limits and observers.
//
//   ptc_embedding_bench [--quick] [--json]
//
// Times are processor time, the minimum over rounds; the two sides of a ratio take turns, so that a busy machine hits
// both alike. With --json the figures come as one object, label to value.
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "ptcvm/ptcvm.hpp"

struct Sale {
  std::int64_t id;
  std::string region;
  std::int64_t amount;
  bool paid;
};
BOOST_DESCRIBE_STRUCT(Sale, (), (id, region, amount, paid))

namespace {

using ptcvm::Engine;
using ptcvm::Program;
using ptcvm::Run;
using ptcvm::RunOptions;

constexpr const char* kReport = R"((let [rows (tool/sales {:year 2026})
      paid (filter :paid rows)
      by-region (group-by :region paid)
      totals (map (fn [[region sales]]
                    {:region region
                     :count (count sales)
                     :total (reduce + (map :amount sales))})
                  by-region)]
  (sort-by :total > totals))
)";
constexpr const char* kCold = R"((->> (tool/sales {:year 2026})
     (filter :paid)
     (group-by :region)
     (map (fn [[region sales]] [region (reduce + (map :amount sales))])))
)";
constexpr const char* kLoop = "(loop [i 0 sum 0] (if (< i 1000000) (recur (inc i) (+ sum i)) sum))";
constexpr const char* kPark = "(let [x {:a 1 :b [1 2 3]}] [(await (tool/page {:to \"ada\"})) x])";

std::vector<Sale> make_sales() {
  std::vector<Sale> sales;
  for (int i = 0; i < 100; ++i) sales.push_back({i, "region-" + std::to_string(i % 5), i * 7 % 100, i % 3 != 0});
  return sales;
}

ptcvm::Tools make_tools() {
  ptcvm::Tools tools;
  tools.add("sales", "(year :int) -> [{id :int, region :string, amount :int, paid :bool}]",
            [sales = make_sales()](int) { return sales; }, {.effect = ptcvm::Effect::Pure}).value();
  tools.add("page", "(to :string) -> :any", [](ptcvm::ToolCall& call) { return call.pending(); },
            {.mode = ptcvm::ToolMode::Async}).value();
  return tools;
}

struct Ignoring final : ptcvm::Observer {
  ptcvm::Verdict on_event(const ptcvm::Event&) override {
    ++count;
    return ptcvm::Verdict::Continue;
  }
  std::uint64_t count = 0;
};

double processor_micros() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

// Microseconds for one of `times` calls.
template <class F>
double once(int times, F&& f) {
  const double start = processor_micros();
  for (int i = 0; i < times; ++i) f();
  return (processor_micros() - start) / times;
}

template <class F>
double best(int rounds, int times, F&& f) {
  double least = once(times, f);
  for (int i = 1; i < rounds; ++i) least = std::min(least, once(times, f));
  return least;
}

// How much longer the second takes, in per cent: the median over rounds of the ratio of two neighbours.
template <class F, class G>
double overhead(int rounds, int times, F&& plain, G&& with) {
  std::vector<double> ratios;
  for (int i = 0; i < rounds; ++i) {
    const double a = once(times, plain), b = once(times, with), c = once(times, with), d = once(times, plain);
    ratios.push_back((b + c) / (a + d));
  }
  std::sort(ratios.begin(), ratios.end());
  return (ratios[ratios.size() / 2] - 1) * 100;
}

void finish(Run& run, ptcvm::RunState wanted) {
  if (run.step() == wanted) return;
  std::fprintf(stderr, "unexpected: %s\n", run.diagnostic() ? run.diagnostic()->text.c_str() : "another state");
  std::exit(1);
}

std::size_t bytes_in_use() { return mallinfo2().uordblks + mallinfo2().hblkhd; }

// Prints the figures as they come: lines for people, or one JSON object.
class Figures {
 public:
  explicit Figures(bool json) : json_(json) {}
  ~Figures() {
    if (json_) std::printf("}\n");
  }
  Figures(const Figures&) = delete;
  Figures& operator=(const Figures&) = delete;
  void add(const char* label, const char* unit, int digits, double value) {
    if (json_) {
      std::printf("%s\"%s\": %.4f", is_first_ ? "{" : ", ", label, value);
    } else {
      std::printf(*unit == '%' ? "%-58s %+10.*f %s\n" : "%-58s %10.*f %s\n", label, digits, value, unit);
    }
    is_first_ = false;
  }

 private:
  bool json_, is_first_ = true;
};

ptcvm::Limits all_off() {
  ptcvm::Limits limits;
  limits.fuel = limits.memory_bytes = limits.string_bytes = limits.print_bytes = UINT64_MAX;
  limits.depth = limits.loop = limits.tool_calls = limits.suspensions = UINT32_MAX;
  return limits;
}

}  // namespace

int main(int argc, char** argv) {
  bool is_quick = false, is_json = false;
  for (int i = 1; i < argc; ++i) {
    is_quick |= std::strcmp(argv[i], "--quick") == 0;
    is_json |= std::strcmp(argv[i], "--json") == 0;
  }
  Figures figures(is_json);
  const int rounds = is_quick ? 3 : 15;
  const int times = is_quick ? 50 : 1'000;

  const std::size_t before_engine = bytes_in_use();
  const Engine engine, uncached({.cached_programs = 0});
  const std::size_t engine_bytes = (bytes_in_use() - before_engine) / 2;
  RunOptions options;
  options.tools = make_tools();
  options.limits.loop = 2'000'000;

  const auto calling = [&](const Engine& with, const char* source) {
    Run run = Run::start(with, *with.compile(source, {.tools = &options.tools}), options).value();
    finish(run, ptcvm::RunState::Completed);
  };
  figures.add("one tool call of 100 records, filter, group, sum", "us", 1,
              best(rounds, times, [&] { calling(uncached, kCold); }));
  figures.add("10 lines, one tool call of 100 records: from source", "us", 1,
              best(rounds, times, [&] { calling(uncached, kReport); }));
  figures.add("the same with the program cached", "us", 1,
              best(rounds, times, [&] { calling(engine, kReport); }));
  const auto trivial = [&](const Engine& with) {
    Run run = Run::start(with, *with.compile("(+ 1 2)"), {}).value();
    finish(run, ptcvm::RunState::Completed);
  };
  figures.add("(+ 1 2) from source", "us", 2, best(rounds, times, [&] { trivial(uncached); }));
  figures.add("(+ 1 2) with the program cached", "us", 2, best(rounds, times, [&] { trivial(engine); }));
  const Program three = *engine.compile("3");
  figures.add("a run made, stepped and destroyed", "us", 2, best(rounds, times, [&] {
                Run run = Run::start(engine, three, {}).value();
                finish(run, ptcvm::RunState::Completed);
              }));

  Run sliced = Run::start(engine, *engine.compile("(loop [i 0] (recur (inc i)))"), {.limits = all_off()}).value();
  figures.add("one step() of a budget of one", "us", 3, best(rounds, times, [&] { sliced.step(1); }));

  const Program park = *engine.compile(kPark, {.tools = &options.tools});
  const int parked_count = is_quick ? 1'000 : 20'000;
  std::vector<Run> parked;
  parked.reserve(static_cast<std::size_t>(parked_count));
  const std::size_t before_runs = bytes_in_use();
  for (int i = 0; i < parked_count; ++i) {
    parked.push_back(Run::start(engine, park, options).value());
    finish(parked.back(), ptcvm::RunState::Suspended);
  }
  figures.add("an engine", "bytes", 0, static_cast<double>(engine_bytes));
  figures.add("a suspended run, in memory", "bytes", 0,
              static_cast<double>((bytes_in_use() - before_runs) / parked.size()));
  for (Run& run : parked) run.park();
  figures.add("a parked run, in memory", "bytes", 0,
              static_cast<double>((bytes_in_use() - before_runs) / parked.size()));
  figures.add("the same as a snapshot", "bytes", 0, static_cast<double>(parked.front().snapshot().size()));
  figures.add("the same, its program by hash", "bytes", 0, static_cast<double>(parked.front().snapshot(false).size()));

  figures.add("park() and back", "us", 2, best(rounds, times, [&] {
                parked.front().park();
                if (parked.front().pending().size() != 1) std::exit(1);
              }));

  const Program chatty = *engine.compile("(loop [i 0] (when (< i 1000) (tool/page {:to \"a\"}) (recur (inc i))))");
  Ignoring counting;
  RunOptions watched = options;
  watched.observer = &counting;
  watched.limits.tool_calls = watched.limits.pending_operations = 10'000;
  const double chat = best(rounds, 1, [&] {
    counting.count = 0;
    Run run = Run::start(engine, chatty, watched).value();
    finish(run, ptcvm::RunState::Completed);
  });
  figures.add("events a second", "million", 2, static_cast<double>(counting.count) / chat);

  RunOptions off = options, on = options, observed = options;
  off.limits = all_off();
  observed.observer = &counting;
  const Program loop = *engine.compile(kLoop), again = *engine.compile(kReport, {.tools = &options.tools});
  const auto run_with = [&](const Program& program, const RunOptions& with) {
    Run run = Run::start(engine, program, with).value();
    finish(run, ptcvm::RunState::Completed);
  };
  const int loops = is_quick ? 1 : 5;
  figures.add("limits on against off: a loop of 10^6", "%", 1,
              overhead(rounds, loops, [&] { run_with(loop, off); }, [&] { run_with(loop, on); }));
  figures.add("limits on against off: the report", "%", 1,
              overhead(rounds, times / 2, [&] { run_with(again, off); }, [&] { run_with(again, on); }));
  figures.add("an observer that ignores all: a loop of 10^6", "%", 1,
              overhead(rounds, loops, [&] { run_with(loop, on); }, [&] { run_with(loop, observed); }));
  figures.add("an observer that ignores all: the report", "%", 1,
              overhead(rounds, times / 2, [&] { run_with(again, on); }, [&] { run_with(again, observed); }));
}
