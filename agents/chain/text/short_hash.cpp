#include "agents/chain/text/short_hash.h"

#include <cstdint>

namespace ptcvm::chain {

std::string short_hash(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3u;
  }
  std::uint64_t folded = (hash ^ (hash >> 32)) & 0xffffffffu;
  std::string digits(8, '0');
  for (std::size_t i = digits.size(); i-- > 0; folded >>= 4) digits[i] = "0123456789abcdef"[folded & 15u];
  return digits;
}

}  // namespace ptcvm::chain
