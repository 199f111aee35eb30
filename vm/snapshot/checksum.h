// The checksum at the end of a binary snapshot, from format 3 on: what tells damage from another state. Bytes that were
// changed by accident are refused as damaged, though what they say now might be a run as well. It keeps nobody out who
// writes snapshots on purpose: that is what seals are for (runtime/seal/sealing.h).
//
// It is XXH64 with seed 0 of all bytes before it, and stands in the last 8 bytes, the lowest first. Whether there is
// one is said by the identifier of the file, whose two forms differ in each of their four bytes: no small accident
// turns one into the other. The number of the format must agree.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace ptc {

inline constexpr std::size_t kChecksumBytes = 8;
inline constexpr std::uint16_t kFirstFormatWithChecksum = 3;

inline constexpr const char* kIdentifierWithoutChecksum = "PTCS";   // the other one: schema/snapshot.fbs

enum class SnapshotKind : std::uint8_t { None, WithoutChecksum, WithChecksum };
SnapshotKind snapshot_kind(std::span<const std::uint8_t> bytes);   // by the identifier alone

// The size must be a multiple of 8, as that of every snapshot is.
std::uint64_t snapshot_checksum(std::span<const std::uint8_t> bytes);

void append_checksum(std::vector<std::uint8_t>& bytes);
// Whether the last 8 bytes are the checksum of those before; they are taken off. False for what is too short.
bool take_checksum(std::span<const std::uint8_t>& bytes);

}  // namespace ptc
