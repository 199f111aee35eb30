// How the cost of collections grows, and how long a step can take while much memory is freed.
//
//   ptc_growth_bench [LARGEST]      (1000000)
//
// Prints one JSON object: "growth" holds for each case of growth_cases.h the nanoseconds for one element at 10^3, 10^4,
// … LARGEST, the least of several rounds in processor time; null where the case does not end well or takes too long.
// "freeing" holds steps in microseconds.
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <iomanip>
#include <optional>
#include <string>
#include <vector>

#include "bench/growth_cases.h"
#include "bench/workload.h"

namespace {

using ptc::bench::compiled;
using ptc::bench::GrowthCase;

constexpr double kLongestRoundNs = 10e9;     // a size whose rounds are likely to take longer is left out
constexpr double kEnoughNs = 200e6;          // the time of all rounds together
constexpr int kMostRounds = 20;

double processor_ns() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

ptc::RunLimits limits() {
  ptc::RunLimits out = ptc::bench::wide_limits();
  out.memory_bytes = std::uint64_t{8} << 30;
  out.string_bytes = std::uint64_t{1} << 30;
  out.regex_input_bytes = UINT32_MAX;
  return out;
}

bool ends_well(ptc::Run& run, const ptc::Engine& engine, const std::string& source,
               const std::vector<std::string_view>& names) {
  ptc::CompileRequest request;
  request.source = source;
  request.memory_names = names;
  const ptc::CompileAnswer answer = engine.compile(request);
  if (!answer.program) ptc::bench::give_up(source + ": " + answer.error.message);
  run.start(answer.program);
  const bool ok = run.step() == ptc::StepStatus::Completed;
  if (!ok) std::cerr << source << ": " << run.fault().message << "\n";
  return ok;
}

// Nanoseconds of one round of the measured part; nothing when it failed.
std::optional<double> once(const ptc::Engine& engine, const GrowthCase& work, std::uint64_t n) {
  ptc::Run run(limits());
  if (!ends_well(run, engine, "(def n " + std::to_string(n) + ") " + work.prepare, {})) return {};
  std::vector<std::string> names;
  run.for_each_definition([&](std::string_view name, ptc::Value) { names.emplace_back(name); });
  const std::vector<std::string_view> known(names.begin(), names.end());
  const double start = processor_ns();
  if (!ends_well(run, engine, work.measured, known)) return {};
  return processor_ns() - start;
}

std::optional<double> least(const ptc::Engine& engine, const GrowthCase& work, std::uint64_t n) {
  std::optional<double> best;
  double spent = 0;
  for (int round = 0; round < kMostRounds && spent < kEnoughNs; ++round) {
    const std::optional<double> ns = once(engine, work, n);
    if (!ns) return {};
    best = best ? std::min(*best, *ns) : *ns;
    spent += *ns;
  }
  return best;
}

void print_growth(const ptc::Engine& engine, std::uint64_t largest) {
  std::cout << "{\"growth\": [";
  bool is_first = true;
  for (const GrowthCase& work : ptc::bench::kGrowthCases) {
    std::cerr << work.name << "\n";
    std::cout << (is_first ? "\n" : ",\n") << "{\"name\": \"" << work.name
              << "\", \"complexity\": \"" << work.complexity << "\", \"ns\": [";
    bool is_over = false;
    double before = 0;
    for (std::uint64_t n = 1000; n <= largest; n *= 10) {
      const std::optional<double> ns = is_over ? std::nullopt : least(engine, work, n);
      if (ns && before > 0) is_over = *ns * (*ns / before) > kLongestRoundNs;
      is_over = is_over || !ns;
      before = ns.value_or(0);
      if (n > 1000) std::cout << ", ";
      if (ns) {
        std::cout << *ns / static_cast<double>(n);
      } else {
        std::cout << "null";
      }
    }
    std::cout << "]}" << std::flush;
    is_first = false;
  }
  std::cout << "],\n";
}

struct Step {
  double us;
  std::uint64_t bytes_before, bytes_after;
};

// A value of about 1 GB is built, dropped, and the program goes on; the host steps with little fuel all the time.
void print_freeing(const ptc::Engine& engine) {
  constexpr std::uint64_t kFuel = 10'000;
  const auto program = compiled(engine,
                                "(let [rows (mapv (fn [i] {:id i :tags [i (str \"tag\" i)]}) (range 6300000))]"
                                "  (count rows))"
                                "(loop [i 0] (if (< i 3000000) (recur (inc i)) i))");
  ptc::Run run(limits());
  run.start(program);
  std::vector<Step> steps;
  ptc::StepStatus status = ptc::StepStatus::Yielded;
  while (status == ptc::StepStatus::Yielded) {
    const std::uint64_t before = run.heap().bytes_used();
    const double start = processor_ns();
    status = run.step(kFuel);
    steps.push_back({(processor_ns() - start) / 1e3, before, run.heap().bytes_used()});
  }
  if (status != ptc::StepStatus::Completed) ptc::bench::give_up("freeing: " + run.fault().message);
  double building = 0, freeing = 0, after = 0;
  std::uint64_t most = 0;
  for (const Step& step : steps) most = std::max({most, step.bytes_before, step.bytes_after});
  bool has_peaked = false;
  for (const Step& step : steps) {
    const bool frees = step.bytes_before > step.bytes_after && step.bytes_before - step.bytes_after > most / 100'000;
    has_peaked = has_peaked || step.bytes_before == most;
    double& longest = has_peaked && frees ? freeing : has_peaked ? after : building;
    longest = std::max(longest, step.us);
  }
  std::cout << "\"freeing\": {\"bytes\": " << most << ", \"fuel\": " << kFuel << ", \"steps\": " << steps.size()
            << ", \"building_us\": " << building << ", \"freeing_us\": " << freeing << ", \"after_us\": " << after
            << "}}\n";
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t largest = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
  const ptc::Engine engine;
  std::cout << std::fixed << std::setprecision(2);
  print_growth(engine, largest);
  print_freeing(engine);
}
