// The container: bytes that are cut, flipped, shared or moved, before anything in them is looked at.
#include <cstring>

#include "hostile/hostile_fixture.h"
#include "vm/exec/packed_words.h"
#include "vm/snapshot/checksum.h"

namespace ptc::test {
namespace {

using Container = HostileSnapshot;

TEST_F(Container, CutOffAtAnyByteIsRefused) {
  const Octets whole = suspended("(let [m {:a [1 2.5 \"text\"]}] (await (tool/ask {:m m})))");
  ASSERT_EQ(refusal(whole), "");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string why = refusal({whole.data(), size});
    ASSERT_NE(why, "") << size << " of " << whole.size() << " bytes";
    if (size % 8 == 0) expect_harmless({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
  }
}

// Refused as it is, and harmless with a checksum that belongs to it.
TEST_F(Container, AnyFlippedBitIsRefused) {
  Octets bytes = suspended("(let [m {:a [1 2.5 \"text\"]}] (await (tool/ask {:m m})))");
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ 1u << bit % 8);
    ASSERT_NE(refusal(bytes), "") << "bit " << bit;
    expect_harmless(bytes);
    ASSERT_FALSE(HasFailure()) << "bit " << bit;
    bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ 1u << bit % 8);
  }
}

TEST_F(Container, OtherFilesAreNoSnapshots) {
  for (const std::string_view text : {"", "P", "ptcs", "PTCS", "\x04", "hello, this is text", "SQLite format 3"}) {
    expect_refused({text.begin(), text.end()}, "not_a_snapshot", text);
  }
  expect_refused(Octets(100, 0), "not_a_snapshot");
  expect_refused(Octets(100, 255), "not_a_snapshot");
}

TEST_F(Container, AProgramIsNoSnapshot) {
  const auto snapshot = parts(suspended("(await (tool/ask))"));
  expect_refused(snapshot->programs.front()->bytes, "not_a_snapshot");
}

// A kilobyte of tables that name one long list a thousand times stands for gigabytes.
TEST_F(Container, PartsThatAreNamedAgainAndAgainAreDamage) {
  flatbuffers::FlatBufferBuilder builder;
  const auto text = builder.CreateString(std::string(100'000, 'a'));
  const std::vector<flatbuffers::Offset<flatbuffers::String>> same(50'000, text);
  const auto list = builder.CreateVector(same);
  schema::SnapshotBuilder snapshot(builder);
  snapshot.add_format(1);
  snapshot.add_oldest_reader(1);
  snapshot.add_prints(list);
  builder.Finish(snapshot.Finish(), kIdentifierWithoutChecksum);
  expect_refused({builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()}, "snapshot_damaged");
}

// Moved by 4 bytes, words of 8 bytes lie where the processor need not read them.
TEST_F(Container, NumbersThatLieAskewAreDamage) {
  const auto askew = [](Octets bytes) {
    std::uint32_t root = 0;
    std::memcpy(&root, bytes.data(), 4);
    root += 4;
    std::memcpy(bytes.data(), &root, 4);
    bytes.insert(bytes.begin() + 8, 4, 0);
    return bytes;
  };
  const Octets whole = suspended("(await (tool/ask))");
  expect_refused(askew(whole), "snapshot_damaged");
  expect_refused(changed(whole, [&](auto& s) { s.programs[0]->bytes = askew(s.programs[0]->bytes); }),
                 "snapshot_bad_program");
}

TEST_F(Container, MoreBytesThanTheHostTakesAreNotLookedAt) {
  const Octets whole = suspended("(await (tool/ask))");
  SessionRestore wanted;
  wanted.most_bytes = whole.size();
  EXPECT_EQ(refusal(whole, wanted), "");
  --wanted.most_bytes;
  EXPECT_EQ(refusal(whole, wanted), "snapshot_too_large: " + std::to_string(whole.size()) + " bytes, at most " +
                                        std::to_string(wanted.most_bytes) + " are read");
  expect_refused(Octets((std::size_t{64} << 20) + 1, '{'), "snapshot_too_large");
}

TEST_F(Container, ANewerFormatIsRefusedByItsNumber) {
  const Octets whole = suspended("(await (tool/ask))");
  EXPECT_EQ(refusal(changed(whole, [](auto& s) { s.format = s.oldest_reader = 77; })),
            "snapshot_unsupported_version: format 77, readable from 77 on; this engine reads up to 3");
  EXPECT_EQ(refusal(changed(whole, [](auto& s) { s.format = 77; })), "");   // it says that this engine understands it
}

TEST_F(Container, AProgramThatNobodyHasIsMissing) {
  const Octets whole = suspended("(await (tool/ask))");
  const auto by_hash = [](Octets hash) {
    return [hash](schema::SnapshotT& s) {
      s.programs[0]->bytes.clear();
      s.programs[0]->sha256 = hash;
    };
  };
  for (const std::size_t size : {0, 1, 31, 32, 33, 5'000}) {
    expect_refused(changed(whole, by_hash(Octets(size, 7))), "snapshot_missing_program");
  }
}

TEST_F(Container, AProgramThatIsPackedAskewIsDamage) {
  const Octets whole = suspended("(await (tool/ask))");
  const Octets good = pack_words(parts(whole)->programs[0]->bytes);
  const auto with = [&](const Octets& words, bool and_bytes) {
    return changed(whole, [&](auto& s) {
      s.programs[0]->packed = words;
      if (!and_bytes) s.programs[0]->bytes.clear();
    });
  };
  EXPECT_EQ(refusal(with(good, false)), "");
  expect_refused(with(good, true), "snapshot_invalid", "both forms");
  for (std::size_t size = 1; size < good.size(); ++size) {
    const Octets cut_off(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_TRUE(refusal(with(cut_off, false)).starts_with("snapshot_")) << size;
  }
  expect_refused(with({1, 0}, false), "snapshot_invalid", "a zero that is named");
  expect_refused(with({255, 1, 2, 3}, false), "snapshot_invalid", "bytes that are missing");
  expect_refused(with(Octets(10'000, 0), false), "snapshot_bad_program");
}

TEST_F(Container, APreludeThatIsNotKeptIsAnotherVersion) {
  const Octets whole = interrupted("(map-indexed (fn [i x] (+ i x)) (range 50))", 120);
  const auto other = changed(whole, [](auto& s) {
    bool found = false;
    for (auto& program : s.programs) {
      if (program->prelude) program->sha256[5] ^= 1, found = true;
    }
    EXPECT_TRUE(found);
  });
  EXPECT_EQ(refusal(other), "snapshot_unsupported_version: written by an engine whose prelude is not kept here");
}

}  // namespace
}  // namespace ptc::test
