#include "fuzz/byte_mutation.h"

#include "fuzz/part_mutation.h"

namespace ptc::test {

Octets mutated_bytes(Octets bytes, const Octets& other, Random& random) {
  const unsigned changes = 1 + random.below(random.below(4) == 0 ? 8 : 2);
  for (unsigned k = 0; k < changes; ++k) {
    if (bytes.empty()) return bytes;
    const std::size_t at = random.below(bytes.size());
    const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    const auto length = static_cast<std::ptrdiff_t>(std::min<std::size_t>(bytes.size() - at, 1 + random.below(16)));
    switch (random.below(9)) {
      case 0: *place = static_cast<std::uint8_t>(random.below(256)); break;
      case 1: *place = static_cast<std::uint8_t>(telling_number(random)); break;
      case 2: bytes.erase(place, place + length); break;
      case 3: {
        const Octets piece(place, place + length);
        bytes.insert(place, piece.begin(), piece.end());
        break;
      }
      case 4: bytes.resize(at); break;
      case 5: {
        if (other.empty()) break;
        const std::size_t from = random.below(other.size());
        const std::size_t count = std::min<std::size_t>({other.size() - from, bytes.size() - at, 1 + random.below(32)});
        std::copy_n(other.begin() + static_cast<std::ptrdiff_t>(from), count, place);
        break;
      }
      default: *place = static_cast<std::uint8_t>(*place ^ 1u << random.below(8));
    }
  }
  return bytes;
}

}  // namespace ptc::test
