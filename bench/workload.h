// The programs of bench/workloads as the benchmarks run them: read from their files, limits switched on but wide.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>

#include "runtime/engine/engine.h"
#include "runtime/engine/memory_pool.h"
#include "vm/exec/run.h"

namespace ptc::bench {

// The fifteen, in the order of its table.
inline constexpr const char* kWorkloads[] = {
    "fib",     "tak",        "loop",    "mandelbrot", "vector", "sieve",    "strings",   "string-map",
    "records", "word-count", "nested",  "pipeline",   "closures", "sort-ints", "sort-floats"};

[[noreturn]] inline void give_up(const std::string& why) {
  std::cerr << why << "\n";
  std::exit(1);
}

inline std::string read_file(const std::string& path) {
  std::ifstream in(path);
  if (!in) give_up("cannot read " + path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

inline std::string workload_path(const std::string& name) {
  return std::string(PTC_BENCH_WORKLOADS) + "/" + name + "/" + name + ".ptc";
}

inline RunLimits wide_limits() {
  RunLimits out;
  out.loop = 2'000'000'000;
  out.fuel = 1'000'000'000'000;
  out.memory_bytes = std::uint64_t{4} << 30;
  return out;
}

inline std::shared_ptr<const Program> compiled(const Engine& engine, std::string_view source) {
  CompileRequest request;
  request.source = source;
  CompileAnswer answer = engine.compile(request);
  if (!answer.program) give_up("a benchmark does not compile: " + answer.error.message);
  return answer.program;
}

// Runs a fresh run to its end and returns the run.
inline Run finished(const std::shared_ptr<const Program>& program) {
  static const auto memory = std::make_shared<MemoryPool>(EngineOptions{}.kept_memory_bytes);   // as an engine has it
  Run run(wide_limits(), memory);
  run.start(program);
  if (run.step() != StepStatus::Completed) give_up("a benchmark ends with: " + run.fault().message);
  return run;
}

}  // namespace ptc::bench
