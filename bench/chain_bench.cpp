// What a task chain costs beside its tools: plans of steps whose tools answer at once. Each plan runs on a store in
// memory and on SQLite, and beside it the same number of bare tasks in one stored run: one after another, or eight at
// once.
//
// Usage: ptc_chain_bench [steps] [rounds] [memory]. Prints for each kind the least processor time of the rounds in
// memory, or the median of the time of the clock on SQLite, in ms, and how much more the chain takes: the median of the
// ratios of the rounds, in each of which chain and bare tasks run one after the other.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/chain/run/chain_run.h"
#include "bench_results.h"
#include "ptcvm/sqlite.hpp"
#include "ptcvm/stored_run.hpp"

namespace {

using ptcvm::chain::ChainOperation;
using ptcvm::chain::ChainRun;
using ptcvm::chain::ChainState;
using ptcvm::chain::OperationKind;

// A chain of steps, each with the one before as its dependency, or all independent.
std::string plan_of(int steps, bool is_wide) {
  std::string plan = "{\"steps\":[";
  for (int i = 0; i < steps; ++i) {
    plan += std::string(i == 0 ? "" : ",") + "{\"id\":\"s" + std::to_string(i) +
            "\",\"type\":\"action\",\"description\":\"nothing\",\"tool\":\"nothing\",\"args\":{\"n\":" +
            std::to_string(i) + "}" + (is_wide ? ",\"dependsOn\":[]}" : "}");
  }
  return plan + "]}";
}

void run_chain(const ptcvm::Store& store, const std::string& plan, std::size_t parallel) {
  ptcvm::chain::ChainOptions options;
  options.id = "T";
  options.input = "nothing";
  options.tools = {{.name = "nothing", .signature = "", .description = "", .effect = ptcvm::Effect::Keyed}};
  options.parallel = parallel;
  options.most_steps = 100'000;
  const ptcvm::Engine engine;
  ChainRun run = taken(ChainRun::start(engine, store, options));
  while (taken(run.step()) != ChainState::Done) {
    for (const ChainOperation& operation : run.operations()) {
      const bool is_plan = operation.purpose == "plan";
      if (!run.answer(operation.id, boost::json::value(is_plan ? plan : "ok"))) stop("an answer was refused");
    }
  }
  if (!run.outcome()->is_completed) stop(run.outcome()->error);
}

void run_tasks(const ptcvm::Store& store, int steps, std::size_t parallel) {
  const ptcvm::Engine engine;
  ptcvm::Tools tools;
  if (!tools.defer("nothing", "", {.effect = ptcvm::Effect::Keyed})) stop("the tool was refused");
  const std::string numbers = "(range " + std::to_string(steps) + ")";
  const std::string task = "(task (str \"T/s\" n) (tool/nothing {\"n\" n}))";
  const std::string source = parallel == 1 ? "(doseq [n " + numbers + "] " + task + ")"
                                           : "(doseq [some (partition-all 64 " + numbers + ")] (pmap (fn [n] " + task +
                                                 ") some))";
  ptcvm::StoredOptions options;
  options.id = "T";
  options.limits.tool_calls = UINT32_MAX;
  options.limits.loop = UINT32_MAX;
  options.parallel_calls = parallel;
  auto run = taken(ptcvm::StoredRun::start(engine, store, tools, source, options));
  const ptcvm::Value answer = ptcvm::Value::of(std::string("ok"));
  while (taken(run.step()) != ptcvm::StoredStep::Done) {
    for (const auto& call : run.calls()) {
      if (!run.answer(call.id, answer)) stop("an answer was refused");
    }
  }
}

double now_ms(bool is_sqlite) {
  if (!is_sqlite) return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(now).count();
}

using Work = std::function<void(const ptcvm::Store&)>;

double time_ms(const Work& work, bool is_sqlite) {
  const std::string path = (std::filesystem::temp_directory_path() / "ptc_chain_bench.db").string();
  const auto remove = [&path] {
    for (const char* const end : {"", "-wal", "-shm"}) std::filesystem::remove(path + end);
  };
  remove();
  double spent = 0;
  {
    const ptcvm::Store store = is_sqlite ? taken(ptcvm::open_sqlite(path)) : ptcvm::Store::in_memory();
    const double start = now_ms(is_sqlite);
    work(store);
    spent = now_ms(is_sqlite) - start;
  }
  remove();
  return spent;
}

double median(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers[numbers.size() / 2];
}

void compare(const char* what, int rounds, const Work& chain, const Work& bare, bool is_sqlite) {
  std::vector<double> of_chain, of_bare, ratios;
  for (int round = 0; round < rounds; ++round) {
    of_chain.push_back(time_ms(chain, is_sqlite));
    of_bare.push_back(time_ms(bare, is_sqlite));
    ratios.push_back(of_chain.back() / of_bare.back());
  }
  const auto typical = [is_sqlite](const std::vector<double>& times) {
    return is_sqlite ? median(times) : *std::min_element(times.begin(), times.end());
  };
  std::printf("  %s: chain %.1f ms, bare tasks %.1f ms, ratio %.2f\n", what, typical(of_chain), typical(of_bare),
              median(ratios));
}

}  // namespace

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 1'000;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 9;
  if (steps < 1 || rounds < 1) stop("steps and rounds are numbers from 1");
  const std::string chained = plan_of(steps, false), wide = plan_of(steps, true);
  const bool is_memory_only = argc > 3 && std::string_view(argv[3]) == "memory";
  using ptcvm::Store;
  for (const bool is_sqlite : {false, true}) {
    if (is_sqlite && is_memory_only) break;
    std::printf("%d steps, %s\n", steps, is_sqlite ? "SQLite" : "memory");
    compare("one after another", rounds, [&](const Store& store) { run_chain(store, chained, 1); },
            [&](const Store& store) { run_tasks(store, steps, 1); }, is_sqlite);
    compare("eight at once", rounds, [&](const Store& store) { run_chain(store, wide, 8); },
            [&](const Store& store) { run_tasks(store, steps, 8); }, is_sqlite);
  }
}
