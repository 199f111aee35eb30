// Readers of EDN and JSON take their memory from the heap that they read into, and stop when the host says so.
#include <gtest/gtest.h>

#include "runtime/text/bounded_text.h"
#include "runtime/text/edn.h"
#include "runtime/text/json_value.h"
#include "vm/value/account.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

constexpr std::uint64_t kLimit = 1u << 20;
constexpr std::uint64_t kOneObject = 64u << 10;    // by so much a limit may be passed

std::string text_of_parts(std::string_view part, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += part;
  return text;
}

class Never final : public Patience {
 public:
  bool is_over() override { return true; }
};

using Reader = std::variant<Value, TextError> (*)(Heap&, std::string_view);
std::variant<Value, TextError> edn_text(Heap& heap, std::string_view text) { return read_edn(heap, text); }

// Expects that the text does not fit, and that nothing of it stays.
void expect_too_large(Reader read, const std::string& text) {
  Heap heap(kLimit);
  const auto result = read(heap, text);
  const auto* const error = std::get_if<TextError>(&result);
  ASSERT_NE(error, nullptr) << text.substr(0, 40);
  EXPECT_EQ(error->kind, TextError::Kind::TooLarge) << error->message;
  EXPECT_TRUE(heap.has_failed());
  EXPECT_LE(heap.bytes_peak(), kLimit + kOneObject) << text.substr(0, 40);
  EXPECT_EQ(heap.live_objects(), 0U);
}

TEST(BoundedReading, many_small_values_are_refused_when_they_do_not_fit) {
  const std::string objects = '[' + text_of_parts("{},", 200'000) + "{}]";
  expect_too_large(read_json, objects);
  expect_too_large(edn_text, objects);
  expect_too_large(read_json, text_of_parts("[", 200'000) + text_of_parts("]", 200'000));
  expect_too_large(edn_text, text_of_parts("[", 200'000) + text_of_parts("]", 200'000));
  std::string members;
  for (int i = 0; i < 50'000; ++i) members += ",\"k" + std::to_string(i) + "\":" + std::to_string(i);
  expect_too_large(read_json, '{' + members.substr(1) + '}');
}

TEST(BoundedReading, a_long_string_is_refused_before_it_is_made) {
  expect_too_large(read_json, '"' + text_of_parts("s", 2 * kLimit) + '"');
  expect_too_large(edn_text, '"' + text_of_parts("s", 2 * kLimit) + '"');
  expect_too_large(read_json, '"' + text_of_parts("\\u0041", kLimit) + '"');
  expect_too_large(edn_text, '"' + text_of_parts("\\n", kLimit) + '"');
}

TEST(BoundedReading, what_fits_is_read_as_ever) {
  Heap heap(kLimit);
  for (const Reader read : {Reader(read_json), Reader(edn_text)}) {
    const auto result = read(heap, '[' + text_of_parts(R"(["a","x\n"],)", 2'000) + "{}]");
    ASSERT_TRUE(std::holds_alternative<Value>(result));
    const Owned value(heap, std::get<Value>(result));
    EXPECT_EQ(vector_count(value.get()), 2'001U);
  }
  EXPECT_EQ(heap.bytes_used(), 0U) << "the stacks of a reader are given back";
}

TEST(BoundedReading, the_host_can_stop_a_reader) {
  const std::string list = '[' + text_of_parts("[1,2],", 20'000) + "3]";
  std::string members;
  for (int i = 0; i < 20'000; ++i) members += ",\"k" + std::to_string(i) + "\":1";
  const std::string map = '{' + members.substr(1) + '}';
  const std::string digits = '[' + text_of_parts("7", 10'000) + ']';
  for (const std::string& text : {list, map, digits}) {
    for (const Reader read : {Reader(read_json), Reader(edn_text)}) {
      Heap heap;
      Never host;
      const AccountScope scope(heap, &host);
      const auto result = read(heap, text);
      const auto* const error = std::get_if<TextError>(&result);
      ASSERT_NE(error, nullptr) << text.substr(0, 40);
      EXPECT_EQ(error->kind, TextError::Kind::Stopped);
      EXPECT_EQ(heap.live_objects(), 0U);
    }
  }
}

// 2^40 elements in forty vectors.
Value doubled_nest(Heap& heap) {
  Value nest = Value::integer(1);
  for (int i = 0; i < 40; ++i) {
    retain(nest);
    nest = vector_of(heap, std::array{nest, nest});
  }
  return nest;
}

TEST(BoundedText, text_that_does_not_fit_is_refused_and_given_back) {
  Heap heap(4 * kLimit);
  const Owned nest(heap, doubled_nest(heap));
  const std::uint64_t before = heap.bytes_used();
  EXPECT_EQ(edn_within(heap, nest.get()).end, BoundedText::End::TooLarge);
  EXPECT_EQ(json_within(heap, nest.get()).end, BoundedText::End::TooLarge);
  EXPECT_EQ(heap.bytes_used(), before);
  EXPECT_LE(heap.bytes_peak(), 4 * kLimit);
}

TEST(BoundedText, the_host_can_stop_a_writer) {
  Heap heap;
  const Owned nest(heap, doubled_nest(heap));
  Never host;
  const AccountScope scope(heap, &host);
  EXPECT_EQ(edn_within(heap, nest.get()).end, BoundedText::End::Stopped);
  EXPECT_EQ(json_within(heap, nest.get()).end, BoundedText::End::Stopped);
}

TEST(BoundedText, long_text_is_put_together_from_its_pieces) {
  Heap heap(64 * kLimit);
  const std::string list = '[' + text_of_parts("\"ab\",", 300'000) + "1]";
  const auto read = read_json(heap, list);
  ASSERT_TRUE(std::holds_alternative<Value>(read));
  const Owned value(heap, std::get<Value>(read));
  const BoundedText json = json_within(heap, value.get());
  EXPECT_EQ(json.end, BoundedText::End::Whole);
  EXPECT_EQ(json.text, list);
  const BoundedText text = edn_within(heap, value.get());
  EXPECT_EQ(text.text.size(), list.size());
  EXPECT_TRUE(text.text.ends_with(" \"ab\" 1]"));
}

}  // namespace
}  // namespace ptc
