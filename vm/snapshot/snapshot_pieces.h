// A snapshot that is not in memory: its run writes it in pieces, as often as somebody asks (decision 0049).
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace ptc {

// Takes the bytes of a snapshot in order. A sink that cannot go on ignores the rest.
class SnapshotSink {
 public:
  virtual ~SnapshotSink() = default;
  virtual void append(std::span<const std::uint8_t> more) = 0;
};

// The run must stay as it is, and outlive the object.
class SnapshotPieces {
 public:
  virtual ~SnapshotPieces() = default;
  virtual std::size_t size() const = 0;
  virtual void write(SnapshotSink& out) const = 0;   // the same bytes each time, in pieces of any size
};

// Bytes that are in memory, for functions that take pieces. Borrows the bytes.
class OnePiece final : public SnapshotPieces {
 public:
  explicit OnePiece(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  std::size_t size() const override { return bytes_.size(); }
  void write(SnapshotSink& out) const override { out.append(bytes_); }

 private:
  std::span<const std::uint8_t> bytes_;
};

// Calls a function with each piece. No piece has more than `most` bytes.
template <class Take>
class SnapshotSlicer final : public SnapshotSink {
 public:
  SnapshotSlicer(std::size_t most, Take take) : most_(most), take_(std::move(take)) {}
  void append(std::span<const std::uint8_t> more) override {
    for (; more.size() > most_; more = more.subspan(most_)) take_(more.first(most_));
    take_(more);
  }

 private:
  std::size_t most_;
  Take take_;
};

}  // namespace ptc
