// Suspended runs as bytes: writing, validated loading, resuming. Counters say how large the bytes are; what is in the
// state stands beside each program. Programs are shelved, as in a process that resumes many runs of few programs;
// Cold loads the program from the snapshot's own bytes, too.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>

#include "runtime/engine.h"
#include "runtime/session.h"
#include "vm/exec/run.h"
#include "vm/snapshot/snapshot.h"

namespace {

constexpr std::int64_t kNow = 1'767'225'600'000;

// One frame, one operation with its handle and arguments.
constexpr const char* kTrivial = "(await (tool/ask {:q \"x\"}))";
// The same, and 10,000 maps of 6 fields in a local: int, string of its own, shared string, int, float, bool.
constexpr const char* kRecords =
    "(let [shared (str \"sha\" \"red\")"
    "      rows (mapv (fn [i] {:id i :name (str \"user-\" i) :city shared :age (+ 20 (mod i 60))"
    "                          :score (+ i 0.5) :active (even? i)}) (range 10000))"
    "      answer (await (tool/ask {:q \"x\"}))]"
    "  [answer (count rows)])";
// 100 operations that wait, one await-all.
constexpr const char* kPending = "(await-all (mapv (fn [i] (tool/ask {:q i})) (range 100)))";

const ptc::Engine& engine() {
  static const ptc::Engine shared;
  return shared;
}

std::shared_ptr<const ptc::Program> compiled(const char* source) {
  ptc::CompileRequest request;
  request.source = source;
  ptc::CompileAnswer answer = engine().compile(request);
  if (!answer.program) {
    std::cerr << "benchmark does not compile: " << answer.error.message << "\n";
    std::exit(1);
  }
  return answer.program;
}

ptc::Run suspended(const char* source) {
  ptc::RunLimits limits;
  limits.loop = 1'000'000;
  ptc::Run run(source == std::string_view(kRecords) ? limits : ptc::RunLimits{});
  run.set_clock(kNow);
  run.start(compiled(source));
  for (;;) {
    const ptc::StepStatus status = run.step();
    if (status == ptc::StepStatus::Suspended) return run;
    if (status != ptc::StepStatus::NeedsTool) {
      std::cerr << "benchmark does not suspend\n";
      std::exit(1);
    }
    while (!run.tool_requests().empty()) {
      const std::uint64_t id = run.tool_requests().front().id;
      if (run.admit(id)) run.answer_pending(id, {});
    }
  }
}

ptc::HostState host() {
  ptc::HostState state;
  state.tools.push_back({"ask", ptc::signature_hash("(q :any) -> :any"), "", 1});
  return state;
}

ptc::RestoreOptions options(ptc::ProgramSource* programs) {
  ptc::RestoreOptions out;
  out.programs = programs;
  out.check = [](const ptc::HostState& state) {
    return state.tools.size() == 1 && state.tools[0].name == "ask" ? std::string() : std::string("missing");
  };
  return out;
}

ptc::Run loaded(benchmark::State& state, std::span<const std::uint8_t> bytes, const ptc::RestoreOptions& how) {
  auto result = ptc::restore_snapshot(bytes, how);
  if (auto* error = std::get_if<ptc::RestoreError>(&result)) {
    state.SkipWithError(error->message.c_str());
    return ptc::Run(ptc::RunLimits{});
  }
  return std::move(std::get<ptc::Restored>(result).run);
}

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void write(benchmark::State& state, const char* source, bool embed) {
  const ptc::Run run = suspended(source);
  const ptc::HostState host_state = host();
  const ptc::SnapshotOptions how{embed};
  std::size_t size = 0;
  for (auto _ : state) {
    const std::vector<std::uint8_t> bytes = ptc::write_snapshot(run, host_state, how);
    benchmark::DoNotOptimize(bytes.data());
    size = bytes.size();
  }
  state.counters["bytes"] = static_cast<double>(size);
}

void load(benchmark::State& state, const char* source, bool embed, bool warm) {
  const ptc::Run run = suspended(source);
  engine().programs()->keep(run.program());
  const std::vector<std::uint8_t> bytes = ptc::write_snapshot(run, host(), {embed});
  const ptc::RestoreOptions how = options(warm ? engine().programs() : nullptr);
  for (auto _ : state) {
    const auto start = Clock::now();
    const ptc::Run again = loaded(state, bytes, how);
    state.SetIterationTime(seconds_since(start));   // without destroying it
    benchmark::DoNotOptimize(again.suspended());
  }
  state.counters["bytes"] = static_cast<double>(bytes.size());
}

// From the loaded run to its end: the answer is given, the program goes on.
void resume(benchmark::State& state, const char* source) {
  const ptc::Run run = suspended(source);
  engine().programs()->keep(run.program());
  const std::vector<std::uint8_t> bytes = ptc::write_snapshot(run, host(), {true});
  const ptc::RestoreOptions how = options(engine().programs());
  for (auto _ : state) {
    ptc::Run again = loaded(state, bytes, how);
    const auto start = Clock::now();
    again.set_clock(kNow);
    again.resolve("op1", {ptc::Settlement::Kind::Ok, ptc::Value::integer(7), {}});
    const bool ended = again.step() == ptc::StepStatus::Completed;
    state.SetIterationTime(seconds_since(start));
    if (!ended) state.SkipWithError("did not end");
  }
}

// Every suspended run is loaded, gets its answer, ends: one after another.
void resume_many(benchmark::State& state) {
  const ptc::Run run = suspended(kTrivial);
  engine().programs()->keep(run.program());
  const std::vector<std::uint8_t> bytes = ptc::write_snapshot(run, host(), {true});
  const ptc::RestoreOptions how = options(engine().programs());
  constexpr int kRuns = 100'000;
  for (auto _ : state) {
    for (int i = 0; i < kRuns; ++i) {
      ptc::Run again = loaded(state, bytes, how);
      again.set_clock(kNow);
      again.resolve("op1", {ptc::Settlement::Kind::Ok, ptc::Value::integer(i), {}});
      if (again.step() != ptc::StepStatus::Completed) state.SkipWithError("did not end");
    }
  }
  state.SetItemsProcessed(state.iterations() * kRuns);
}

#define SNAPSHOT_CASES(name, source)                                         \
  BENCHMARK_CAPTURE(write, name##_self_contained, source, true);             \
  BENCHMARK_CAPTURE(write, name##_program_by_hash, source, false);           \
  BENCHMARK_CAPTURE(load, name##_self_contained, source, true, true)->UseManualTime();   \
  BENCHMARK_CAPTURE(load, name##_program_by_hash, source, false, true)->UseManualTime(); \
  BENCHMARK_CAPTURE(load, name##_cold, source, true, false)->UseManualTime()
SNAPSHOT_CASES(trivial, kTrivial);
SNAPSHOT_CASES(records, kRecords);
SNAPSHOT_CASES(pending_100, kPending);
BENCHMARK_CAPTURE(resume, trivial, kTrivial)->UseManualTime();
BENCHMARK(resume_many)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
