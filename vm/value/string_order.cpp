// Order and hash of text, byte by byte, without decoding.
#include <bit>
#include <cstring>

#include "vm/value/account.h"
#include "vm/value/hash_mix.h"
#include "vm/value/string.h"

namespace ptc {

namespace {

std::uint64_t load(const char* bytes, std::size_t count) {   // little endian on every machine
  std::uint64_t word = 0;
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(&word, bytes, count);
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      word |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    }
  }
  return word;
}

}  // namespace

std::uint64_t hash_bytes(std::string_view bytes) {
  std::uint64_t h = kHashFactor * (bytes.size() + 1);
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) h = hash_text_step(h, load(at, 8));
  if (left != 0) h = hash_text_step(h, load(at, left));
  h = hash_fold(h, kHashSeed);
  return h == 0 ? 1 : h;
}

// UTF-8 bytes order as code points do. UTF-16 differs in one way: code points above U+FFFF (lead byte F0 and up) are
// written with surrogates, which come before U+E000..U+FFFF (lead bytes EE and EF).
int compare_utf16(std::string_view a, std::string_view b) {
  const std::size_t common = a.size() < b.size() ? a.size() : b.size();
  std::size_t i = 0;
  while (i + 8 <= common && load(a.data() + i, 8) == load(b.data() + i, 8)) i += 8;
  while (i < common && a[i] == b[i]) ++i;
  charge_text(i);
  if (i == common) return a.size() < b.size() ? -1 : a.size() > b.size() ? 1 : 0;
  const unsigned char x = static_cast<unsigned char>(a[i]);
  const unsigned char y = static_cast<unsigned char>(b[i]);
  const bool surrogates_decide = x >= 0xee && y >= 0xee && (x >= 0xf0) != (y >= 0xf0);
  return ((x < y) != surrogates_decide) ? -1 : 1;
}

}  // namespace ptc
