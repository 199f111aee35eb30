// Strings as values: repair, clusters, offsets, case.
#include "vm/value/string.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "vm/value/unicode_case.h"
#include "vm/value/utf8.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

class StringTest : public ::testing::Test {
 protected:
  ~StringTest() override { EXPECT_EQ(heap.live_objects(), 0u); }

  std::vector<std::string> graphemes(std::string_view text) {
    const Owned s(heap, string_of(heap, text));
    const Owned parts(heap, string_graphemes(heap, s.get()));
    std::vector<std::string> out;
    for (std::uint32_t i = 0; i < vector_count(parts.get()); ++i) {
      out.emplace_back(string_view_of(vector_at(parts.get(), i)));
    }
    return out;
  }
  std::string stored(std::string_view bytes) {
    const Owned s(heap, string_of(heap, bytes));
    return std::string(string_view_of(s.get()));
  }

  Heap heap;
};

TEST_F(StringTest, MalformedBytesBecomeReplacementCharacters) {
  EXPECT_EQ(stored("plain"), "plain");
  EXPECT_EQ(stored("h\xC3\xA9llo"), "héllo");
  EXPECT_EQ(stored("a\xFFz"), "a\uFFFDz");
  EXPECT_EQ(stored("\xE2\x82"), "\uFFFD");                 // cut short: one
  EXPECT_EQ(stored("\xC0\xAF"), "\uFFFD\uFFFD");           // overlong
  EXPECT_EQ(stored("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD"); // surrogate
  EXPECT_EQ(stored("\xF4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(stored("12345678\x80"), "12345678\uFFFD");
}

TEST_F(StringTest, CountsClusters) {
  const struct {
    const char* text;
    std::uint32_t count;
  } cases[] = {{"", 0},      {"abc", 3},   {"a\r\nb", 3}, {"\r\n", 1},  {"\n\r", 2},
               {"héllo", 5}, {"e\u0301", 1}, {"👨‍👩‍👧", 1},  {"😀a", 2}, {"🇩🇪🇫🇷", 2}, {"각", 1}, {"ab\u0301c", 3}};
  for (const auto& c : cases) {
    const Owned s(heap, string_of(heap, c.text));
    EXPECT_EQ(string_count(s.get()), c.count) << c.text;
    EXPECT_EQ(string_count(s.get()), c.count) << c.text;
    EXPECT_EQ(string_offset(s.get(), c.count), as_string(s.get())->size_bytes) << c.text;
  }
}

TEST_F(StringTest, SplitsIntoClusters) {
  EXPECT_EQ(graphemes("a\r\nb"), (std::vector<std::string>{"a", "\r\n", "b"}));
  EXPECT_EQ(graphemes("x👨‍👩‍👧y"), (std::vector<std::string>{"x", "👨‍👩‍👧", "y"}));
  EXPECT_EQ(graphemes("e\u0301x"), (std::vector<std::string>{"e\u0301", "x"}));
}

TEST_F(StringTest, OffsetsAndIndexesAreInverse) {
  const Owned s(heap, string_of(heap, "a😀\r\né"));
  const std::size_t offsets[] = {0, 1, 5, 7, 9};
  for (std::uint32_t i = 0; i < 5; ++i) {
    EXPECT_EQ(string_offset(s.get(), i), offsets[i]);
    EXPECT_EQ(string_index_of_offset(s.get(), offsets[i]), i);
  }
  EXPECT_EQ(string_index_of_offset(s.get(), 6), 2u);   // inside of CR LF
}

TEST_F(StringTest, SlicesKeepWhatTheyKnow) {
  const Owned ascii(heap, string_of(heap, "hello"));
  const Owned ell(heap, string_slice(heap, ascii.get(), 1, 4));
  EXPECT_EQ(string_view_of(ell.get()), "ell");
  EXPECT_EQ(string_count(ell.get()), 3u);
  const Owned whole(heap, string_slice(heap, ascii.get(), 0, 5));
  EXPECT_EQ(whole.get().object, ascii.get().object);
  const Owned mixed(heap, string_of(heap, "😀a"));
  const Owned tail(heap, string_slice(heap, mixed.get(), 1, 2));
  EXPECT_EQ(string_view_of(tail.get()), "a");
}

TEST_F(StringTest, CaseMappingIsFull) {
  const auto mapped = [](void (*f)(std::string&, std::string_view), std::string_view text) {
    std::string out;
    f(out, text);
    return out;
  };
  EXPECT_EQ(mapped(append_upper, "straße"), "STRASSE");
  EXPECT_EQ(mapped(append_upper, "ŉ ﬁ ﬃ"), "ʼN FI FFI");
  EXPECT_EQ(mapped(append_upper, "éаω"), "ÉАΩ");
  EXPECT_EQ(mapped(append_lower, "ÉAΣİ"), "éaσi\u0307");
  EXPECT_EQ(mapped(append_capitalized, "hELLO wORLD"), "Hello world");
  EXPECT_EQ(mapped(append_capitalized, "ﬁSH"), "Fish");
  EXPECT_EQ(mapped(append_capitalized, ""), "");
}

TEST_F(StringTest, BlanksAreClojures) {
  for (const char32_t c : {0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x1C, 0x1F, 0x20, 0x1680, 0x2000, 0x2028, 0x205F, 0x3000}) {
    EXPECT_TRUE(is_blank(c)) << static_cast<unsigned>(c);
  }
  for (const char32_t c : {0x85, 0xA0, 0x2007, 0x202F, 0x200B, 0x61}) {
    EXPECT_FALSE(is_blank(c)) << static_cast<unsigned>(c);
  }
  EXPECT_TRUE(is_white_space(0xA0));
  EXPECT_FALSE(is_white_space(0x1C));
}

TEST_F(StringTest, PrefixesEndBetweenCodePoints) {
  EXPECT_EQ(utf8_prefix("aé", 2), "a");
  EXPECT_EQ(utf8_prefix("aé", 3), "aé");
  EXPECT_EQ(utf8_prefix("😀", 3), "");
  EXPECT_EQ(utf8_count("aé😀"), 3u);
}

}  // namespace
}  // namespace ptc
