#include "fuzz/fuzz_target.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace ptc::fuzz {

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
  constexpr std::uint64_t kPrime = 0x100000001b3u;
  std::uint64_t hash = 0xcbf29ce484222325u;   // FNV-1a, over words: it is called for every input
  const std::uint8_t* at = bytes.data();
  std::size_t left = bytes.size();
  for (std::uint64_t word = 0; left >= sizeof word; left -= sizeof word, at += sizeof word) {
    std::memcpy(&word, at, sizeof word);
    hash = (hash ^ word) * kPrime;
    hash ^= hash >> 32;
  }
  for (; left > 0; --left, ++at) hash = (hash ^ *at) * kPrime;
  return hash;
}

}  // namespace ptc::fuzz
