// The cursor is in the last decision of its batch; in older logs it is a note behind the batch. Both mean the same.
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <string>

#include "agents/harness/conversation/conversation.h"
#include "ptcvm/store.hpp"

namespace ptcvm::harness {
namespace {

namespace json = boost::json;

HostFact fact_of(std::uint64_t seq, HostFactClass fact_class, std::string name, const json::object& body) {
  HostFact fact = host_fact(fact_class, std::move(name), "", body, {1'000, {}});
  fact.seq = seq;
  fact.writer = fact_class == HostFactClass::Observation ? 0 : 7;
  return fact;
}

PlanCursor some_cursor() {
  PlanCursor cursor;
  cursor.generation = 0;
  cursor.planned = {.status = 2, .inbound = 1, .outbound = 0, .whisper = 0, .answer = 0};
  cursor.planner = {"simple-demo", json::object{{"mode", "suggest"}}};
  return cursor;
}

json::object draft_body() { return {{"composeId", "c1"}, {"text", "hi"}}; }

TEST(PlanCursor, OfAnOlderLogIsANoteBehindItsDecisions) {
  ConversationView view;
  view.apply(fact_of(1, HostFactClass::Observation, "message_received", {{"messageId", "m"}, {"text", "t"}}));
  view.apply(fact_of(2, HostFactClass::Decision, "compose_intent", draft_body()));
  view.apply(fact_of(3, HostFactClass::Control, "plan_cursor",
                     {{"generation", 0},
                      {"planned", {{"status", 2}, {"inbound", 1}, {"outbound", 0}, {"whisper", 0}, {"answer", 0}}},
                      {"failing", {{"status", 0}, {"inbound", 0}, {"outbound", 0}, {"whisper", 0}, {"answer", 0}}},
                      {"attempts", 0},
                      {"planner", "simple-demo"},
                      {"seed", {{"mode", "suggest"}}}}));
  EXPECT_EQ(view.cursor().planned, some_cursor().planned);
  ASSERT_NE(view.planner_of(*view.draft("c1")), nullptr);
  EXPECT_EQ(view.planner_of(*view.draft("c1"))->type, "simple-demo");
}

TEST(PlanCursor, IsAMemberOfTheLastDecisionAndNotOfItsFact) {
  Conversation conversation = Conversation::open(HostLog::of(Store::in_memory(), "c")).value();
  const std::uint64_t token = conversation.claim(1'000, 60'000).value().value();
  const std::vector<ProposedFact> batch{{FactType::sleep, {}}, {FactType::compose_intent, draft_body()}};
  ASSERT_TRUE(conversation.decide(token, 0, batch, some_cursor(), {1'000, {}}).value());
  const auto facts = conversation.log().read().value();
  ASSERT_EQ(facts.size(), 2U) << "the cursor takes no fact of its own";
  EXPECT_EQ(facts[0].body.find("plan_cursor"), std::string::npos);
  EXPECT_NE(facts[1].body.find("plan_cursor"), std::string::npos);
  EXPECT_EQ(conversation.view().facts().back().body, draft_body());
  EXPECT_EQ(conversation.view().cursor().planned, some_cursor().planned);
  EXPECT_EQ(conversation.view().planner_of(*conversation.view().draft("c1"))->seed, some_cursor().planner.seed);
}

TEST(PlanCursor, OfAPassThatProposesNothingIsANote) {
  Conversation conversation = Conversation::open(HostLog::of(Store::in_memory(), "c")).value();
  const std::uint64_t token = conversation.claim(1'000, 60'000).value().value();
  ASSERT_TRUE(conversation.decide(token, 0, {}, some_cursor(), {1'000, {}}).value());
  ASSERT_EQ(conversation.log().read().value().size(), 1U);
  EXPECT_EQ(conversation.log().read().value().front().name, "plan_cursor");
  EXPECT_EQ(conversation.view().cursor().planned, some_cursor().planned);
}

TEST(PlanCursor, ThatSomebodyElseWritesIsNone) {
  Conversation conversation = Conversation::open(HostLog::of(Store::in_memory(), "c")).value();
  json::object body = draft_body();
  body["plan_cursor"] = cursor_json(some_cursor());
  ASSERT_TRUE(conversation.observe({{FactType::compose_intent, body}}, {1'000, "bob"}));
  EXPECT_EQ(conversation.view().cursor().planned, TriggerSeqs{});
  const std::uint64_t token = conversation.claim(1'000, 60'000).value().value();
  body["composeId"] = "c2";
  ASSERT_TRUE(
      conversation.decide(token, conversation.view().log_seq(), {{FactType::compose_intent, body}}, {}, {1'000, {}})
          .value());
  EXPECT_EQ(conversation.view().cursor().planned, TriggerSeqs{}) << "a planner proposes no cursor";
}

TEST(PlanCursor, IsKnownToTheWriterAndToAReaderAlikeWhenOthersWriteMeanwhile) {
  const Store store = Store::in_memory();
  Conversation one = Conversation::open(HostLog::of(store, "c")).value();
  Conversation other = Conversation::open(HostLog::of(store, "c")).value();
  const std::uint64_t token = one.claim(1'000, 60'000).value().value();
  ASSERT_TRUE(other.observe({{FactType::user_guidance, {{"gid", "g"}, {"text", "w"}}}}, {1'000, "bob"}));
  EXPECT_FALSE(one.decide(token, 0, {{FactType::compose_intent, draft_body()}}, some_cursor(), {1'000, {}}).value());
  EXPECT_EQ(one.view().whisper_seq(), 1U) << "a refused decision tells what was in the way";
  ASSERT_TRUE(one.decide(token, 1, {{FactType::compose_intent, draft_body()}}, some_cursor(), {1'000, {}}).value());
  ASSERT_TRUE(other.refresh().value());
  EXPECT_EQ(other.view().log_seq(), one.view().log_seq());
  EXPECT_EQ(other.view().cursor().planned, one.view().cursor().planned);
}

}   // namespace
}   // namespace ptcvm::harness
