// Migrates snapshots of older formats to the format that this engine reads: one step for each format, face by face. A
// step gets unchecked bytes, and its result is checked like any other snapshot: a step can make a run wrong, never
// unsafe.
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
  // Turns bytes or text of format `from` into format from + 1, or says why it cannot.
  using Step = std::function<std::variant<Bytes, std::string>(std::span<const std::uint8_t>)>;

  std::uint16_t from = 0;
  Step binary, json;
};

// Returns the steps of this engine, by format. The list is empty: format 1 is the first.
std::span<const Migration> own_migrations();

struct SnapshotHeader {
  std::uint16_t format = 0, oldest_reader = 0;
};

// Reads the first two fields of the root table, which every format has in the same place. Returns nullopt when the
// bytes have no such table. Safe on any bytes.
std::optional<SnapshotHeader> snapshot_header(std::span<const std::uint8_t> bytes);

}  // namespace ptc
