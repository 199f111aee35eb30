// Snapshots of older formats become ones of the format that this engine reads: one step per format, face by face, until
// the bytes are of a format that is read as it is. A step is given bytes that nobody has checked, and what it makes is
// checked like any other snapshot; it can make a run wrong, never unsafe.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace ptc {

struct Migration {
  using Bytes = std::vector<std::uint8_t>;
  // Bytes or text of format `from` -> the same of format from + 1, or why not.
  using Step = std::function<std::variant<Bytes, std::string>(std::span<const std::uint8_t>)>;

  std::uint16_t from = 0;
  Step binary, json;
};

// The steps that this engine brings with it, by format. None yet: format 1 is the first.
std::span<const Migration> own_migrations();

struct SnapshotHeader {
  std::uint16_t format = 0, oldest_reader = 0;
};

// The first two fields of the root table, which every format has in that place; nothing: these bytes have no such
// table. Safe on any bytes.
std::optional<SnapshotHeader> snapshot_header(std::span<const std::uint8_t> bytes);

}  // namespace ptc
