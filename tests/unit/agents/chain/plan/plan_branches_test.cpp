#include "agents/chain/plan/plan_branches.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <random>
#include <set>

namespace ptcvm::chain {
namespace {

namespace json = boost::json;

Plan plan_of(const json::array& steps) { return std::get<Plan>(make_plan(steps, {.task_id = "T"})); }
Plan plan_of(std::string_view steps) { return plan_of(json::parse(steps).as_array()); }

// A line for each group: branches between bars, "<" before a step that waits, ">" after one that is awaited.
std::string shown(const Plan& plan, const std::vector<PlanGroup>& groups) {
  std::string text;
  for (const PlanGroup& group : groups) {
    for (std::size_t i = 0; i < group.size(); ++i) {
      text += i == 0 ? "" : "| ";
      for (const PlacedStep& placed : group[i]) {
        text += (placed.waits ? "<" : "") + plan.steps[placed.step].id + (placed.is_awaited ? ">" : "") + ' ';
      }
    }
    text.back() = '\n';
  }
  return text;
}

std::string shown(std::string_view steps, const std::set<std::string>& done = {}, bool at_once = true) {
  Plan plan = plan_of(steps);
  if (plan.steps.back().type == StepType::System) plan.steps.pop_back();   // the check that plans get
  std::vector<bool> is_done;
  for (const PlanStep& step : plan.steps) is_done.push_back(done.contains(step.id));
  return shown(plan, plan_groups(plan, is_done, at_once));
}

TEST(PlanBranches, steps_in_a_row_are_groups_of_their_own) {
  EXPECT_EQ(shown(R"([{"id":"a","tool":"t"},{"id":"b","tool":"t"},{"id":"c","tool":"t"}])"), "a\nb\nc\n");
}

TEST(PlanBranches, chains_beside_each_other_are_branches) {
  EXPECT_EQ(shown(R"([{"id":"a","tool":"t","dependsOn":[]},{"id":"b","tool":"t","dependsOn":["a"]},
                      {"id":"c","tool":"t","dependsOn":[]},{"id":"d","tool":"t","dependsOn":["b"]}])"),
            "a b d | c\n");
}

TEST(PlanBranches, a_step_that_everything_before_leads_to_begins_a_group) {
  EXPECT_EQ(shown(R"([{"id":"a","tool":"t"},{"id":"b","tool":"t"},{"id":"c","tool":"t","dependsOn":["a"]},
                      {"id":"d","tool":"t","dependsOn":["b","c"]},{"id":"e","tool":"t"}])"),
            "a\nb | c\nd\ne\n");
}

TEST(PlanBranches, a_step_that_others_wait_for_is_the_first_of_its_branch) {
  // d needs b and c, e only c: e does not wait for b.
  EXPECT_EQ(shown(R"([{"id":"b","tool":"t","dependsOn":[]},{"id":"c","tool":"t","dependsOn":[]},
                      {"id":"d","tool":"t","dependsOn":["b","c"]},{"id":"e","tool":"t","dependsOn":["c"]},
                      {"id":"f","tool":"t","dependsOn":["e"]}])"),
            "b> | c> e f | <d\n");
  // a, too: the branch of b is cut before b.
  EXPECT_EQ(shown(R"([{"id":"a","tool":"t","dependsOn":[]},{"id":"b","tool":"t","dependsOn":["a"]},
                      {"id":"c","tool":"t","dependsOn":[]},{"id":"d","tool":"t","dependsOn":["b"]},
                      {"id":"e","tool":"t","dependsOn":["b","c"]},{"id":"f","tool":"t","dependsOn":["c"]}])"),
            "a> | <b> d | c> f | <e\n");
}

TEST(PlanBranches, a_step_whose_result_is_taken_elsewhere_is_awaited) {
  EXPECT_EQ(shown(R"([{"id":"a","tool":"t","dependsOn":[]},{"id":"b","tool":"t","dependsOn":["a"]},
                      {"id":"c","tool":"t","dependsOn":["b"],"args":{"x":{"$result":"a"}}},
                      {"id":"d","tool":"t","dependsOn":[]}])"),
            "a b c | d\n");
  EXPECT_EQ(shown(R"([{"id":"a","tool":"t","dependsOn":[]},{"id":"b","tool":"t","dependsOn":["a"]},
                      {"id":"c","tool":"t","dependsOn":["b"]},{"id":"d","tool":"t","dependsOn":[]},
                      {"id":"e","tool":"t","dependsOn":["b"],"args":{"x":[{"$result":"a"}]}}])"),
            "a> | <b> c | d | <e\n");
}

TEST(PlanBranches, what_is_done_is_left_out) {
  EXPECT_EQ(shown(R"([{"id":"a","tool":"t","dependsOn":[]},{"id":"b","tool":"t","dependsOn":[]},
                      {"id":"c","tool":"t","dependsOn":["a","b"]},{"id":"d","tool":"t","dependsOn":["b"]}])",
                  {"a", "b"}),
            "c | d\n");
}

TEST(PlanBranches, one_step_at_a_time_keeps_the_order_of_the_plan) {
  EXPECT_EQ(shown(R"([{"id":"a","tool":"t","dependsOn":[]},{"id":"b","tool":"t","dependsOn":[]},
                      {"id":"c","tool":"t","dependsOn":["a"]}])", {"b"}, false),
            "a\nc\n");
}

// What the program of a plan relies on, for random plans.
TEST(PlanBranches, steps_follow_or_wait_for_all_that_they_need) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    json::array steps;
    const std::size_t count = 1 + random() % (round % 10 == 0 ? 200 : 12);
    for (std::size_t i = 0; i < count; ++i) {
      json::array on;
      for (std::size_t k = random() % 3; k > 0 && i > 0; --k) on.emplace_back("s" + std::to_string(random() % i));
      steps.push_back({{"id", "s" + std::to_string(i)}, {"tool", "t"}, {"dependsOn", on}});
    }
    const Plan plan = plan_of(steps);
    std::vector<bool> is_done(plan.steps.size());
    for (std::size_t i = 0; i < is_done.size(); ++i) is_done[i] = random() % 8 == 0;
    Plan open_plan = plan;   // without what is done
    for (PlanStep& step : open_plan.steps) std::erase_if(step.depends_on, [&](std::size_t on) { return is_done[on]; });
    std::vector<int> seen(plan.steps.size());
    std::set<std::size_t> over;   // steps of groups before
    for (const PlanGroup& group : plan_groups(plan, is_done, true)) {
      EXPECT_LE(group.size(), kWidestGroup);
      std::set<std::size_t> awaited;
      for (const PlanBranch& branch : group) {
        std::set<std::size_t> before;
        for (const PlacedStep& placed : branch) {
          ++seen[placed.step];
          for (const std::size_t on : plan.steps[placed.step].depends_on) {
            const bool is_waited_for = placed.waits && before.empty() && awaited.contains(on);
            EXPECT_TRUE(is_done[on] || over.contains(on) || before.contains(on) || is_waited_for);
          }
          // Nothing but what it needs is before it in its branch, or in groups before.
          const std::vector<bool> upstream = upstream_of(open_plan, placed.step);
          if (count <= kWidestGroup) {
            for (const std::size_t earlier : over) EXPECT_TRUE(upstream[earlier]);
          }
          for (const std::size_t earlier : before) EXPECT_TRUE(upstream[earlier]);
          if (placed.is_awaited) {
            EXPECT_EQ(placed.step, branch.front().step);
            awaited.insert(placed.step);
          }
          before.insert(placed.step);
        }
      }
      for (const PlanBranch& branch : group) {
        for (const PlacedStep& placed : branch) over.insert(placed.step);
      }
    }
    for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], is_done[i] ? 0 : 1);
  }
}

}  // namespace
}  // namespace ptcvm::chain
