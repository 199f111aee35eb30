#include "agents/chain/plan/call_name.h"

#include <sodium.h>

#include <array>

namespace ptcvm::chain {

namespace {

constexpr std::size_t kNameBytes = 16;

}  // namespace

std::string call_name(std::string_view call) {
  std::array<unsigned char, crypto_hash_sha256_BYTES> hash{};
  crypto_hash_sha256(hash.data(), reinterpret_cast<const unsigned char*>(call.data()), call.size());
  std::array<char, 2 * kNameBytes + 1> digits{};
  sodium_bin2hex(digits.data(), digits.size(), hash.data(), kNameBytes);
  return digits.data();
}

}  // namespace ptcvm::chain
