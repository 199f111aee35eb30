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
#include "agents/chain/intent.h"
#include "agents/chain/plan.h"
#include "agents/chain/plan_program.h"

namespace ptcvm::chain {

class Planning {
 public:
  explicit Planning(const ChainOptions& options) : options_(options) {}   // the options must outlive it

  // Takes the texts with which the driver began.
  void begin(std::string_view intent, std::string_view context);
  // Returns what the planner is asked; the rows of the revision before must be known. `request` is what the driver
  // hands to chain_plan.
  std::string prompt(const boost::json::object& request) const;
  // Judges a reply, as chain_check does (driver_program.h), and keeps the plan when it is right.
  boost::json::object check(const boost::json::object& request);

  // Keeps the rows that a revision ended with (plan_program.h).
  void set_rows(std::uint32_t revision, boost::json::array rows) { rows_[revision] = std::move(rows); }
  // Returns the rows, or nullptr.
  const boost::json::array* rows(std::uint32_t revision) const;
  // Returns the plan of a revision, or nullptr.
  const Plan* plan(std::uint32_t revision) const;
  // Returns the steps of the newest plan; none when there is no plan.
  boost::json::array newest_plan() const;
  // Returns what the revisions before this one left.
  const PlanHistory& history(std::uint32_t revision) const;
  const IntentProfile& intent() const { return intent_; }

 private:
  boost::json::object check_revision(std::uint32_t revision, Plan plan);

  const ChainOptions& options_;
  IntentProfile intent_;
  std::string context_;
  std::map<std::uint32_t, Plan> plans_;
  std::map<std::uint32_t, boost::json::array> rows_;
  std::map<std::uint32_t, PlanHistory> histories_;
};

}  // namespace ptcvm::chain
