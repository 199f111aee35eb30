// Snapshots in the column of the PostgreSQL store.
#include "runtime/log/postgres/packed_snapshot.h"

#include <gtest/gtest.h>

#include <random>

namespace ptc {
namespace {

std::string kept(const std::string& snapshot) {
  const std::vector<std::uint8_t> out = unpacked_snapshot(packed_snapshot(snapshot));
  return {out.begin(), out.end()};
}

TEST(PackedSnapshot, IsTheSameAfterwards) {
  std::mt19937 random(3);
  for (std::size_t size = 0; size < 600; ++size) {
    std::string snapshot(size, '\0');
    for (char& byte : snapshot) byte = random() % 2 == 0 ? '\0' : static_cast<char>(random());
    EXPECT_EQ(kept(snapshot), snapshot) << size;
  }
  for (const std::size_t size : std::vector<std::size_t>{7, 8, 9, 5'000, kMostPackedBytes}) {
    EXPECT_EQ(kept(std::string(size, '\0')), std::string(size, '\0'));
    EXPECT_EQ(kept(std::string(size, 'x')), std::string(size, 'x'));
  }
}

TEST(PackedSnapshot, IsSmallerOrAsItWas) {
  std::string numbers;
  for (int i = 0; i < 100; ++i) numbers += std::string{static_cast<char>(i + 1), 0, 0, 0};
  EXPECT_LT(packed_snapshot(numbers).size(), numbers.size() / 2);
  EXPECT_EQ(packed_snapshot("all of these bytes count"), "all of these bytes count");
}

TEST(PackedSnapshot, OfAnyBytesIsTakenAsItIs) {
  const std::string packed = packed_snapshot(std::string(300, '\0') + "end");
  EXPECT_EQ(kept(packed), packed) << "a snapshot that looks as if it were packed";
  for (std::size_t size = 0; size < packed.size(); ++size) {
    const std::string cut = packed.substr(0, size);
    const std::vector<std::uint8_t> out = unpacked_snapshot(cut);
    EXPECT_EQ(std::string(out.begin(), out.end()), cut);
  }
  std::mt19937 random(5);
  for (int i = 0; i < 20'000; ++i) {
    std::string changed = packed;
    changed[4 + random() % (changed.size() - 4)] = static_cast<char>(random());
    EXPECT_LE(unpacked_snapshot(changed).size(), kMostPackedBytes);
  }
}

}   // namespace
}   // namespace ptc
