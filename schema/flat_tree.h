// FlatBuffers are graphs: a list that is named by every entry of another list is stored once and read many times, so a
// few kilobytes may stand for gigabytes. Ours are trees. Bytes that are not are refused before anything reads them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace flatbuffers {
struct TypeTable;
}

namespace ptc {

inline constexpr std::size_t kMaxFlatBytes = std::size_t{1} << 30;

// Returns whether all tables, lists and texts within reach take no more than a small multiple of the bytes, and whether
// numbers lie where they can be read, relative to the first byte. Safe on any bytes, in time proportional to their
// number; what else must hold of them is the FlatBuffers verifier's business.
bool is_flat_tree(std::span<const std::uint8_t> bytes, const flatbuffers::TypeTable* root);

}  // namespace ptc
