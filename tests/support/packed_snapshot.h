// Snapshots that tests change: put together again with the checksum that belongs to what they say now, so that what
// lies behind it is what is tested.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "snapshot_generated.h"
#include "vm/snapshot/checksum.h"

namespace ptc::test {

inline std::vector<std::uint8_t> packed_snapshot(const schema::SnapshotT& parts) {
  flatbuffers::FlatBufferBuilder builder;
  const bool has_checksum = parts.format >= kFirstFormatWithChecksum;
  builder.Finish(schema::Snapshot::Pack(builder, &parts),
                 has_checksum ? schema::SnapshotIdentifier() : kIdentifierWithoutChecksum);
  std::vector<std::uint8_t> bytes(builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize());
  if (has_checksum) append_checksum(bytes);
  return bytes;
}

// Any bytes: those that should end in a checksum do.
inline std::vector<std::uint8_t> with_right_checksum(std::span<const std::uint8_t> bytes) {
  std::vector<std::uint8_t> made(bytes.begin(), bytes.end());
  if (snapshot_kind(bytes) != SnapshotKind::WithChecksum || bytes.size() % kChecksumBytes != 0) return made;
  made.resize(made.size() - kChecksumBytes);
  append_checksum(made);
  return made;
}

}  // namespace ptc::test
