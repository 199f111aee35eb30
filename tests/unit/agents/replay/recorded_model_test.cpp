#include "agents/replay/recorded_model.h"

#include <gtest/gtest.h>

#include "agents/replay/line_diff.h"

namespace ptcvm::replay {
namespace {

RecordedModel recording(std::string_view text) {
  auto read = RecordedModel::read(text);
  if (const auto* const failure = std::get_if<ReplayFailure>(&read)) ADD_FAILURE() << failure->message;
  return std::get<RecordedModel>(std::move(read));
}

ModelCall call(std::string_view body) {
  return {"", wire::Protocol::Chat, false, body, {}};
}

TEST(RecordedModel, AnswersByTheRequestWhateverTheOrderOfItsMembers) {
  RecordedModel model = recording(recorded_line(call(R"({"a": 1, "b": "x"})"), {200, {}, "one", true}) +
                                  recorded_line(call(R"({"a": 2})"), {429, {{"Retry-After", "3"}}, "two", false}));
  const auto second = model.answer(call(R"({"a":2})"));
  EXPECT_EQ(std::get<HttpAnswer>(second).status, 429);
  EXPECT_EQ(std::get<HttpAnswer>(second).headers, (wire::Headers{{"retry-after", "3"}}));
  EXPECT_FALSE(std::get<HttpAnswer>(second).ends_properly);
  const auto first = model.answer(call(R"({"b": "x", "a": 1})"));
  EXPECT_EQ(std::get<HttpAnswer>(first).body, "one");
}

TEST(RecordedModel, TheSameRequestGetsItsAnswersInOrderAndTheLastRepeats) {
  RecordedModel model = recording(recorded_line(call("{}"), {529, {}, "busy", true}) +
                                  recorded_line(call("{}"), {200, {}, "done", true}));
  for (const std::string_view body : {"busy", "done", "done"}) {
    const auto answered = model.answer(call("{}"));
    EXPECT_EQ(std::get<HttpAnswer>(answered).body, body);
  }
}

TEST(RecordedModel, AChangedRequestIsAMissThatShowsTheChangedLines) {
  RecordedModel model = recording(
      recorded_line(call(R"({"system": "Count.\nBe brief.", "n": 1})"), {200, {}, "a", true}));
  const auto answered = model.answer(call(R"({"system": "Count.\nBe long.", "n": 1})"));
  const auto& failure = std::get<ReplayFailure>(answered);
  EXPECT_EQ(failure.name, kRecordingMiss);
  EXPECT_NE(failure.message.find("-     Be brief.\n+     Be long.\n"), std::string::npos) << failure.message;
  EXPECT_NE(failure.message.find("recorded request 1, 2 lines differ"), std::string::npos) << failure.message;
}

TEST(RecordedModel, ARecordingHasNoHeadersThatTellWhoAsked) {
  const std::string line =
      recorded_line(call("{}"), {200, {{"Set-Cookie", "secret"}, {"openai-organization", "secret"}}, "a", true});
  EXPECT_EQ(line.find("secret"), std::string::npos);
}

TEST(RecordedModel, ALineThatCannotBeReadIsNamed) {
  const auto message = [](std::string_view text) { return std::get<ReplayFailure>(RecordedModel::read(text)).message; };
  EXPECT_EQ(message("\n{\"reply\": 1}"), "line 2 of the recording has no object \"request\"");
  EXPECT_EQ(message("{\"request\": {}}"), "line 1 of the recording has no \"reply\" with \"status\" and \"body\"");
}

TEST(LineDiff, ShowsChangesWithLinesAroundThem) {
  EXPECT_EQ(line_diff("a\nb\nc\nd\ne\n", "a\nb\nc\nd\ne\n").changed, 0U);
  EXPECT_EQ(line_diff("a\nb\nc\nd\ne\n", "a\nb\nc\nX\ne\n").text, "  b\n  c\n- d\n+ X\n  e\n");
  EXPECT_EQ(line_diff("", "a\n").text, "+ a\n");
  EXPECT_EQ(line_diff("1\n2\n3\n", "", 2).text, "- 1\n- 2\n  … and 1 more lines\n");
  EXPECT_EQ(line_diff("a\n1\n2\n3\n4\n5\n6\nb\n", "A\n1\n2\n3\n4\n5\n6\nB\n").text,
            "- a\n+ A\n  1\n  2\n  …\n  5\n  6\n- b\n+ B\n");
}

}  // namespace
}  // namespace ptcvm::replay
