// Steps through recorded events on a terminal, forwards and back.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "runtime/trace/trace_event.h"

namespace ptcvm::cli {

// The pages of a trace, one for each event, in order of time.
class TraceSteps {
 public:
  explicit TraceSteps(std::vector<const ptc::TraceEvent*> borrowed, bool colour);

  std::size_t count() const { return events_.size(); }
  // Returns the page of an event: the events around it, and what it says in full.
  std::string page(std::size_t index) const;

  // Returns the event to which a key leads from `index`, or count() for the end of stepping. A key is a byte, or the
  // last byte of the sequence of an arrow.
  std::size_t after_key(std::size_t index, char key) const;

 private:
  std::vector<const ptc::TraceEvent*> events_;
  std::vector<std::string> lines_;   // headings, and a line for each event
};

bool can_step_through();   // returns whether standard input and output are a terminal
// Shows pages until the user leaves.
void step_through(const TraceSteps& steps);

}   // namespace ptcvm::cli
