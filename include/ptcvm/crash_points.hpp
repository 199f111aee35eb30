// The points of a run at which the crash kit can kill its process: before and after each write of the store, before and
// after each call of a tool, and each place where a tool calls Points::reach(). Part of the component crash_kit.
#pragma once
#include <atomic>
#include <cstdint>
#include <string_view>

#include "ptcvm/crash_ledger.hpp"

namespace ptcvm::crash {

// Counts the points that one process passes and kills the process at one of them with SIGKILL: no code of the process
// runs after the kill. Any number of threads may reach points.
class PTCVM_API Points {
 public:
  // Kills at the `dies_at`-th point, counted from 1; 0: never. The ledger is not owned and must outlive the points.
  Points(const Ledger& ledger, std::uint64_t dies_at) : ledger_(ledger), dies_at_(dies_at) {}
  Points(const Points&) = delete;
  Points& operator=(const Points&) = delete;

  // Passes a point. `where` says in the report what the process was about to do, or has just done.
  void reach(std::string_view where);
  // Returns how many points the process has passed.
  std::uint64_t reached() const { return reached_; }
  // Returns whether this process is to die at a point.
  bool armed() const { return dies_at_ != 0; }

 private:
  const Ledger& ledger_;
  const std::uint64_t dies_at_;
  std::atomic<std::uint64_t> reached_{0};
};

}  // namespace ptcvm::crash
