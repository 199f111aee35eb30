// Letters to an agent: what is told to a run that nobody holds, before it begins, and while somebody goes on with it.
#include <gtest/gtest.h>

#include "agents/loop/stored_agent.h"

namespace ptcvm::loop {
namespace {

constexpr std::string_view kWaiter = R"json({"name": "waiter",
  "program": "(return [(await-signal \"one\") (await-signal \"two\")])"})json";
constexpr std::string_view kAnswerer = R"json({"name": "answerer", "program": "(return 1)"})json";

class AgentMailTest : public testing::Test {
 protected:
  StoredAgent opened(std::string_view definition, std::int64_t now_ms = 1'000) {
    now_ms_ = now_ms;
    StoredAgentOptions options;
    options.start.id = "a";
    options.clock = [this] { return now_ms_; };
    const Agent agent = Agent::make(engine_, read_agent_text(definition).value(), {}).value();
    return StoredAgent::open(agent, store_, std::move(options)).value();
  }
  void tell(AgentMail::Kind kind, std::string path = {}, std::string text = {}) {
    ASSERT_TRUE(StoredAgent::tell(store_, "a", {kind, std::move(path), std::move(text), 0}, now_ms_));
  }
  bool is_woken() { return store_.find("a").value()->is_woken; }

  const Engine engine_;
  const Store store_ = Store::in_memory();
  std::int64_t now_ms_ = 0;
};

TEST_F(AgentMailTest, LettersWakeARunAndAreHeardInTheirOrder) {
  {
    StoredAgent stored = opened(kWaiter);
    ASSERT_EQ(stored.step().value(), AgentState::Waiting);
    ASSERT_EQ(stored.park().value(), AgentLeft::Parked);
  }
  EXPECT_FALSE(is_woken());
  tell(AgentMail::Kind::Resolve, "input", "1");
  EXPECT_TRUE(is_woken());
  tell(AgentMail::Kind::Resolve, "input", "3");   // nobody waits for that any more
  tell(AgentMail::Kind::Resolve, "input#2", "2");
  StoredAgent stored = opened(kWaiter);
  EXPECT_EQ(stored.step().value(), AgentState::Ended);
  EXPECT_EQ(stored.run().outcome().result_json, "[1,2]");
  EXPECT_EQ(stored.park().value(), AgentLeft::Ended);
}

TEST_F(AgentMailTest, ALetterThatComesBeforeTheRunBeginsIsHeard) {
  tell(AgentMail::Kind::Resolve, "input", "1");
  {
    StoredAgent stored = opened(kWaiter);
    ASSERT_EQ(stored.step().value(), AgentState::Waiting);
    EXPECT_EQ(stored.run().pending(), std::vector<std::string>{"input#2"});
    ASSERT_EQ(stored.park().value(), AgentLeft::Parked);
  }
  tell(AgentMail::Kind::Resolve, "input#2", "2");
  StoredAgent stored = opened(kWaiter);
  EXPECT_EQ(stored.step().value(), AgentState::Ended);
  EXPECT_EQ(stored.run().outcome().result_json, "[1,2]");
}

TEST_F(AgentMailTest, ALetterThatComesBeforeTheRunIsParkedKeepsItGoing) {
  StoredAgent stored = opened(kWaiter);
  ASSERT_EQ(stored.step().value(), AgentState::Waiting);
  tell(AgentMail::Kind::Resolve, "input", "1");
  EXPECT_EQ(stored.park().value(), AgentLeft::Arrived);
  ASSERT_EQ(stored.step().value(), AgentState::Waiting);
  EXPECT_EQ(stored.run().pending(), std::vector<std::string>{"input#2"});
  EXPECT_EQ(stored.park().value(), AgentLeft::Parked);
}

TEST_F(AgentMailTest, ASessionIsOverWhenItWasIdleForItsTime) {
  const AgentParking session{.idle_ms = 500};
  {
    StoredAgent stored = opened(kAnswerer, 1'000);
    ASSERT_EQ(stored.step().value(), AgentState::Ended);
    EXPECT_EQ(stored.park(session).value(), AgentLeft::Parked);
    EXPECT_EQ(store_.find("a").value()->deadline_ms, 1'500);
  }
  {
    StoredAgent stored = opened(kAnswerer, 1'499);
    EXPECT_EQ(stored.park(session).value(), AgentLeft::Parked) << "the time that is left stays the same";
    EXPECT_EQ(store_.find("a").value()->deadline_ms, 1'500);
  }
  EXPECT_EQ(opened(kAnswerer, 1'500).park(session).value(), AgentLeft::Ended);
}

TEST_F(AgentMailTest, ASessionIsEndedByALetterWhenNothingIsOpen) {
  tell(AgentMail::Kind::End);
  {
    StoredAgent stored = opened(kWaiter);
    ASSERT_EQ(stored.step().value(), AgentState::Waiting);
    EXPECT_EQ(stored.park({.idle_ms = 0}).value(), AgentLeft::Parked) << "an operation is open";
  }
  tell(AgentMail::Kind::Resolve, "input", "1");
  tell(AgentMail::Kind::Resolve, "input#2", "2");
  StoredAgent stored = opened(kWaiter, 2'000);
  ASSERT_EQ(stored.step().value(), AgentState::Ended);
  EXPECT_EQ(stored.park({.idle_ms = 500}).value(), AgentLeft::Ended);
}

}  // namespace
}  // namespace ptcvm::loop
