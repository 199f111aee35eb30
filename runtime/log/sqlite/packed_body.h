// Packs the bytes of large facts for the column `body` of the SQLite store, and unpacks them.
//
// A packed body is a mark of four bytes, the size of the bytes as four bytes in little endian, and the bytes as one
// stream of zlib. The bytes of a fact never begin with the mark: their first four say how far away its table is, which
// is some hundred bytes at most, and the mark would be 22 million. Everything above the column sees unpacked bytes:
// seals bind them and exports write them, so it makes no difference which version of zlib packed a body.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace ptc {

// Larger bodies are packed. SQLite keeps what is longer than this outside of the page of its row, in pages of its own.
inline constexpr std::size_t kMostPlainBodyBytes = 1'000;

// What the column has for a body. Borrows the bytes.
class PackedBody {
 public:
  explicit PackedBody(std::span<const std::uint8_t> body);
  // Returns the packed body, or the bytes themselves when they are short or when packing does not make them smaller.
  std::span<const std::uint8_t> stored() const { return stored_; }

 private:
  std::unique_ptr<std::uint8_t[]> packed_;
  std::span<const std::uint8_t> stored_;
};

// The bytes of a fact behind what the column has, which may come from anywhere. Borrows what is stored.
class UnpackedBody {
 public:
  explicit UnpackedBody(std::span<const std::uint8_t> stored);
  // Returns the bytes; none when the body is damaged.
  std::span<const std::uint8_t> bytes() const { return bytes_; }
  // Says what is wrong with the packing; "" when nothing is. The text lives as long as the process.
  std::string_view damage() const { return damage_; }

 private:
  std::string_view unpack(std::span<const std::uint8_t> stream, std::size_t size);

  std::unique_ptr<std::uint8_t[]> unpacked_;
  std::span<const std::uint8_t> bytes_;
  std::string_view damage_;
};

}  // namespace ptc
