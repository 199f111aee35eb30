// Events of a run in the hands of readers that take as much as they can use.
#include "agents/loop/event_feed.h"

#include <gtest/gtest.h>

#include <random>

#include "agents/replay/reply_bytes.h"

namespace ptcvm::loop {
namespace {

RunEvent token(std::string text) { return {RunEventKind::Token, "model", std::move(text), {}}; }

std::string texts(const std::vector<RunEvent>& events) {
  std::string out;
  for (const RunEvent& event : events) out += event.text;
  return out;
}

TEST(EventFeedTest, each_reader_gets_every_event_once_and_in_order) {
  EventFeed feed;
  const auto a = feed.open(), b = feed.open();
  feed.tell(token("one "));
  feed.tell(token("two "));
  EXPECT_EQ(texts(feed.take(a, 1)), "one ");
  EXPECT_EQ(texts(feed.take(a, 100'000)), "two ");
  EXPECT_TRUE(feed.take(a, 100'000).empty());
  EXPECT_EQ(texts(feed.take(b, 100'000)), "one two ");
}

TEST(EventFeedTest, a_reader_that_comes_later_gets_the_text_so_far) {
  EventFeed feed;
  feed.tell({RunEventKind::ModelStart, "model", {}, {}});
  feed.on_token("", "Good ");
  feed.on_token("", "morning");
  feed.on_token("desk", "other");
  const auto late = feed.open();
  feed.on_token("", ", Ann");
  const auto events = feed.take(late, 100'000);
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].path, "desk/model");
  EXPECT_EQ(events[1].text + events[2].text, "Good morning, Ann");
}

TEST(EventFeedTest, the_text_of_a_reply_that_is_over_is_not_told_again) {
  EventFeed feed;
  feed.on_token("", "Good morning");
  feed.tell({RunEventKind::ModelEnd, "model", "Good morning", {}});
  EXPECT_TRUE(feed.take(feed.open(), 100'000).empty());
}

TEST(EventFeedTest, nobody_is_waited_for_without_readers) {
  EventFeed feed(100);
  for (int i = 0; i < 100; ++i) feed.tell(token("many words"));
  EXPECT_TRUE(feed.has_room());
}

TEST(EventFeedTest, a_reader_that_is_gone_holds_nothing_back) {
  EventFeed feed(1);
  int told = 0;
  feed.set_on_room([&] { ++told; });
  const auto slow = feed.open();
  feed.tell(token("x"));
  EXPECT_FALSE(feed.has_room());
  feed.close(slow);
  EXPECT_TRUE(feed.has_room());
  EXPECT_EQ(told, 1);
}

// A stream of a model whose bytes come only when there is room, as drivers/curl reads them.
class PausedStream {
 public:
  PausedStream(EventFeed& feed, AgentRun& run, std::string bytes) : feed_(feed), run_(run), bytes_(std::move(bytes)) {}
  // Gives bytes to the run until the feed has no room.
  void flow(std::size_t piece) {
    while (feed_.has_room() && at_ < bytes_.size()) {
      run_.chunk("model", std::string_view(bytes_).substr(at_, piece));
      at_ += piece;
    }
  }
  bool is_over() const { return at_ >= bytes_.size(); }

 private:
  EventFeed& feed_;
  AgentRun& run_;
  std::string bytes_;
  std::size_t at_ = 0;
};

TEST(EventFeedTest, the_slowest_reader_paces_the_stream_and_no_text_is_lost) {
  constexpr std::size_t kWindow = 2'000, kPiece = 500;
  std::string said;
  for (int i = 0; said.size() < 20'000; ++i) said += "word " + std::to_string(i) + " ";
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    EventFeed feed(kWindow);
    const Engine engine;
    AgentOptions options;
    options.model.is_stream = true;
    options.on_token = [&](std::string_view path, std::string_view text) { feed.on_token(path, text); };
    auto definition = read_agent_text(R"({"prompt": "Hi", "signature": "() -> :string", "output": "text"})").value();
    AgentRun run = AgentRun::start(Agent::make(engine, std::move(definition), options).value()).value();
    run.step();
    PausedStream stream(feed, run, replay::reply_stream(wire::Protocol::Chat, {said, {}, {}}));
    feed.set_on_room([&] { stream.flow(kPiece); });
    const std::vector<EventFeed::ReaderId> readers = {feed.open(), feed.open(), feed.open()};
    std::vector<std::string> seen(readers.size());
    stream.flow(kPiece);
    for (int i = 0; !stream.is_over() || i < 3; ++i) {
      const std::size_t who = random() % readers.size();
      const std::size_t most = random() % 1'500;
      std::size_t bytes = 0;
      const auto taken = feed.take(readers[who], most);
      for (const RunEvent& event : taken) bytes += event_bytes(event);
      EXPECT_TRUE(bytes <= most || taken.size() <= 1);
      seen[who] += texts(taken);
      ASSERT_LT(i, 100'000);
    }
    for (std::size_t who = 0; who < readers.size(); ++who) {
      seen[who] += texts(feed.take(readers[who], SIZE_MAX));
      EXPECT_EQ(seen[who], said) << "seed " << seed;
    }
  }
}

TEST(EventFeedTest, the_stream_waits_while_a_reader_takes_nothing) {
  EventFeed feed(1'000);
  const auto slow = feed.open(), quick = feed.open();
  int told = 0;
  while (feed.has_room()) {
    feed.tell(token("a few words"));
    feed.take(quick, SIZE_MAX);
    ++told;
  }
  EXPECT_LT(told, 1'000);
  EXPECT_EQ(feed.take(slow, SIZE_MAX).size(), static_cast<std::size_t>(told));
  EXPECT_TRUE(feed.has_room());
}

TEST(RunEventTest, an_event_is_one_line_of_json_whatever_it_says) {
  RunEvent event = token("two\nlines\r\ndata: x\n\n\"quoted\"");
  event.number = 7;
  EXPECT_EQ(server_sent_event(event), "event: token\nid: 7\ndata: {\"event\":\"token\",\"path\":\"model\",\"text\":"
                                      "\"two\\nlines\\r\\ndata: x\\n\\n\\\"quoted\\\"\"}\n\n");
}

TEST(RunEventTest, an_error_of_a_tool_is_text_and_bytes_that_are_no_utf_8_are_mended) {
  EXPECT_EQ(event_json(tool_end("pay#2", false, "caf\xE9")),
            "{\"event\":\"tool_end\",\"path\":\"pay#2\",\"text\":\"caf\xEF\xBF\xBD\",\"ok\":false}");
}

}  // namespace
}  // namespace ptcvm::loop
