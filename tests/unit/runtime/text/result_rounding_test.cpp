// float_precision: which floats are rounded, and how ties go.
#include "runtime/text/result_rounding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "runtime/text/edn.h"
#include "vm/value/print.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

TEST(RoundToDecimals, goes_half_away_from_zero_on_the_exact_value) {
  struct Case {
    double x;
    int decimals;
    double rounded;
  };
  for (const Case& c : std::initializer_list<Case>{{0.125, 2, 0.13},   {-0.125, 2, -0.13}, {0.375, 2, 0.38},
                                                   {2.675, 2, 2.67},   {1.005, 2, 1.0},    {0.5, 0, 1.0},
                                                   {1.5, 0, 2.0},      {9.995, 2, 9.99},   {9.96875, 4, 9.9688},
                                                   {1e300, 2, 1e300},  {3.0, 2, 3.0},      {0.1, 15, 0.1},
                                                   {99.995117, 3, 99.995}, {0.001, 2, 0.0}}) {
    EXPECT_EQ(round_to_decimals(c.x, c.decimals), c.rounded) << c.x << " to " << c.decimals;
  }
  EXPECT_TRUE(std::isnan(round_to_decimals(std::numeric_limits<double>::quiet_NaN(), 2)));
  EXPECT_TRUE(std::signbit(round_to_decimals(-0.001, 2)));
}

TEST(RoundResult, reaches_vectors_and_map_values_only) {
  for (const auto& [text, rounded] : std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"1.256", "1.26"},
           {"[1.256 {:a 2.345678 \"s\" \"1.256\"} 7]", "[1.26 {\"s\" \"1.256\" :a 2.35} 7]"},
           {"{1.256 1.256}", "{1.256 1.26}"},
           {"#{1.256}", "#{1.256}"},
           {"[[[[0.001]]] []]", "[[[[0.0]]] []]"},
           {"[:a nil]", "[:a nil]"},
       }) {
    Heap heap;
    Value value = round_result(heap, std::get<Value>(read_edn(heap, text)), 2);
    std::string out;
    append_edn(out, value, heap);
    EXPECT_EQ(out, rounded);
    heap.release(value);
    EXPECT_EQ(heap.live_objects(), 0u) << text;
  }
}

TEST(RoundResult, does_not_recurse) {
  Heap heap;
  Value value = Value::real(1.256);
  for (int i = 0; i < 1'000'000; ++i) value = vector_push(heap, vector_empty(heap), value);
  value = round_result(heap, value, 2);
  heap.release(value);
  EXPECT_EQ(heap.live_objects(), 0u);
}

}  // namespace
}  // namespace ptc
