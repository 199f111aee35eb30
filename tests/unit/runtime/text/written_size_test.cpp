// How much text a value is, without the text.
#include "runtime/text/written_size.h"

#include <gtest/gtest.h>

#include "runtime/text/edn.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

WrittenSize size_of(std::string_view edn) {
  Heap heap;
  const Value value = std::get<Value>(read_edn(heap, edn));
  const WrittenSize size = measure_written(value, kMaxWrittenSize);
  heap.release(value);
  return size;
}

TEST(WrittenSize, counts_shared_parts_every_time_and_stops) {
  Heap heap;
  Value value = vector_empty(heap);
  for (int i = 0; i < 60; ++i) {
    Value pair = vector_push(heap, vector_empty(heap), retained(value));
    value = vector_push(heap, pair, value);
  }
  EXPECT_GE(written_size(value, 1000), 1000u);
  heap.release(value);
}

TEST(WrittenSize, counts_keys_and_values_and_sixteen_bytes_of_text_as_a_part) {
  EXPECT_EQ(size_of("1").parts, 1u);
  EXPECT_EQ(size_of("{1 2, 3 4}").parts, 5u);
  EXPECT_EQ(size_of("#{1 2 3}").parts, 4u);
  EXPECT_GE(size_of('"' + std::string(1600, 'a') + '"').parts, 100u);
}

TEST(WrittenSize, counts_digits_of_wide_integers_by_the_square_of_their_limbs) {
  const std::string digits(1000, '7');
  const WrittenSize narrow = size_of(digits), wide = size_of(digits + digits);
  EXPECT_EQ(size_of("123").digits, 0u);
  EXPECT_GT(narrow.digits, 0u);
  EXPECT_NEAR(static_cast<double>(wide.digits) / static_cast<double>(narrow.digits), 4, 0.5);
}

}  // namespace
}  // namespace ptc
