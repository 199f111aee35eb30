#include "fuzz/fuzz_target.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

namespace ptc::fuzz {
namespace {

constexpr std::size_t kRemembered = 16;

// Inputs that were mutated lately, for parts.
std::array<Octets, kRemembered>& remembered() {
  static std::array<Octets, kRemembered> inputs;
  return inputs;
}

}  // namespace

void complain(std::string_view what) {
  std::fprintf(stderr, "COMPLAINT %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

std::uint64_t seed_of(std::span<const std::uint8_t> bytes) {
  std::uint64_t hash = 0xcbf29ce484222325u;   // FNV-1a
  for (const std::uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001b3u;
  return hash;
}

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
