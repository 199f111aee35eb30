// Mutants tried in processes of their own, so that a crash is counted and ends nothing.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/mutant_corpus.h"

namespace ptc::test {

enum class Verdict : std::uint8_t { Rejected, Equal, Error, WrongValue, Crash };
inline constexpr std::size_t kVerdictCount = 5;

struct Tried {
  Verdict verdict = Verdict::Crash;
  Breakage breakage{};
  double seconds = 0;        // time of a refusal, where the build can measure it
  long kilobytes = 0;
  std::array<char, 120> text{};   // the beginning of the reason or of what came out
};

// The mutant of that number: the same for the same corpus and seed.
Octets numbered_mutant(const MutantCorpus& corpus, Keeping keeping, std::uint64_t seed, std::uint64_t number,
                       const KeptSnapshot** made_of);

// Mutants 0 to count - 1.
std::vector<Tried> try_mutants(const Engine& engine, const MutantCorpus& corpus, Keeping keeping, std::uint64_t seed,
                               std::uint64_t count);

}  // namespace ptc::test
