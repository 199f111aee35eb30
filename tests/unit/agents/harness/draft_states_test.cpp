// A draft is dismissed or sent. The first of the two in the log counts, and the other one does not.
#include "agents/harness/conversation/conversation_view.h"

#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <functional>
#include <string>
#include <vector>

#include "agents/harness/pass/evaluate.h"
#include "agents/harness/sending/drafts.h"

namespace ptcvm::harness {
namespace {

namespace json = boost::json;

// A log that grows.
class Log {
 public:
  Log() {
    add("message_received", {{"messageId", "m1"}, {"text", "hello"}});
    add("status_changed", {{"a2a", "input-required"}});
    add("compose_intent", {{"composeId", "c1"}, {"text", "hi"}});
  }
  void add(const std::string& name, const json::object& body) {
    HostFact fact;
    fact.seq = view.log_seq() + 1;
    fact.name = name;
    fact.body = json::serialize(body);
    view.apply(fact);
  }
  void send() { add("send_started", {{"composeId", "c1"}, {"messageId", "m9"}, {"nextState", "working"}}); }
  void send_draft(std::uint64_t seq) {
    add("send_started", {{"composeId", "c1"}, {"draft", seq}, {"messageId", "m9"}, {"nextState", "working"}});
  }
  void rewind() { add("journal_rewound", {{"to", 2}, {"keeps", "human"}, {"yields", "calls"}}); }
  void clear() { add("journal_rewound", {{"to", 0}, {"keeps", "nothing"}, {"yields", "sends"}}); }
  void fail() { add("send_failed", {{"composeId", "c1"}, {"messageId", "m9"}, {"error", "lost"}}); }
  void arrive() { add("message_sent", {{"messageId", "m9"}, {"text", "hi"}}); }
  void dismiss() { add("compose_dismissed", {{"composeId", "c1"}}); }
  void edit(const std::string& id) {
    add("compose_dismissed", {{"composeId", "c1"}, {"replacedBy", id}});
    add("compose_intent", {{"composeId", id}, {"text", "my own words"}, {"replaces", "c1"}});
  }
  const DraftState& draft() const { return *view.draft("c1"); }

  ConversationView view;
};

TEST(DraftStates, ADraftThatWasDismissedFirstIsNotInFlight) {
  Log log;
  log.dismiss();
  log.send();
  EXPECT_TRUE(log.draft().is_dismissed);
  EXPECT_EQ(log.view.in_flight(), 0U);
  EXPECT_EQ(log.draft().rounds, 1U);   // the key of the next round is another one
}

TEST(DraftStates, ARewindBehindASendingDoesNotCount) {
  Log log;
  log.send_draft(3);
  log.rewind();
  log.clear();
  EXPECT_EQ(log.view.generation(), 0U);
  EXPECT_EQ(log.view.rewinds(), 2U);   // the key of the next rewind is another one
  EXPECT_EQ(log.draft().in_flight, "m9");
  log.add("send_failed", {{"composeId", "c1"}, {"messageId", "m9"}, {"error", "no"}});
  log.rewind();
  EXPECT_EQ(log.view.generation(), 1U);
  EXPECT_EQ(log.view.draft("c1"), nullptr);
}

TEST(DraftStates, ASendingBehindARewindIsNotInFlight) {
  Log log;
  log.rewind();
  log.send_draft(3);
  EXPECT_EQ(log.view.in_flight(), 0U);
  log.add("compose_intent", {{"composeId", "c1"}, {"text", "anew"}});
  log.send_draft(3);
  EXPECT_EQ(log.view.in_flight(), 0U);
  log.send_draft(6);
  EXPECT_EQ(log.view.in_flight(), 1U);
}

TEST(DraftStates, ARewindOfAnOlderLogCountsBehindASending) {
  Log log;
  log.send();
  log.add("journal_rewound", {{"to", 2}, {"keeps", "human"}});
  EXPECT_EQ(log.view.generation(), 1U);
}

TEST(DraftStates, ADraftThatIsBeingSentOrWasSentIsNotDismissed) {
  Log log;
  log.send();
  log.dismiss();
  EXPECT_FALSE(log.draft().is_dismissed);
  EXPECT_EQ(log.draft().in_flight, "m9");
  log.add("message_sent", {{"messageId", "m9"}, {"text", "hi"}});
  log.dismiss();
  EXPECT_FALSE(log.draft().is_dismissed);
  EXPECT_TRUE(log.draft().is_sent);
}

// It could be sent again, under another id.
TEST(DraftStates, ADraftWhoseMessageArrivedAfterAllWasSent) {
  Log log;
  log.send_draft(3);
  log.fail();
  log.arrive();
  EXPECT_TRUE(log.draft().is_sent);
  EXPECT_EQ(log.draft().send_error, "");
  EXPECT_EQ(draft_waits(log.view, "c1").error().message, "draft already sent");
  EXPECT_EQ(text_of(log.view.facts().back().body, "composeId"), "c1");
  log.add("send_started", {{"composeId", "c1"}, {"draft", 3}, {"messageId", "m10"}, {"nextState", "working"}});
  EXPECT_EQ(log.view.in_flight(), 0U);
}

TEST(DraftStates, AFailureBehindTheMessageChangesNothing) {
  Log log;
  log.send_draft(3);
  log.arrive();
  log.fail();
  EXPECT_TRUE(log.draft().is_sent && log.draft().is_approved);
  EXPECT_EQ(log.draft().send_error, "");
}

TEST(DraftStates, AMessageThatArrivedWhileAnotherOneIsInFlightLeavesThatOneInFlight) {
  Log log;
  log.send_draft(3);
  log.fail();
  log.add("send_started", {{"composeId", "c1"}, {"draft", 3}, {"messageId", "m10"}, {"nextState", "working"}});
  log.arrive();
  EXPECT_EQ(log.draft().in_flight, "m10");
  EXPECT_EQ(draft_waits(log.view, "c1").error().message, "draft already sent");
  log.add("send_failed", {{"composeId", "c1"}, {"messageId", "m10"}, {"error", "no"}});
  EXPECT_EQ(draft_waits(log.view, "c1").error().message, "draft already sent");
}

TEST(DraftStates, ADraftOfTheSameIdAfterARewindIsAnotherOne) {
  Log log;
  log.send_draft(3);
  log.fail();
  log.rewind();
  log.add("compose_intent", {{"composeId", "c1"}, {"text", "anew"}});
  log.arrive();
  EXPECT_FALSE(log.draft().is_sent);
}

// A rewind looks at all facts again.
TEST(DraftStates, ADismissalBeforeTheMessageArrivedStaysAFact) {
  Log log;
  log.send_draft(3);
  log.fail();
  log.dismiss();
  log.arrive();
  const std::size_t facts = log.view.facts().size();
  log.add("journal_rewound", {{"to", 7}, {"keeps", "human"}, {"yields", "calls"}});
  EXPECT_EQ(log.view.facts().size(), facts);
  EXPECT_EQ(draft_waits(log.view, "c1").error().message, "draft already sent");
}

TEST(DraftStates, ADraftThatCouldNotBeSentIsDismissed) {
  Log log;
  log.send();
  log.add("send_failed", {{"composeId", "c1"}, {"messageId", "m9"}, {"error", "no"}});
  log.dismiss();
  EXPECT_TRUE(log.draft().is_dismissed);
  EXPECT_EQ(log.view.unsent_draft(), "");
}

TEST(DraftStates, ARefusedDismissalIsNoFactThatCounts) {
  Log log;
  log.send();
  const std::size_t facts = log.view.facts().size(), counted = log.view.counted();
  log.dismiss();
  EXPECT_EQ(log.view.facts().size(), facts);
  EXPECT_EQ(log.view.counted(), counted);
}

TEST(DraftStates, AnEditPutsADraftInThePlaceOfAnother) {
  Log log;
  log.edit("c2");
  EXPECT_TRUE(log.draft().is_dismissed);
  EXPECT_EQ(log.view.unsent_drafts(), std::vector<std::string>{"c2"});
}

TEST(DraftStates, AnEditThatCameTooLateIsNoFactThatCounts) {
  const auto send = [](Log& log) { log.send(); };
  const auto dismiss = [](Log& log) { log.dismiss(); };
  const auto edit = [](Log& log) { log.edit("c3"); };
  for (const std::function<void(Log&)>& first : {std::function<void(Log&)>(send), {dismiss}, {edit}}) {
    Log log;
    first(log);
    const std::size_t facts = log.view.facts().size();
    const std::vector<std::string> drafts = log.view.unsent_drafts();
    log.edit("c2");
    EXPECT_EQ(log.view.facts().size(), facts);
    EXPECT_EQ(log.view.unsent_drafts(), drafts);
    EXPECT_EQ(log.view.draft("c2"), nullptr);
  }
}

TEST(DraftStates, ADismissalBehindAnEditIsNoFactThatCounts) {
  Log log;
  log.edit("c2");
  const std::size_t facts = log.view.facts().size();
  log.dismiss();
  EXPECT_EQ(log.view.facts().size(), facts);
  EXPECT_EQ(draft_waits(log.view, "c1").error().message, "draft dismissed; c2 is in its place");
}

TEST(DraftStates, AnEditThatWasForgottenIsDoneAgain) {
  Log log;
  log.add("message_received", {{"messageId", "m2"}, {"text", "and?"}});
  log.edit("c2");
  log.add("journal_rewound", {{"to", 4}, {"keeps", "human"}});
  EXPECT_EQ(log.view.unsent_drafts(), std::vector<std::string>{"c1"});
  log.edit("c3");
  EXPECT_EQ(log.view.unsent_drafts(), std::vector<std::string>{"c3"});
}

TEST(DraftStates, PlanningWaitsForAMessageInFlightAlsoAfterAWhisper) {
  Log log;
  log.send();
  log.add("user_guidance", {{"gid", "g1"}, {"text", "be brief"}});
  EXPECT_EQ(evaluate(log.view, {}, {}).verdict, Verdict::Park);
  log.add("send_failed", {{"composeId", "c1"}, {"messageId", "m9"}, {"error", "no"}});
  EXPECT_EQ(evaluate(log.view, {}, {}).verdict, Verdict::Dismiss);
}

// A process that another one replaced ends nothing.
TEST(DraftStates, TheEndOfAnEarlierSenderDoesNotCount) {
  Log log;
  log.send_draft(3);
  log.add("send_resumed", {{"composeId", "c1"}, {"messageId", "m9"}, {"sender", "b"}, {"until", 9}});
  log.add("send_failed", {{"composeId", "c1"}, {"messageId", "m9"}, {"error", "no"}, {"resumed", 0}});
  log.add("send_stopped", {{"composeId", "c1"}, {"messageId", "m9"}, {"resumed", 0}});
  EXPECT_EQ(log.draft().in_flight, "m9");
  EXPECT_EQ(log.draft().sender, "b");
  log.add("send_stopped", {{"composeId", "c1"}, {"messageId", "m9"}, {"resumed", 1}});
  EXPECT_EQ(log.draft().sender, "");
  log.add("send_failed", {{"composeId", "c1"}, {"messageId", "m9"}, {"error", "no"}, {"resumed", 1}});
  EXPECT_EQ(log.view.in_flight(), 0U);
}

// Earlier versions took a message of the other side under the id of a message in flight.
TEST(DraftStates, AMessageThatArrivedUnderATakenIdIsSettled) {
  Log log;
  log.send_draft(3);
  log.add("message_received", {{"messageId", "m9"}, {"text", "hi"}});
  EXPECT_EQ(log.draft().in_flight, "m9");
  log.add("send_arrived", {{"composeId", "c1"}, {"messageId", "m9"}});
  EXPECT_EQ(log.view.in_flight(), 0U);
  EXPECT_TRUE(log.draft().is_sent);
}

std::string why_none_waits(const Log& log) { return draft_waits(log.view, "").error().message; }

// It was "compose not found", and somebody had just sent it.
TEST(DraftStates, WhoNamesNoDraftHearsWhatBecameOfTheNewestOne) {
  Log log;
  log.send();
  log.add("message_sent", {{"messageId", "m9"}, {"text", "hi"}, {"composeId", "c1"}});
  EXPECT_EQ(why_none_waits(log), "no draft waits; the newest one, c1, was sent");
  log.add("compose_intent", {{"composeId", "c2"}, {"text", "hi"}});
  log.add("compose_dismissed", {{"composeId", "c2"}});
  EXPECT_EQ(why_none_waits(log), "no draft waits; the newest one, c2, was dismissed");
  log.add("compose_intent", {{"composeId", "c3"}, {"text", "hi"}});
  log.add("message_sent", {{"messageId", "m10"}, {"text", "by other means"}});
  EXPECT_EQ(why_none_waits(log), "no draft waits; the newest one, c3, is older than the last message of this side");
  log.clear();
  EXPECT_EQ(why_none_waits(log), "no draft waits");
}

// A program that plans begins a call, and somebody regenerates: the first of the two in the log counts.
TEST(ProgramCalls, ARewindAfterTheBeginningOfACallDoesNotCount) {
  Log log;
  log.add("program_call_begun", {{"program", "p"}, {"key", "book#0"}, {"generation", 0}});
  log.add("journal_rewound", {{"to", 1}, {"keeps", "human"}, {"yields", "calls"}});
  EXPECT_EQ(log.view.generation(), 0U);
  EXPECT_NE(log.view.unknown_call().find("book#0"), std::string::npos);
  log.add("program_call_ended", {{"program", "p"}, {"key", "book#0"}});
  log.add("journal_rewound", {{"to", 1}, {"keeps", "human"}, {"yields", "calls"}});
  EXPECT_EQ(log.view.generation(), 1U);
}

TEST(ProgramCalls, TheBeginningOfACallAfterARewindDoesNotCount) {
  Log log;
  log.add("journal_rewound", {{"to", 1}, {"keeps", "human"}, {"yields", "calls"}});
  log.add("program_call_begun", {{"program", "p"}, {"key", "book#0"}, {"generation", 0}});
  EXPECT_TRUE(log.view.program_calls().empty());
  log.add("program_call_begun", {{"program", "p"}, {"key", "book#0"}, {"generation", 1}});
  EXPECT_EQ(log.view.program_calls().size(), 1U);
}

}  // namespace
}  // namespace ptcvm::harness
