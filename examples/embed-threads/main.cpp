// Scores records of two tenants on a pool of threads. One of them also has a program that does not end.
#include <cstdio>
#include <vector>

#include "ptcvm/ptcvm.hpp"
#include "ptcvm/thread_pool.hpp"

int main() {
  const ptcvm::Engine engine;
  const auto score = engine.compile("(reduce + (map #(* % data/factor) (range 100)))");
  const auto endless = engine.compile("(loop [] (recur))");

  const auto run_of = [&engine](const ptcvm::Program& program, std::int64_t factor) {
    const ptcvm::Value data = ptcvm::Value::build([factor](ptcvm::ValueWriter& out) {
      out.map([factor](ptcvm::ValueWriter& entries) { entries.entry("factor", factor); });
    });
    ptcvm::RunOptions options;
    options.data = data;
    options.limits.fuel = 1'000'000;
    options.limits.loop = UINT32_MAX;
    return *ptcvm::Run::start(engine, program, options);
  };

  ptcvm::ThreadPool pool({.threads = 2, .runs_per_tenant = 100});
  auto stuck = pool.submit("acme", run_of(*endless, 0));
  std::vector<std::future<ptcvm::Run>> scores;
  for (std::int64_t factor = 1; factor <= 3; ++factor) {
    auto submitted = pool.submit("birch", run_of(*score, factor));
    if (!submitted) return 1;                       // busy: the tenant has 100 runs in the pool
    scores.push_back(std::move(*submitted));
  }
  for (auto& one : scores) std::printf("%s\n", one.get().result().to_edn().c_str());
  std::printf("%s\n", stuck->get().diagnostic()->kind.c_str());
}
