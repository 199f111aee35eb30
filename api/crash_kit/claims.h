// What must hold of a run whose processes were killed: claims about its log, its tasks and the ledger. Each claim that
// does not hold adds a line to the complaints.
#pragma once
#include <set>
#include <span>
#include <string>
#include <vector>

#include "api/crash_kit/run_history.h"

namespace ptcvm::crash {

class Claims {
 public:
  // `complaints` is not owned.
  explicit Claims(std::vector<std::string>& complaints) : complaints_(complaints) {}

  // A log grows and does nothing else.
  void log_only_grows(std::span<const Fact> before, std::span<const Fact> after);
  // What a store has said to be written is in the log.
  void is_in_log(std::span<const Fact> facts, const std::string& key, const std::string& value);
  // A person is asked about each call of an unsafe tool that was begun and not recorded, may be asked about such calls
  // of reconcilable tools, and is asked about nothing else.
  void asked_rightly(const Calls& before, bool has_asked, const Calls& now);
  // The ledger and the log of a run that has ended say the same.
  void ledger_is_log(const Calls& calls, std::span<const LedgerEntry> entries);
  // The run has the same effects, under the same keys, and the same tasks as a run without a kill.
  void same_as_undisturbed(const Row& row, const Row& undisturbed);

 private:
  void complain(std::string what) { complaints_.push_back(std::move(what)); }
  void difference(const std::set<std::string>& wanted, const std::set<std::string>& seen, const std::string& what);

  std::vector<std::string>& complaints_;
};

}  // namespace ptcvm::crash
