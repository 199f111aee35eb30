// The mixing steps of all hashes: 64x64-bit products folded to 64 bits. The hashes use constants and no random seed,
// because the shape of a trie shows in the bytes that a program uses. So it must be hard to construct colliding keys:
// words (of 64 bits) that a program chooses freely go through hash_scramble() before they meet the state, and words of
// text go through hash_text_step(), whose one weak word is not valid UTF-8.
#pragma once
#include <cstdint>

namespace ptc {

inline constexpr std::uint64_t kHashSeed = 0x9e3779b97f4a7c15;
inline constexpr std::uint64_t kHashFactor = 0xd1342543de82ef95;

inline std::uint64_t hash_fold(std::uint64_t a, std::uint64_t b) {
  __extension__ typedef unsigned __int128 Wide;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// Hashes one word; the salt is small and names the kind of the word.
inline std::uint64_t hash_scramble(std::uint64_t word, std::uint64_t salt) {
  return hash_fold(word ^ kHashSeed, kHashFactor + 2 * salt);
}

inline constexpr std::uint64_t kHashTextWeakWord = 0xfffec6a4a7935bff;
inline std::uint64_t hash_text_step(std::uint64_t state, std::uint64_t text_word) {
  return hash_fold(text_word ^ kHashTextWeakWord, state ^ kHashSeed);
}

inline std::uint64_t hash_mix(std::uint64_t state, std::uint64_t word) {
  return hash_fold(state ^ word, kHashFactor) + kHashSeed;
}

}  // namespace ptc
