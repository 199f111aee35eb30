#include <cmath>
#include <set>
#include <vector>

#include "value_model.h"
#include "vm/value/order.h"

namespace ptc {
namespace {

using SetModel = std::set<std::uint32_t>;

class SetTest : public ValueTest {
 protected:
  struct Version {
    Value set;
    SetModel model;
  };

  void expect_matches(const Version& version) {
    ASSERT_EQ(set_count(version.set), version.model.size());
    Value rebuilt = set_empty(heap);
    for (auto n = version.model.rbegin(); n != version.model.rend(); ++n) {
      const Owned member(heap, item(*n));
      ASSERT_TRUE(set_contains(version.set, member.get()));
      ASSERT_TRUE(same_key(set_find(version.set, member.get()), member.get()));
      rebuilt = set_add(heap, rebuilt, retained(member.get()));
    }
    const Owned owned(heap, rebuilt), items(heap, set_items(heap, version.set));
    ASSERT_TRUE(equal(rebuilt, version.set));
    ASSERT_EQ(hash_key(rebuilt), hash_key(version.set));
    ASSERT_EQ(canonical_order(rebuilt, version.set), 0);
    ASSERT_EQ(vector_count(items.get()), version.model.size());
    for (std::uint32_t i = 1; i < vector_count(items.get()); ++i) {
      ASSERT_LT(canonical_order(vector_at(items.get(), i - 1), vector_at(items.get(), i)), 0);
    }
  }

  void change(Version& v, Random& random) {
    const std::uint32_t bound = random.one_in(2) ? 40 : 300;
    const bool growing = random.one_in(2);
    for (std::uint32_t times = random.below(40); times > 0; --times) {
      const std::uint32_t n = random.below(bound);
      if (growing != random.one_in(4)) {
        v.set = set_add(heap, v.set, item(n));
        v.model.insert(n);
      } else {
        const Owned member(heap, item(n));
        v.set = set_remove(heap, v.set, member.get());
        v.model.erase(n);
      }
    }
  }
};

TEST_F(SetTest, MatchesAModelWhateverIsShared) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Random random(seed);
    std::vector<Version> all;
    for (int step = 0; step < 120; ++step) {
      if (all.empty() || random.one_in(30)) all.push_back({set_empty(heap), {}});
      const std::uint32_t i = random.below(static_cast<std::uint32_t>(all.size()));
      if (random.one_in(3)) {
        all.push_back({retained(all[i].set), all[i].model});
        change(all.back(), random);
      } else {
        change(all[i], random);
      }
      if (all.size() > 8) {
        release(all.front().set);
        all.erase(all.begin());
      }
      if (step % 20 == 0) {
        for (const Version& version : all) expect_matches(version);
      }
      if (HasFatalFailure()) FAIL() << "seed " << seed << " step " << step;
    }
    for (const Version& version : all) {
      expect_matches(version);
      release(version.set);
    }
    ASSERT_EQ(heap.live_objects(), 0u) << "seed " << seed;
  }
}

TEST_F(SetTest, MembersAreStrictByKind) {
  Value set = set_empty(heap);
  for (const Value v : {Value::integer(1), Value::real(1.0), Value::real(-0.0), Value::real(0.0),
                        Value::real(std::nan("")), Value::real(-std::nan("")), Value::nil(), Value::boolean(false)}) {
    set = set_add(heap, set, v);
  }
  EXPECT_EQ(set_count(set), 6u);
  EXPECT_TRUE(set_contains(set, Value::real(std::nan(""))));
  EXPECT_FALSE(set_contains(set, Value::integer(0)));
  release(set);
}

}  // namespace
}  // namespace ptc
