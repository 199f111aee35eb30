// What a chain knows while it plans: the texts of the models, the plan of each revision, and how replies become plans.
#pragma once
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "agents/chain/chain.h"
#include "agents/chain/plan/intent.h"
#include "agents/chain/plan/plan.h"
#include "agents/chain/plan/plan_program.h"
#include "agents/chain/plan/tool_signatures.h"
#include "agents/chain/report/report.h"
#include "agents/chain/text/model_usage.h"

namespace ptcvm::chain {

class Planning {
 public:
  // Both must outlive it.
  Planning(const ChainOptions& options, const ToolSignatures& signatures)
      : options_(options), signatures_(signatures) {}

  // Takes what the driver began with: the reply about the intent (model_usage.h), and the context as text.
  void begin(const boost::json::value& intent, std::string_view context);
  // Returns what the planner is asked; the rows of the revision before must be known. `request` is what the driver
  // hands to chain_plan.
  std::string prompt(const boost::json::object& request) const;
  // Judges a reply, as chain_check does (driver_program.h), and keeps the plan when it is right.
  boost::json::object check(const boost::json::object& request);

  // Keeps the rows that a revision ended with (plan_program.h).
  void set_rows(std::uint32_t revision, boost::json::array rows) { rows_[revision] = std::move(rows); }
  // Returns the rows, or nullptr.
  const boost::json::array* rows(std::uint32_t revision) const;
  // Returns the last revision before this one that was executed, as far as plans and rows are known, or 0.
  std::uint32_t executed_before(std::uint32_t revision) const;
  // Returns the last revision before this one that has a plan, or 0.
  std::uint32_t planned_before(std::uint32_t revision) const;
  // Says what a person wants to be different from a revision on.
  void set_wish(std::string wish) { wish_ = std::move(wish); }
  // Returns the plan of a revision, or nullptr.
  const Plan* plan(std::uint32_t revision) const;
  // Returns the steps of the newest plan; none when there is no plan.
  boost::json::array newest_plan() const;
  // Returns what the revisions before this one left.
  const PlanHistory& history(std::uint32_t revision) const;
  const IntentProfile& intent() const { return intent_; }
  // Returns what the intent and the plans have cost.
  TaskCost cost() const;

 private:
  boost::json::object check_revision(std::uint32_t revision, Plan plan);

  const ChainOptions& options_;
  const ToolSignatures& signatures_;
  IntentProfile intent_;
  std::string context_, wish_;
  std::map<std::uint32_t, Plan> plans_;
  std::map<std::uint32_t, boost::json::array> rows_;
  std::map<std::uint32_t, PlanHistory> histories_;
  // By revision and attempt; 0 and 0 for the intent. A process that goes on from the top sees replies again.
  std::map<std::pair<std::uint32_t, std::uint32_t>, ModelUsage> usage_;
};

}  // namespace ptcvm::chain
