// The checksum of snapshots: that it is the one that others can compute, and what it keeps out.
#include "vm/snapshot/checksum.h"

#include <gtest/gtest.h>

#include "runtime/engine/engine.h"
#include "snapshot_generated.h"
#include "support/packed_snapshot.h"
#include "vm/exec/run.h"
#include "vm/snapshot/snapshot.h"

namespace ptc {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes some_bytes(std::size_t count) {
  Bytes made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = static_cast<std::uint8_t>(7 * i + i / 256);
  return made;
}

Bytes written_today() {
  static const Engine engine;
  CompileRequest request;
  request.source = "(reduce + (map inc [1 2 3]))";
  Run run(RunLimits{});
  run.start(engine.compile(request).program);
  EXPECT_EQ(run.step(4), StepStatus::Yielded);
  return write_snapshot(run, {});
}

std::string refusal(const Bytes& bytes) {
  const auto result = restore_snapshot(bytes);
  const auto* error = std::get_if<RestoreError>(&result);
  return error == nullptr ? "" : std::string(snapshot_error_name(error->kind)) + ": " + error->message;
}

constexpr const char* kWrong = "snapshot_damaged: the checksum is wrong: bytes were lost or changed";

// From libxxhash 0.8.1.
TEST(Checksum, IsXxh64) {
  EXPECT_EQ(snapshot_checksum(some_bytes(0)), 0xef46db3751d8e999u);
  EXPECT_EQ(snapshot_checksum(some_bytes(8)), 0x87116b3365b924ebu);
  EXPECT_EQ(snapshot_checksum(some_bytes(24)), 0x1094dc0a2bae4249u);
  EXPECT_EQ(snapshot_checksum(some_bytes(32)), 0x91b0cb0931a8c629u);
  EXPECT_EQ(snapshot_checksum(some_bytes(40)), 0x6bc927279e6a3044u);
  EXPECT_EQ(snapshot_checksum(some_bytes(8'000)), 0xbb8488f1b05183f4u);
}

TEST(Checksum, IsTheSameInPiecesOfAnySize) {
  const Bytes bytes = some_bytes(8'000);
  for (const std::size_t size : {1u, 7u, 8u, 31u, 32u, 33u, 100u, 7'999u}) {
    SnapshotChecksum sum;
    std::span<const std::uint8_t> rest = bytes;
    for (; rest.size() > size; rest = rest.subspan(size)) sum.add(rest.first(size));
    sum.add(rest);
    sum.add({});
    EXPECT_EQ(sum.value(), 0xbb8488f1b05183f4u) << size;
  }
}

TEST(Checksum, IsTakenOffWhenItHolds) {
  Bytes bytes = some_bytes(64);
  append_checksum(bytes);
  std::span<const std::uint8_t> rest = bytes;
  EXPECT_TRUE(take_checksum(rest));
  EXPECT_EQ(rest.size(), 64u);
  EXPECT_FALSE(take_checksum(rest));
  std::span<const std::uint8_t> few = std::span(bytes).first(7);
  EXPECT_FALSE(take_checksum(few));
}

TEST(Checksum, ASnapshotWithoutItOrWithAnotherIsDamaged) {
  const Bytes whole = written_today();
  ASSERT_EQ(refusal(whole), "");
  EXPECT_EQ(refusal({whole.begin(), whole.end() - 8}), kWrong);
  for (std::size_t k = 1; k <= 8; ++k) {
    Bytes other = whole;
    other[other.size() - k] ^= 1;
    EXPECT_EQ(refusal(other), kWrong);
  }
}

// What says that there is a checksum cannot be taken away by halves.
TEST(Checksum, IdentifierAndFormatMustAgree) {
  const Bytes whole = written_today();
  Bytes renamed = whole;
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NE(whole[4 + k], static_cast<std::uint8_t>(kIdentifierWithoutChecksum[k]));
    renamed[4 + k] = static_cast<std::uint8_t>(kIdentifierWithoutChecksum[k]);
  }
  EXPECT_EQ(refusal(renamed), "snapshot_damaged: the container is damaged");
  renamed.resize(renamed.size() - kChecksumBytes);
  EXPECT_EQ(refusal(renamed), "snapshot_damaged: the container is damaged");

  const std::unique_ptr<schema::SnapshotT> parts(schema::GetSnapshot(whole.data())->UnPack());
  parts->format = parts->oldest_reader = kFirstFormatWithChecksum - 1;
  Bytes older = test::packed_snapshot(*parts);
  EXPECT_EQ(refusal(older), "");
  std::copy_n(whole.begin() + 4, 4, older.begin() + 4);
  EXPECT_EQ(refusal(older), kWrong);
  append_checksum(older);
  EXPECT_EQ(refusal(older), "snapshot_damaged: the container is damaged");
}

}  // namespace
}  // namespace ptc
