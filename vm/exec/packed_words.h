// Bytes with many zeros, shorter: of every eight bytes those that are not zero, after one that says which they are.
// What programs are in snapshots: FlatBuffers of small numbers.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ptc {

// A multiple of eight bytes, packed.
std::vector<std::uint8_t> pack_words(std::span<const std::uint8_t> words);

// Safe on any bytes; what it gives is at most eight times as long. Nothing: these bytes are cut off, or name a zero as
// a byte that is none, so that there is one packing of everything.
std::optional<std::vector<std::uint8_t>> unpack_words(std::span<const std::uint8_t> packed);

}  // namespace ptc
