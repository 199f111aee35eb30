// Apart from what else targets share: this needs an engine, and the maker of seeds has none.
#include <algorithm>
#include <array>

#include "fuzz/fuzz_target.h"

namespace ptc::fuzz {
namespace {

constexpr std::size_t kRemembered = 16;

// Inputs that were mutated lately, for parts.
std::array<Octets, kRemembered>& remembered() {
  static std::array<Octets, kRemembered> inputs;
  return inputs;
}

}  // namespace

std::size_t put_mutant(const Octets& mutant, std::uint8_t* data, std::size_t size, std::size_t most) {
  if (mutant.empty() || mutant.size() > most) return size;
  std::ranges::copy(mutant, data);
  return mutant.size();
}

std::size_t mutate_with(Mutation mutation, std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  Random random(seed);
  if (random.below(4) == 0) return LLVMFuzzerMutate(data, size, most);
  const Octets input(data, data + size);
  Octets& other = remembered()[random.below(kRemembered)];
  const Octets mutant = mutation(input, other, random);
  if (random.below(8) == 0 || other.empty()) other = input;
  return put_mutant(mutant, data, size, most);
}

}  // namespace ptc::fuzz
