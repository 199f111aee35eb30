#include "agents/mcp/mcp_client.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace ptcvm::mcp {
namespace {

namespace json = boost::json;

// A client, and the server that it talks to.
struct Talk {
  McpClient client;

  // Returns the next messages of the client.
  std::vector<json::object> said() {
    std::vector<json::object> out;
    for (const std::string& message : client.take_outgoing()) out.push_back(json::parse(message).as_object());
    return out;
  }
  void hear(const std::string& message) { client.receive(message); }
  void shake_hands(const std::string& version = "2025-06-18") {
    client.connect();
    said();
    hear(R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":")" + version +
         R"(","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}})");
    said();
  }
  void answer(int id, const std::string& result) {
    hear(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"result":)" + result + "}");
  }
  std::string fault() const { return client.failure() ? std::string(fault_name(client.failure()->fault)) : ""; }
};

std::string named(const std::string& name) { return R"({"name":")" + name + R"(","inputSchema":{"type":"object"}})"; }

TEST(McpClient, says_who_it_is_and_waits_for_the_answer_before_it_asks) {
  Talk talk;
  talk.client.connect();
  talk.client.list_tools();
  talk.client.call(7, {"t", R"({"a":1})"});
  const auto first = talk.said();
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first[0].at("method"), "initialize");
  EXPECT_EQ(first[0].at("params").at("protocolVersion"), "2025-06-18");
  EXPECT_EQ(first[0].at("params").at("clientInfo").at("name"), "ptcvm");
  EXPECT_FALSE(talk.client.is_sent(7));
  talk.answer(1, R"({"protocolVersion":"2025-03-26","capabilities":{"tools":{}}})");
  EXPECT_TRUE(talk.client.is_ready());
  EXPECT_TRUE(talk.client.is_sent(7));
  const auto then = talk.said();
  ASSERT_EQ(then.size(), 3u);
  EXPECT_EQ(then[0].at("method"), "notifications/initialized");
  EXPECT_FALSE(then[0].contains("id"));
  EXPECT_EQ(then[1].at("method"), "tools/list");
  EXPECT_EQ(then[2].at("params").at("arguments"), json::parse(R"({"a":1})"));
}

TEST(McpClient, reads_all_pages_of_tools) {
  Talk talk;
  talk.shake_hands();
  talk.client.list_tools();
  talk.said();
  talk.answer(2, R"({"tools":[)" + named("a") + R"(],"nextCursor":"p2"})");
  EXPECT_FALSE(talk.client.is_listed());
  EXPECT_EQ(talk.said()[0].at("params").at("cursor"), "p2");
  talk.answer(3, R"({"tools":[)" + named("b") + "]}");
  EXPECT_TRUE(talk.client.is_listed());
  ASSERT_EQ(talk.client.tools().size(), 2u);
  EXPECT_EQ(talk.client.tools()[1].name, "b");
}

TEST(McpClient, answers_come_in_any_order) {
  Talk talk;
  talk.shake_hands();
  talk.client.call(1, {"a", "{}"});
  talk.client.call(2, {"b", "{}"});
  talk.answer(3, R"({"content":[{"type":"text","text":"second"}]})");
  talk.hear(R"({"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"no such tool"}})");
  const auto ends = talk.client.take_ends();
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_EQ(ends[0].call, 2u);
  EXPECT_EQ(ends[0].text, "\"second\"");
  EXPECT_TRUE(ends[1].is_error);
  EXPECT_EQ(ends[1].text, "no such tool (-32602)");
}

TEST(McpClient, a_call_has_its_key_its_token_and_the_names_of_the_server) {
  Talk talk;
  talk.shake_hands();
  talk.client.call(1, {"t", R"({"event_id":1,"none":null})", "run@1#0", 4, {{"event_id", "event-id"}}});
  const json::object params = talk.said()[0].at("params").as_object();
  EXPECT_EQ(params.at("arguments"), json::parse(R"({"event-id":1})"));
  EXPECT_EQ(params.at("_meta").at("ptcvm/idempotencyKey"), "run@1#0");
  EXPECT_EQ(params.at("_meta").at("ptcvm/fencingToken"), 4);
}

TEST(McpClient, arguments_that_cannot_be_sent_fail_their_call_alone) {
  Talk talk;
  talk.shake_hands();
  talk.client.call(1, {"t", std::string(300, '[') + std::string(300, ']')});
  EXPECT_TRUE(talk.said().empty());
  EXPECT_TRUE(talk.client.take_ends().at(0).is_error);
  EXPECT_EQ(talk.fault(), "");
}

TEST(McpClient, a_cancelled_call_is_told_and_its_late_answer_dropped) {
  Talk talk;
  talk.shake_hands();
  talk.client.call(9, {"t", "{}"});
  talk.said();
  talk.client.cancel(9, "too late");
  const auto said = talk.said();
  EXPECT_EQ(said[0].at("method"), "notifications/cancelled");
  EXPECT_EQ(said[0].at("params").at("requestId"), 2);
  talk.answer(2, R"({"content":[]})");
  EXPECT_EQ(talk.fault(), "");
  EXPECT_TRUE(talk.client.take_ends().empty());
  talk.answer(2, R"({"content":[]})");
  EXPECT_EQ(talk.fault(), "answered_twice");
}

TEST(McpClient, requests_of_the_server_are_answered) {
  Talk talk;
  talk.shake_hands();
  talk.hear(R"({"jsonrpc":"2.0","id":"p","method":"ping"})");
  talk.hear(R"({"jsonrpc":"2.0","id":5,"method":"sampling/createMessage","params":{}})");
  const auto said = talk.said();
  EXPECT_EQ(said[0], json::parse(R"({"jsonrpc":"2.0","id":"p","result":{}})"));
  EXPECT_EQ(said[1].at("error").at("code"), -32601);
}

TEST(McpClient, notifications_become_notes) {
  Talk talk;
  talk.shake_hands();
  talk.hear(R"({"jsonrpc":"2.0","method":"notifications/progress",
                "params":{"progressToken":2,"progress":1,"total":4,"message":"copying"}})");
  talk.hear(R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","data":"disk"}})");
  talk.hear(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
  talk.hear(R"({"jsonrpc":"2.0","method":"notifications/of_tomorrow","params":{"x":1}})");
  EXPECT_EQ(talk.client.take_notes(),
            (std::vector<std::string>{
                "progress 1 of 4: copying", "warning: disk",
                "the tools of the server have changed; this process keeps those that it has read"}));
  for (int i = 0; i < 1000; ++i) talk.hear(R"({"jsonrpc":"2.0","method":"notifications/message","params":{}})");
  EXPECT_LE(talk.client.take_notes().size(), 200u);
}

TEST(McpClient, a_batch_is_taken_in_the_version_that_has_batches) {
  Talk talk;
  talk.shake_hands("2025-03-26");
  talk.client.call(1, {"t", "{}"});
  talk.hear(R"([{"jsonrpc":"2.0","id":2,"result":{"content":[]}},{"jsonrpc":"2.0","id":1,"method":"ping"}])");
  EXPECT_EQ(talk.client.take_ends().at(0).text, "null");
  EXPECT_EQ(talk.fault(), "");
}

struct Hostile {
  const char* message;
  const char* fault;
};

TEST(McpClient, what_a_server_does_wrong_has_a_name) {
  const Hostile cases[] = {
      {"no json", "not_json"},
      {"\"\\ud800\"", "not_json"},
      {"", "not_json"},
      {"3", "not_a_message"},
      {"[]", "not_a_message"},
      {"{}", "not_a_message"},
      {R"({"jsonrpc":"1.0","id":2,"result":{}})", "not_a_message"},
      {R"({"jsonrpc":"2.0","id":2})", "not_a_message"},
      {R"({"jsonrpc":"2.0","id":2,"result":{},"error":{"code":1,"message":"x"}})", "not_a_message"},
      {R"({"jsonrpc":"2.0","id":2,"method":7})", "wrong_member"},
      {R"({"jsonrpc":"2.0","id":[1],"method":"ping"})", "wrong_member"},
      {R"({"jsonrpc":"2.0","method":"notifications/progress","params":[]})", "wrong_member"},
      {R"({"jsonrpc":"2.0","id":99,"result":{}})", "unknown_id"},
      {R"({"jsonrpc":"2.0","id":-2,"result":{}})", "unknown_id"},
      {R"({"jsonrpc":"2.0","id":"2","result":{}})", "unknown_id"},
      {R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse"}})", "unknown_id"},
      {R"({"jsonrpc":"2.0","id":1,"result":{}})", "answered_twice"},
      {R"({"jsonrpc":"2.0","id":2,"result":7})", "wrong_member"},
      {R"({"jsonrpc":"2.0","id":2,"result":{}})", "wrong_member"},
      {R"({"jsonrpc":"2.0","id":2,"result":{"content":{}}})", "wrong_member"},
      {R"({"jsonrpc":"2.0","id":2,"result":{"content":["x"]}})", "wrong_member"},
      {R"({"jsonrpc":"2.0","id":2,"result":{"content":[],"isError":"no"}})", "wrong_member"},
      {R"({"jsonrpc":"2.0","id":2,"result":{"structuredContent":[1]}})", "wrong_member"},
      {R"({"jsonrpc":"2.0","id":2,"error":"x"})", "wrong_member"},
      {R"({"jsonrpc":"2.0","id":2,"error":{"code":"x","message":"x"}})", "wrong_member"}};
  for (const Hostile& one : cases) {
    Talk talk;
    talk.shake_hands();
    talk.client.call(1, {"t", "{}"});
    talk.hear(one.message);
    EXPECT_EQ(talk.fault(), one.fault) << one.message;
    talk.answer(2, R"({"content":[]})");         // nothing is taken after a failure
    EXPECT_TRUE(talk.client.take_ends().empty()) << one.message;
    EXPECT_TRUE(talk.client.take_outgoing().empty()) << one.message;
  }
}

TEST(McpClient, a_message_that_takes_more_memory_than_there_is_ends_the_client) {
  std::string values = "[0";
  for (int i = 0; i < 1'000; ++i) values += ",{}";
  const std::string message = R"({"jsonrpc":"2.0","method":"notifications/message","params":{"data":)" + values + "]}}";
  McpClient enough, too_little;
  for (McpClient* const client : {&enough, &too_little}) client->connect();
  enough.receive(message, 1'000'000);
  EXPECT_FALSE(enough.failure());
  too_little.receive(message, 10'000);
  ASSERT_TRUE(too_little.failure());
  EXPECT_EQ(fault_name(too_little.failure()->fault), "no_memory");
}

TEST(McpClient, a_deep_and_a_large_message_are_refused) {
  Talk deep;
  deep.shake_hands();
  deep.hear(std::string(100, '[') + std::string(100, ']'));
  EXPECT_EQ(deep.fault(), "not_json");
  Talk large;
  large.shake_hands();
  large.hear(std::string(kMostMessageBytes + 1, ' '));
  EXPECT_EQ(large.fault(), "too_large");
}

TEST(McpClient, a_handshake_that_fails_has_a_name) {
  const Hostile cases[] = {
      {R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"1999-01-01","capabilities":{"tools":{}}}})",
       "wrong_version"},
      {R"({"jsonrpc":"2.0","id":1,"result":{"capabilities":{"tools":{}}}})", "wrong_version"},
      {R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}})", "wrong_member"},
      {R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{}}})", "no_tools"},
      {R"({"jsonrpc":"2.0","id":1,"result":[]})", "wrong_member"},
      {R"({"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"closed"}})", "refused"}};
  for (const Hostile& one : cases) {
    Talk talk;
    talk.client.connect();
    talk.hear(one.message);
    EXPECT_EQ(talk.fault(), one.fault) << one.message;
    EXPECT_FALSE(talk.client.is_ready());
  }
}

TEST(McpClient, lists_that_are_wrong_have_a_name) {
  const Hostile cases[] = {
      {R"({})", "wrong_member"},
      {R"({"tools":7})", "wrong_member"},
      {R"({"tools":[7]})", "wrong_member"},
      {R"({"tools":[{"inputSchema":{}}]})", "wrong_member"},
      {R"({"tools":[{"name":"a"}]})", "wrong_member"},
      {R"({"tools":[{"name":"a","inputSchema":[]}]})", "wrong_member"},
      {R"({"tools":[{"name":"a","inputSchema":{},"description":7}]})", "wrong_member"},
      {R"({"tools":[{"name":"a","inputSchema":{},"annotations":{"readOnlyHint":"yes"}}]})", "wrong_member"},
      {R"({"tools":[{"name":"a","inputSchema":{}},{"name":"a","inputSchema":{}}]})", "same_tool"},
      {R"({"tools":[],"nextCursor":7})", "wrong_member"},
      {R"({"tools":[],"nextCursor":""})", "wrong_member"}};
  for (const Hostile& one : cases) {
    Talk talk;
    talk.shake_hands();
    talk.client.list_tools();
    talk.answer(2, one.message);
    EXPECT_EQ(talk.fault(), one.fault) << one.message;
    EXPECT_FALSE(talk.client.is_listed()) << one.message;
  }
}

TEST(McpClient, a_list_that_never_ends_ends) {
  Talk same, fresh, many;
  same.shake_hands();
  same.client.list_tools();
  same.answer(2, R"({"tools":[],"nextCursor":"p"})");
  same.answer(3, R"({"tools":[],"nextCursor":"p"})");
  EXPECT_EQ(same.fault(), "endless_list");
  fresh.shake_hands();
  fresh.client.list_tools();
  int pages = 0;
  for (; fresh.fault().empty(); ++pages) {
    fresh.answer(pages + 2, R"({"tools":[],"nextCursor":")" + std::to_string(pages) + "\"}");
  }
  EXPECT_EQ(fresh.fault(), "endless_list");
  EXPECT_EQ(pages, static_cast<int>(kMostPages));
  many.shake_hands();
  many.client.list_tools();
  std::string tools;
  for (std::size_t i = 0; i <= kMostTools; ++i) tools += (i == 0 ? "" : ",") + named("t" + std::to_string(i));
  many.answer(2, R"({"tools":[)" + tools + "]}");
  EXPECT_EQ(many.fault(), "too_many_tools");
}

}  // namespace
}  // namespace ptcvm::mcp
