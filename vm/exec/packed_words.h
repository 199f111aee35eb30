// Packs bytes with many zeros. Each group of eight bytes becomes a byte that says which of them are not zero, and then
// these bytes. Programs in snapshots are packed, because they are FlatBuffers of small numbers.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ptc {

// Packs bytes, whose number is a multiple of eight.
std::vector<std::uint8_t> pack_words(std::span<const std::uint8_t> words);

// Unpacks bytes, which may come from anywhere. The result is at most eight times as long. Returns nullopt for bytes
// that are cut off, or that list a zero as a byte that is not zero, so that there is one packing of everything.
std::optional<std::vector<std::uint8_t>> unpack_words(std::span<const std::uint8_t> packed);

}  // namespace ptc
