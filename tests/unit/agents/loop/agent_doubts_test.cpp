// Doubts about one call: a person says what became of this doubt, and of no other one.
#include <gtest/gtest.h>

#include "agents/loop/doubt_names.h"
#include "agents/loop/stored_agent.h"
#include "tests/unit/agents/loop/program_reply.h"

namespace ptcvm::loop {
namespace {

using Paths = std::vector<std::string>;

constexpr std::string_view kPays = R"({"name": "a", "prompt": "P", "signature": "() -> :int",
  "tools": [{"name": "pay", "signature": "() -> :int", "effect": "unsafe"}]})";

class DoubtsTest : public testing::Test {
 protected:
  DoubtsTest() : agent_(Agent::make(engine_, read_agent_text(kPays).value()).value()) {}

  // A process that goes on with the run. It dies when its object does.
  StoredAgent process(std::uint32_t rules = kAgentRules) {
    StoredAgentOptions options;
    options.start.id = "r";
    options.start.rules = rules;
    StoredAgent stored = StoredAgent::open(agent_, store_, std::move(options)).value();
    stored.step().value();
    if (stored.run().turns().empty() && stored.run().usage().model_calls == 1 && !has_program_) {
      has_program_ = true;
      EXPECT_TRUE(stored.resolve_model("model", writes("(return (tool/pay {}))")));
      stored.step().value();
    }
    return stored;
  }
  // Says that the call did not happen, and dies in the call that is made then.
  void die_in_call_after(const std::string& doubt) {
    StoredAgent stored = process();
    ASSERT_TRUE(stored.reject(doubt, "no")) << doubt;
    stored.step().value();
    ASSERT_EQ(stored.take_orders().size(), 1u);
  }

  Engine engine_;
  Agent agent_;
  Store store_ = Store::in_memory();
  bool has_program_ = false;
};

TEST_F(DoubtsTest, each_doubt_about_a_call_has_a_path_of_its_own) {
  { EXPECT_EQ(process().take_orders().size(), 1u); }
  EXPECT_EQ(process().run().pending(), Paths{"doubt:pay"});
  die_in_call_after("doubt:pay");
  EXPECT_EQ(process().run().pending(), Paths{"doubt:pay@2"});
  die_in_call_after("doubt:pay@2");
  EXPECT_EQ(process().run().pending(), Paths{"doubt:pay@3"});
  StoredAgent stored = process();
  EXPECT_EQ(stored.resolve("doubt:pay", Value::of(std::int64_t{1})).error().code, Errc::already_resolved);
  EXPECT_EQ(stored.resolve("doubt:pay@2", Value::of(std::int64_t{1})).error().code, Errc::already_resolved);
  ASSERT_TRUE(stored.resolve("doubt:pay@3", Value::of(std::int64_t{5})));
  stored.step().value();
  EXPECT_EQ(stored.run().outcome().result_json, "5");
}

TEST_F(DoubtsTest, a_run_of_earlier_rules_has_one_path_for_all) {
  { EXPECT_EQ(process(8).take_orders().size(), 1u); }
  die_in_call_after("doubt:pay");
  EXPECT_EQ(process().run().pending(), Paths{"doubt:pay"});
  die_in_call_after("doubt:pay");
  EXPECT_EQ(process().run().pending(), Paths{"doubt:pay"});
}

TEST_F(DoubtsTest, a_word_that_comes_twice_does_not_hide_the_call_that_is_made_again) {
  { EXPECT_EQ(process().take_orders().size(), 1u); }
  {
    StoredAgent stored = process();
    ASSERT_TRUE(stored.reject("doubt:pay", "no"));
    stored.step().value();
    ASSERT_EQ(stored.take_orders().size(), 1u);   // the call is under way
    ASSERT_TRUE(StoredAgent::tell(store_, "r", {AgentMail::Kind::Reject, "doubt:pay", "no"}, 0));
  }
  EXPECT_EQ(process().run().pending(), Paths{"doubt:pay@2"});
}

TEST_F(DoubtsTest, a_process_that_goes_on_makes_the_call_of_which_it_was_in_doubt) {
  StoredAgent stored = process();
  ASSERT_EQ(stored.take_orders().size(), 1u);
  ASSERT_TRUE(stored.doubt("pay"));
  stored.step().value();
  ASSERT_TRUE(stored.reject("doubt:pay", "no"));
  stored.step().value();
  EXPECT_EQ(stored.take_orders().size(), 1u);
}

TEST_F(DoubtsTest, an_answer_that_comes_late_is_about_its_own_call) {
  StoredAgentOptions late;
  late.start.id = "r";
  late.owner = "late";
  late.lease_ms = 1;
  std::int64_t now_ms = 0;
  late.clock = [&now_ms] { return now_ms; };
  StoredAgent first = StoredAgent::open(agent_, store_, std::move(late)).value();
  first.step().value();
  ASSERT_TRUE(first.resolve_model("model", writes("(return (tool/pay {}))")));
  first.step().value();
  ASSERT_EQ(first.take_orders().size(), 1u);
  has_program_ = true;
  const auto other = [&](std::int64_t at_ms) {
    StoredAgentOptions options;
    options.start.id = "r";
    options.owner = "other";
    options.clock = [at_ms] { return at_ms; };
    return StoredAgent::open(agent_, store_, std::move(options)).value();
  };
  {
    StoredAgent stored = other(1'000'000);
    stored.step().value();
    ASSERT_TRUE(stored.reject("doubt:pay", "no"));
    stored.step().value();
    ASSERT_EQ(stored.take_orders().size(), 1u);
  }
  StoredAgent again = other(2'000'000);
  again.step().value();
  ASSERT_EQ(again.run().pending(), Paths{"doubt:pay@2"});
  EXPECT_FALSE(first.resolve("pay", Value::of(std::int64_t{1})));   // the letter says it of doubt:pay
  again.advance().value();
  again.step().value();
  EXPECT_EQ(again.run().pending(), Paths{"doubt:pay@2"});
}

TEST(DoubtNamesTest, name_the_call_and_count_its_doubts) {
  EXPECT_EQ(doubt_name("pay#2", 1), "doubt:pay#2");
  EXPECT_EQ(doubt_name("pay#2", 3), "doubt:pay#2@3");
  EXPECT_EQ(doubted_call("a/desk#2/doubt:pay#2@3"), "a/desk#2/pay#2");
  EXPECT_EQ(doubted_call("doubt:pay"), "pay");
  EXPECT_EQ(doubted_call("desk/pay"), "");
  EXPECT_EQ(doubted_call("approve:pay"), "");
}

}  // namespace
}  // namespace ptcvm::loop
