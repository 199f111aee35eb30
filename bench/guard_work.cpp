// What bench/guard counts: a fixed set of small works, each one call of guarded_work(), in the order of kWorks. The
// instructions of that function are all that callgrind collects (--toggle-collect, --dump-after), so neither the
// start of the process nor the preparation of a work is in the figures. Prints the names of the works.
#include <functional>
#include <iostream>
#include <string>

#include "bench/suspended.h"
#include "bench/workload.h"
#include "runtime/text/json_value.h"

namespace {

using ptc::bench::compiled;
using ptc::bench::give_up;

// The workloads at sizes that callgrind gets through: every FROM in the program becomes TO.
struct Reduced {
  const char *name, *from, *to;
};
constexpr Reduced kReduced[] = {{"fib", "(fib 30)", "(fib 20)"},
                                {"tak", "24 16 8", "15 10 5"},
                                {"loop", "10000000", "200000"},
                                {"mandelbrot", "360", "40"},
                                {"vector", "1000000", "20000"},
                                {"sieve", "2000", "100"},
                                {"strings", "100000", "4000"},
                                {"string-map", "200000", "5000"},
                                {"word-count", "200000", "8000"},
                                {"records", "100000", "4000"},
                                {"pipeline", "1000000", "20000"},
                                {"nested", "200000", "8000"},
                                {"closures", "1000000", "20000"},
                                {"sort-ints", "500000", "10000"},
                                {"sort-floats", "500000", "4000"}};

constexpr const char* kCold =
    "(->> (tool/sales {:year 2026}) (filter :paid) (group-by :region)"
    "     (map (fn [[region sales]] [region (reduce + (map :amount sales))])))";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  std::size_t at = text.find(from);
  if (at == std::string::npos) give_up("there is no " + from + " in the program");
  for (; at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
  return text;
}

std::string sales_json() {
  std::string out = "[";
  for (int i = 0; i < 100; ++i) {
    out += std::string(i == 0 ? "" : ",") + "{\"id\":" + std::to_string(i) + ",\"region\":\"region-" +
           std::to_string(i % 5) + "\",\"amount\":" + std::to_string(i * 7 % 100) +
           ",\"paid\":" + (i % 3 == 0 ? "false" : "true") + "}";
  }
  return out + "]";
}

void run_cold(const ptc::Engine& engine, const std::string& sales) {
  ptc::Run run(ptc::bench::wide_limits());
  run.start(compiled(engine, kCold));
  if (run.step() != ptc::StepStatus::NeedsTool) give_up("a benchmark calls no tool");
  const std::uint64_t id = run.tool_requests().front().id;
  if (!run.admit(id)) give_up("a benchmark may call no tool");
  run.answer(id, std::get<ptc::Value>(ptc::read_json(run.heap(), sales)));
  if (run.step() != ptc::StepStatus::Completed) give_up("a benchmark ends with: " + run.fault().message);
}

void load(const std::vector<std::uint8_t>& bytes, const ptc::Engine& engine) {
  const auto result = ptc::restore_snapshot(bytes, ptc::bench::restoring(engine.programs()));
  if (std::holds_alternative<ptc::RestoreError>(result)) give_up("a benchmark does not load");
}

}  // namespace

extern "C" __attribute__((noinline, visibility("default"))) void guarded_work(const std::function<void()>& work) {
  work();
}

namespace {

void count(const std::string& name, const std::function<void()>& work) {
  guarded_work(work);
  std::cout << name << "\n";
}

template <class F>
auto times(int n, F&& work) {
  return [n, work] {
    for (int i = 0; i < n; ++i) work();
  };
}

void count_snapshots(const ptc::Engine& engine, const std::string& name, const char* source, int rounds) {
  const ptc::Run run = ptc::bench::suspended(engine, source);
  engine.programs()->keep(run.program());
  const ptc::HostState host = ptc::bench::host();
  const std::vector<std::uint8_t> bytes = ptc::write_snapshot(run, host);
  count(name + "-write", times(rounds, [&] { ptc::write_snapshot(run, host); }));
  count(name + "-load", times(rounds, [&] { load(bytes, engine); }));
}

}  // namespace

int main() {
  const ptc::Engine engine, uncached({.cached_programs = 0});
  ptc::bench::finished(compiled(engine, "(comp inc)"));   // the first call into the prelude loads it
  for (const auto& [name, from, to] : kReduced) {
    const std::string source = replaced(ptc::bench::read_file(ptc::bench::workload_path(name)), from, to);
    const auto program = compiled(engine, source);
    count(name, [&] { ptc::bench::finished(program); });
  }
  count("trivial", times(50, [&] { ptc::bench::finished(compiled(uncached, "(+ 1 2)")); }));
  const std::string sales = sales_json();
  count("cold", times(10, [&] { run_cold(uncached, sales); }));
  count_snapshots(engine, "await", ptc::bench::kTrivial, 20);
  count_snapshots(engine, "records", ptc::bench::kRecords, 1);
  count_snapshots(engine, "pending", ptc::bench::kPending, 2);
}
