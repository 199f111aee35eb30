// What models are asked in a task.
#pragma once
#include <boost/json/array.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "agents/chain/chain.h"
#include "agents/chain/plan/plan.h"
#include "agents/chain/report/report.h"

namespace ptcvm::chain {

// Returns the prompt for an IntentProfile.
std::string intent_prompt(std::string_view input);

struct PlanPrompt {
  std::string_view input, intent, context;   // the last two are JSON text
  const Plan* before = nullptr;              // the plan that failed; null for the first revision
  std::string_view results = {};             // the results of the plan, JSON text
  std::string_view problem = {};             // why the last reply was no plan
  std::string_view wish = {};                // what a person wants to be different
};
// Returns the prompt for a plan, or for a revision of one.
std::string plan_prompt(const PlanPrompt& prompt, const std::vector<ChainTool>& tools);

// Returns the prompt for a model that judges criteria in free text. The reply is a list of true and false.
std::string judge_prompt(const std::vector<std::string>& criteria, std::string_view output);

}  // namespace ptcvm::chain
