#include "vm/snapshot/checksum.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

#include "snapshot_generated.h"

namespace ptc {
namespace {

// The numbers of XXH64.
constexpr std::uint64_t kFirst = 0x9e3779b185ebca87, kSecond = 0xc2b2ae3d27d4eb4f, kThird = 0x165667b19e3779f9,
                        kFourth = 0x85ebca77c2b2ae63, kFifth = 0x27d4eb2f165667c5;
constexpr std::size_t kWord = 8;

std::uint64_t word_at(const std::uint8_t* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, kWord);   // byte by byte, the compiler makes a loop of it
  return std::endian::native == std::endian::big ? __builtin_bswap64(word) : word;
}

std::uint64_t round_of(std::uint64_t lane, std::uint64_t word) {
  return std::rotl(lane + word * kSecond, 31) * kFirst;
}

std::uint64_t folded(const std::array<std::uint64_t, 4>& lanes) {
  std::uint64_t sum = std::rotl(lanes[0], 1) + std::rotl(lanes[1], 7) + std::rotl(lanes[2], 12) +
                      std::rotl(lanes[3], 18);
  for (const std::uint64_t lane : lanes) sum = (sum ^ round_of(0, lane)) * kFirst + kFourth;
  return sum;
}

}  // namespace

SnapshotKind snapshot_kind(std::span<const std::uint8_t> bytes) {
  constexpr std::size_t kLeastBytes = 8;   // the identifier is behind the first four
  if (bytes.size() < kLeastBytes) return SnapshotKind::None;
  if (schema::SnapshotBufferHasIdentifier(bytes.data())) return SnapshotKind::WithChecksum;
  return flatbuffers::BufferHasIdentifier(bytes.data(), kIdentifierWithoutChecksum) ? SnapshotKind::WithoutChecksum
                                                                                     : SnapshotKind::None;
}

SnapshotChecksum::Lanes SnapshotChecksum::first_lanes() {
  return {kFirst + kSecond, kSecond, 0, std::uint64_t{0} - kFirst};
}

void SnapshotChecksum::add(std::span<const std::uint8_t> more) {
  size_ += more.size();
  Lanes lanes = lanes_;   // in registers
  const auto take_block = [&lanes](const std::uint8_t* at) {
    for (std::size_t k = 0; k < kLanes; ++k) lanes[k] = round_of(lanes[k], word_at(at + k * kWord));
  };
  if (rest_size_ != 0) {
    const auto missing = more.first(std::min(more.size(), kBlock - rest_size_));
    std::ranges::copy(missing, rest_.begin() + static_cast<std::ptrdiff_t>(rest_size_));
    rest_size_ += missing.size();
    more = more.subspan(missing.size());
    if (rest_size_ < kBlock) return;
    take_block(rest_.data());
    rest_size_ = 0;
  }
  for (; more.size() >= kBlock; more = more.subspan(kBlock)) take_block(more.data());
  lanes_ = lanes;
  std::ranges::copy(more, rest_.begin());
  rest_size_ = more.size();
}

std::uint64_t SnapshotChecksum::value() const {
  std::uint64_t sum = (size_ >= kBlock ? folded(lanes_) : kFifth) + size_;
  for (std::size_t at = 0; at + kWord <= rest_size_; at += kWord) {
    sum = std::rotl(sum ^ round_of(0, word_at(rest_.data() + at)), 27) * kFirst + kFourth;
  }
  sum = (sum ^ sum >> 33) * kSecond;
  sum = (sum ^ sum >> 29) * kThird;
  return sum ^ sum >> 32;
}

std::uint64_t snapshot_checksum(std::span<const std::uint8_t> bytes) {
  SnapshotChecksum sum;
  sum.add(bytes);
  return sum.value();
}

std::array<std::uint8_t, kChecksumBytes> checksum_bytes(std::uint64_t checksum) {
  std::array<std::uint8_t, kChecksumBytes> out{};
  for (unsigned k = 0; k < kChecksumBytes; ++k) out[k] = static_cast<std::uint8_t>(checksum >> (8 * k));
  return out;
}

void append_checksum(std::vector<std::uint8_t>& bytes) {
  const auto last = checksum_bytes(snapshot_checksum(bytes));
  bytes.insert(bytes.end(), last.begin(), last.end());
}

bool take_checksum(std::span<const std::uint8_t>& bytes) {
  if (bytes.size() < kChecksumBytes) return false;
  const auto rest = bytes.first(bytes.size() - kChecksumBytes);
  if (word_at(bytes.data() + rest.size()) != snapshot_checksum(rest)) return false;
  bytes = rest;
  return true;
}

}  // namespace ptc
