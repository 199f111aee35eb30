#include "vm/value/vector.h"

#include <algorithm>
#include <vector>

#include "value_model.h"

namespace ptc {
namespace {

using VectorModel = std::vector<std::uint32_t>;

class VectorTest : public ValueTest {
 protected:
  struct Version {
    Value vector;
    VectorModel model;
  };

  Value build(std::uint32_t from, std::uint32_t to) {
    VectorBuilder builder(heap);
    for (std::uint32_t n = from; n < to; ++n) builder.push(item(n));
    return builder.finish();
  }
  void expect_matches(const Version& version) {
    ASSERT_EQ(vector_count(version.vector), version.model.size());
    for (std::uint32_t i = 0; i < version.model.size(); ++i) {
      ASSERT_TRUE(is_item(vector_at(version.vector, i), version.model[i])) << "at " << i;
    }
    Value scratch;
    for (std::uint32_t i = 0; i < version.model.size();) {
      const std::span<const Value> chunk = vector_chunk(version.vector, i, scratch);
      ASSERT_FALSE(chunk.empty());
      ASSERT_TRUE(same_word(chunk[0], vector_at(version.vector, i)));
      i += static_cast<std::uint32_t>(chunk.size());
      ASSERT_LE(i, version.model.size());
    }
  }
  // One random change; takes the vector.
  void change(Version& v, Random& random, std::vector<Version>& all);
};

void VectorTest::change(Version& v, Random& random, std::vector<Version>& all) {
  const std::uint32_t count = static_cast<std::uint32_t>(v.model.size());
  const std::uint32_t n = random.below(1000);
  switch (count == 0 ? 0 : random.below(8)) {
    case 0:
    case 1:
      for (std::uint32_t i = random.below(60) + 1; i > 0; --i) {
        v.vector = vector_push(heap, v.vector, item(n + i));
        v.model.push_back(n + i);
      }
      break;
    case 2: {
      const std::uint32_t i = random.below(count);
      v.vector = vector_set(heap, v.vector, i, item(n));
      v.model[i] = n;
      break;
    }
    case 3:
      for (std::uint32_t i = std::min(count, random.below(40)); i > 0; --i) {
        v.vector = vector_pop(heap, v.vector);
        v.model.pop_back();
      }
      break;
    case 4: {   // queue-like: drop from the front
      const std::uint32_t from = std::min(count, random.below(70));
      v.vector = vector_slice(heap, v.vector, from, count);
      v.model.erase(v.model.begin(), v.model.begin() + from);
      break;
    }
    case 5: {
      const std::uint32_t from = random.below(count + 1);
      const std::uint32_t to = random.one_in(2) ? count : from + random.below(count - from + 1);
      v.vector = vector_slice(heap, v.vector, from, to);
      v.model = VectorModel(v.model.begin() + from, v.model.begin() + to);
      break;
    }
    case 6: {
      const Version& other = all[random.below(static_cast<std::uint32_t>(all.size()))];
      if (v.model.size() + other.model.size() > 20'000) break;
      v.vector = vector_concat(heap, v.vector, other.vector);
      const VectorModel added = other.model;
      v.model.insert(v.model.end(), added.begin(), added.end());
      break;
    }
    default: {
      const std::uint32_t i = random.below(count);
      const Value taken = vector_take_at(heap, v.vector, i);
      EXPECT_TRUE(is_item(taken, v.model[i]));
      v.vector = vector_set(heap, v.vector, i, taken);
    }
  }
}

TEST_F(VectorTest, MatchesAModelWhateverIsShared) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Random random(seed);
    std::vector<Version> all{{build(0, 0), {}}, {build(0, 0), {}}};
    for (int step = 0; step < 400; ++step) {
      const std::uint32_t i = random.below(static_cast<std::uint32_t>(all.size()));
      if (random.one_in(3)) {
        Version copy{retained(all[i].vector), all[i].model};
        change(copy, random, all);
        all.push_back(std::move(copy));
      } else {
        Version moved = all[i];
        all[i].vector = Value::nil();
        all[i].model.clear();
        std::swap(all[i], all.back());
        all.pop_back();
        if (all.empty()) all.push_back({build(0, 0), {}});
        change(moved, random, all);
        all.push_back(std::move(moved));
      }
      if (all.size() > 12) {
        const std::uint32_t dropped = random.below(static_cast<std::uint32_t>(all.size()));
        release(all[dropped].vector);
        all.erase(all.begin() + dropped);
      }
      if (step % 20 == 0) {
        for (const Version& version : all) expect_matches(version);
      }
      if (HasFatalFailure()) FAIL() << "seed " << seed << " step " << step;
    }
    for (const Version& version : all) {
      expect_matches(version);
      release(version.vector);
    }
    ASSERT_EQ(heap.live_objects(), 0u) << "seed " << seed;
  }
}

TEST_F(VectorTest, QueueKeepsItsDepth) {
  Value queue = build(0, 100);
  for (std::uint32_t n = 0; n < 300'000; ++n) {
    queue = vector_push(heap, queue, Value::integer(n));
    queue = vector_slice(heap, queue, 1, 101);
  }
  EXPECT_EQ(vector_at(queue, 99).i, 299'999);
  EXPECT_EQ(vector_at(queue, 0).i, 299'900);
  EXPECT_LT(heap.bytes_used() - keyword_bytes, 10'000u);
  release(queue);
}

TEST_F(VectorTest, RestReleasesWhatItLeavesWhenUnique) {
  Value v = build(0, 5000);
  const std::uint64_t full = heap.bytes_used() - keyword_bytes;
  v = vector_slice(heap, v, 4900, 5000);
  EXPECT_LT(heap.bytes_used() - keyword_bytes, full / 20);
  while (vector_count(v) > 0) v = vector_slice(heap, v, 1, vector_count(v));
  release(v);
}

TEST_F(VectorTest, SharedRestCostsOneHeader) {
  const Value v = build(0, 5000);
  const std::uint64_t before = heap.bytes_used();
  const Value rest = vector_slice(heap, retained(v), 1, 5000);
  EXPECT_EQ(heap.bytes_used() - before, sizeof(TrieVector));
  EXPECT_TRUE(is_item(vector_at(rest, 0), 1));
  release(rest);
  release(v);
}

TEST_F(VectorTest, RangesStayLazyUntilChanged) {
  Value v = vector_range(heap, 10, -3, 1'000'000);
  EXPECT_EQ(heap.bytes_used(), sizeof(RangeVector));
  v = vector_slice(heap, v, 1, 1000);
  EXPECT_EQ(vector_at(v, 0).i, 7);
  EXPECT_EQ(vector_at(v, 998).i, 10 - 3 * 999);
  const Value shared = vector_slice(heap, retained(v), 990, 999);
  v = vector_push(heap, v, text("end"));
  EXPECT_EQ(vector_count(v), 1000u);
  EXPECT_EQ(vector_at(v, 0).i, 7);
  EXPECT_TRUE(vector_at(v, 999).is_string());
  Value small = vector_set(heap, retained(shared), 0, Value::nil());
  EXPECT_TRUE(vector_at(small, 0).is_nil());
  EXPECT_EQ(vector_at(small, 1).i, vector_at(shared, 1).i);
  for (const Value each : {v, shared, small}) release(each);
}

TEST_F(VectorTest, TakeAtMovesOnlyFromUniqueVectors) {
  for (const std::uint32_t count : {3u, 40u, 2000u}) {
    const Value v = build(0, count);
    const Value moved = vector_take_at(heap, v, 0);
    EXPECT_TRUE(is_unique(moved));
    EXPECT_TRUE(vector_at(v, 0).is_nil());
    Value back = vector_set(heap, v, 0, moved);
    retain(back);
    const Value copied = vector_take_at(heap, back, 0);
    EXPECT_TRUE(same_word(copied, vector_at(back, 0)));
    release(copied);
    release(back);
    release(back);
  }
}

TEST_F(VectorTest, ConcatWithItself) {
  for (const std::uint32_t count : {0u, 5u, 20u, 32u, 33u, 100u}) {
    const Value v = build(0, count);
    const Value twice = vector_concat(heap, retained(v), v);
    EXPECT_EQ(vector_count(twice), 2 * count);
    for (std::uint32_t i = 0; i < count; ++i) EXPECT_TRUE(is_item(vector_at(twice, count + i), i));
    release(twice);
    release(v);
  }
}

// The heap of a run with that much memory left.
class LongRange : public VectorTest {
 protected:
  static constexpr std::uint32_t kCount = 4'000'000'000;
  void SetUp() override { heap.set_limit_bytes(heap.bytes_used() + 1'000'000); }
  Value range() { return vector_range(heap, 0, 1, kCount); }
  void expect_refused(Value taken) {
    EXPECT_TRUE(heap.over_limit());
    EXPECT_TRUE(heap.has_failed());
    EXPECT_FALSE(heap.is_exhausted());
    EXPECT_LT(heap.bytes_used(), 100'000u);
    release(taken);
    heap.set_limit_bytes(heap.limit_bytes());
    EXPECT_FALSE(heap.over_limit());
  }
};

TEST_F(LongRange, IsNotMadeIntoElements) {
  expect_refused(vector_push(heap, range(), item(1)));
  expect_refused(vector_set(heap, range(), 3'000'000'000, item(1)));
  const Value three = vector_range(heap, 0, 1, 3);
  expect_refused(vector_concat(heap, range(), three));
  release(three);
  Value vector = range();
  *vector_own_cell(heap, &vector, kCount - 1) = item(2);
  expect_refused(vector);
}

TEST_F(LongRange, CanBeCut) {
  const Value tail = vector_slice(heap, vector_pop(heap, range()), kCount - 11, kCount - 1);
  EXPECT_EQ(vector_count(tail), 10u);
  EXPECT_EQ(vector_at(tail, 0).i, std::int64_t{kCount} - 11);
  EXPECT_FALSE(heap.over_limit());
  const Value longer = vector_push(heap, tail, Value::nil());   // these few fit
  EXPECT_EQ(vector_count(longer), 11u);
  EXPECT_FALSE(heap.has_failed());
  release(longer);
}

TEST_F(LongRange, BytesOfAVectorAreWhatItTakes) {
  for (const std::uint32_t count : {0u, 1u, 32u, 33u, 1'000u, 1'024u, 1'025u, 20'000u}) {
    const std::uint64_t before = heap.bytes_used();
    VectorBuilder made(heap);
    for (std::uint32_t n = 0; n < count; ++n) made.push(Value::nil());
    const std::uint64_t taken = heap.bytes_used() - before;
    EXPECT_LE(taken, vector_bytes(count) + 64) << count;
    EXPECT_LE(vector_bytes(count), taken + 2'048) << count;
  }
}

}  // namespace
}  // namespace ptc
