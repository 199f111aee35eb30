// A stream becomes a document that reads as the same reply, and a document is read where a stream was expected.
#include "agents/wire/reply_document.h"

#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>

#include "agents/replay/reply_bytes.h"
#include "agents/wire/reply_reader.h"

namespace ptcvm::wire {
namespace {

Reply read(Protocol protocol, std::string_view bytes, ReplyReader::End end = ReplyReader::End::Proper) {
  ReplyReader reader({protocol, true, 200, {}});
  for (const char c : bytes) reader.feed({&c, 1});
  return reader.finish(end, 0);
}

replay::SaidReply said() {
  replay::SaidReply reply;
  reply.text = "I look, and then \"say\" what I found.";
  reply.calls = {{"c1", "find", "{\"q\":1}"}, {"c2", "find", "{\"q\":\"\\n\"}"}};
  reply.usage = TokenUsage{100, 60, 5, 20, 7};
  return reply;
}

class ReplyDocumentTest : public testing::TestWithParam<Protocol> {};

TEST_P(ReplyDocumentTest, AStreamReadsTheSameFromItsDocument) {
  const std::string stream = replay::reply_stream(GetParam(), said());
  const Reply reply = read(GetParam(), stream);
  ASSERT_TRUE(reply.is_complete);
  const auto document = reply_document(GetParam(), reply);
  ASSERT_TRUE(document);
  const std::string text = boost::json::serialize(*document);
  EXPECT_LT(text.size(), stream.size() / 2);
  const Reply again = read(GetParam(), text);   // although a stream was asked for
  EXPECT_EQ(again.text, said().text);
  ASSERT_EQ(again.tool_calls.size(), 2u);
  EXPECT_EQ(again.tool_calls[1].id, "c2");
  EXPECT_EQ(again.tool_calls[1].arguments, reply.tool_calls[1].arguments);
  EXPECT_EQ(again.usage, reply.usage);
  EXPECT_EQ(again.content, reply.content);
  EXPECT_EQ(again.stop, reply.stop);
}

TEST_P(ReplyDocumentTest, AReplyThatIsNotCompleteHasNone) {
  const std::string stream = replay::cut_reply_stream(GetParam(), said());
  EXPECT_FALSE(reply_document(GetParam(), read(GetParam(), stream, ReplyReader::End::Cut)));
}

INSTANTIATE_TEST_SUITE_P(Protocols, ReplyDocumentTest,
                         testing::Values(Protocol::Chat, Protocol::Responses, Protocol::Messages));

}  // namespace
}  // namespace ptcvm::wire
