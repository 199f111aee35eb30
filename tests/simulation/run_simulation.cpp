// Workers over a simulated database, by seeds: ptc_simulation --seeds FROM..TO [--mutant NAME] [--all]
//                                              ptc_simulation --story SEED [--mutant NAME]
//
// Without a mutant every seed must hold: the first that does not is told as a short story, and the status is 1; with
// --all, each is named. With a mutant (no_nonce, fence_without_a_lock, wake_after_the_commit,
// lease_by_the_clock_of_the_node) one of the seeds must fail. --story tells everything that happens in a seed.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include "tests/simulation/simulation.h"

namespace {

using ptcvm::simulation::Mutant;
using ptcvm::simulation::SeedResult;
using ptcvm::simulation::Telling;
using Number = unsigned long long;

const std::map<std::string, Mutant, std::less<>> kMutants = {
    {"none", Mutant::None},
    {"no_nonce", Mutant::NoNonce},
    {"fence_without_a_lock", Mutant::FenceWithoutALock},
    {"wake_after_the_commit", Mutant::WakeAfterTheCommit},
    {"lease_by_the_clock_of_the_node", Mutant::LeaseByTheClockOfTheNode}};

struct Wanted {
  Number from = 1, to = 1'000;
  std::string mutant = "none";
  bool goes_on = false, is_story = false;
  Mutant kind() const { return kMutants.at(mutant); }
  bool is_mutated() const { return kind() != Mutant::None; }
};

bool read_seeds(const std::string& text, Wanted& out) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) return false;
  out.from = std::strtoull(text.c_str(), nullptr, 10);
  out.to = std::strtoull(text.c_str() + dots + 2, nullptr, 10);
  return out.from <= out.to;
}

bool read(int argc, char** argv, Wanted& out) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--all") {
      out.goes_on = true;
      continue;
    }
    if (++i == argc) return false;
    if (name == "--mutant") {
      out.mutant = argv[i];
    } else if (name == "--story") {
      out.is_story = true;
      out.from = out.to = std::strtoull(argv[i], nullptr, 10);
    } else if (name != "--seeds" || !read_seeds(argv[i], out)) {
      return false;
    }
  }
  return kMutants.contains(out.mutant);
}

void tell(const ptcvm::Engine& engine, const Wanted& wanted, Number seed, const SeedResult& failed) {
  std::printf("seed %llu: %s\n", seed, failed.failure.c_str());
  if (wanted.goes_on) return;
  std::printf("%s", simulate(engine, seed, wanted.kind(), Telling::WhatMatters).story.c_str());
  std::printf("everything: ptc_simulation --story %llu%s\n", seed,
              wanted.is_mutated() ? (" --mutant " + wanted.mutant).c_str() : "");
}

int tell_everything(const ptcvm::Engine& engine, const Wanted& wanted) {
  const SeedResult told = simulate(engine, wanted.from, wanted.kind(), Telling::Everything);
  std::printf("%s%s\n", told.story.c_str(), told.failure.empty() ? "everything held" : told.failure.c_str());
  return told.failure.empty() ? 0 : 1;
}

int run(const ptcvm::Engine& engine, const Wanted& wanted) {
  Number commits = 0, calls = 0, failovers = 0, failed = 0;
  std::int64_t simulated_ms = 0;
  for (Number seed = wanted.from; seed <= wanted.to; ++seed) {
    const SeedResult result = simulate(engine, seed, wanted.kind(), Telling::Nothing);
    commits += result.commits;
    calls += result.calls;
    failovers += result.failovers;
    simulated_ms += result.simulated_ms;
    if (result.failure.empty()) continue;
    ++failed;
    tell(engine, wanted, seed, result);
    if (wanted.is_mutated()) std::printf("the mutant is found after %llu seeds\n", seed - wanted.from + 1);
    if (!wanted.goes_on) return wanted.is_mutated() ? 0 : 1;
  }
  std::printf("%llu seeds, %.0f hours, %llu commits, %llu calls of tools, %llu failovers; %llu seeds failed\n",
              wanted.to - wanted.from + 1, static_cast<double>(simulated_ms) / 3'600'000, commits, calls, failovers,
              failed);
  if (wanted.is_mutated() && failed == 0) std::printf("the mutant %s was not found\n", wanted.mutant.c_str());
  return (failed == 0) == wanted.is_mutated() ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);                  // long runs are watched
  Wanted wanted;
  if (!read(argc, argv, wanted)) {
    std::fputs("usage: ptc_simulation --seeds FROM..TO | --story SEED [--mutant NAME] [--all]\n", stderr);
    return 2;
  }
  const ptcvm::Engine engine;
  return wanted.is_story ? tell_everything(engine, wanted) : run(engine, wanted);
}
