// Plans, outputs and criteria that a planner or a tool makes to do harm: they are refused by name, or cut with a note.
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <functional>
#include <set>
#include <string>

#include "agents/chain/report/report_text.h"
#include "agents/chain/run/chain_run.h"

namespace ptcvm::chain {
namespace {

namespace json = boost::json;

class HostileTest : public testing::Test {
 protected:
  HostileTest() {
    options_.id = "T";
    options_.input = "Do it";
    options_.replans = false;
    options_.tools = {{.name = "do", .signature = "", .description = "", .effect = Effect::Keyed}};
  }
  // Runs a task with this reply of the planner; `tool` gives the output of each call.
  ChainOutcome run(const std::string& plan) {
    ChainRun run = ChainRun::start(engine_, Store::in_memory(), options_).value();
    while (run.step().value() != ChainState::Done) {
      for (const ChainOperation& operation : run.operations()) {
        if (operation.kind == OperationKind::Tool) {
          ++calls_;
          ids_.insert(operation.step);
          const json::value said = tool_(operation);
          if (said.is_null()) {
            EXPECT_TRUE(run.answer_error(operation.id, long_));
          } else {
            EXPECT_TRUE(run.answer(operation.id, said));
          }
        } else {
          const bool is_plan = operation.purpose == "plan";
          EXPECT_TRUE(run.answer(operation.id, json::value(is_plan ? plan : "")));
        }
      }
    }
    return *run.outcome();
  }
  std::string error(const std::string& plan) {
    const std::string error = run(plan).error;
    return error.substr(0, error.find(':'));
  }
  static std::string plan_of(json::array steps) { return json::serialize(json::object{{"steps", std::move(steps)}}); }
  static std::string row_error(const ChainOutcome& outcome, std::size_t row) {
    const json::value* const error = outcome.report.at("steps").at(row).as_object().if_contains("error");
    return error == nullptr ? std::string() : std::string(error->as_string());
  }

  const Engine engine_;
  ChainOptions options_;
  std::function<json::value(const ChainOperation&)> tool_ = [](const ChainOperation&) { return json::value("ok"); };
  std::string long_;
  std::size_t calls_ = 0;
  std::set<std::string> ids_;
};

TEST_F(HostileTest, ten_thousand_steps_are_refused_or_carried_out_as_the_limit_says) {
  json::array steps;
  for (int i = 0; i < 10'000; ++i) steps.push_back(json::object{{"tool", "do"}, {"args", {{"n", i}}}});
  EXPECT_EQ(error(plan_of(steps)), "PLAN_TOO_LARGE");
  EXPECT_EQ(calls_, 0u);
  options_.most_steps = 10'000;
  EXPECT_EQ(error(plan_of(steps)), "LIMIT_REACHED") << "the program of the plan is longer than 1 MiB";
  steps.resize(5'000);
  const ChainOutcome outcome = run(plan_of(steps));
  EXPECT_EQ(calls_, 5'000u) << outcome.error;
  EXPECT_EQ(outcome.report.at("summary"), "Completed 5000/5000 steps.");
}

TEST_F(HostileTest, thousands_of_steps_that_hang_together_are_carried_out) {
  json::array steps;
  for (int i = 0; i < 2'000; ++i) {
    json::array on;
    for (int k = 1; k <= 3 && k * 7 <= i; ++k) on.push_back(json::value("s" + std::to_string(i - k * 7)));
    steps.push_back(json::object{{"id", "s" + std::to_string(i)}, {"tool", "do"}, {"dependsOn", std::move(on)}});
  }
  options_.most_steps = 10'000;
  EXPECT_TRUE(run(plan_of(steps)).report.at("success").as_bool());
  EXPECT_EQ(calls_, 2'000u);
}

TEST_F(HostileTest, cycles_are_refused) {
  for (const char* const plan :
       {R"({"steps":[{"id":"a","tool":"do","dependsOn":["a"]}]})",
        R"({"steps":[{"id":"a","tool":"do","dependsOn":["b"]},{"id":"b","tool":"do","dependsOn":["a"]}]})",
        R"({"steps":[{"id":"a","tool":"do","dependsOn":[2]},{"id":"b","tool":"do"}]})"}) {
    EXPECT_EQ(error(plan), "PLAN_CYCLE") << plan;
  }
  EXPECT_EQ(calls_, 0u);
}

TEST_F(HostileTest, ids_that_look_like_others_are_other_ids) {
  // Latin and Cyrillic letters; names that tasks of the engine have; an id that a number would give.
  run(R"({"steps":[{"id":"a","tool":"do","dependsOn":[]},{"id":"А","tool":"do","dependsOn":[]},
      {"id":"A","tool":"do","dependsOn":["a"]},{"id":"a@1","tool":"do"},{"id":"a#1","tool":"do"},
      {"id":"../a","tool":"do"},{"id":"a​","tool":"do"},{"id":"plan","tool":"do"},{"id":"report","tool":"do"},
      {"id":"feedback","tool":"do"},{"id":"steps","tool":"do"}]})");
  EXPECT_EQ(ids_, (std::set<std::string>{"A", "a", "feedback", "plan", "report", "step-T-2", "step-T-4", "step-T-5",
                                         "step-T-6", "step-T-7", "steps"}));
  EXPECT_EQ(error(R"({"steps":[{"id":"step-T-2","tool":"do"},{"id":"а","tool":"do"}]})"), "PLAN_DUPLICATE_ID");
  EXPECT_EQ(error(R"({"steps":[{"id":"a","tool":"do"},{"id":"b","tool":"do","dependsOn":["а"]}]})"),
            "PLAN_UNKNOWN_DEPENDENCY");
}

TEST_F(HostileTest, results_that_point_anywhere_are_refused_or_fail_their_step) {
  const auto with = [](const std::string& result) {
    return R"({"steps":[{"id":"a","tool":"do","dependsOn":[]},{"id":"b","tool":"do","dependsOn":["a"],"args":{"x":)" +
           result + "}}]}";
  };
  EXPECT_EQ(error(with(R"({"$result":"b"})")), "PLAN_RESULT_NOT_UPSTREAM");
  EXPECT_EQ(error(with(R"({"$result":"../T"})")), "PLAN_RESULT_NOT_UPSTREAM");
  EXPECT_EQ(error(with(R"({"$result":7})")), "PLAN_RESULT_NOT_UPSTREAM");
  EXPECT_EQ(error(with(R"({"$result":"a","path":[-1]})")), "PLAN_INVALID");
  EXPECT_EQ(error(with(R"({"$result":"a","path":"x"})")), "PLAN_INVALID");
  for (const char* const path : {R"(["__proto__"])", "[9999999999999]", R"([0,0,0,0])", R"(["constructor","name"])"}) {
    EXPECT_EQ(row_error(run(with(std::string(R"({"$result":"a","path":)") + path + "}")), 1), "RESULT_PATH_MISSING")
        << path;
  }
  std::string deep = "1";
  for (int i = 0; i < 5'000; ++i) deep = "[" + deep + "]";
  EXPECT_EQ(error(with(deep)), "PLAN_INVALID");
}

TEST_F(HostileTest, criteria_that_would_take_for_ever_end) {
  tool_ = [](const ChainOperation&) { return json::value(std::string(200'000, 'a') + "!"); };
  std::string schema = "{\"$defs\":{\"d0\":{\"type\":\"number\"}";
  for (int i = 1; i < 40; ++i) {
    const std::string below = "{\"$ref\":\"#/$defs/d" + std::to_string(i - 1) + "\"}";
    schema += ",\"d" + std::to_string(i) + "\":{\"anyOf\":[" + below + "," + below + "]}";
  }
  schema += "},\"$ref\":\"#/$defs/d39\"}";
  for (const std::string& criterion :
       {std::string("regex:^(a+)+$"), std::string("regex:(a|aa)+b"), "regex:(" + std::string(20'000, '(') + ")",
        std::string("regex:a{1000}{1000}"), "schema:" + schema, std::string("predicate:(loop [] (recur))"),
        std::string("predicate:(count (range 1000000000))")}) {
    const ChainOutcome outcome = run(plan_of({json::object{{"tool", "do"}, {"verification", json::array{criterion}}}}));
    EXPECT_FALSE(outcome.report.at("success").as_bool()) << criterion.substr(0, 60);
    EXPECT_NE(row_error(outcome, 0).find("Unmet checks"), std::string::npos) << row_error(outcome, 0).substr(0, 200);
    EXPECT_LT(json::serialize(outcome.report).size(), 1'000'000u);
  }
  json::array many;
  for (int i = 0; i < 101; ++i) many.emplace_back("contains:a");
  EXPECT_EQ(error(plan_of({json::object{{"tool", "do"}, {"verification", many}}})), "PLAN_INVALID");
}

TEST_F(HostileTest, outputs_of_a_hundred_megabytes_fail_their_step_and_messages_are_cut) {
  constexpr std::size_t kLong = 100'000'000;
  tool_ = [](const ChainOperation&) { return json::value(std::string(kLong, 'x')); };
  const ChainOutcome outcome = run(plan_of({json::object{{"tool", "do"}}}));
  EXPECT_EQ(row_error(outcome, 0), "OUTPUT_TOO_LARGE: the output has 100000000 bytes; at most 262144 are taken");
  for (const std::string& shown : {report_text(outcome.report), report_markdown(outcome.report),
                                   report_html(outcome.report)}) {
    EXPECT_LT(shown.size(), 100'000u);
  }
  // The same for what a tool says of its failure.
  tool_ = [](const ChainOperation&) { return json::value(); };
  long_.assign(kLong, 'y');
  const ChainOutcome failed = run(plan_of({json::object{{"tool", "do"}}}));
  EXPECT_LT(json::serialize(failed.report).size(), 4 * options_.most_output_bytes);
  EXPECT_NE(row_error(failed, 0).find("[cut: the text had 100000000 bytes]"), std::string::npos);
}

}  // namespace
}  // namespace ptcvm::chain
