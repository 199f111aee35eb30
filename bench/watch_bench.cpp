// How long a builtin works without asking whether it may go on: what a deadline can be overshot by.
//
//   ptc_watch_bench [MILLISECONDS]      (1)
//
// Runs each case of watch_cases.h under the default limits of memory and data and prints those in which nobody was
// asked for longer, the longest first, in milliseconds of processor time: the longest between two questions, what the
// run took after the last one (its end and freeing what it had), all of it; and how the run ended.
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <iomanip>
#include <string>
#include <vector>

#include "bench/watch_cases.h"
#include "bench/workload.h"

namespace {

double processor_ms() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

class Stopwatch final : public ptc::Patience {
 public:
  bool is_over() override {
    const double now = processor_ms();
    longest_ = std::max(longest_, now - last_);
    last_ = now;
    return false;
  }
  double longest() const { return longest_; }
  double since_last() const { return processor_ms() - last_; }

 private:
  double last_ = processor_ms(), longest_ = 0;
};

struct Row {
  double longest_ms, end_ms, whole_ms;
  std::string call, end;
};

// Steps as a session does; the end of the run, or why it ended.
std::string run_to_end(ptc::Run& run, Stopwatch& watch) {
  constexpr std::uint64_t kSliceFuel = 1'000;
  run.set_patience(&watch);
  ptc::StepStatus status = ptc::StepStatus::Yielded;
  watch.is_over();
  while (status == ptc::StepStatus::Yielded) {
    status = run.step(kSliceFuel);
    if (status == ptc::StepStatus::Yielded) watch.is_over();
  }
  run.set_patience(nullptr);
  return status == ptc::StepStatus::Completed ? "" : run.fault().message;
}

Row measured(const ptc::Engine& engine, const ptc::bench::WatchCase& work) {
  ptc::RunLimits limits;
  limits.fuel = 1'000'000'000'000;
  limits.loop = 2'000'000'000;
  ptc::Run run(limits);
  std::vector<std::string> names;
  Row row{0, 0, 0, work.call, ""};
  for (const char* source : {work.prepare, work.call}) {
    ptc::CompileRequest request;
    request.source = source;
    const std::vector<std::string_view> known(names.begin(), names.end());
    request.memory_names = known;
    const ptc::CompileAnswer answer = engine.compile(request);
    if (!answer.program) {
      row.end = answer.error.message;
      return row;
    }
    run.start(answer.program);
    Stopwatch watch;
    const double start = processor_ms();
    row.end = run_to_end(run, watch);
    row.whole_ms = processor_ms() - start;
    row.longest_ms = watch.longest();
    row.end_ms = watch.since_last();
    if (!row.end.empty()) return row;
    names.clear();
    run.for_each_definition([&](std::string_view name, ptc::Value) { names.emplace_back(name); });
  }
  return row;
}

}  // namespace

int main(int argc, char** argv) {
  const double least = argc > 1 ? std::strtod(argv[1], nullptr) : 1;
  const ptc::Engine engine;
  std::vector<Row> rows;
  for (const ptc::bench::WatchCase& work : ptc::bench::kWatchCases) rows.push_back(measured(engine, work));
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.longest_ms > b.longest_ms; });
  std::cout << std::fixed << std::setprecision(1) << "longest        end      whole  call\n";
  for (const Row& row : rows) {
    if (row.longest_ms < least && row.end.empty()) continue;
    std::cout << std::setw(7) << row.longest_ms << std::setw(11) << row.end_ms << std::setw(11) << row.whole_ms
              << "  " << row.call << (row.end.empty() ? "" : "   " + row.end.substr(0, 100)) << "\n";
  }
}
