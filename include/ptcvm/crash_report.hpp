// What the crash kit has seen: a row for each run, and a table for people. Part of the component crash_kit.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ptcvm/crash_ledger.hpp"

namespace ptcvm::crash {

// A task that the log holds.
struct Task {
  std::string id, value;                   // value: EDN
};

// One run and the kills of its processes.
struct PTCVM_API Row {
  std::uint64_t point = 0;                 // the point of the last kill; 0: there was no kill, or it was by time
  std::vector<std::string> deaths;         // where each kill hit, in order
  bool finished = false;                   // the run has ended
  std::string ended;                       // how the run ended: its state, and its value or its fault
  int processes = 0;                       // how many the run needed
  int asked = 0;                           // doubts that a person had to settle
  std::uint64_t points = 0;                // points that the processes without a kill have passed
  std::size_t calls_in_flight = 0;         // the most calls that were open in the log at one time
  std::vector<LedgerEntry> effects;        // what happened, in order
  std::vector<Task> journal;               // the tasks in the log, in the order of their commits
  std::vector<std::string> complaints;     // claims that do not hold

  // Returns whether all claims hold.
  bool ok() const { return complaints.empty(); }
  // Returns how many effects happened under the key of an earlier effect.
  std::size_t repeats() const;
  // Returns how often each effect happened, by "tool arguments".
  std::map<std::string, std::size_t> effect_counts() const;
  // Returns the row as a line of the table, and a line for each complaint.
  std::string text() const;
};

// All runs of a test.
struct PTCVM_API Report {
  std::vector<Row> rows;                   // the first row is the run without a kill

  // Returns whether all claims hold in all rows, and there is a row.
  bool ok() const;
  // Return the sums over all rows: kills, questions, repeated effects.
  std::size_t kills() const;
  int asked() const;               // see kills()
  std::size_t repeats() const;     // see kills()
  // Returns all rows with a head line and a line of sums.
  std::string table() const;
};

}  // namespace ptcvm::crash
