// What run, eval and resume say at the end: value, error or what the program waits for; and the exit status.
#pragma once
#include <string>

#include "runtime/session/session.h"
#include "tools/ptcvm/run_options.h"
#include "tools/ptcvm/snapshot_file.h"

namespace ptcvm::cli {

// Where the state of a program that is suspended goes; "" for nowhere.
struct ParkOptions {
  std::string snapshot;
  bool program_by_hash = false;
  SealOptions seal;
  std::uint64_t sequence = 1;      // of the snapshot, when it is sealed
};

void declare_park_options(CLI::App& command, ParkOptions& options);

// Of a program that ended, without its session: the value is taken from its text. Functions in it are given to JSON as
// text.
int report_text(const ptc::Outcome& outcome, OutputForm form, bool stats);

// A suspended program is written before the line that says so.
int report(const ptc::Outcome& outcome, ptc::Session& session, OutputForm form, bool stats, const ParkOptions& park);

}  // namespace ptcvm::cli
