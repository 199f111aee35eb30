// A binary snapshot ends with a checksum, from format 3 on. The checksum tells damage from another state: bytes that
// were changed by accident are refused as damaged, even when they describe a possible run. The checksum does not stop
// an author who writes snapshots on purpose; seals do (runtime/seal/sealing.h).
//
// The checksum is XXH64 with seed 0 of all bytes before it, in the last 8 bytes, lowest byte first. The identifier of
// the file says whether there is a checksum. Its two forms differ in each of their four bytes, so no small accident
// turns one into the other. The number of the format must agree.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace ptc {

inline constexpr std::size_t kChecksumBytes = 8;
inline constexpr std::uint16_t kFirstFormatWithChecksum = 3;

inline constexpr const char* kIdentifierWithoutChecksum = "PTCS";   // schema/snapshot.fbs has the other identifier

enum class SnapshotKind : std::uint8_t { None, WithoutChecksum, WithChecksum };
SnapshotKind snapshot_kind(std::span<const std::uint8_t> bytes);   // looks at the identifier alone

// Computes the checksum of bytes that come in pieces of any size. Their sum must be a multiple of 8, as the size of
// every snapshot is.
class SnapshotChecksum {
 public:
  void add(std::span<const std::uint8_t> more);
  std::uint64_t value() const;

 private:
  static constexpr std::size_t kLanes = 4, kBlock = 32;
  using Lanes = std::array<std::uint64_t, kLanes>;
  static Lanes first_lanes();

  Lanes lanes_ = first_lanes();
  std::array<std::uint8_t, kBlock> rest_{};   // less than a block
  std::size_t rest_size_ = 0;
  std::uint64_t size_ = 0;
};
// Computes the checksum of bytes in one piece.
std::uint64_t snapshot_checksum(std::span<const std::uint8_t> bytes);

// Returns the bytes of a checksum as they are at the end of a snapshot.
std::array<std::uint8_t, kChecksumBytes> checksum_bytes(std::uint64_t checksum);
void append_checksum(std::vector<std::uint8_t>& bytes);
// Returns whether the last 8 bytes are the checksum of the bytes before them, and removes them from the span. Returns
// false when there are too few bytes.
bool take_checksum(std::span<const std::uint8_t>& bytes);

}  // namespace ptc
