// What the commands of `ptcvm chain` share: a task of a store or in memory, its model and tools, and how its end is
// told.
#pragma once
#include <boost/json/object.hpp>
#include <memory>
#include <optional>
#include <string>

#include "agents/chain/run/chain_run.h"
#include "ptcvm/engine.hpp"
#include "tools/ptcvm/chain/chain_driver.h"
#include "tools/ptcvm/chain/chain_setup.h"
#include "tools/ptcvm/process/interrupt.h"

namespace ptcvm::cli {

// Returns a report in the form that --output names.
std::string shown_report(const boost::json::object& report, const std::string& output);

class ChainSession {
 public:
  // The arguments and the store must outlive the session.
  ChainSession(const ChainArguments& arguments, const Store& store) : arguments_(arguments), store_(store) {}

  // Opens the model and prepares the task. `is_kept` says that the store outlives the process, so that a person can
  // answer later. Returns kSuccess, or the exit status after a message on standard error.
  int open(const ChainSetup& setup, bool is_kept);
  ChainDriver::End drive(const std::function<bool()>& is_over = {});
  // Writes the report on standard output, or what the task waits for on standard error. Returns the exit status.
  int report(const ChainDriver::End& end);
  chain::ChainRun& run() { return *run_; }

 private:
  int open_budget(const ChainSetup& setup);
  int report_waiting() const;
  void tell(const ChainMoment& moment);

  const ChainArguments& arguments_;
  const Store& store_;
  const Engine engine_;
  const InterruptFlag interrupted_;
  bool is_kept_ = false, is_plan_shown_ = false;
  std::optional<ChainChecklist> checklist_;   // nullopt: nobody wants to see the progress
  std::string id_;
  CommandTools tools_;
  OpenedModel model_;
  std::optional<ChainBudget> budget_;
  std::optional<chain::ChainRun> run_;
  std::unique_ptr<ChainDriver> driver_;
};

}  // namespace ptcvm::cli
