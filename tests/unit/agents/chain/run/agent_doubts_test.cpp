// Calls in doubt of the agent of a step: the host lists them, and a person says what became of them.
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/chain/run/chain_run.h"

namespace ptcvm::chain {
namespace {

class AgentDoubtsTest : public ::testing::Test {
 protected:
  AgentDoubtsTest() {
    ChainOptions options;
    options.id = "T";
    options.input = "Do it";
    options.replans = false;
    options.policy.has_person = true;
    options.tools = {{.name = "pay", .signature = "(cents :int) -> :int", .description = ""}};
    run_ = ChainRun::start(engine_, store_, options).value();
    for (run_->step().value(); !find("step"); run_->step().value()) {
      const char* const plan = R"({"steps":[{"id":"a","type":"action","description":"Think"}]})";
      const ChainOperation asked = run_->operations().front();
      run_->answer(asked.id, boost::json::value(asked.purpose == "plan" ? plan : "")).value();
    }
  }

  std::optional<ChainOperation> find(std::string_view purpose) {
    for (const ChainOperation& operation : run_->operations()) {
      if (operation.purpose == purpose) return operation;
    }
    return std::nullopt;
  }

  // Lists doubts of the agent about these calls.
  void doubt(const std::vector<std::string>& tools) {
    DoubtingAgent agent;
    for (const std::string& tool : tools) agent.doubts.push_back({"agent/doubt:" + tool, "doubt:" + tool, tool, "{}"});
    agent.called_tools = {"cry"};
    agent.usage.calls = 3;
    agent.tell = [this](const AgentDoubt& doubt, DoubtAnswer answer, const boost::json::value& output) -> Result<void> {
      if (is_deaf_) return Error{Errc::store_failed, "the agent hears nothing", std::nullopt, {}};
      told_.push_back(doubt.path + (answer == DoubtAnswer::Happened ? "=" + boost::json::serialize(output) : " no"));
      return {};
    };
    ASSERT_TRUE(run_->doubt_calls(find("step")->id, std::move(agent)));
  }

  std::vector<ChainOperation> doubts() {
    std::vector<ChainOperation> found = run_->operations();
    std::erase_if(found, [](const ChainOperation& one) { return one.kind != OperationKind::Doubt; });
    return found;
  }

  const Engine engine_;
  const Store store_ = Store::in_memory();
  std::optional<ChainRun> run_;
  std::vector<std::string> told_;
  bool is_deaf_ = false;
};

TEST_F(AgentDoubtsTest, are_listed_with_their_paths_and_people_are_waited_for) {
  EXPECT_FALSE(run_->is_parked());
  doubt({"pay", "cry"});
  const auto listed = doubts();
  ASSERT_EQ(listed.size(), 2u);
  EXPECT_EQ((std::vector{listed[0].path, listed[0].tool, listed[0].step, listed[0].key}),
            (std::vector<std::string>{"doubt:pay", "pay", "a", "agent/doubt:pay"}));
  EXPECT_TRUE(run_->is_parked());
  EXPECT_EQ(run_->step().value(), ChainState::Waits);
  EXPECT_FALSE(run_->answer(listed[0].id, 1)) << "a doubt is settled";
}

TEST_F(AgentDoubtsTest, the_agent_is_told_what_a_person_says) {
  doubt({"pay", "cry"});
  ASSERT_TRUE(run_->settle(doubts()[0].id, DoubtAnswer::Happened, 7));
  ASSERT_TRUE(run_->settle(doubts()[0].id, DoubtAnswer::DidNot));
  EXPECT_EQ(told_, (std::vector<std::string>{"doubt:pay=7", "doubt:cry no"}));
  EXPECT_TRUE(doubts().empty());
  ASSERT_TRUE(find("step"));
  EXPECT_FALSE(run_->is_parked()) << "the agent goes on";
}

TEST_F(AgentDoubtsTest, an_output_that_the_tool_cannot_give_is_refused) {
  doubt({"pay"});
  const auto said = run_->settle(doubts()[0].id, DoubtAnswer::Happened, "seven");
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().code, Errc::invalid_value);
  EXPECT_TRUE(told_.empty());
  EXPECT_EQ(doubts().size(), 1u);
}

TEST_F(AgentDoubtsTest, a_word_that_the_agent_does_not_hear_leaves_the_doubt) {
  doubt({"pay"});
  is_deaf_ = true;
  EXPECT_FALSE(run_->settle(doubts()[0].id, DoubtAnswer::Happened, 7));
  EXPECT_EQ(doubts().size(), 1u);
}

TEST_F(AgentDoubtsTest, doubts_that_are_listed_again_replace_the_ones_before) {
  doubt({"pay", "cry"});
  doubt({"cry"});
  ASSERT_EQ(doubts().size(), 1u);
  EXPECT_EQ(doubts()[0].path, "doubt:cry");
}

TEST_F(AgentDoubtsTest, giving_one_up_fails_the_step_with_all_that_the_agent_may_have_called) {
  doubt({"pay"});
  ASSERT_TRUE(run_->settle(doubts()[0].id, DoubtAnswer::GiveUp));
  EXPECT_TRUE(doubts().empty());
  while (run_->step().value() != ChainState::Done) {
    run_->answer(run_->operations().front().id, nullptr).value();
  }
  const boost::json::object& row = run_->outcome()->report.at("steps").as_array()[0].as_object();
  EXPECT_EQ(row.at("error"), "IN_DOUBT: nobody knows whether the agent of the step has called cry, pay");
  EXPECT_EQ(run_->outcome()->report.at("cost").at("modelCalls").to_number<int>(), 2 + 3);
  EXPECT_TRUE(told_.empty());
}

TEST_F(AgentDoubtsTest, the_answer_of_the_step_takes_them_off_the_list) {
  doubt({"pay"});
  ASSERT_TRUE(run_->answer(find("step")->id, "ok"));
  EXPECT_TRUE(doubts().empty());
}

TEST_F(AgentDoubtsTest, only_the_agent_of_a_step_has_such_doubts) {
  EXPECT_FALSE(run_->doubt_calls(12'345, {}));
  doubt({"pay"});
  EXPECT_FALSE(run_->doubt_calls(doubts()[0].id, {}));
}

}  // namespace
}  // namespace ptcvm::chain
