// Measures whole programs in a warm engine with limits switched on: time, instructions (where the kernel counts them),
// fuel and peak heap bytes. bench/workloads has the programs, and bench/compare runs them beside other languages.
#include <benchmark/benchmark.h>

#include <string>

#include "bench/instructions.h"
#include "bench/workload.h"

namespace {

const ptc::Engine& engine() {
  static const ptc::Engine shared;
  return shared;
}

void run_program(benchmark::State& state, const std::string& name) {
  const auto program = ptc::bench::compiled(engine(), ptc::bench::read_file(ptc::bench::workload_path(name)));
  const ptc::InstructionCounter counter;
  std::uint64_t instructions = 0, fuel = 0, bytes = 0;
  for (auto _ : state) {
    const std::uint64_t before = counter.now();
    ptc::Run run = ptc::bench::finished(program);
    instructions += counter.now() - before;
    fuel = run.fuel_used();
    bytes = run.heap().bytes_peak();
  }
  if (counter.available()) {
    state.counters["instructions"] =
        benchmark::Counter(static_cast<double>(instructions), benchmark::Counter::kAvgIterations);
  }
  state.counters["fuel"] = static_cast<double>(fuel);
  state.counters["peak_bytes"] = static_cast<double>(bytes);
}

// Source to result of a trivial program; `cached` decides whether the engine may remember the compiled program.
void trivial(benchmark::State& state, bool cached) {
  ptc::EngineOptions options;
  if (!cached) options.cached_programs = 0;
  const ptc::Engine own(options);
  const ptc::InstructionCounter counter;
  std::uint64_t instructions = 0;
  for (auto _ : state) {
    const std::uint64_t before = counter.now();
    const ptc::Run run = ptc::bench::finished(ptc::bench::compiled(own, "(+ 1 2)"));
    if (run.result().i != 3) state.SkipWithError("wrong result");
    instructions += counter.now() - before;
  }
  if (counter.available()) {
    state.counters["instructions"] =
        benchmark::Counter(static_cast<double>(instructions), benchmark::Counter::kAvgIterations);
  }
}

}  // namespace

int main(int argc, char** argv) {
  for (const char* name : ptc::bench::kWorkloads) {
    benchmark::RegisterBenchmark(name, [name](benchmark::State& state) { run_program(state, name); })
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::RegisterBenchmark("trivial/compiled", [](benchmark::State& state) { trivial(state, false); })
      ->Unit(benchmark::kMicrosecond);
  benchmark::RegisterBenchmark("trivial/cached", [](benchmark::State& state) { trivial(state, true); })
      ->Unit(benchmark::kMicrosecond);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
