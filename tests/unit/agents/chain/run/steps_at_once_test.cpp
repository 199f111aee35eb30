// Steps of a task that are under way at once: a step begins as soon as the steps that it depends on are done.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "agents/chain/run/chain_run.h"

namespace ptcvm::chain {
namespace {

namespace json = boost::json;

class StepsAtOnceTest : public testing::Test {
 protected:
  StepsAtOnceTest() {
    options_.id = "T";
    options_.input = "Do it";
    options_.parallel = 8;
    options_.tools = {{.name = "do", .signature = "", .description = "", .effect = Effect::Keyed}};
  }
  void start(std::string plan) {
    plan_ = std::move(plan);
    open_again();
  }
  // As another process does.
  void open_again() {
    run_.reset();
    run_.emplace(ChainRun::start(engine_, store_, options_).value());
    advance();
  }
  // Steps until the task waits for tools or people, or is over.
  void advance() {
    while (run_->step().value() != ChainState::Done) {
      bool is_served = false;
      for (const ChainOperation& operation : run_->operations()) {
        if (operation.kind != OperationKind::Model && operation.kind != OperationKind::Report) continue;
        is_served = true;
        run_->answer(operation.id, json::value(operation.purpose == "plan" ? plan_ : "")).value();
      }
      if (!is_served && !run_->operations().empty()) return;
    }
  }
  // The steps whose calls are open, in their order.
  std::string offered() const {
    std::string text;
    for (const ChainOperation& operation : run_->operations()) {
      if (operation.kind == OperationKind::Tool) text += operation.step + ' ';
    }
    return text;
  }
  ChainOperation operation(std::string_view step) const {
    for (ChainOperation& one : run_->operations()) {
      if (one.step == step) return one;
    }
    ADD_FAILURE() << step << " is not under way";
    return {};
  }
  void answer(std::string_view step) {
    run_->answer(operation(step).id, json::value("did " + std::string(step))).value();
    advance();
  }
  void fail(std::string_view step) {
    run_->answer_error(operation(step).id, "down").value();
    advance();
  }
  std::string rows() const {
    std::string text;
    for (const json::value& row : run_->outcome()->report.at("steps").as_array()) {
      text += std::string(row.at("stepId").as_string()) + ' ' + std::string(row.at("status").as_string()) + ' ';
    }
    return text;
  }

  const Engine engine_;
  const Store store_ = Store::in_memory();
  ChainOptions options_;
  std::string plan_;
  std::optional<ChainRun> run_;
};

constexpr const char* kSlowBeside = R"({"steps":[
    {"id":"slow","tool":"do","dependsOn":[]},{"id":"a","tool":"do","dependsOn":[]},
    {"id":"b","tool":"do","dependsOn":["a"],"args":{"from":{"$result":"a"}}},
    {"id":"c","tool":"do","dependsOn":["b"]}]})";

TEST_F(StepsAtOnceTest, a_step_begins_while_an_unrelated_one_is_under_way) {
  start(kSlowBeside);
  EXPECT_EQ(offered(), "slow a ");
  answer("a");
  EXPECT_EQ(offered(), "slow b ");
  EXPECT_EQ(json::serialize(operation("b").args), R"({"from":"did a"})");
  answer("b");
  EXPECT_EQ(offered(), "slow c ");
  answer("c");
  EXPECT_EQ(offered(), "slow ");
  answer("slow");
  EXPECT_EQ(rows(), "slow completed a completed b completed c completed ");
}

TEST_F(StepsAtOnceTest, a_step_waits_for_its_own_dependencies_alone) {
  start(R"({"steps":[
    {"id":"slow","tool":"do","dependsOn":[]},{"id":"a","tool":"do","dependsOn":[]},
    {"id":"b","tool":"do","dependsOn":[]},
    {"id":"both","tool":"do","dependsOn":["a","b"],"args":{"from":[{"$result":"a"},{"$result":"b"}]}},
    {"id":"one","tool":"do","dependsOn":["a"]},{"id":"last","tool":"do","dependsOn":["one","slow"]}]})");
  EXPECT_EQ(offered(), "slow a b ");
  answer("a");
  EXPECT_EQ(offered(), "slow b one ");
  answer("one");
  answer("b");
  EXPECT_EQ(offered(), "slow both ");
  EXPECT_EQ(json::serialize(operation("both").args), R"({"from":["did a","did b"]})");
  answer("slow");
  EXPECT_EQ(offered(), "both last ");
  answer("last");
  answer("both");
  EXPECT_EQ(rows(), "slow completed a completed b completed both completed one completed last completed ");
}

TEST_F(StepsAtOnceTest, what_depends_on_a_failure_is_skipped_and_the_rest_goes_on) {
  options_.replans = false;
  start(R"({"steps":[
    {"id":"slow","tool":"do","dependsOn":[]},{"id":"a","tool":"do","dependsOn":[]},
    {"id":"b","tool":"do","dependsOn":[]},
    {"id":"both","tool":"do","dependsOn":["a","b"]},{"id":"one","tool":"do","dependsOn":["b"]},
    {"id":"end","tool":"do","dependsOn":["both"]}]})");
  fail("a");
  EXPECT_EQ(offered(), "slow b ");
  answer("b");
  EXPECT_EQ(offered(), "slow one ");
  answer("slow");
  answer("one");
  EXPECT_EQ(rows(), "slow completed a failed b completed both skipped one completed end skipped ");
}

TEST_F(StepsAtOnceTest, no_more_steps_than_the_cap_are_under_way) {
  options_.parallel = 2;
  start(R"({"steps":[{"id":"slow","tool":"do","dependsOn":[]},{"id":"a","tool":"do","dependsOn":[]},
    {"id":"b","tool":"do","dependsOn":[]},{"id":"c","tool":"do","dependsOn":["a"]},
    {"id":"d","tool":"do","dependsOn":["b","c"]}]})");
  for (const char* const step : {"a", "b", "c", "d", "slow"}) {
    const std::string under_way = offered();
    EXPECT_LE(std::count(under_way.begin(), under_way.end(), ' '), 2) << under_way;
    answer(step);
  }
  EXPECT_TRUE(run_->outcome()->report.at("success").as_bool());
}

TEST_F(StepsAtOnceTest, a_question_holds_up_what_depends_on_it_alone) {
  options_.policy.has_person = true;
  start(R"({"steps":[{"id":"ask","tool":"do","dependsOn":[],"requiresConfirmation":true},
    {"id":"after","tool":"do","dependsOn":["ask"]},{"id":"a","tool":"do","dependsOn":[]},
    {"id":"b","tool":"do","dependsOn":["a"]},{"id":"c","tool":"do","dependsOn":["after","b"]},
    {"id":"d","tool":"do","dependsOn":["b"]}]})");
  for (const char* const step : {"a", "b", "d"}) {
    EXPECT_EQ(offered(), std::string(step) + ' ');
    answer(step);
  }
  ASSERT_EQ(run_->operations().size(), 1u);
  EXPECT_EQ(run_->operations().front().kind, OperationKind::Question);
  open_again();
  run_->answer(operation("ask").id, json::value("yes")).value();
  advance();
  for (const char* const step : {"ask", "after", "c"}) {
    EXPECT_EQ(offered(), std::string(step) + ' ');
    answer(step);
  }
  EXPECT_TRUE(run_->outcome()->report.at("success").as_bool());
}

// Every order of answers, and a new process after each few of them, leads to the same report.
TEST_F(StepsAtOnceTest, the_report_does_not_depend_on_the_order_of_answers_or_on_deaths) {
  std::mt19937 random(7);
  for (int plan = 0; plan < 20; ++plan) {
    json::array steps;
    for (std::size_t i = 0; i < 10; ++i) {
      json::array on;
      for (std::size_t k = random() % 3; k > 0 && i > 0; --k) on.emplace_back("s" + std::to_string(random() % i));
      json::object args;
      if (!on.empty()) args["from"] = json::object{{"$result", on.front()}};
      steps.push_back({{"id", "s" + std::to_string(i)}, {"tool", "do"}, {"dependsOn", on}, {"args", args}});
    }
    const std::string failing = "s" + std::to_string(random() % 20);   // half of the time none does
    std::string told;
    for (int order = 0; order < 6; ++order) {
      options_.id = "T" + std::to_string(plan * 10 + order);
      options_.replans = false;
      start(json::serialize(json::object{{"steps", steps}}));
      while (!run_->outcome()) {
        std::vector<std::string> open;
        for (const ChainOperation& operation : run_->operations()) open.push_back(operation.step);
        ASSERT_FALSE(open.empty());
        const std::string step = order == 0 ? open.front() : open[random() % open.size()];
        step == failing ? fail(step) : answer(step);
        if (order > 2 && random() % 3 == 0) open_again();
      }
      json::object report = run_->outcome()->report;
      std::string text = rows();
      for (const json::value& output : report.at("outputs").as_array()) text += std::string(output.as_string()) + ' ';
      if (told.empty()) told = text;
      EXPECT_EQ(text, told);
    }
  }
}

}  // namespace
}  // namespace ptcvm::chain
