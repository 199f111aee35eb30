// The memory that a snapshot is written to; its owner chooses the type of bytes. The values of a large run go there as
// they are written, and the rest is put around them. So a snapshot is in memory once while it is made (decision 0038).
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "vm/snapshot/snapshot_pieces.h"

namespace ptc {

class SnapshotMemory : public SnapshotSink {
 public:
  // Takes room for so many bytes in all. Room that is not used is never touched, so it takes no memory of the machine.
  virtual void reserve(std::size_t bytes) = 0;
  virtual void prepend(std::span<const std::uint8_t> more) = 0;
  virtual std::span<const std::uint8_t> view() const = 0;
  // Gives back room when most of it was not needed.
  virtual void trim() = 0;
};

template <class Byte>
class SnapshotVector final : public SnapshotMemory {
 public:
  void reserve(std::size_t bytes) override { bytes_.reserve(bytes); }
  void append(std::span<const std::uint8_t> more) override { put(bytes_.end(), more); }
  void prepend(std::span<const std::uint8_t> more) override { put(bytes_.begin(), more); }
  std::span<const std::uint8_t> view() const override {
    return {reinterpret_cast<const std::uint8_t*>(bytes_.data()), bytes_.size()};
  }
  void trim() override {
    if (bytes_.size() <= bytes_.capacity() / 2) bytes_.shrink_to_fit();
  }
  std::vector<Byte> take() && { return std::move(bytes_); }

 private:
  void put(typename std::vector<Byte>::iterator at, std::span<const std::uint8_t> more) {
    const auto* const from = reinterpret_cast<const Byte*>(more.data());
    bytes_.insert(at, from, from + more.size());
  }

  std::vector<Byte> bytes_;
};

}  // namespace ptc
