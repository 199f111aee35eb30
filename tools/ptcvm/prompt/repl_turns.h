// The turns behind a prompt: a session in memory has them, or a run that a store keeps.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptcvm/engine.hpp"
#include "tools/ptcvm/calls/run_options.h"
#include "tools/ptcvm/process/interrupt.h"
#include "tools/ptcvm/program/report.h"
#include "tools/ptcvm/program/suspension.h"
#include "tools/ptcvm/store/store_options.h"

namespace ptcvm::cli {

class ReplTurns {
 public:
  virtual ~ReplTurns() = default;
  // Runs a program to its end or its next suspension, while no other one waits. The value of the end is EDN. An
  // incomplete program changes nothing.
  virtual TurnEnd eval(const std::string& source) = 0;
  virtual TurnEnd go_on() = 0;   // goes on with the program that waits
  // Ends the program that waits. Returns false when the turns keep every program.
  virtual bool give_up() = 0;
  // Returns whether the program that waits can go on: its time has come, or somebody else has said what it waits for.
  virtual bool is_woken() const { return false; }
  virtual std::vector<WaitingOperation> pending() const = 0;
  // Names the calls in doubt, and the commands that settle them.
  virtual std::string doubts_text() const { return {}; }
  virtual Result<void> resolve(std::string_view operation, const Value& value) = 0;
  virtual Result<void> fail(std::string_view operation, const std::string& reason) = 0;
  virtual std::optional<std::string> definitions_edn() const = 0;   // {:name value}; nullopt: they are in the store
  virtual std::vector<std::string> defined_names() const = 0;
  // Returns the programs of earlier processes that have ended well, in their order.
  virtual std::vector<std::string> earlier_programs() const { return {}; }
  // Says who else has the run, or where it has gone; "" when it can go on here.
  virtual std::string held_text() const { return {}; }
  virtual bool is_moved() const { return false; }   // whether the run has gone to another store
  virtual std::string data_edn() const = 0;     // the map for data/…
  virtual std::string store_text() const = 0;   // says which run of which store this is
  virtual bool has_program() const = 0;         // a program is not over, perhaps one of an earlier process
};

// What both kinds need. All of it must outlive the turns.
struct ReplParts {
  const Engine& engine;
  const RunArguments& options;
  const CommandTools& tools;
  const InterruptFlag& interrupted;
  Observer& observer;
};

// Return null when an input or the store is refused; `message` then says why, and `status` is what the command ends
// with.
std::unique_ptr<ReplTurns> session_turns(const ReplParts& parts, std::string& message, int& status);
std::unique_ptr<ReplTurns> stored_turns(const ReplParts& parts, const StoreOptions& store, std::string& message,
                                        int& status);

}   // namespace ptcvm::cli
