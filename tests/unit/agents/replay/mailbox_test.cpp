#include "agents/replay/mailbox.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace ptcvm::replay {
namespace {

TEST(Mailbox, NamesOfFilesHaveNumbers) {
  EXPECT_EQ(mailbox_request_name(3), "3.request.json");
  EXPECT_EQ(mailbox_reply_name(12), "12.reply.json");
  EXPECT_EQ(mailbox_number("12.reply.json"), 12U);
  EXPECT_EQ(mailbox_number("3.request.json"), 3U);
  for (const std::string_view other :
       {"0.reply.json", "x.reply.json", "3.reply.json.tmp", "-1.request.json", "3.json"}) {
    EXPECT_FALSE(mailbox_number(other)) << other;
  }
}

TEST(Mailbox, ARequestSaysWhoAsksAndWhat) {
  const std::vector<std::string> callable = {"pay"};
  const std::string text =
      write_mailbox_request(2, "run-1/turn-2", {"broker", wire::Protocol::Messages, false, R"({"a": 1})", callable});
  const boost::json::value file = boost::json::parse(text);
  EXPECT_EQ(file, boost::json::parse(R"({"number": 2, "key": "run-1/turn-2", "path": "broker",
                                         "protocol": "messages", "callable": ["pay"], "request": {"a": 1}})"));
  EXPECT_EQ(mailbox_key(text), "run-1/turn-2");
  EXPECT_FALSE(mailbox_key("{}"));
}

TEST(Mailbox, AReplyIsALineOfAScript) {
  const auto read = read_mailbox_reply(1, R"({"text": "hello"})", {});
  EXPECT_NE(std::get<HttpAnswer>(read).body.find("hello"), std::string::npos);
  const auto message = [](std::string_view text) {
    return std::get<ReplayFailure>(read_mailbox_reply(4, text, {})).message;
  };
  EXPECT_EQ(message(R"({"text": "a", "for": "b"})"), "4.reply.json: a reply has no \"for\" and no \"expect\"");
  EXPECT_EQ(message("{\"tex\": 1}"), "4.reply.json: the line has the unknown member \"tex\"");
  EXPECT_EQ(message(R"({"text": "a", "text": "b"})"), "4.reply.json: the member /text is written twice");
}

}  // namespace
}  // namespace ptcvm::replay
