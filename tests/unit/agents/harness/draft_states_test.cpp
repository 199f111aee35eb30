// A draft is dismissed or sent. The first of the two in the log counts, and the other one does not.
#include "agents/harness/conversation_view.h"

#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <string>

#include "agents/harness/evaluate.h"

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
  void dismiss() { add("compose_dismissed", {{"composeId", "c1"}}); }
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

TEST(DraftStates, ADraftThatCouldNotBeSentIsDismissed) {
  Log log;
  log.send();
  log.add("send_failed", {{"composeId", "c1"}, {"messageId", "m9"}, {"error", "no"}});
  log.dismiss();
  EXPECT_TRUE(log.draft().is_dismissed);
  EXPECT_EQ(log.view.unsent_draft(), "");
}

TEST(DraftStates, PlanningWaitsForAMessageInFlightAlsoAfterAWhisper) {
  Log log;
  log.send();
  log.add("user_guidance", {{"gid", "g1"}, {"text", "be brief"}});
  EXPECT_EQ(evaluate(log.view, {}, {}).verdict, Verdict::Park);
  log.add("send_failed", {{"composeId", "c1"}, {"messageId", "m9"}, {"error", "no"}});
  EXPECT_EQ(evaluate(log.view, {}, {}).verdict, Verdict::Dismiss);
}

}  // namespace
}  // namespace ptcvm::harness
