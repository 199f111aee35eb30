// The checklist of a plan, and renderers that a host supplies.
#include "runtime/session/progress.h"

#include <gtest/gtest.h>

namespace ptc {
namespace {

Plan plan_of(std::string_view edn) {
  std::string why;
  auto plan = read_plan(edn, why);
  EXPECT_TRUE(plan) << why;
  return plan.value_or(Plan());
}

std::string refusal(std::string_view edn) {
  std::string why;
  EXPECT_FALSE(read_plan(edn, why)) << edn;
  return why;
}

TEST(Plan, TextsAreNumbered) {
  EXPECT_EQ(plan_of("[\"Charge\" \"Ship\"]"), (Plan{{"1", "Charge"}, {"2", "Ship"}}));
  const std::string texts[] = {"Charge", "Ship"};
  EXPECT_EQ(numbered_plan(texts), plan_of("[\"Charge\" \"Ship\"]"));
}

TEST(Plan, PairsHaveTheirIds) {
  EXPECT_EQ(plan_of("[[\"c\" \"Charge\"] [:ship \"Ship\"] [7 \"Tell\"]]"),
            (Plan{{"c", "Charge"}, {"ship", "Ship"}, {"7", "Tell"}}));
  EXPECT_TRUE(plan_of("[]").empty());
}

TEST(Plan, AnotherShapeIsRefused) {
  EXPECT_EQ(refusal("{}"), "a plan is a vector of texts, or of pairs [id description]");
  EXPECT_EQ(refusal("[1]"), "step 1 is neither a text nor a pair [id description]");
  EXPECT_EQ(refusal("[\"a\" [\"b\"]]"), "step 2 is neither a text nor a pair [id description]");
  EXPECT_EQ(refusal("[[\"\" \"a\"]]"), "step 1 is neither a text nor a pair [id description]");
  EXPECT_EQ(refusal("[[nil \"a\"]]"), "step 1 is neither a text nor a pair [id description]");
  EXPECT_EQ(refusal("[[:a \"x\"] [\"a\" \"y\"]]"), "two steps with the id a");
  EXPECT_EQ(refusal("[\"x\" [1 \"y\"]]"), "two steps with the id 1");
  EXPECT_NE(refusal("["), "");
}

TEST(Checklist, ShowsWhatIsDoneAndWhatIsOpen) {
  const Plan plan = plan_of("[[\"charge\" \"Charge card\"] [\"ship\" \"Ship item\"]]");
  EXPECT_EQ(render_checklist(plan, {{"charge", "Charged tx_1"}}),
            "## Progress\n"
            "Use `(step-done \"id\" \"summary\")` to mark steps complete (optional).\n"
            "\n"
            "- [x] **charge.** Charge card — Charged tx_1\n"
            "- [ ] **ship.** Ship item");
}

TEST(Checklist, StepsOutsideOfThePlanComeAfterItById) {
  EXPECT_EQ(render_checklist(plan_of("[\"Charge\"]"), {{"z", "last"}, {"a", "first"}}),
            "## Progress\n"
            "Use `(step-done \"id\" \"summary\")` to mark steps complete (optional).\n"
            "\n"
            "- [ ] **1.** Charge\n"
            "\n"
            "### Out-of-Plan Steps\n"
            "- [x] a: first\n"
            "- [x] z: last");
}

TEST(Checklist, IsEmptyWithoutAPlan) { EXPECT_EQ(render_checklist({}, {{"a", "b"}}), ""); }

TEST(Checklist, NoTextBreaksOutOfItsLine) {
  const std::string text = render_checklist({{"1", "two\nlines"}}, {{"1", "a\r\nb"}, {"x\ny", "c\n- [x] d"}});
  EXPECT_EQ(text.substr(text.find("- [")),
            "- [x] **1.** two lines — a  b\n\n### Out-of-Plan Steps\n- [x] x y: c - [x] d");
}

Outcome outcome_of(OutcomeStatus status, StepSummaries summaries, std::vector<std::string> tools = {}) {
  Outcome outcome;
  outcome.status = status;
  outcome.summaries = std::move(summaries);
  for (std::string& name : tools) outcome.tool_calls.push_back({std::move(name), "{}", "1", "", false, false, 0});
  return outcome;
}

TEST(Progress, SummariesOfATurnThatFailedDoNotCount) {
  Progress progress(plan_of("[\"a\" \"b\"]"));
  progress.turn_ended(outcome_of(OutcomeStatus::Ok, {{"1", "one"}}));
  progress.turn_ended(outcome_of(OutcomeStatus::Error, {{"2", "two"}}));
  EXPECT_EQ(progress.summaries(), (StepSummaries{{"1", "one"}}));
  progress.turn_ended(outcome_of(OutcomeStatus::Return, {{"2", "again"}, {"1", "better"}}));
  EXPECT_EQ(progress.summaries(), (StepSummaries{{"1", "better"}, {"2", "again"}}));
}

TEST(Progress, ARendererOfOnesOwnKeepsItsState) {
  std::string seen;
  Progress progress(plan_of("[\"a\"]"), [&](const ProgressInput& input, const std::string& state) -> ProgressText {
    seen += std::to_string(input.turn) + (input.phase == ProgressPhase::Initial ? "i" : "c") +
            std::to_string(input.tool_calls.size()) + std::to_string(input.summaries.size()) + ' ';
    return {"rendered " + state, state + '.'};
  });
  EXPECT_EQ(progress.render(), "rendered ");
  progress.turn_ended(outcome_of(OutcomeStatus::Ok, {{"1", "x"}}, {"t", "u"}));
  EXPECT_EQ(progress.render(), "rendered .");
  EXPECT_EQ(seen, "0i00 1c21 ");
  EXPECT_EQ(progress.state(), "..");
  Progress later(plan_of("[\"a\"]"), [](const ProgressInput& input, const std::string& state) -> ProgressText {
    return {std::to_string(input.turn) + state, state};
  });
  later.restore({{"1", "x"}}, 4, "kept");
  EXPECT_EQ(later.render(), "4kept");
}

}  // namespace
}  // namespace ptc
