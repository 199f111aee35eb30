// Whole programs in a warm engine, limits switched on. Beside time: instructions (where the kernel counts them), fuel
// and peak heap bytes. The programs lie in bench/programs; bench/peers.lua runs the same work in Lua.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "bench/instructions.h"
#include "compiler/compile.h"
#include "runtime/engine.h"
#include "vm/exec/run.h"

namespace {

std::string read_program(const std::string& name) {
  std::ifstream in(std::string(PTC_BENCH_PROGRAMS) + "/" + name + ".ptc");
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

ptc::RunLimits limits() {
  ptc::RunLimits out;
  out.loop = 2'000'000'000;
  out.fuel = 1'000'000'000'000;
  out.memory_bytes = std::uint64_t{4} << 30;
  return out;
}

const ptc::Engine& engine() {
  static const ptc::Engine shared;
  return shared;
}

std::shared_ptr<const ptc::Program> compiled(const std::string& source) {
  ptc::CompileRequest request;
  request.source = source;
  ptc::CompileAnswer answer = engine().compile(request);
  if (!answer.program) {
    std::cerr << "benchmark does not compile: " << answer.error.message << "\n";
    std::exit(1);
  }
  return answer.program;
}

void run_program(benchmark::State& state, const std::string& name) {
  const auto program = compiled(read_program(name));
  const ptc::InstructionCounter counter;
  std::uint64_t instructions = 0, fuel = 0, bytes = 0;
  for (auto _ : state) {
    const std::uint64_t before = counter.now();
    ptc::Run run(limits());
    run.start(program);
    if (run.step() != ptc::StepStatus::Completed) state.SkipWithError(run.fault().message.c_str());
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
    ptc::CompileRequest request;
    request.source = "(+ 1 2)";
    const ptc::CompileAnswer answer = own.compile(request);
    ptc::Run run(limits());
    run.start(answer.program);
    if (run.step() != ptc::StepStatus::Completed || run.result().i != 3) state.SkipWithError("wrong result");
    instructions += counter.now() - before;
  }
  if (counter.available()) {
    state.counters["instructions"] =
        benchmark::Counter(static_cast<double>(instructions), benchmark::Counter::kAvgIterations);
  }
}

}  // namespace

int main(int argc, char** argv) {
  for (const char* name : {"fib", "loop", "pipeline", "string-map", "sort", "group-by", "vector"}) {
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
