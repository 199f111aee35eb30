#include "vm/value/utf8.h"

#include <gtest/gtest.h>

namespace ptc {
namespace {

// The definition: every step along the text decodes.
bool decodes(std::string_view text) {
  while (!text.empty()) {
    const Utf8Step step = utf8_decode(text);
    if (!step.valid) return false;
    text.remove_prefix(step.length);
  }
  return true;
}

TEST(Utf8, KnowsWellFormedText) {
  for (const std::string_view text : {"", "a", "Gr\xc3\xbc\xc3\x9f" "e", "\xe2\x82\xac", "\xf0\x9f\x91\xa9",
                                      "\xed\x9f\xbf", "\xee\x80\x80", "\xf4\x8f\xbf\xbf", "some, then \xc2\x80 more"}) {
    EXPECT_TRUE(utf8_is_valid(text)) << text;
  }
}

TEST(Utf8, KnowsMalformedText) {
  for (const std::string_view text : {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80",
                                      "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff",
                                      "12345678\xc3", "\xe2\x82", "\xf0\x9f\x91",
                                      "\xc3\xbc\xbc", "\xe2\x82g", "\xf0\x9f\x91g"}) {
    EXPECT_FALSE(utf8_is_valid(text)) << ::testing::PrintToString(text);
  }
}

TEST(Utf8, AgreesWithDecodingOnEveryPairOfBytes) {
  for (unsigned first = 0; first < 256; ++first) {
    for (unsigned second = 0; second < 256; ++second) {
      for (const std::string_view rest : {"", "\x80", "\x80\x80", "\xbfg", "g", "\x80\x80g", "plain text behind"}) {
        const std::string text = std::string{static_cast<char>(first), static_cast<char>(second)} + std::string(rest);
        ASSERT_EQ(utf8_is_valid(text), decodes(text)) << ::testing::PrintToString(text);
      }
    }
  }
}

TEST(Utf8, CutsBetweenCodePoints) {
  const std::string_view text = "a\xe2\x82\xac" "b";
  EXPECT_EQ(utf8_prefix(text, 1), "a");
  EXPECT_EQ(utf8_prefix(text, 3), "a");
  EXPECT_EQ(utf8_prefix(text, 4), "a\xe2\x82\xac");
  EXPECT_EQ(utf8_prefix(text, 9), text);
}

}  // namespace
}  // namespace ptc
