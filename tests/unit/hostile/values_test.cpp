// The value stream (vm/snapshot/value_stream.h): counts that promise the world, references into nowhere, values of
// another type than the code expects, nesting without end.
#include "hostile/hostile_fixture.h"

namespace ptc::test {
namespace {

using Values = HostileSnapshot;

constexpr const char* kHolds = "(let [v [1 2 3] m {:a 1} s \"text\"] (await (tool/ask)) [v m s])";

void append_varint(Octets& out, std::uint64_t number) {
  for (; number >= 128; number >>= 7) out.push_back(static_cast<std::uint8_t>(number | 128));
  out.push_back(static_cast<std::uint8_t>(number));
}

Octets item(unsigned op, std::uint64_t number) {
  Octets out;
  out.push_back(static_cast<std::uint8_t>(op << 4 | std::min<std::uint64_t>(number, 15)));
  if (number >= 15) append_varint(out, number - 15);
  return out;
}

Octets& operator+=(Octets& out, const Octets& more) {
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

constexpr unsigned kOps = 13, kOtherKinds = 18;
constexpr std::uint64_t kCounts[] = {5'000, 1u << 20, UINT32_MAX, std::uint64_t{UINT32_MAX} + 1, INT64_MAX, UINT64_MAX};

TEST_F(Values, NoCountTakesMoreThanThereIs) {
  const Octets whole = suspended(kHolds);
  for (unsigned op = 0; op < 16; ++op) {
    for (const std::uint64_t count : kCounts) {
      const auto other = changed(whole, [&](auto& s) {
        Octets front = item(op, count);
        front += s.values;
        s.values = front;
      });
      expect_refused(other, "snapshot_invalid", "op " + std::to_string(op) + ", " + std::to_string(count));
    }
  }
}

TEST_F(Values, NoKindOfOtherValueTakesMoreThanThereIs) {
  const Octets whole = suspended(kHolds);
  for (unsigned kind = 0; kind < kOtherKinds; ++kind) {
    for (const std::uint64_t count : kCounts) {
      const auto other = changed(whole, [&](auto& s) {
        Octets front = item(12, kind);
        for (int k = 0; k < 4; ++k) append_varint(front, count);
        front += s.values;
        s.values = front;
      });
      expect_refused(other, "snapshot_invalid", "kind " + std::to_string(kind) + ", " + std::to_string(count));
    }
  }
}

TEST_F(Values, AReferenceLeadsBack) {
  const Octets whole = suspended(kHolds);
  for (const std::uint64_t object : {std::uint64_t{200}, std::uint64_t{UINT32_MAX}, std::uint64_t{UINT64_MAX}}) {
    const auto other = changed(whole, [&](auto& s) {
      Octets front = item(4, object);
      front += s.values;
      s.values = front;
    });
    expect_refused(other, "snapshot_invalid", std::to_string(object));
  }
}

// One value more, one less, or one in the place of another: the frames know what they need.
TEST_F(Values, AValueTooManyOrTooFewIsRefused) {
  const Octets whole = suspended(kHolds);
  expect_refused(changed(whole, [](auto& s) { s.values += item(1, 5); }), "snapshot_invalid", "one more");
  expect_refused(changed(whole, [](auto& s) { s.values.clear(); }), "snapshot_invalid", "none");
}

TEST_F(Values, EachByteMayBeAnyOther) {
  for (const char* const source : {kHolds, "(sort-by (fn [x] (await (tool/ask {:x x}))) [3 1 2])",
                                   "(let [m (await-all (map (fn [x] (tool/ask {:x x})) [1 2]))] m)"}) {
    const Octets whole = suspended(source);
    const std::size_t size = parts(whole)->values.size();
    for (std::size_t at = 0; at < size; ++at) {
      for (unsigned byte = 0; byte < 256; byte += 3) {
        const auto other = changed(whole, [=](auto& s) { s.values[at] = static_cast<std::uint8_t>(byte + at % 3); });
        expect_harmless(other);
        ASSERT_FALSE(HasFailure()) << source << ": byte " << at << " is " << byte + at % 3;
      }
    }
  }
}

// The language allows values nested as deep as memory does: a stream of them is read, compared and freed iteratively.
TEST_F(Values, NestingIsData) {
  const Octets whole =
      interrupted("(do (def deep ((fn [n] [[n]]) 1)) (loop [i 0] (if (< i 900) (recur (inc i)))))", 100);
  const auto nested = [&](std::uint32_t levels) {
    return changed(whole, [levels](auto& s) {
      const Octets inner = {0x11, 0x61}, one = {0x61};   // [1]
      auto at = std::search(s.values.begin(), s.values.end(), inner.begin(), inner.end());
      ASSERT_NE(at, s.values.end());
      Octets more;
      for (std::uint32_t k = 0; k < levels; ++k) more += one;
      s.values.insert(at + 2, more.begin(), more.end());
    });
  };
  EXPECT_EQ(refusal(nested(500'000)), "");
  SessionRestore little;
  little.most.memory_bytes = 1u << 20;
  EXPECT_TRUE(refusal(nested(500'000), little).starts_with("snapshot_invalid: ")) << refusal(nested(500'000), little);
}

TEST_F(Values, NamesAreTextsOfTheirLength) {
  const Octets whole = suspended(kHolds);
  const Octets lies[] = {{5}, {128}, {255, 255, 255, 255, 255, 255, 255, 255, 255, 1}, {2, 0xc3, 0x28}};
  for (const Octets& names : lies) {
    expect_refused(changed(whole, [&](auto& s) { s.names += names; }), "snapshot_invalid", "names");
  }
  for (const Octets& names : {Octets{0}, Octets{0, 0}, Octets{1, 'a', 1, 'a'}}) {
    expect_harmless(changed(whole, [&](auto& s) { s.names += names; }));
  }
  const Octets named = suspended("(let [k (keyword (str \"n\" (tool/now)))] (await (tool/ask)) k)");
  expect_refused(changed(named, [](auto& s) { s.names.clear(); }), "snapshot_invalid", "no names");
}

TEST_F(Values, TextIsUtf8) {
  const auto other = changed(suspended("(let [s (str \"tex\" (tool/now))] (await (tool/ask)) s)"), [](auto& s) {
    const std::string_view text = "tex1";
    const auto at = std::search(s.values.begin(), s.values.end(), text.begin(), text.end());
    ASSERT_NE(at, s.values.end());
    *at = 0xff;
  });
  expect_refused(other, "snapshot_invalid", "text");
}

}  // namespace
}  // namespace ptc::test
