// Measures suspended runs as bytes: writing, validated loading, resuming. Counters give the size of the bytes; the
// comment beside each program says what the state holds. Programs are shelved, as in a process that resumes many runs
// of few programs; Cold loads the program from the bytes of the snapshot, too.
#include <benchmark/benchmark.h>

#include <chrono>
#include <string>

#include "bench/suspended.h"

namespace {

using ptc::bench::host;
using ptc::bench::kNow;
using ptc::bench::kPending;
using ptc::bench::kRecords;
using ptc::bench::kTrivial;

const ptc::Engine& engine() {
  static const ptc::Engine shared;
  return shared;
}

ptc::Run suspended(const char* source) { return ptc::bench::suspended(engine(), source); }

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
  const ptc::RestoreOptions how = ptc::bench::restoring(warm ? engine().programs() : nullptr);
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
  const ptc::RestoreOptions how = ptc::bench::restoring(engine().programs());
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
  const ptc::RestoreOptions how = ptc::bench::restoring(engine().programs());
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
