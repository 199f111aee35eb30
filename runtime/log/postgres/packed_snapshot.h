// Small snapshots in the column `snapshot` of the PostgreSQL store, without most of their zero bytes: these are a third
// of a snapshot and more, and the server compresses no row below 2,000 bytes.
//
// The mark, the size in seven bits a byte, then for each eight bytes a byte that says which of them are not zero, and
// these. A byte of 0 is followed by the number of further eight bytes that are all zero.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ptc {

inline constexpr std::size_t kMostPackedBytes = std::size_t{64} << 10;   // larger snapshots are not packed

// Returns what the column has for a snapshot of at most kMostPackedBytes: packed, or as it is when that is shorter.
std::string packed_snapshot(std::string_view snapshot);
// Returns the snapshot behind what the column has. Bytes that are not well packed are given back as they are: a
// snapshot is checked when it is loaded.
std::vector<std::uint8_t> unpacked_snapshot(std::string_view stored);

}   // namespace ptc
