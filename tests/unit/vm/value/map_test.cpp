#include "vm/value/map.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <vector>

#include "value_model.h"
#include "vm/value/hash_mix.h"
#include "vm/value/order.h"

namespace ptc {
namespace {

using MapModel = std::map<std::uint32_t, std::uint32_t>;   // item number of the key -> of the value

class MapTest : public ValueTest {
 protected:
  struct Version {
    Value map;
    MapModel model;
  };

  void expect_matches(const Version& version) {
    ASSERT_EQ(map_count(version.map), version.model.size());
    for (const auto& [k, v] : version.model) {
      const Owned key(heap, item(k));
      const Value found = map_find(version.map, key.get());
      ASSERT_FALSE(found.is_absent()) << "key " << k;
      ASSERT_TRUE(is_item(found, v));
    }
    Value previous = Value::absent();
    std::size_t visited = 0;
    for (MapCursor at(heap, version.map); at.next(); ++visited) {
      if (!previous.is_absent()) {
        ASSERT_LT(canonical_order(previous, at.key()), 0);
      }
      previous = at.key();
      ASSERT_TRUE(same_word(map_find(version.map, at.key()), at.value()));
    }
    ASSERT_EQ(visited, version.model.size());
    expect_history_free(version);
  }

  // Built at once from the same entries: equal, same hash, neither before the other.
  void expect_history_free(const Version& version) {
    std::vector<Value> keys, values;
    for (const auto& [k, v] : version.model) {
      keys.push_back(item(k));
      values.push_back(item(v));
    }
    const Owned other(heap, map_from(heap, keys, values));
    ASSERT_EQ(other.get().object->kind, version.map.object->kind);
    ASSERT_TRUE(equal(other.get(), version.map));
    ASSERT_TRUE(same_key(other.get(), version.map));
    ASSERT_EQ(hash_key(other.get()), hash_key(version.map));
    ASSERT_EQ(canonical_order(other.get(), version.map), 0);
  }

  void change(Version& v, Random& random) {
    const std::uint32_t bound = random.one_in(2) ? 40 : 400;
    for (std::uint32_t times = random.below(30); times > 0; --times) {
      const std::uint32_t k = random.below(bound);
      const std::uint32_t n = random.below(1000);
      switch (random.below(5)) {
        case 0:
        case 1:
          v.map = map_assoc(heap, v.map, item(k), item(n));
          v.model[k] = n;
          break;
        case 2:
        case 3: {
          const Owned key(heap, item(k));
          v.map = map_dissoc(heap, v.map, key.get());
          v.model.erase(k);
          break;
        }
        default: {
          const Owned key(heap, item(k));
          const Value taken = map_take_at(heap, v.map, key.get());
          ASSERT_EQ(taken.is_absent(), !v.model.contains(k));
          if (taken.is_absent()) break;
          v.map = map_assoc(heap, v.map, retained(key.get()), taken);
        }
      }
    }
  }
};

TEST_F(MapTest, MatchesAModelWhateverIsShared) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Random random(seed);
    std::vector<Version> all;
    for (int step = 0; step < 150; ++step) {
      if (all.empty() || random.one_in(30)) all.push_back({map_empty(heap), {}});
      const std::uint32_t i = random.below(static_cast<std::uint32_t>(all.size()));
      if (random.one_in(3)) {
        all.push_back({retained(all[i].map), all[i].model});
        change(all.back(), random);
      } else {
        change(all[i], random);
      }
      if (all.size() > 10) {
        release(all.front().map);
        all.erase(all.begin());
      }
      if (step % 25 == 0) {
        for (const Version& version : all) expect_matches(version);
      }
      if (HasFatalFailure()) FAIL() << "seed " << seed << " step " << step;
    }
    for (const Version& version : all) {
      expect_matches(version);
      release(version.map);
    }
    ASSERT_EQ(heap.live_objects(), 0u) << "seed " << seed;
  }
}

TEST_F(MapTest, MutableCellsDoNotReachOtherVersions) {
  for (const std::uint32_t count : {8u, 200u}) {
    Value map = map_empty(heap);
    for (std::uint32_t k = 0; k < count; ++k) map = map_assoc(heap, map, item(k), item(k));
    const Value old = retained(map);
    map = map_assoc(heap, map, keyword("more"), Value::nil());   // own header, shared nodes
    const Owned key(heap, item(4));
    Value* const cell = map_find_mutable(heap, map, key.get());
    ASSERT_NE(cell, nullptr);
    release(*cell);
    *cell = text("changed");
    EXPECT_TRUE(is_item(map_find(old, key.get()), 4));
    EXPECT_EQ(string_view_of(map_find(map, key.get())), "changed");
    EXPECT_EQ(map_find_mutable(heap, map, Value::nil()), nullptr);
    release(map);
    release(old);
  }
}

TEST_F(MapTest, RecordsShareTheirKeys) {
  const auto record = [&](bool backwards) {
    std::vector<Value> keys{keyword("id"), keyword("name"), text("note")};
    std::vector<Value> values{Value::integer(1), Value::integer(2), Value::integer(3)};
    if (backwards) std::reverse(keys.begin(), keys.end()), std::reverse(values.begin(), values.end());
    return map_from(heap, keys, values);
  };
  const Value a = record(false);
  const std::uint64_t before = heap.live_objects();
  const Value b = record(true);
  Value c = map_empty(heap);
  c = map_assoc(heap, c, keyword("name"), Value::integer(2));
  c = map_assoc(heap, c, text("note"), Value::integer(3));
  c = map_assoc(heap, c, keyword("id"), Value::integer(1));
  EXPECT_EQ(heap.live_objects(), before + 2);
  EXPECT_TRUE(equal(a, b) && equal(b, c));
  for (const Value v : {a, b, c}) release(v);
}

TEST_F(MapTest, FromKeepsFirstKeyAndLastValue) {
  for (const std::uint32_t count : {3u, 50u}) {
    std::vector<Value> keys, values;
    for (std::uint32_t i = 0; i < count; ++i) {
      keys.push_back(Value::real(i == 0 ? -0.0 : static_cast<double>(i)));
      values.push_back(text("v"));
    }
    keys.push_back(Value::real(0.0));
    values.push_back(text("last"));
    const Value map = map_from(heap, keys, values);
    EXPECT_EQ(map_count(map), count);
    EXPECT_EQ(string_view_of(map_find(map, Value::real(0.0))), "last");
    MapCursor at(heap, map);
    ASSERT_TRUE(at.next());
    EXPECT_TRUE(std::signbit(at.key().d));
    release(map);
  }
}

TEST_F(MapTest, FlexibleAccess) {
  struct Case {
    const char* stored;   // leading ':' keyword, else string
    const char* asked;
    bool found;
  };
  const Case cases[] = {{":a", ":a", true},      {"a", ":a", true},       {":a", "a", true},
                        {":a_b", ":a-b", true},  {"a_b", ":a-b", true},   {":a_b", "a-b", true},
                        {"a_b", "a-b", true},    {":a-b", ":a_b", false}, {":A", ":a", false},
                        {"a-b", ":a-b", true},   {":x", ":y", false},     {"a_b_c", ":a-b-c", true}};
  const auto key = [&](const char* s) { return *s == ':' ? keyword(s + 1) : text(s); };
  for (const bool hashed : {false, true}) {
    for (const Case& c : cases) {
      Value map = map_empty(heap);
      for (std::uint32_t i = 0; hashed && i < 100; ++i) map = map_assoc(heap, map, Value::integer(i), Value::nil());
      map = map_assoc(heap, map, key(c.stored), Value::integer(7));
      const Owned asked(heap, key(c.asked)), stored(heap, key(c.stored));
      Value found_key = Value::absent();
      const Value found = map_find_flexible(heap, map, asked.get(), &found_key);
      EXPECT_EQ(!found.is_absent(), c.found) << c.stored << ' ' << c.asked;
      EXPECT_EQ(same_key(found_key, stored.get()), c.found);
      release(map);
    }
  }
}

TEST_F(MapTest, KeysValuesEntries) {
  Value map = map_empty(heap);
  for (std::uint32_t i = 40; i > 0; --i) map = map_assoc(heap, map, Value::integer(i), text(std::to_string(i)));
  const Value keys = map_keys(heap, map), values = map_values(heap, map), entries = map_entries(heap, map);
  for (std::uint32_t i = 0; i < 40; ++i) {
    EXPECT_EQ(vector_at(keys, i).i, i + 1);
    EXPECT_EQ(string_view_of(vector_at(values, i)), std::to_string(i + 1));
    EXPECT_TRUE(same_word(vector_at(vector_at(entries, i), 1), vector_at(values, i)));
  }
  for (const Value v : {map, keys, values, entries}) release(v);
}

// Strings of one hash: the weak word of hash_text_step (no UTF-8, so no program can have it) resets the state.
Value colliding_key(Heap& heap, std::uint32_t n) {
  const Value s = string_raw(heap, 16);
  const std::uint64_t words[] = {n, kHashTextWeakWord};
  std::memcpy(static_cast<String*>(s.object)->bytes(), words, 16);
  return s;
}

TEST_F(MapTest, CollidingKeys) {
  const Owned one(heap, colliding_key(heap, 1)), two(heap, colliding_key(heap, 2));
  ASSERT_EQ(hash_key(one.get()), hash_key(two.get()));
  Value map = map_empty(heap), other = map_empty(heap);
  for (std::uint32_t n = 0; n < 100; ++n) map = map_assoc(heap, map, colliding_key(heap, n), Value::integer(n));
  for (std::uint32_t n = 150; n-- > 0;) other = map_assoc(heap, other, colliding_key(heap, n), Value::integer(n));
  const Value full = retained(other);
  for (std::uint32_t n = 100; n < 150; ++n) {
    const Owned key(heap, colliding_key(heap, n));
    other = map_dissoc(heap, other, key.get());
  }
  EXPECT_TRUE(equal(map, other));
  EXPECT_EQ(hash_key(map), hash_key(other));
  EXPECT_EQ(map_count(full), 150u);
  Value mixed = map_assoc(heap, retained(map), keyword("k"), Value::nil());
  for (std::uint32_t n = 0; n < 100; ++n) {
    const Owned key(heap, colliding_key(heap, n));
    EXPECT_EQ(map_find(full, key.get()).i, n);
    mixed = map_dissoc(heap, mixed, key.get());
    EXPECT_EQ(map_count(mixed), 100 - n);
  }
  for (const Value v : {map, other, full, mixed}) release(v);
}

}  // namespace
}  // namespace ptc
