#include "fuzz/mutant_run.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "support/refusal_cost.h"

namespace ptc::test {
namespace {

constexpr std::uint64_t kBatch = 250;
constexpr unsigned kMostWaitSeconds = 60;   // an endless run is a crash, too

Breakage breakage_of(std::uint64_t number) { return static_cast<Breakage>(number % kBreakageCount); }

void keep_text(Tried& tried, const std::string& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::copy_n(text.begin(), std::min(end, tried.text.size() - 1), tried.text.begin());
}

Tried try_one(const Engine& engine, const MutantCorpus& corpus, Keeping keeping, std::uint64_t seed,
              std::uint64_t number) {
  const KeptSnapshot* made_of = nullptr;
  const Octets bytes = numbered_mutant(corpus, keeping, seed, number, &made_of);
  Tried tried;
  tried.breakage = breakage_of(number);
  const CostMeter cost;
  std::span<const std::uint8_t> snapshot;
  const std::string closed = open_kept(keeping, bytes, snapshot);
  const End end = closed.empty() ? ended(engine, *made_of->file, snapshot) : End{true, false, closed};
  if (end.refused) {
    tried.verdict = Verdict::Rejected;
    tried.seconds = cost.seconds();
    tried.kilobytes = cost.kilobytes();
  } else if (end.text == made_of->end) {
    tried.verdict = Verdict::Equal;
  } else {
    tried.verdict = end.failed ? Verdict::Error : Verdict::WrongValue;
  }
  keep_text(tried, end.text);
  return tried;
}

// Mutants from `from` on, up to the first that ends the process; that one is the last of what comes back.
void try_in_child(const Engine& engine, const MutantCorpus& corpus, Keeping keeping, std::uint64_t seed,
                  std::uint64_t end, std::vector<Tried>& out) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  std::fflush(stdout);
  const pid_t child = fork();
  if (child < 0) std::abort();
  if (child == 0) {
    close(ends[0]);
    for (std::uint64_t number = out.size(); number < end; ++number) {
      alarm(kMostWaitSeconds);
      const Tried tried = try_one(engine, corpus, keeping, seed, number);
      if (write(ends[1], &tried, sizeof tried) != static_cast<ssize_t>(sizeof tried)) _exit(1);
    }
    _exit(0);
  }
  close(ends[1]);
  Tried tried;
  while (read(ends[0], &tried, sizeof tried) == static_cast<ssize_t>(sizeof tried)) out.push_back(tried);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (out.size() == end) return;
  Tried crash;
  crash.breakage = breakage_of(out.size());
  keep_text(crash, WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status)) : "the process ended");
  out.push_back(crash);
}

}  // namespace

Octets numbered_mutant(const MutantCorpus& corpus, Keeping keeping, std::uint64_t seed, std::uint64_t number,
                       const KeptSnapshot** made_of) {
  constexpr std::uint64_t kApart = 1'000'003;
  Random random((seed * kApart + number) * std::size(kKeepings) + static_cast<std::uint64_t>(keeping));
  const KeptSnapshot &kept = random.pick(corpus.kept(keeping)), &other = random.pick(corpus.kept(keeping));
  *made_of = &kept;
  return mutant_of(kept.bytes, other.bytes, keeping, breakage_of(number), random);
}

std::vector<Tried> try_mutants(const Engine& engine, const MutantCorpus& corpus, Keeping keeping, std::uint64_t seed,
                               std::uint64_t count) {
  std::vector<Tried> out;
  while (out.size() < count) {
    try_in_child(engine, corpus, keeping, seed, std::min(count, (out.size() / kBatch + 1) * kBatch), out);
  }
  return out;
}

}  // namespace ptc::test
