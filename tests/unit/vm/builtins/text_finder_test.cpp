#include "vm/builtins/text_finder.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ptc {
namespace {

std::vector<std::size_t> all_of(std::string_view text, std::string_view needle) {
  std::vector<std::size_t> found;
  for (std::size_t at = text.find(needle); at != std::string_view::npos; at = text.find(needle, at + 1)) {
    found.push_back(at);
  }
  return found;
}

// Texts of two letters, so that much of a needle matches in many places.
std::string letters(std::uint64_t bits, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += (bits >> (i % 61) & 1) != 0 ? 'a' : 'b';
  return text;
}

TEST(TextFinder, FindsWhatTheLibraryFinds) {
  for (std::uint64_t seed = 1; seed < 200; ++seed) {
    const std::string text = letters(seed * 0x9e3779b97f4a7c15u, 400) + letters(seed, 200);
    for (const std::size_t size : {1u, 5u, 32u, 33u, 40u, 64u, 121u, 122u}) {
      for (const std::string& needle : {text.substr(seed % 300, size), letters(seed, size) + "c"}) {
        const TextFinder finder(needle);
        EXPECT_EQ(find_text(text, needle), text.find(needle));
        EXPECT_EQ(finder.first(text, seed), text.find(needle, seed));
        EXPECT_EQ(finder.last(text), text.rfind(needle));
        EXPECT_EQ(finder.last(text, seed), text.rfind(needle, seed));
        std::vector<std::size_t> found;
        finder.each(text, 0, [&found](std::size_t at) {
          found.push_back(at);
          return true;
        });
        EXPECT_EQ(found, all_of(text, needle));
      }
    }
  }
}

TEST(TextFinder, EndsOfTexts) {
  const std::string needle(40, 'x');
  const TextFinder finder(needle);
  EXPECT_EQ(finder.first("", 0), std::string_view::npos);
  EXPECT_EQ(finder.last(""), std::string_view::npos);
  EXPECT_EQ(finder.first(needle), 0u);
  EXPECT_EQ(finder.first(needle, 1), std::string_view::npos);
  EXPECT_EQ(finder.first(needle, 99), std::string_view::npos);
  EXPECT_EQ(finder.last(needle + needle), 40u);
  EXPECT_EQ(find_text("abc", "", 3), 3u);
  EXPECT_EQ(find_text("abc", "", 4), std::string_view::npos);
  EXPECT_EQ(TextFinder("").last("abc"), 3u);
}

TEST(TextFinder, StopsWhenItIsTold) {
  int seen = 0;
  TextFinder(std::string(33, 'x')).each(std::string(100, 'x'), 0, [&seen](std::size_t) { return ++seen < 3; });
  EXPECT_EQ(seen, 3);
}

}  // namespace
}  // namespace ptc
