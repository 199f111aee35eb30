// Bodies of facts as the SQLite store packs them: what comes back, and what is refused.
#include "runtime/log/sqlite/packed_body.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/store/store_facts.h"

namespace ptc {
namespace {

using Octets = std::vector<std::uint8_t>;

constexpr std::size_t kHeadBytes = 8;   // the mark and the size

Octets body_of(std::size_t value_bytes) {
  std::string value;
  while (value.size() < value_bytes) value += "row " + std::to_string(value.size() * 7) + " ";
  value.resize(value_bytes);
  return fact_bytes(task_fact("task/t#1", value));
}

Octets packed_form(const Octets& body) {
  const PackedBody made(body);
  return {made.stored().begin(), made.stored().end()};
}

// Returns a packed body that says so many bytes, with another stream.
Octets body_with(std::size_t size, const Octets& stream) {
  Octets out{'P', 'T', 'Z', 1};
  for (int i = 0; i < 4; ++i) out.push_back(static_cast<std::uint8_t>(size >> (8 * i)));
  out.insert(out.end(), stream.begin(), stream.end());
  return out;
}

Octets stream_of(const Octets& bytes, int level = 6) {
  uLongf size = compressBound(bytes.size());
  Octets out(size);
  EXPECT_EQ(compress2(out.data(), &size, bytes.data(), bytes.size(), level), Z_OK);
  out.resize(size);
  return out;
}

std::string damage_of(const Octets& stored) {
  const UnpackedBody body(stored);
  EXPECT_EQ(body.bytes().empty(), !body.damage().empty());
  return std::string(body.damage());
}

bool unpacks_to(const Octets& stored, const Octets& body) {
  const UnpackedBody unpacked(stored);
  return unpacked.damage().empty() && std::ranges::equal(unpacked.bytes(), body);
}

TEST(PackedBody, OfAShortFactIsTheFact) {
  for (const std::size_t size : {0u, 10u, 700u}) {
    const Octets body = body_of(size);
    ASSERT_LE(body.size(), kMostPlainBodyBytes);
    EXPECT_EQ(packed_form(body), body);
    EXPECT_TRUE(unpacks_to(body, body));
  }
}

TEST(PackedBody, OfALargeFactIsSmallerAndGivesTheFact) {
  for (const std::size_t size : {1'000u, 8'000u, 2'000'000u}) {
    const Octets body = body_of(size), stored = packed_form(body);
    EXPECT_LT(stored.size() * 10, body.size() * 7);
    EXPECT_TRUE(unpacks_to(stored, body));
    EXPECT_EQ(packed_form(body), stored) << "equal facts give equal bytes";
    EXPECT_EQ(read_fact(stored), std::nullopt) << "nothing but the store reads packed bytes";
  }
}

TEST(PackedBody, ThatWouldBeNoSmallerIsTheFact) {
  Octets noise(5'000);
  std::uint64_t state = 1;
  for (std::uint8_t& byte : noise) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    byte = static_cast<std::uint8_t>(state >> 56);
  }
  EXPECT_EQ(packed_form(noise), noise);
}

TEST(PackedBody, OfAnotherLevelGivesTheFactToo) {
  const Octets body = body_of(8'000);
  for (const int level : {0, 1, 9}) {
    EXPECT_TRUE(unpacks_to(body_with(body.size(), stream_of(body, level)), body)) << level;
  }
}

TEST(PackedBody, ThatIsCutAnywhereIsRefused) {
  const Octets body = body_of(3'000), stored = packed_form(body);
  for (std::size_t size = kHeadBytes; size < stored.size(); ++size) {
    EXPECT_NE(damage_of({stored.begin(), stored.begin() + static_cast<std::ptrdiff_t>(size)}), "") << size;
  }
  for (std::size_t size = 0; size < kHeadBytes; ++size) {   // no packed body any more, and no fact
    EXPECT_EQ(read_fact(std::span(stored).first(size)), std::nullopt);
  }
}

// Some bits of a stream say nothing. When one of them is changed, the fact is the same.
TEST(PackedBody, WithAByteThatIsChangedAnywhereIsRefusedOrGivesTheFact) {
  const Octets body = body_of(3'000), stored = packed_form(body);
  std::size_t refused = 0;
  for (std::size_t at = 0; at < stored.size(); ++at) {
    for (const int change : {1, 128, 255}) {
      Octets changed = stored;
      changed[at] = static_cast<std::uint8_t>(changed[at] ^ change);
      const UnpackedBody unpacked(changed);
      const bool is_same = std::ranges::equal(unpacked.bytes(), body);
      refused += is_same ? 0 : 1;
      EXPECT_TRUE(is_same || !read_fact(unpacked.bytes())) << "byte " << at;
    }
  }
  EXPECT_GT(refused, stored.size() * 3 - 10);
}

// A row of some kilobytes must not take the memory that it asks for.
TEST(PackedBody, ThatSaysMoreThanItHasIsRefusedBeforeMemoryIsTaken) {
  const Octets stream = stream_of(Octets(2'000, 'x'));
  EXPECT_EQ(damage_of(body_with(0xFFFFFFFF, stream)), "its packed body says that it is larger than a fact can be");
  EXPECT_EQ(damage_of(body_with(200'000'000, stream)), "its packed body says more than its stream can give");
  EXPECT_EQ(damage_of(body_with(2'001, stream)), "its packed body is shorter than it says");
}

TEST(PackedBody, ThatHasMoreThanItSaysIsRefused) {
  const Octets bomb = stream_of(Octets(20'000'000, 'x'));
  ASSERT_LT(bomb.size(), 30'000u);
  for (const std::uint32_t size : {1u, 2'000u, 19'999'999u}) {
    EXPECT_EQ(damage_of(body_with(size, bomb)), "its packed body does not end where it says") << size;
  }
  EXPECT_TRUE(unpacks_to(body_with(20'000'000, bomb), Octets(20'000'000, 'x')));
  Octets longer = stream_of(Octets(2'000, 'x'));
  longer.push_back(0);
  EXPECT_EQ(damage_of(body_with(2'000, longer)), "there are bytes behind its packed body");
}

TEST(PackedBody, WithAnotherKindOfStreamIsRefused) {
  constexpr std::string_view kRefusal = "its packed body is cut or changed";
  EXPECT_EQ(damage_of(body_with(4, {})), kRefusal);
  EXPECT_EQ(damage_of(body_with(4, {'t', 'e', 'x', 't'})), kRefusal);
  EXPECT_EQ(damage_of(body_with(4, {0x78, 0xBB, 0, 0, 0, 1})), kRefusal) << "a stream that needs a dictionary";
  const Octets body = body_of(3'000);
  const Octets twice = body_with(packed_form(body).size(), stream_of(packed_form(body)));
  EXPECT_EQ(read_fact(UnpackedBody(twice).bytes()), std::nullopt) << "packed twice";
}

}  // namespace
}  // namespace ptc
