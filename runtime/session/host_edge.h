// Takes texts of the host into the heap of a run, and gives texts to the host, within the memory and the time of the
// turn. A text that does not fit ends the turn: the heap has refused (Heap::refuse), or the run is cancelled.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include "runtime/calls/tools.h"
#include "runtime/session/turn_clock.h"
#include "runtime/text/bounded_text.h"
#include "runtime/text/json_value.h"
#include "vm/exec/run.h"

namespace ptc {

class HostEdge {
 public:
  HostEdge(Run& run, TurnClock& clock) : run_(run), clock_(clock) {}   // both must outlive the object
  HostEdge(const HostEdge&) = delete;
  HostEdge& operator=(const HostEdge&) = delete;

  // Reads what a tool answered. With `announces`, the object {"pending": ID, "immediate": VALUE, "ttl_ms": N} says
  // that the call started an operation; the last two members may be missing. Every other text is the answer. Returns an
  // error when the text is no JSON. An answer that does not fit is an unknown reply.
  std::variant<ToolReply, JsonError> read_answer(std::string_view json, bool announces);
  // Writes arguments of a call as JSON text.
  BoundedText write_json(Value borrowed);

  // Counts so many bytes that the host holds for the run, instead of the bytes of the call before, as memory of the
  // run. Not part of a snapshot.
  void hold(std::uint64_t bytes);
  std::uint64_t room() const;                     // returns how many bytes the run may still take

 private:
  Run& run_;
  TurnClock& clock_;
  std::uint64_t held_bytes_ = 0;
};

}  // namespace ptc
