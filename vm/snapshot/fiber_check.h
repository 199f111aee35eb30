// Checks the frames of a captured fiber against the verified code that they claim to run, and finds the places of their
// registers. Changes nothing. The state may come from anywhere.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "vm/exec/frame_states.h"
#include "vm/snapshot/run_state.h"

namespace ptc {

// Returns whether a program may hold the value.
inline bool is_visible(Value v) { return !v.is(Tag::Hidden) && !v.is_absent(); }

struct FramePlan {
  std::uint32_t base = 0;
  std::uint32_t limit = 0;              // the first register that belongs to the callee
  const RegState* states = nullptr;     // Bytecode: the states of the registers
};

// The facts that frames may rely on.
struct CheckContext {
  boost::unordered_flat_set<const Object*> kept_closures;       // closures that live as long as the run
  // Closures that live as long as the fiber, with the number of holders: definitions of the fiber and of the branches
  // around it.
  boost::unordered_flat_map<const Object*, std::uint32_t> kept_by_branches;
  boost::unordered_flat_set<std::string_view> operations;       // the ids of the operations
  // The number of elements of vectors in slots that may still be visited. Vectors share their parts, so the bytes of
  // the snapshot do not bound their elements. Vectors that a builtin made for itself share nothing.
  std::uint64_t elements_left = 0;

  bool spend(std::uint64_t elements) {
    if (elements > elements_left) return false;
    elements_left -= elements;
    return true;
  }
};

class FiberCheck {
 public:
  FiberCheck(MachineState& run, const RunState& state, const FiberState& fiber, CheckContext& context,
             bool is_main, bool in_probe)
      : run_(run), state_(state), fiber_(fiber), context_(context), is_main_(is_main), in_probe_(in_probe) {}

  bool run();
  std::string problem;
  std::vector<FramePlan> plans;         // one for each frame
  std::uint32_t result_slot = 0;        // the register for the answer of the tool that the fiber waits for

 private:
  bool wrong(std::string_view why);
  bool whole();
  bool stepper(const FrameState& frame, bool on_top);
  bool bytecode(const FrameState& frame, bool on_top, bool at_bottom);
  bool keeps_closure(const FrameState& frame, bool at_bottom) const;
  bool registers(const FrameState& frame, const RegState* states, std::uint32_t limit);
  const Value& value(const FrameState& frame, std::uint32_t k) const { return fiber_.values[frame.first_value + k]; }

  MachineState& run_;
  const RunState& state_;
  const FiberState& fiber_;
  CheckContext& context_;
  const bool is_main_, in_probe_;
  std::uint32_t window_ = 0;            // the register of the callee of the next frame
};

// Checks the slots of sort, pmap and the like. Returns "" or what is wrong. `slots` has slot_count values.
std::string check_stepper(const FrameState& frame, const Value* slots, const FiberState& fiber,
                          CheckContext& context, bool on_top);

}  // namespace ptc
