#include "vm/snapshot/migration.h"

namespace ptc {
namespace {

// Little-endian numbers anywhere, or nothing beyond the end.
class Octets {
 public:
  explicit Octets(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  std::optional<std::uint32_t> number(std::uint64_t at, unsigned width) const {
    if (at > bytes_.size() || width > bytes_.size() - at) return std::nullopt;
    std::uint32_t value = 0;
    for (unsigned k = 0; k < width; ++k) value |= std::uint32_t{bytes_[at + k]} << (8 * k);
    return value;
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

}  // namespace

std::span<const Migration> own_migrations() { return {}; }

std::optional<SnapshotHeader> snapshot_header(std::span<const std::uint8_t> bytes) {
  const Octets octets(bytes);
  const auto root = octets.number(0, 4);
  const auto back = root ? octets.number(*root, 4) : std::nullopt;
  if (!back) return std::nullopt;
  const std::int64_t layout = static_cast<std::int64_t>(*root) - static_cast<std::int32_t>(*back);
  if (layout < 0) return std::nullopt;
  const auto size = octets.number(static_cast<std::uint64_t>(layout), 2);
  if (!size) return std::nullopt;
  SnapshotHeader header;
  std::uint64_t entry = static_cast<std::uint64_t>(layout) + 4;
  for (std::uint16_t* const field : {&header.format, &header.oldest_reader}) {
    const bool is_there = entry + 2 <= static_cast<std::uint64_t>(layout) + *size;
    const std::uint32_t offset = is_there ? octets.number(entry, 2).value_or(0) : 0;
    entry += 2;
    if (offset == 0) continue;
    const auto value = octets.number(std::uint64_t{*root} + offset, 2);
    if (!value) return std::nullopt;
    *field = static_cast<std::uint16_t>(*value);
  }
  return header;
}

}  // namespace ptc
