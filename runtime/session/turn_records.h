// What a turn recorded: prints, warnings, summaries, calls, commits and operations. The run keeps the records. They go
// to the reader of the outbox, each of them once and in the order in which things happened, and into the outcome.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "runtime/session/outbox.h"
#include "runtime/session/outcome.h"
#include "vm/exec/run.h"

namespace ptc {

class TurnRecords {
 public:
  // Both must outlive the records.
  TurnRecords(Run& run, Outbox& outbox) : run_(run), outbox_(outbox) {}

  const std::vector<std::string>& prints() const { return run_.environment().prints; }
  std::vector<std::string> warnings() const;   // the warnings of the program, and one for each commit that is too large
  const std::vector<StepSummary>& summaries() const { return run_.environment().summaries; }

  void begin_turn() { seen_prints_ = seen_summaries_ = 0; }
  void skip_all();                   // a run was restored: its records were told before
  void tell_reader();                // tells the reader of the outbox what it has not heard
  void add_to(Outcome& outcome, CallTexts texts) const;
  // Return the records as texts that have a common limit (record_texts.h): calls of tools that have an answer, in the
  // order in which they were made; and operations that wait, in the order in which they were opened.
  std::vector<ToolOutcome> tool_calls() const;
  std::vector<PendingOutcome> pending() const;
  // Adds the operations that wait, and takes those that the program gave up.
  void add_operations(Outcome& outcome);

 private:
  void tell_opened(std::size_t until);

  Run& run_;
  Outbox& outbox_;
  std::size_t seen_prints_ = 0, seen_operations_ = 0, seen_summaries_ = 0;
};

}  // namespace ptc
