#include "agents/wire/reply_reader.h"

#include <gtest/gtest.h>

#include <string>

#include "support/model_streams.h"

namespace ptcvm::wire {
namespace {

using End = ReplyReader::End;
using test::kChat;
using test::kMessages;
using test::kResponses;

Reply read(Protocol protocol, bool is_stream, std::string_view bytes, std::size_t piece = 1000, End end = End::Proper) {
  ReplyReader reader({.protocol = protocol, .is_stream = is_stream});
  for (std::size_t at = 0; at < bytes.size(); at += piece) reader.feed(bytes.substr(at, piece));
  return reader.finish(end, 0);
}

struct Stream {
  Protocol protocol;
  std::string_view bytes;
  std::string_view terminal;   // the event that ends it
};
const Stream kStreams[] = {{Protocol::Chat, kChat, "data: [DONE]"},
                           {Protocol::Messages, kMessages, "data: {\"type\":\"message_stop\"}"},
                           {Protocol::Responses, kResponses, "data: {\"type\":\"response.completed\""}};

TEST(ReplyReader, FindsTheCallInPiecesOfAnySize) {
  for (const Stream& stream : kStreams) {
    for (std::size_t piece = 1; piece <= stream.bytes.size(); ++piece) {
      const Reply reply = read(stream.protocol, true, stream.bytes, piece);
      ASSERT_TRUE(reply.is_complete) << protocol_name(stream.protocol) << ' ' << piece;
      ASSERT_EQ(reply.tool_calls.size(), 1U);
      EXPECT_EQ(reply.tool_calls[0].name, "find");
      EXPECT_EQ(reply.tool_calls[0].arguments->at("q"), 1);
      EXPECT_EQ(reply.usage->input, 5);
    }
  }
}

TEST(ReplyReader, ExecutesNothingOfAStreamThatWasCut) {
  for (const Stream& stream : kStreams) {
    const std::size_t end = stream.bytes.find(stream.terminal) + stream.terminal.size();
    for (std::size_t at = 0; at < end; ++at) {
      const Reply reply = read(stream.protocol, true, stream.bytes.substr(0, at), 64, End::Cut);
      EXPECT_FALSE(reply.is_complete) << protocol_name(stream.protocol) << ' ' << at;
      EXPECT_TRUE(reply.tool_calls.empty());
      ASSERT_TRUE(reply.error);
    }
  }
}

// A proxy that ends the body properly when its upstream has died.
TEST(ReplyReader, TakesAProperEndInTheMiddleOfAnEventForACut) {
  for (const Stream& stream : kStreams) {
    const std::size_t end = stream.bytes.find(stream.terminal);
    for (std::size_t at = 0; at < end; ++at) {
      const Reply reply = read(stream.protocol, true, stream.bytes.substr(0, at));
      if (reply.is_complete && stream.protocol == Protocol::Chat) continue;   // behind its finish reason
      ASSERT_TRUE(reply.error) << protocol_name(stream.protocol) << ' ' << at;
      EXPECT_EQ(reply.error->kind, ReplyError::Kind::Cut) << protocol_name(stream.protocol) << ' ' << at;
      EXPECT_TRUE(reply.error->is_retryable);
    }
  }
}

TEST(ReplyReader, TakesAFinishReasonAndTheProperEndForAnEnd) {
  const std::string_view bytes = kChat.substr(0, kChat.find("data: [DONE]"));
  EXPECT_TRUE(read(Protocol::Chat, true, bytes, 64, End::Proper).is_complete);
  const Reply cut = read(Protocol::Chat, true, bytes, 64, End::Cut);
  EXPECT_EQ(cut.error->kind, ReplyError::Kind::Cut);
  EXPECT_TRUE(cut.error->is_retryable);
}

TEST(ReplyReader, KeepsWhatTheProviderSigned) {
  const Reply reply = read(Protocol::Messages, true, kMessages);
  ASSERT_EQ(reply.opaque.size(), 1U);
  EXPECT_EQ(reply.opaque[0].bytes, "S/g=");
  EXPECT_EQ(reply.content.at(0).at("signature"), "S/g=");
  EXPECT_EQ(reply.content.at(1).at("input").at("q"), 1);
  EXPECT_EQ(reply.usage->cached, 7);
  EXPECT_EQ(reply.usage->output, 9);
  EXPECT_EQ(reply.thinking, "hm");
}

TEST(ReplyReader, OrdersItemsByTheirIndex) {
  const Reply reply = read(Protocol::Responses, true, kResponses);
  EXPECT_EQ(reply.items, (std::vector<std::string>{"message", "function_call"}));
  EXPECT_EQ(reply.text, "Look");
}

TEST(ReplyReader, TellsTextAsItComes) {
  ReplyReader reader({.protocol = Protocol::Chat, .is_stream = true});
  const std::size_t half = kChat.find("data: {", 10);
  reader.feed(kChat.substr(0, half));
  EXPECT_EQ(reader.new_text(), "Look");
  reader.feed(kChat.substr(half));
  EXPECT_EQ(reader.new_text(), "");
  EXPECT_TRUE(reader.is_over());
}

TEST(ReplyReader, RefusesWhatIsNoReply) {
  EXPECT_EQ(read(Protocol::Chat, true, "data: {]\n\n").error->kind, ReplyError::Kind::Violation);
  EXPECT_EQ(read(Protocol::Chat, false, "<html>").error->kind, ReplyError::Kind::Violation);
  EXPECT_EQ(read(Protocol::Chat, false, "{}", 10, End::Cut).error->kind, ReplyError::Kind::Cut);
  EXPECT_FALSE(read(Protocol::Messages, false, "[1, null]").is_complete);
  EXPECT_FALSE(read(Protocol::Responses, false, "7").is_complete);
  ReplyReader reader({.protocol = Protocol::Chat, .most_bytes = 100});
  for (int i = 0; i < 20; ++i) reader.feed("[1, 2, 3, ");
  EXPECT_EQ(reader.finish(End::Proper, 0).error->kind, ReplyError::Kind::TooLong);
}

TEST(ReplyReader, ReadsAnErrorInsideOfAStream) {
  const Reply reply = read(Protocol::Chat, true,
                           "data: {\"error\":{\"type\":\"overloaded\",\"message\":\"later\"}}\n\n");
  EXPECT_EQ(reply.error->kind, ReplyError::Kind::InStream);
  EXPECT_EQ(reply.error->code, "overloaded");
  EXPECT_EQ(reply.error->message, "later");
  EXPECT_EQ(reply.end, "error");
}

TEST(ReplyReader, ReadsCallsWithoutIndexOneByOne) {
  const Reply reply = read(Protocol::Chat, true,
                           "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":["
                           "{\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}},"
                           "{\"id\":\"b\",\"function\":{\"name\":\"g\",\"arguments\":\"{}\"}}]},"
                           "\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n");
  ASSERT_EQ(reply.tool_calls.size(), 2U);
  EXPECT_EQ(reply.tool_calls[1].name, "g");
}

}  // namespace
}  // namespace ptcvm::wire
