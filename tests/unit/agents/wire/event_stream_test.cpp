#include "agents/wire/event_stream.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ptcvm::wire {
namespace {

// The events as "name|data", with the bytes fed in pieces of that size.
std::vector<std::string> events(std::string_view bytes, std::size_t piece, bool is_whole = false) {
  EventStreamReader reader;
  std::vector<std::string> found;
  const auto add = [&](const ServerSentEvent& event) {
    found.push_back(std::string(event.name) + '|' + std::string(event.data));
  };
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    reader.feed(bytes.substr(at, piece));
    while (const auto event = reader.next()) add(*event);
  }
  if (is_whole) {
    if (const auto event = reader.last()) add(*event);
  }
  return found;
}

using Events = std::vector<std::string>;

TEST(EventStream, ReadsTheSameInPiecesOfAnySize) {
  const std::string_view bytes =
      "\xEF\xBB\xBF: a comment\nevent: one\ndata: a\ndata:b\n\nid: 7\nretry: 9\n\ndata\n\ndata:  c \r\n\r\ndata: d\r\r";
  const Events expected = {"one|a\nb", "|", "| c ", "|d"};
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) EXPECT_EQ(events(bytes, piece), expected) << piece;
}

// The reader looks for line ends in windows of 256 bytes.
TEST(EventStream, FindsEachLineEndWhereverItIs) {
  for (const std::string_view end : {"\n", "\r", "\r\n"}) {
    for (std::size_t length = 240; length <= 270; ++length) {
      const std::string text(length, 'x');
      const std::string line = std::string("data: ") + text + std::string(end);
      const std::string bytes = line + line + std::string(end) + line + std::string(end);
      const Events expected = {"|" + text + "\n" + text, "|" + text};
      for (const std::size_t piece : {bytes.size(), std::size_t{1}, std::size_t{255}, std::size_t{256}, length}) {
        EXPECT_EQ(events(bytes, piece), expected) << length << ' ' << piece;
      }
    }
  }
}

TEST(EventStream, NeedsTheEmptyLineBehindAnEvent) {
  EXPECT_EQ(events("data: a\n", 3), Events{});
  EXPECT_EQ(events("data: a\n\ndata: b", 3), Events{"|a"});
}

TEST(EventStream, ReadsTheLastEventOfAWholeStreamWithoutItsLineEnd) {
  EXPECT_EQ(events("data: a\n\ndata: [DONE]", 2, true), (Events{"|a", "|[DONE]"}));
  EXPECT_EQ(events("data: a\n\n", 2, true), Events{"|a"});
}

TEST(EventStream, ReadsALineOfAnErrorAsAnEvent) {
  EXPECT_EQ(events("error: {\"a\":1}\n\n", 4), Events{"error|{\"a\":1}"});
}

TEST(EventStream, StopsAtAnEventThatIsTooLong) {
  EventStreamReader reader(100);
  for (int i = 0; i < 50; ++i) reader.feed("data: abcdefgh\n");
  EXPECT_FALSE(reader.next());
  EXPECT_TRUE(reader.too_long());
  EventStreamReader line(100);
  for (int i = 0; i < 50; ++i) line.feed("abcdefgh");
  EXPECT_FALSE(line.next());
  EXPECT_TRUE(line.too_long());
}

}  // namespace
}  // namespace ptcvm::wire
