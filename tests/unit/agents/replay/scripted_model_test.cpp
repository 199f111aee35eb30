#include "agents/replay/scripted_model.h"

#include <gtest/gtest.h>

#include "agents/wire/reply_reader.h"
#include "agents/wire/request.h"

namespace ptcvm::replay {
namespace {

using wire::Protocol;
using wire::Reply;
using wire::ReplyReader;

constexpr Protocol kProtocols[] = {Protocol::Chat, Protocol::Responses, Protocol::Messages};

ScriptedModel script(std::string_view text) {
  auto read = ScriptedModel::read(text);
  if (const auto* const failure = std::get_if<ReplayFailure>(&read)) ADD_FAILURE() << failure->message;
  return std::get<ScriptedModel>(std::move(read));
}

wire::Request request() {
  wire::Request request;
  request.model = "scripted";
  request.system = "You write programs.";
  request.items = {wire::UserText{"Count the ROWS."}};
  request.tools = {{"run_program", "Runs a program", {{"type", "object"}, {"properties", {{"program", {}}}}}}};
  return request;
}

Replayed<ScriptedAnswer> ask(ScriptedModel& model, const wire::Request& request, Protocol protocol = Protocol::Chat,
                             std::string_view path = "", std::span<const std::string> callable = {}) {
  const std::string body = wire::write_request(protocol, "scripted", request);
  return model.answer({path, protocol, request.is_stream, body, callable});
}

Reply read_back(const ScriptedAnswer& answer, Protocol protocol, bool is_stream) {
  ReplyReader reader({.protocol = protocol, .is_stream = is_stream, .status = answer.http.status,
                      .headers = answer.http.headers});
  reader.feed(answer.http.body);
  return reader.finish(answer.http.ends_properly ? ReplyReader::End::Proper : ReplyReader::End::Cut, 0);
}

std::string failure_name(const Replayed<ScriptedAnswer>& answered) {
  const auto* const failure = std::get_if<ReplayFailure>(&answered);
  return failure == nullptr ? "" : failure->name;
}

std::string failure_message(const Replayed<ScriptedAnswer>& answered) {
  const auto* const failure = std::get_if<ReplayFailure>(&answered);
  return failure == nullptr ? "" : failure->message;
}

TEST(ScriptedModel, SaysTheSameInEveryProtocolStreamedOrNot) {
  for (const Protocol protocol : kProtocols) {
    for (const bool is_stream : {false, true}) {
      ScriptedModel model = script(
          R"js({"text": "Counting ä rows, one after the other.", "program": "(return \"x\")", )js"
          R"js("usage": {"input": 7, "cached": 3, "cache_written": 2, "output": 5, "reasoning": 1}})js");
      wire::Request asked = request();
      asked.is_stream = is_stream;
      const auto answered = ask(model, asked, protocol);
      const Reply reply = read_back(std::get<ScriptedAnswer>(answered), protocol, is_stream);
      ASSERT_TRUE(reply.is_complete) << wire::protocol_name(protocol) << is_stream;
      EXPECT_EQ(reply.text, "Counting ä rows, one after the other.");
      ASSERT_EQ(reply.tool_calls.size(), 1U);
      EXPECT_EQ(reply.tool_calls[0].name, "run_program");
      EXPECT_EQ(reply.tool_calls[0].arguments->at("program"), "(return \"x\")");
      EXPECT_EQ(reply.usage, (wire::TokenUsage{7, 3, 2, 5, 1}));
    }
  }
}

TEST(ScriptedModel, ACutStreamTellsItsUsageAndNothingElse) {
  for (const Protocol protocol : kProtocols) {
    ScriptedModel model = script(R"js({"cut": "(return 1)", "usage": {"input": 100, "output": 30}})js");
    wire::Request asked = request();
    asked.is_stream = true;
    const auto answered = ask(model, asked, protocol);
    const Reply reply = read_back(std::get<ScriptedAnswer>(answered), protocol, true);
    ASSERT_TRUE(reply.error) << wire::protocol_name(protocol);
    EXPECT_EQ(reply.error->kind, wire::ReplyError::Kind::Cut);
    EXPECT_FALSE(reply.is_complete);
    EXPECT_EQ(reply.text, "");
    EXPECT_EQ(reply.usage->input, 100);
    EXPECT_EQ(reply.usage->output, 30);
  }
}

TEST(ScriptedModel, ACutDocumentIsNoReply) {
  ScriptedModel model = script(R"({"cut": "text so far"})");
  const auto answered = ask(model, request());
  const Reply reply = read_back(std::get<ScriptedAnswer>(answered), Protocol::Chat, false);
  EXPECT_EQ(reply.error->kind, wire::ReplyError::Kind::Cut);
}

TEST(ScriptedModel, ARefusalHasStatusHeadersAndBody) {
  ScriptedModel model = script(
      R"({"http": 429, "headers": {"retry-after": "30"}, "body": {"error": {"message": "slow down"}}, "delay_ms": 5})");
  const auto answered = ask(model, request());
  const auto& answer = std::get<ScriptedAnswer>(answered);
  EXPECT_EQ(answer.delay_ms, 5);
  const Reply reply = read_back(answer, Protocol::Chat, false);
  EXPECT_EQ(reply.error->status, 429);
  EXPECT_EQ(reply.error->retry_wait_ms, 30'000);
}

TEST(ScriptedModel, ArgumentsThatAreTextGoOutAsTheyAre) {
  ScriptedModel model =
      script(R"({"tool_calls": [{"id": "c1", "name": "run_program", "args": "{\"program\": \"(ret"}]})");
  const auto answered = ask(model, request());
  const Reply reply = read_back(std::get<ScriptedAnswer>(answered), Protocol::Chat, false);
  EXPECT_EQ(reply.tool_calls.at(0).id, "c1");
  EXPECT_EQ(reply.tool_calls[0].arguments_text, "{\"program\": \"(ret");
  EXPECT_FALSE(reply.tool_calls[0].arguments);
}

TEST(ScriptedModel, LinesWithForAnswerThatChildAndItsLaterCalls) {
  ScriptedModel model = script(
      "{\"text\": \"root\"}\n\n{\"for\": \"ask\", \"text\": \"first\"}\n{\"for\": \"ask\", \"text\": \"second\"}\n"
      "{\"for\": \"ask#2\", \"text\": \"of the second call\"}\n");
  const auto line = [&](std::string_view path) {
    const auto answered = ask(model, request(), Protocol::Chat, path);
    return std::holds_alternative<ScriptedAnswer>(answered) ? std::get<ScriptedAnswer>(answered).line : 0;
  };
  EXPECT_EQ(line("ask"), 3U);
  EXPECT_EQ(line("ask#2"), 5U);
  EXPECT_EQ(line("ask#2"), 4U);
  EXPECT_EQ(line("ask"), 0U);
  EXPECT_EQ(line(""), 1U);
  EXPECT_EQ(model.lines_left(), 0U);
}

TEST(ScriptedModel, ALineThatWasGivenBackIsTheNext) {
  ScriptedModel model = script("{\"text\": \"a\"}\n{\"text\": \"b\"}\n");
  const auto answered = ask(model, request());
  EXPECT_EQ(std::get<ScriptedAnswer>(answered).line, 1U);
  model.give_back(1);
  const auto again = ask(model, request());
  EXPECT_EQ(std::get<ScriptedAnswer>(again).line, 1U);
  model.skip("", 1);
  EXPECT_EQ(failure_name(ask(model, request())), kScriptUsedUp);
}

TEST(ScriptedModel, ExpectationsTellWhatWasFound) {
  const auto message = [](std::string_view expect, std::vector<std::string> callable = {}) {
    ScriptedModel model = script(R"({"text": "a", "expect": )" + std::string(expect) + "}");
    return failure_message(ask(model, request(), Protocol::Messages, "", callable));
  };
  EXPECT_EQ(message(R"({"contains": ["count the rows", "YOU write"], "not_contains": ["object"]})"), "");
  EXPECT_EQ(message(R"({"newest": {"contains": ["rows"], "not_contains": ["programs"]}})"), "");
  EXPECT_EQ(message(R"({"static": {"contains": ["run_program"], "not_contains": ["rows"], "same": true}})"), "");
  EXPECT_EQ(message(R"({"tools": ["b", "a"]})", {"a", "b"}), "");
  EXPECT_EQ(message(R"({"newest": {"contains": ["columns"]}})"),
            "line 1: the newest part of the request lacks \"columns\"; it is:\nCount the ROWS.\n");
  EXPECT_NE(message(R"({"not_contains": ["rows"]})").find("the request contains \"rows\""), std::string::npos);
  EXPECT_EQ(message(R"({"tools": []})", {"pay"}), "line 1: the turn may call pay; expected: none");
}

TEST(ScriptedModel, NewestIsWhatWasAddedAfterTheLastReply) {
  for (const Protocol protocol : kProtocols) {
    ScriptedModel model = script(
        R"js({"text": "a", "expect": {"newest": {"contains": ["it is 42"], "not_contains": ["rows"]}, )js"
        R"js("contains": ["(+ 40 \"2\")"]}})js");
    wire::Request asked = request();
    wire::ModelTurn turn;
    turn.tool_calls = {{"c1", "run_program", R"js({"program":"(+ 40 \"2\")"})js", {}, false}};
    turn.tool_calls[0].arguments = boost::json::object{{"program", "(+ 40 \"2\")"}};
    asked.items.emplace_back(turn);
    asked.items.emplace_back(wire::ToolResult{"c1", "it is 42", false});
    const auto answered = ask(model, asked, protocol);
    EXPECT_EQ(failure_message(answered), "") << wire::protocol_name(protocol);
  }
}

TEST(ScriptedModel, TheStaticPartMustStayByteForByte) {
  ScriptedModel model = script("{\"text\": \"a\"}\n{\"text\": \"b\", \"expect\": {\"static\": {\"same\": true}}}\n");
  EXPECT_EQ(failure_name(ask(model, request())), "");
  wire::Request other = request();
  other.system += " ";
  EXPECT_EQ(failure_name(ask(model, other)), kScriptExpectation);
  EXPECT_EQ(failure_name(ask(model, request())), "");
}

TEST(ScriptedModel, ACallWithoutResultFailsWhateverTheLineSays) {
  for (const Protocol protocol : kProtocols) {
    ScriptedModel model = script("{\"text\": \"a\"}\n{\"text\": \"b\"}\n");
    wire::Request asked = request();
    wire::ModelTurn turn;
    turn.tool_calls = {{"c1", "run_program", "{}", boost::json::object(), false}};
    asked.items.emplace_back(turn);
    asked.items.emplace_back(wire::UserText{"go on"});
    const auto answered = ask(model, asked, protocol);
    EXPECT_EQ(failure_name(answered), kRequestInvalid) << wire::protocol_name(protocol);
    EXPECT_NE(failure_message(answered).find("\"c1\" has no result"), std::string::npos);
  }
}

TEST(ScriptedModel, AScriptThatCannotBeReadIsNamedByItsLine) {
  const auto message = [](std::string_view text) {
    const auto read = ScriptedModel::read(text);
    const auto* const failure = std::get_if<ReplayFailure>(&read);
    return failure == nullptr ? std::string() : failure->message;
  };
  EXPECT_EQ(message("{\"text\": \"a\"}\n{\"txt\": \"b\"}\n"), "line 2: the line has the unknown member \"txt\"");
  EXPECT_EQ(message("{\"text\": 1}"), "line 1: \"text\" must be text, and is 1");
  EXPECT_EQ(message("{\"text\": \"a\", \"usage\": {\"tokens\": 1}}"),
            "line 1: \"usage\" has the unknown member \"tokens\"");
  EXPECT_EQ(message("{\"delay_ms\": 1}"),
            "line 1: the line has no \"program\", \"text\", \"tool_calls\", \"http\" or \"cut\"");
  EXPECT_NE(message("{").find("line 1 is no JSON"), std::string::npos);
}

}  // namespace
}  // namespace ptcvm::replay
