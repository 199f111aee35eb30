#include "vm/exec/packed_words.h"

#include <bit>

namespace ptc {

namespace {

constexpr std::size_t kWord = 8;

}  // namespace

std::vector<std::uint8_t> pack_words(std::span<const std::uint8_t> words) {
  std::vector<std::uint8_t> packed;
  packed.reserve(words.size() + words.size() / kWord);
  for (std::size_t at = 0; at < words.size(); at += kWord) {
    const std::size_t head = packed.size();
    packed.push_back(0);
    for (std::size_t k = 0; k < kWord; ++k) {
      if (words[at + k] == 0) continue;
      packed[head] = static_cast<std::uint8_t>(packed[head] | 1u << k);
      packed.push_back(words[at + k]);
    }
  }
  packed.shrink_to_fit();
  return packed;
}

std::optional<std::vector<std::uint8_t>> unpack_words(std::span<const std::uint8_t> packed) {
  std::size_t at = 0, count = 0;
  for (; at < packed.size(); ++count) {
    const unsigned head = packed[at++];
    for (unsigned left = head; left != 0; left &= left - 1) ++at;
  }
  if (at != packed.size()) return std::nullopt;
  std::vector<std::uint8_t> words(count * kWord);
  at = 0;
  for (std::size_t word = 0; word < words.size(); word += kWord) {
    const unsigned head = packed[at++];
    for (unsigned left = head; left != 0; left &= left - 1) {
      const std::uint8_t byte = packed[at++];
      if (byte == 0) return std::nullopt;
      words[word + static_cast<unsigned>(std::countr_zero(left))] = byte;
    }
  }
  return words;
}

}  // namespace ptc
