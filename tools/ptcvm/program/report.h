// What run, eval and resume say at the end: value, error or what the program waits for; and the exit status.
#pragma once
#include <string>

#include "ptcvm/run.hpp"
#include "tools/ptcvm/calls/run_options.h"
#include "tools/ptcvm/program/snapshot_file.h"

namespace ptcvm::cli {

// Where the state of a program that is suspended goes; "" for nowhere.
struct ParkOptions {
  std::string snapshot;
  bool program_by_hash = false;
  SealOptions seal;
  std::uint64_t sequence = 1;      // the number of the snapshot, when it is sealed
};

void declare_park_options(CLI::App& command, ParkOptions& options);

// Writes the warnings of a turn, and how tasks are kept when nothing keeps them.
void show_warnings(const Outcome& outcome);

// Returns the outcome of a turn whose program is refused.
Outcome outcome_of(const Error& error);

// Reports a program that ended, from the text of its value. Functions in it are given to JSON as text.
int report_text(const Outcome& outcome, const std::string& value_edn, OutputForm form, bool stats);

// What a turn comes to, and the text of its value.
struct TurnEnd {
  Outcome outcome;                 // without prints and summaries; its value is nil
  std::string value;               // in the form of the output, but not yet laid out; "" without a value
  // Why the program was not executed, as the status of a command; kSuccess: it was, or its text is refused.
  int refusal = 0;
};

// Writes the value of a turn that ended, within the limits of its run.
TurnEnd end_of_turn(Run& run, OutputForm form);

// Reports a program that ended or waits. A suspended program is written before the line that says so.
int report(Run& run, const TurnEnd& end, const RunArguments& options, const ParkOptions& park);

}  // namespace ptcvm::cli
