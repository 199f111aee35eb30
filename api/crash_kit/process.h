// One process of the run under test, from its start to its end.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/crash_kit/messages.h"
#include "api/crash_kit/run_folder.h"
#include "ptcvm/crash_kit.hpp"

namespace ptcvm::crash {

// How a process ended, as it has told the ledger.
struct Life {
  enum class End : std::uint8_t { Failed, Over, Suspended, InDoubt };

  bool killed = false;
  End end = End::Failed;
  bool is_fault = false;                        // Over: the turn ended with a fault
  std::string text;                             // state and value; what went wrong
  std::optional<std::int64_t> wake_ms;          // Suspended: when time alone wakes the run
  std::vector<Operation> pending;               // Suspended: what the run waits for
  std::uint64_t points = 0;                     // that the process passed, unless it was killed
  std::vector<std::pair<std::string, std::string>> said;   // key and value of facts that the store has acknowledged
  std::string death;                            // killed: where
  std::string complaint;                        // the process hung, or crashed; or ""
};

// Everything is borrowed.
class Process {
 public:
  Process(const Options& options, const Engine& engine, const RunFolder& folder, Ledger& ledger)
      : options_(options), engine_(engine), folder_(folder), ledger_(ledger) {}

  // Forks a process that drives the run with a clock that is `late` ahead of the system's. It dies at its point
  // `dies_at`, or after `after` when `dies_at` is 0 and `after` is not.
  Life live(std::uint64_t dies_at, std::chrono::microseconds after, std::chrono::milliseconds late);

 private:
  void be(std::uint64_t dies_at, std::chrono::milliseconds late) noexcept;
  Result<StoredOutcome> drive(Points& points, std::chrono::milliseconds late);
  void tell(const StoredOutcome& outcome);
  static void read(const Message& note, Life& life);

  const Options& options_;
  const Engine& engine_;
  const RunFolder& folder_;
  Ledger& ledger_;
};

// Returns the time of the system and `late`, in ms since 1970.
std::int64_t time_ms(std::chrono::milliseconds late);

}  // namespace ptcvm::crash
