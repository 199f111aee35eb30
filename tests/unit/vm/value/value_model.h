// What the property tests of collections share: random numbers, items with and without references, and a fixture that
// checks that everything was given back.
#pragma once
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "vm/value/equality.h"
#include "vm/value/heap.h"
#include "vm/value/map.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc {

class Random {   // splitmix64
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint32_t below(std::uint32_t bound) {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return static_cast<std::uint32_t>((z ^ (z >> 31)) % bound);
  }
  bool one_in(std::uint32_t n) { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

class ValueTest : public testing::Test {
 protected:
  void TearDown() override {
    EXPECT_EQ(heap.live_objects(), 0u);
    EXPECT_EQ(heap.bytes_used(), keyword_bytes);
  }
  Value keyword(std::string_view name) {
    const std::uint64_t before = heap.bytes_used();
    const Value v = Value::of(heap.intern(name));
    keyword_bytes += heap.bytes_used() - before;
    return v;
  }
  Value text(std::string_view s) { return string_of(heap, s); }
  // Different for different n: ints, strings, keywords, pairs.
  Value item(std::uint32_t n) {
    switch (n % 4) {
      case 0: return text("item-" + std::to_string(n));
      case 1: return keyword("k" + std::to_string(n));
      case 2: {
        const Value pair[] = {Value::integer(n), text("x")};
        return vector_of(heap, pair);
      }
      default: return Value::integer(n);
    }
  }
  bool is_item(Value v, std::uint32_t n) {
    const Owned expected(heap, item(n));
    return equal(v, expected.get());
  }
  void release(Value v) { heap.release(v); }

  Heap heap;
  std::uint64_t keyword_bytes = 0;
};

}  // namespace ptc
