// The person behind the runs: answers what they ask, says what became of calls in doubt, and tries again what was set
// aside. A person can look at what a tool did, and so says the truth.
#pragma once
#include <optional>
#include <string>

#include "ptcvm/store.hpp"
#include "tests/simulation/network.h"

namespace ptcvm::simulation {

class Person {
 public:
  Person(Flows& flows, Server& server, Story& story, const Faults& faults);

  void look_after(const std::string& run, bool is_sure);   // is_sure: no call can be under way that was not seen
  void cancel(const std::string& run);
  void go_home() { process_.is_dead = true; }

 private:
  void settle(const std::string& run, const JournalCall& doubt, bool is_sure);

  const Checker& checker_;
  Process process_;
  Network* network_;                                       // the handle owns it
  std::optional<Store> store_;
};

}  // namespace ptcvm::simulation
