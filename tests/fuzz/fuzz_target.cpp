#include "fuzz/fuzz_target.h"

#include <cstdio>
#include <cstdlib>

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
  std::uint64_t hash = 0xcbf29ce484222325u;   // FNV-1a
  for (const std::uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001b3u;
  return hash;
}

}  // namespace ptc::fuzz
