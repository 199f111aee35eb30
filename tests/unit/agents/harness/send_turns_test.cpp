// A process that sends looks at the log before each attempt. It may have stood still, and others went on without it.
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <functional>
#include <string>
#include <utility>

#include "agents/harness/sending/attempts.h"
#include "agents/harness/sending/outbox.h"
#include "ptcvm/store.hpp"

namespace ptcvm::harness {
namespace {

namespace json = boost::json;

constexpr std::int64_t kBegan = 1'000'000;

// Loses each attempt. While an attempt is made, `meanwhile` happens.
class LosingTransport final : public Transport {
 public:
  Result<json::object> send(const json::object&) override {
    ++attempts;
    if (meanwhile) meanwhile();
    return Error{Errc::not_available, "no connection", std::nullopt, may_arrive ? kMayBeSent : kNotReached};
  }
  Result<std::optional<json::object>> task() override { return std::optional<json::object>(); }
  Result<std::optional<bool>> arrived(std::string_view) override { return std::optional<bool>(); }
  bool takes_each_id_once() const override { return true; }

  int attempts = 0;
  bool may_arrive = true;
  std::function<void()> meanwhile;
};

class SendTurns : public ::testing::Test {
 protected:
  SendTurns() {
    conversation.observe({{FactType::message_received, {{"messageId", "m1"}, {"text", "hello"}}},
                          {FactType::compose_intent, {{"composeId", "c1"}, {"text", "hi"}}}},
                         author())
        .value();
  }
  Author author() const { return {now_ms, {}}; }
  Result<void> send() { return outbox.send("c1", std::nullopt, author()); }
  std::string message_id() { return other.refresh().value(), other.view().drafts().at("c1").in_flight; }
  // Writes a fact of a sending as another process does.
  void write(std::string key, std::string name, json::object body) {
    body["composeId"] = "c1";
    body["messageId"] = message_id();
    const std::uint64_t token = other.claim(now_ms, 1'000).value().value();
    other.effect(token, std::move(key), std::move(name), body, author()).value();
    other.release(token).value();
  }
  void settle_as_lost() { write("send_failed/" + message_id(), "send_failed", {{"error", "lost"}}); }
  void go_on_elsewhere() {
    write("send_resumed/1", "send_resumed", {{"sender", "another"}, {"until", now_ms + 1'000'000}});
  }
  const DraftState& draft() { return conversation.refresh().value(), *conversation.view().draft("c1"); }

  Store store = Store::in_memory();
  Conversation conversation = Conversation::open(HostLog::of(store, "c")).value();
  Conversation other = Conversation::open(HostLog::of(store, "c")).value();
  std::int64_t now_ms = kBegan;
  LosingTransport transport;
  Outbox outbox{conversation, &transport, [](std::int64_t) {}, {}, [this] { return now_ms; }};
};

TEST_F(SendTurns, AMessageThatSomebodySettledAsLostIsNotSentAgain) {
  transport.meanwhile = [this] { settle_as_lost(); };
  const Result<void> sent = send();
  EXPECT_EQ(transport.attempts, 1);
  EXPECT_EQ(sent.error().message, why_not_sent(SendTurn::Ended));
  EXPECT_EQ(draft().send_error, "lost");
}

TEST_F(SendTurns, AMessageThatAnotherProcessGoesOnWithIsNotSentAgain) {
  transport.meanwhile = [this] { go_on_elsewhere(); };
  const Result<void> sent = send();
  EXPECT_EQ(transport.attempts, 1);
  EXPECT_EQ(sent.error().message, why_not_sent(SendTurn::Elsewhere));
  EXPECT_EQ(draft().sender, "another");   // nobody settles it meanwhile
}

TEST_F(SendTurns, TheEndOfAProcessThatAnotherOneReplacedDoesNotCount) {
  transport.may_arrive = false;
  int attempts = 0;
  transport.meanwhile = [&] {
    if (++attempts == 3) go_on_elsewhere();
  };
  EXPECT_FALSE(send());
  EXPECT_EQ(draft().in_flight, message_id());
  EXPECT_EQ(draft().sender, "another");
}

TEST_F(SendTurns, AProcessThatStoodStillStops) {
  transport.meanwhile = [this] { now_ms += kSendMostMs; };
  const Result<void> sent = send();
  EXPECT_EQ(transport.attempts, 1);
  EXPECT_NE(sent.error().message.find(why_not_sent(SendTurn::Late)), std::string::npos);
  EXPECT_NE(draft().in_flight, "");   // it may have arrived
  EXPECT_EQ(draft().sender, "");
}

TEST_F(SendTurns, AnAttemptThatMightEndTooLateIsNotBegun) {
  transport.may_arrive = false;
  transport.meanwhile = [this] { now_ms += kSendMostMs - kAttemptMostMs + 1; };
  EXPECT_FALSE(send());
  EXPECT_EQ(transport.attempts, 1);
  EXPECT_EQ(draft().in_flight, "");   // no attempt reached the other side
}

TEST_F(SendTurns, AMessageThatTheLogHasIsSent) {
  transport.meanwhile = [this] {
    const std::string id = message_id();
    other.observe_sent(id, {{FactType::message_sent, {{"messageId", id}, {"text", "hi"}}}}, author()).value();
  };
  EXPECT_TRUE(send());
  EXPECT_EQ(transport.attempts, 1);
}

TEST_F(SendTurns, TheTimeOfASenderBeginsWhenItBeginsToSend) {
  const Author before = author();
  now_ms += kSendMostMs;   // the planner thought so long
  transport.may_arrive = false;
  EXPECT_FALSE(outbox.send("c1", std::nullopt, before));
  EXPECT_EQ(transport.attempts, 3);
}

}  // namespace
}  // namespace ptcvm::harness
