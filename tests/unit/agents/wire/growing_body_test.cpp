// A body that grows has the bytes of the whole conversation written at once.
#include "agents/wire/growing_body.h"

#include <gtest/gtest.h>

#include <boost/json/value.hpp>
#include <string>
#include <utility>
#include <vector>

namespace ptcvm::wire {
namespace {

namespace json = boost::json;
using Items = std::vector<ConversationItem>;

ModelTurn turn(const std::string& id) {
  return {.provider = "b",
          .protocol = Protocol::Chat,
          .content = {},
          .text = "I call " + id,
          .tool_calls = {{id, "find", std::nullopt, json::value{{"q", 1}}.as_object(), false}}};
}

// Returns one item of each kind and more, so that pieces begin and end inside of messages and between them.
Items items() {
  return {UserText{"Hi"}, UserText{"there"}, turn("t1"), ToolResult{"t1", "found", false}, UserText{"Go on"},
          turn("t2"),     ToolResult{"t2", "none", true}};
}

class GrowingBodyTest : public testing::TestWithParam<std::pair<Protocol, bool>> {
 protected:
  GrowingBodyTest() {
    request_.model = "m";
    if (GetParam().second) request_.system = "Be brief.";
  }
  RequestFrame frame() const { return request_frame(GetParam().first, request_); }
  std::vector<ConversationPiece> pieces_of(const Items& all) const {
    std::vector<ConversationPiece> pieces;
    for (const ConversationItem& one : all) pieces.push_back(conversation_piece(GetParam().first, "a", {&one, 1}));
    return pieces;
  }
  std::string whole(Items all) {
    request_.items = std::move(all);
    return write_request(GetParam().first, "a", request_);
  }
  ConversationPiece newest() const { return pieces_of({UserText{"Now?"}})[0]; }

  Request request_;
  GrowingBody body_;
};

TEST_P(GrowingBodyTest, HasTheBytesOfTheWholeAfterEachPiece) {
  body_.begin(frame());
  Items until;
  for (const ConversationPiece& piece : pieces_of(items())) {
    body_.replace(until.size(), 0, {&piece, 1});
    until.push_back(items()[until.size()]);
    Items all = until;
    all.emplace_back(UserText{"Now?"});
    EXPECT_EQ(*body_.with(newest()), whole(std::move(all))) << until.size();
  }
}

TEST_P(GrowingBodyTest, HasTheBytesOfWhatStaysWhenPiecesAreReplaced) {
  const Items all = items();
  const std::vector<ConversationPiece> pieces = pieces_of(all);
  const std::vector<ConversationPiece> other = pieces_of({UserText{"Left."}});
  for (std::size_t first = 0; first <= all.size(); ++first) {
    for (std::size_t count = 0; first + count <= all.size(); ++count) {
      for (const bool has_other : {false, true}) {
        body_.begin(frame());
        body_.replace(0, 0, pieces);
        body_.replace(first, count, has_other ? std::span(other) : std::span<const ConversationPiece>());
        Items rest(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(first));
        if (has_other) rest.emplace_back(UserText{"Left."});
        rest.insert(rest.end(), all.begin() + static_cast<std::ptrdiff_t>(first + count), all.end());
        rest.emplace_back(UserText{"Now?"});
        const std::string wanted = whole(rest);
        EXPECT_EQ(*body_.with(newest()), wanted) << first << " " << count;
        // What is behind can be replaced again.
        rest.pop_back();
        if (rest.empty()) continue;
        body_.replace(rest.size() - 1, 1, {});
        rest.back() = UserText{"Now?"};
        EXPECT_EQ(*body_.with(newest()), whole(rest)) << first << " " << count;
      }
    }
  }
}

TEST_P(GrowingBodyTest, EmptyPiecesTakeNoRoom) {
  const ConversationPiece empty{};
  const std::vector<ConversationPiece> pieces = pieces_of(items());
  body_.begin(frame());
  std::size_t number = 0;
  for (const ConversationPiece& piece : pieces) {
    body_.replace(number++, 0, {&empty, 1});
    body_.replace(number++, 0, {&piece, 1});
  }
  body_.replace(number++, 0, {&empty, 1});
  Items all = items();
  all.emplace_back(UserText{"Now?"});
  EXPECT_EQ(*body_.with(newest()), whole(all));
  body_.replace(0, 3, {});   // the first item with the empty pieces around it
  all.erase(all.begin());
  EXPECT_EQ(*body_.with(newest()), whole(all));
}

TEST_P(GrowingBodyTest, AnotherFrameIsAroundTheSamePieces) {
  body_.begin(frame());
  body_.replace(0, 0, pieces_of(items()));
  request_.model = "another";
  request_.temperature = 0.5;
  Items all = items();
  all.emplace_back(UserText{"Now?"});
  EXPECT_EQ(*body_.with(newest(), frame()), whole(all));
}

TEST_P(GrowingBodyTest, WhatSomebodyHasStays) {
  body_.begin(frame());
  body_.replace(0, 0, pieces_of({UserText{"Hi"}}));
  const GrowingBody::Body first = body_.with(newest());
  const std::string before = *first;
  body_.replace(1, 0, pieces_of({turn("t1"), ToolResult{"t1", "found", false}}));
  const GrowingBody::Body second = body_.with(newest());
  EXPECT_EQ(*first, before);
  EXPECT_NE(*second, before);
}

TEST_P(GrowingBodyTest, MemoryThatNobodyHasIsUsedAgain) {
  body_.begin(frame());
  body_.replace(0, 0, pieces_of({UserText{std::string(1'000, 'x')}}));
  const char* const memory = body_.with(newest())->data();
  EXPECT_EQ(body_.with(newest())->data(), memory);
}

TEST_P(GrowingBodyTest, ABodyOutlivesWhatMadeIt) {
  GrowingBody::Body kept;
  {
    GrowingBody body;
    body.begin(frame());
    kept = body.with(newest());
  }
  EXPECT_EQ(*kept, whole({UserText{"Now?"}}));
}

INSTANTIATE_TEST_SUITE_P(Protocols, GrowingBodyTest,
                         testing::Values(std::pair(Protocol::Chat, true), std::pair(Protocol::Chat, false),
                                         std::pair(Protocol::Responses, true), std::pair(Protocol::Messages, true),
                                         std::pair(Protocol::Messages, false)));

}  // namespace
}  // namespace ptcvm::wire
