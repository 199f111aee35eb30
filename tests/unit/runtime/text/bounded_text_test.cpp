// Text that is written in pieces is the text that is written in one go.
#include "runtime/text/bounded_text.h"

#include <gtest/gtest.h>

#include <string>

#include "runtime/text/json_value.h"
#include "vm/value/print.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

// A text of several pieces, with code points of four bytes and escapes at every offset from the ends of blocks.
std::string text_of_pieces() {
  std::string text;
  while (text.size() < 700'000) text += "\U0001F600\"\n\x01g\u00fc" + std::string(text.size() % 7, 'a');
  return text;
}

TEST(BoundedText, WritesLongTextsInPiecesAsInOneGo) {
  Heap heap;
  Value texts = vector_empty(heap);
  for (int i = 0; i < 3; ++i) texts = vector_push(heap, texts, string_of(heap, text_of_pieces()));
  std::string edn, json;
  append_edn(edn, texts, heap);
  append_json(json, texts, heap);
  EXPECT_TRUE(edn_within(heap, texts).text == edn);
  EXPECT_TRUE(json_within(heap, texts).text == json);
  heap.release(texts);
}

TEST(BoundedText, RefusesATextThatHasNoRoomBesideItsValue) {
  Heap heap;
  const Value text = string_of(heap, text_of_pieces());
  heap.set_limit_bytes(heap.bytes_used() + (512u << 10));
  EXPECT_EQ(edn_within(heap, text).end, BoundedText::End::TooLarge);
  heap.set_limit_bytes(heap.bytes_used() + (4u << 20));
  EXPECT_EQ(edn_within(heap, text).end, BoundedText::End::Whole);
  heap.release(text);
}

}  // namespace
}  // namespace ptc
