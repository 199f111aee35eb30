#include <sodium/crypto_hash_sha256.h>

#include <array>
#include <cstdint>
#include <string_view>

#include "vm/snapshot/snapshot.h"

namespace ptc {

std::uint64_t signature_hash(std::string_view signature) {
  if (signature.empty()) return 0;
  std::array<unsigned char, crypto_hash_sha256_BYTES> hash;
  crypto_hash_sha256(hash.data(), reinterpret_cast<const unsigned char*>(signature.data()), signature.size());
  std::uint64_t word = 0;
  for (unsigned i = 0; i < 8; ++i) word |= std::uint64_t{hash[i]} << (8 * i);
  return word;
}

}  // namespace ptc
