#include "agents/chain/plan/plan.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace ptcvm::chain {
namespace {

namespace json = boost::json;

std::variant<Plan, PlanError> made(std::string_view steps, std::optional<std::vector<std::string>> tools = {}) {
  return make_plan(json::parse(steps).as_array(), {.task_id = "T", .tools = std::move(tools)});
}

Plan plan(std::string_view steps) {
  auto result = made(steps);
  const auto* const error = std::get_if<PlanError>(&result);
  EXPECT_EQ(error, nullptr) << error->name << ": " << error->message;
  return error == nullptr ? std::get<Plan>(std::move(result)) : Plan();
}

std::string refusal(std::string_view steps, std::optional<std::vector<std::string>> tools = {}) {
  const auto result = made(steps, std::move(tools));
  const auto* const error = std::get_if<PlanError>(&result);
  return error == nullptr ? "" : error->name;
}

using Indices = std::vector<std::size_t>;

TEST(Plan, DependsOnTheStepBeforeUnlessItSaysOtherwise) {
  const Plan made = plan(R"([{"tool": "a"}, {"tool": "b"}, {"tool": "c", "dependsOn": []},
                             {"tool": "d", "dependsOn": [1, "step-2", "prev"]},
                             {"tool": "e", "dependsOn": ["", "1.9"]}])");
  EXPECT_EQ(made.steps[0].depends_on, Indices{});
  EXPECT_EQ(made.steps[1].depends_on, Indices{0});
  EXPECT_EQ(made.steps[2].depends_on, Indices{});
  EXPECT_EQ(made.steps[3].depends_on, (Indices{0, 1, 2}));
  EXPECT_EQ(made.steps[4].depends_on, Indices{0});
}

TEST(Plan, KeepsIdsThatArePlainAndNumbersTheOthers) {
  const std::string long_id(65, 'a');
  const Plan made = plan(R"([{"id": "s1", "tool": "a"}, {"id": "two words", "tool": "b"},
                             {"id": ")" + long_id + R"(", "tool": "c", "dependsOn": ["s1"]}])");
  EXPECT_EQ(made.steps[0].id, "s1");
  EXPECT_EQ(made.steps[1].id, "step-T-2");
  EXPECT_EQ(made.steps[2].id, "step-T-3");
  EXPECT_EQ(made.steps[2].depends_on, Indices{0});
}

TEST(Plan, RefusesByName) {
  EXPECT_EQ(refusal(R"([{"tool": "a", "dependsOn": [1]}])"), "PLAN_CYCLE");
  EXPECT_EQ(refusal(R"([{"tool": "a", "dependsOn": [2]}, {"tool": "b", "dependsOn": []}])"), "PLAN_CYCLE");
  EXPECT_EQ(refusal(R"([{"tool": "a"}, {"tool": "b", "dependsOn": ["9"]}])"), "PLAN_UNKNOWN_DEPENDENCY");
  EXPECT_EQ(refusal(R"([{"tool": "a"}, {"tool": "b", "dependsOn": ["who"]}])"), "PLAN_UNKNOWN_DEPENDENCY");
  EXPECT_EQ(refusal(R"([{"tool": "a"}, {"tool": "b", "dependsOn": [0]}])"), "PLAN_UNKNOWN_DEPENDENCY");
  EXPECT_EQ(refusal(R"([{"id": "x", "tool": "a"}, {"id": "x", "tool": "b"}])"), "PLAN_DUPLICATE_ID");
  EXPECT_EQ(refusal(R"([{"id": "step-T-2", "tool": "a"}, {"tool": "b"}])"), "PLAN_DUPLICATE_ID");
  EXPECT_EQ(refusal(R"([{"tool": "a"}])", {{"b"}}), "PLAN_UNKNOWN_TOOL");
  for (const char* const step : {R"(1)", R"({})", R"({"type": "walk", "description": "d"})", R"({"type": "action"})",
                                 R"({"tool": "a", "args": []})", R"({"tool": "a", "dependsOn": 1})",
                                 R"({"tool": "a", "riskLevel": "huge"})", R"({"tool": "a", "verification": [1]})",
                                 R"({"tool": "a", "args": {"$result": "b"}})",
                                 R"({"tool": "a", "requiresConfirmation": "no"})", R"({"tool": 7})"}) {
    EXPECT_EQ(refusal('[' + std::string(step) + ']'), "PLAN_INVALID") << step;
  }
}

TEST(Plan, IsNotReadOutOfBrokenOnes) {
  const auto read = [](std::string_view text) {
    const auto plan = read_plan(text, {.task_id = "T"});
    const Plan* const made = std::get_if<Plan>(&plan);
    return made == nullptr ? std::get<PlanError>(plan).name : made->steps.front().id;
  };
  for (const char* const text : {R"({"steps":[{"id":"a","tool":"x","dependsOn":[],}]})",
                                 R"({"steps":[{"id":"a","tool":"x" // says "why"
                                    ,"dependsOn":[]}]})",
                                 R"({"steps":[{"id":"a","tool":"x","dependsOn":[])", R"([{"id":"a","dependsOn":[],}])",
                                 "```json\n{\"steps\":[{\"id\":\"a\",\"dependsOn\":[],}]}\n```",
                                 "<think>{\"steps\":[{\"id\":\"a\",\"tool\":\"x\"}]}</think>",
                                 "<think>{\"steps\":[{\"id\":\"a\",\"tool\":\"x\"}]}"}) {
    EXPECT_EQ(read(text), "PLAN_INVALID") << text;
  }
  const std::string good = R"({"steps":[{"id":"b","tool":"x"}]})";
  EXPECT_EQ(read("<think>{\"steps\":[{\"id\":\"a\",\"tool\":\"x\"}]}</think>\n" + good), "b");
  EXPECT_EQ(read("\n<thinking>a</thinking> Here it is: " + good), "b");
  EXPECT_EQ(read("With {braces} in [prose]: " + good), "b");
  EXPECT_EQ(read(R"({"steps":[{"id":"a",}]} was wrong. )" + good), "b");
}

TEST(Plan, TakesResultsOfStepsUpstreamOnly) {
  EXPECT_EQ(refusal(R"([{"id": "a", "tool": "x"}, {"id": "b", "tool": "y"},
                        {"tool": "z", "args": {"t": [{"$result": "a", "path": [0]}]}}])"), "");
  EXPECT_EQ(refusal(R"([{"id": "a", "tool": "x"},
                        {"id": "b", "tool": "y", "dependsOn": [], "args": {"t": {"$result": "a"}}}])"),
            "PLAN_RESULT_NOT_UPSTREAM");
  EXPECT_EQ(refusal(R"([{"id": "a", "tool": "x", "args": {"t": {"$result": "a"}}}])"), "PLAN_RESULT_NOT_UPSTREAM");
}

TEST(Plan, ChecksItsOutputsWhenNoStepChecksAny) {
  const Plan made = plan(R"([{"type": "thought", "description": "Think"}])");
  ASSERT_EQ(made.steps.size(), 2U);
  EXPECT_EQ(made.steps[1].type, StepType::System);
  EXPECT_EQ(made.steps[1].depends_on, Indices{0});
  EXPECT_EQ(plan("[]").steps.size(), 1U);
}

TEST(Plan, HasTheRiskOfItsTools) {
  const Plan made = plan(R"([{"tool": "git_push"}, {"tool": "git_log"}, {"tool": "ask"},
                             {"tool": "fs_write_file", "requiresConfirmation": false}])");
  EXPECT_EQ(made.steps[0].risk, RiskLevel::High);
  EXPECT_TRUE(made.steps[0].requires_confirmation);
  EXPECT_EQ(made.steps[1].risk, RiskLevel::Medium);
  EXPECT_EQ(made.steps[2].risk, RiskLevel::Low);
  EXPECT_EQ(made.steps[3].risk, RiskLevel::High);
  EXPECT_FALSE(made.steps[3].requires_confirmation);
}

TEST(Plan, IsReadOutOfWhatAModelWrote) {
  const auto read = [](std::string_view text) { return read_plan(text, {.task_id = "T"}); };
  const auto fenced = read("Here is the plan:\n```json\n{\"steps\": [{\"tool\": \"a\"}]}\n```\nGood luck!");
  ASSERT_TRUE(std::holds_alternative<Plan>(fenced));
  EXPECT_EQ(std::get<Plan>(fenced).steps[0].tool, "a");
  EXPECT_TRUE(std::holds_alternative<Plan>(read("Sure: [{\"tool\": \"}\"}] ok?")));
  EXPECT_EQ(std::get<PlanError>(read("no plan today")).name, "PLAN_INVALID");
  EXPECT_EQ(std::get<PlanError>(read("{\"plan\": []}")).name, "PLAN_INVALID");
}

TEST(Plan, HasABound) {
  json::array steps;
  for (int i = 0; i < 10'000; ++i) steps.push_back(json::object{{"tool", "a"}});
  EXPECT_EQ(std::get<PlanError>(make_plan(steps, {.task_id = "T"})).name, "PLAN_TOO_LARGE");
}

}  // namespace
}  // namespace ptcvm::chain
