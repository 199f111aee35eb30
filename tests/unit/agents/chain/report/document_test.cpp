// The documents of a task: what is written fits its schema and is read back, and what does not fit is named.
#include "agents/chain/report/document.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "agents/chain/memory/context.h"
#include "agents/chain/plan/intent.h"
#include "agents/chain/plan/plan.h"
#include "agents/chain/report/report.h"
#include "agents/chain/run/feedback.h"

namespace ptcvm::chain {
namespace {

namespace json = boost::json;

std::string fault(DocumentType type, const json::value& document) {
  const auto found = document_fault(type, document);
  return found ? found->name + ": " + found->message : std::string();
}

json::value changed(json::object document, std::string_view name, json::value value) {
  document[name] = std::move(value);
  return document;
}

json::value without(json::object document, std::string_view name) {
  document.erase(name);
  return document;
}

TEST(Document, AnIntentIsReadAndWritten) {
  const auto intent = read_intent(R"({"category":"query","summary":"s","complexity":"simple","entities":["Ann"]})");
  ASSERT_TRUE(intent);
  const json::object written = intent_json(*intent);
  EXPECT_EQ(fault(DocumentType::Intent, written), "");
  EXPECT_EQ(intent_json(*read_intent(json::serialize(written))), written);
  EXPECT_EQ(fault(DocumentType::Intent, changed(written, "category", "dream")),
            R"(INTENT_INVALID: at /category: expected one of ["query","action","script","unknown"])");
  EXPECT_EQ(fault(DocumentType::Intent, intent_json(intent_of_input("anything"))), "");
}

TaskContext context() {
  TaskContext made;
  made.cwd = "/home/ann";
  made.tools = {{"say", "(text :string) -> :string", "Says it"}, {"look", "", ""}};
  made.strategy_id = "careful";
  made.strategy_version = "3";
  made.preferences = {{"userConfirmation", 0.5}};
  made.facts = {{"pm", "The user prefers pnpm", 7}};
  made.episodes = {{"t1", "Install it", "Completed 1/1 steps.", "careful", "2", 5}};
  made.confirmed_tools = {"say"};
  made.denied_tools = {"rm"};
  return made;
}

TEST(Document, AContextIsReadAndWritten) {
  const json::object written = context_json(context());
  EXPECT_EQ(fault(DocumentType::Context, written), "");
  const auto read = read_context(written);
  ASSERT_TRUE(std::holds_alternative<TaskContext>(read));
  EXPECT_EQ(context_json(std::get<TaskContext>(read)), written);
  EXPECT_EQ(std::get<TaskContext>(read).facts, context().facts);
  EXPECT_EQ(fault(DocumentType::Context, context_json({})), "");
}

TEST(Document, AContextThatDoesNotFitIsNamed) {
  const json::object written = context_json(context());
  const auto read = [](const json::value& document) {
    const auto taken = read_context(document);
    const auto* const fault = std::get_if<DocumentFault>(&taken);
    return fault == nullptr ? std::string() : fault->name + ": " + fault->message;
  };
  EXPECT_EQ(read(without(written, "cwd")), "CONTEXT_INVALID: \"cwd\" is missing");
  EXPECT_EQ(read(changed(written, "tools", json::array{"say"})), "CONTEXT_INVALID: at /tools/0: expected object");
  EXPECT_EQ(read(changed(written, "more", 1)), "CONTEXT_INVALID: unknown member \"more\"");
  EXPECT_EQ(read(changed(written, "riskPolicy", json::object{{"deniedTools", json::array()}})),
            "CONTEXT_INVALID: at /riskPolicy: \"requiresConfirmation\" is missing");
  EXPECT_EQ(read(json::value(1)), "CONTEXT_INVALID: expected object");
}

TEST(Document, APlanAndAStepAreReadAndWritten) {
  const auto made = read_plan(R"({"steps":[{"id":"a","tool":"say","args":{"n":1}},{"id":"b","type":"thought",
      "description":"d","dependsOn":["a"]}]})", {.task_id = "T"});
  ASSERT_TRUE(std::holds_alternative<Plan>(made));
  const Plan& plan = std::get<Plan>(made);
  json::array steps;
  for (const PlanStep& step : plan.steps) {
    steps.push_back(step_json(plan, step));
    EXPECT_EQ(fault(DocumentType::Step, steps.back()), "");
  }
  const json::object written{{"steps", steps}};
  EXPECT_EQ(fault(DocumentType::Plan, written), "");
  const auto again = read_plan(json::serialize(written), {.task_id = "T"});
  ASSERT_TRUE(std::holds_alternative<Plan>(again));
  EXPECT_EQ(step_json(std::get<Plan>(again), std::get<Plan>(again).steps[1]), steps[1]);
  EXPECT_EQ(fault(DocumentType::Step, changed(steps[0].as_object(), "type", "dream")).substr(0, 12), "STEP_INVALID");
  EXPECT_EQ(fault(DocumentType::Plan, json::object{{"steps", 1}}), "PLAN_INVALID: at /steps: expected array");
}

std::vector<StepResult> results() {
  std::vector<StepResult> made(4);
  made[0].step_id = "a";
  made[0].output = " out ";
  made[0].duration_ms = 12;
  made[0].artifacts = {{"x.txt", "the file"}, {"x.txt", "again"}};
  made[1].step_id = "b";
  made[1].status = StepStatus::Failed;
  made[1].error = "no";
  made[2].step_id = "c";
  made[2].status = StepStatus::Skipped;
  made[2].error = "not attempted";
  made[3].step_id = "d";
  made[3].pending_checks = {"looks nice"};
  return made;
}

TEST(Document, ASummaryCountsStepsAndIsReadAndWritten) {
  const ExecutionSummary summary = make_summary("T", results());
  EXPECT_EQ(summary.steps_total, 4u);
  EXPECT_EQ(summary.steps_completed, 2u);
  EXPECT_EQ(summary.steps_failed, 1u);
  EXPECT_EQ(summary.outputs, std::vector<std::string>{"out"});
  ASSERT_EQ(summary.failures.size(), 1u);
  EXPECT_EQ(summary.failures[0].reason, "no");
  ASSERT_EQ(summary.artifacts.size(), 1u);
  EXPECT_EQ(summary.artifacts[0].description, "the file");
  const json::object written = summary_json(summary);
  EXPECT_EQ(fault(DocumentType::Summary, written), "");
  const auto read = read_summary(written);
  ASSERT_TRUE(std::holds_alternative<ExecutionSummary>(read));
  EXPECT_EQ(summary_json(std::get<ExecutionSummary>(read)), written);
  const auto refused = read_summary(changed(written, "stepsTotal", -1));
  EXPECT_EQ(std::get<DocumentFault>(refused).name, "SUMMARY_INVALID");
  EXPECT_EQ(make_summary("T", {}).steps_total, 0u);
}

TEST(Document, AReportAndItsResultsAreReadAndWritten) {
  TaskReport report = make_report({"T", "Do it", "LIMIT_REACHED: fuel", ""}, {}, results(), {"a note"});
  report.cost = {3, 4, 500, 60};
  report.revision = 2;
  report.created_ms = 1'000;
  const json::object written = report_json(report);
  EXPECT_EQ(fault(DocumentType::Report, written), "");
  const auto read = read_report(written);
  ASSERT_TRUE(std::holds_alternative<TaskReport>(read));
  EXPECT_EQ(report_json(std::get<TaskReport>(read)), written);
  for (const json::value& step : written.at("steps").as_array()) {
    EXPECT_TRUE(std::holds_alternative<StepResult>(read_result(step)));
  }
  EXPECT_EQ(std::get<DocumentFault>(read_report(changed(written, "success", "yes"))).name, "REPORT_INVALID");
  EXPECT_EQ(std::get<DocumentFault>(read_result(json::object{{"stepId", ""}})).name, "RESULT_INVALID");
  const json::object plain = report_json(make_report({"T", "Do it", std::nullopt, "said"}, {}, {}));
  EXPECT_EQ(fault(DocumentType::Report, plain), "");
}

TEST(Document, FeedbackIsReadAndWritten) {
  const json::object written = feedback_json("T", *read_feedback("rating=positive; comment=quick; correction=pnpm"));
  const auto read = read_feedback_json(written);
  ASSERT_TRUE(std::holds_alternative<TaskFeedback>(read));
  EXPECT_EQ(feedback_json("T", std::get<TaskFeedback>(read)), written);
  EXPECT_EQ(std::get<DocumentFault>(read_feedback_json(changed(written, "rating", "great"))).name, "FEEDBACK_INVALID");
}

}  // namespace
}  // namespace ptcvm::chain
