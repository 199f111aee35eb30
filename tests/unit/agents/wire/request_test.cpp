#include "agents/wire/request.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

namespace ptcvm::wire {
namespace {

namespace json = boost::json;

ModelTurn turn() {
  return {.provider = "a",
          .protocol = Protocol::Messages,
          .content = {{{"type", "thinking"}, {"thinking", "hm"}, {"signature", "S/g="}},
                      {{"type", "tool_use"}, {"id", "t1"}, {"name", "find"}, {"input", {{"q", 1}}}}},
          .text = "Look",
          .tool_calls = {{"t1", "find", std::nullopt, json::value{{"q", 1}}, false}}};
}

Request request() {
  return {.model = "m",
          .system = "Be brief.",
          .items = {UserText{"Hi"}, turn(), ToolResult{"t1", "found", true}, UserText{"Go on"}},
          .tools = {{"find", "Finds.", {{"type", "object"}}}},
          .must_call_tool = false,
          .most_output_tokens = 100,
          .temperature = std::nullopt,
          .is_stream = false};
}

json::value written(Protocol protocol, std::string_view provider, const Request& what) {
  return json::parse(write_request(protocol, provider, what));
}

TEST(Request, GivesTheProviderBackWhatItSent) {
  const json::value body = written(Protocol::Messages, "a", request());
  EXPECT_EQ(body.at("messages").at(1).at("content"), json::value(turn().content));
}

TEST(Request, GivesAnotherProviderTextAndCalls) {
  const json::value body = written(Protocol::Messages, "b", request());
  EXPECT_EQ(body.at("messages").at(1).at("content"),
            json::parse(R"([{"type": "text", "text": "Look"},
                            {"type": "tool_use", "id": "t1", "name": "find", "input": {"q": 1}}])"));
  const json::value chat = written(Protocol::Chat, "a", request());
  EXPECT_EQ(chat.at("messages").at(2).at("tool_calls").at(0).at("function").at("arguments"), "{\"q\":1}");
  EXPECT_EQ(json::serialize(chat).find("S/g="), std::string::npos);
}

TEST(Request, PiecesOfAConversationMakeTheBytesOfTheWhole) {
  const Request whole = request();
  for (const auto protocol : {Protocol::Chat, Protocol::Responses, Protocol::Messages}) {
    for (const bool has_system : {true, false}) {
      Request asked = whole;
      if (!has_system) asked.system.clear();
      const RequestFrame frame = request_frame(protocol, asked);
      for (std::size_t i = 0; i <= whole.items.size(); ++i) {
        for (std::size_t j = i; j <= whole.items.size(); ++j) {
          const std::span<const ConversationItem> items(whole.items);
          const auto first = conversation_piece(protocol, "a", items.first(i));
          const auto second = conversation_piece(protocol, "a", items.subspan(i, j - i));
          const auto third = conversation_piece(protocol, "a", items.subspan(j));
          const ConversationPiece* const pieces[] = {&first, &second, &third};
          EXPECT_EQ(write_body(frame, pieces), write_request(protocol, "a", asked)) << i << " " << j;
        }
      }
    }
  }
}

TEST(Request, PutsResultsAndTextOfOneSideIntoOneMessage) {
  const json::value body = written(Protocol::Messages, "a", request());
  ASSERT_EQ(body.at("messages").as_array().size(), 3U);
  EXPECT_EQ(body.at("messages").at(2),
            json::parse(R"({"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": "found", "is_error": true},
                {"type": "text", "text": "Go on"}]})"));
}

TEST(Request, SpeaksEachProtocol) {
  EXPECT_EQ(written(Protocol::Chat, "c", request()).at("messages").at(0),
            json::parse(R"({"role": "system", "content": "Be brief."})"));
  const json::value responses = written(Protocol::Responses, "c", request());
  EXPECT_EQ(responses.at("instructions"), "Be brief.");
  EXPECT_EQ(responses.at("input").at(3),
            json::parse(R"({"type": "function_call_output", "call_id": "t1", "output": "found"})"));
  EXPECT_EQ(written(Protocol::Messages, "c", request()).at("max_tokens"), 100);
  EXPECT_EQ(request_path(Protocol::Responses), "/responses");
}

TEST(Request, BeginsWithWhatDoesNotChange) {
  Request longer = request();
  longer.items.push_back(turn());
  longer.items.push_back(ToolResult{"t1", "more", false});
  for (const Protocol protocol : {Protocol::Chat, Protocol::Responses, Protocol::Messages}) {
    const std::string before = write_request(protocol, "a", request());
    const std::string after = write_request(protocol, "a", longer);
    const std::size_t last = before.find("Go on");
    EXPECT_EQ(before.substr(0, last), after.substr(0, last)) << protocol_name(protocol);
  }
}

TEST(Conversation, HasAResultBehindEachCall) {
  const auto fault = [](std::vector<ConversationItem> items) { return conversation_fault(items).value_or(""); };
  EXPECT_EQ(fault({UserText{"Hi"}, turn(), ToolResult{"t1", "x", false}}), "");
  EXPECT_EQ(fault({}), "the conversation does not begin with text of a user");
  EXPECT_EQ(fault({UserText{"Hi"}, turn()}), "the call \"t1\" has no result behind it");
  EXPECT_EQ(fault({UserText{"Hi"}, turn(), UserText{"?"}}), "the call \"t1\" has no result behind it");
  EXPECT_EQ(fault({UserText{"Hi"}, ToolResult{"t1", "x", false}}), "the result of \"t1\" has no call before it");
}

}  // namespace
}  // namespace ptcvm::wire
