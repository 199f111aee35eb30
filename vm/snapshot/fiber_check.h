// Checks the frames of a captured fiber against the verified code that they claim to run, and says where their
// registers go. Nothing is changed; the state may come from anywhere.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "vm/exec/frame_states.h"
#include "vm/snapshot/run_state.h"

namespace ptc {

// What a program may hold in its hands.
inline bool is_visible(Value v) { return !v.is(Tag::Hidden) && !v.is_absent(); }

struct FramePlan {
  std::uint32_t base = 0;
  std::uint32_t limit = 0;              // registers from here on belong to the callee
  const RegState* states = nullptr;     // Bytecode: what the registers hold
};

// What frames may rely on.
struct CheckContext {
  boost::unordered_flat_set<const Object*> kept_closures;       // that live as long as the run
  // That live as long as the fiber: definitions of its own and of the branches around it. How many hold each.
  boost::unordered_flat_map<const Object*, std::uint32_t> kept_by_branches;
  boost::unordered_flat_set<std::string_view> operations;       // ids
  // Elements of the vectors in slots that may still be looked at. Vectors share their parts, so what they show is not
  // bounded by the bytes that they came in; those that a builtin made for itself share nothing.
  std::uint64_t elements_left = 0;

  bool spend(std::uint64_t elements) {
    if (elements > elements_left) return false;
    elements_left -= elements;
    return true;
  }
};

class FiberCheck {
 public:
  FiberCheck(RunImpl& run, const RunState& state, const FiberState& fiber, CheckContext& context,
             bool is_main, bool in_probe)
      : run_(run), state_(state), fiber_(fiber), context_(context), is_main_(is_main), in_probe_(in_probe) {}

  bool run();
  std::string problem;
  std::vector<FramePlan> plans;         // a frame each
  std::uint32_t result_slot = 0;        // where the answer of the tool goes that the fiber waits for

 private:
  bool wrong(std::string_view why);
  bool whole();
  bool stepper(const FrameState& frame, bool on_top);
  bool bytecode(const FrameState& frame, bool on_top, bool at_bottom);
  bool keeps_closure(const FrameState& frame, bool at_bottom) const;
  bool registers(const FrameState& frame, const RegState* states, std::uint32_t limit);
  const Value& value(const FrameState& frame, std::uint32_t k) const { return fiber_.values[frame.first_value + k]; }

  RunImpl& run_;
  const RunState& state_;
  const FiberState& fiber_;
  CheckContext& context_;
  const bool is_main_, in_probe_;
  std::uint32_t window_ = 0;            // of the next frame: its callee's register
};

// What sort, pmap and the like keep in their slots: "" or what is wrong. slots: slot_count values.
std::string check_stepper(const FrameState& frame, const Value* slots, const FiberState& fiber,
                          CheckContext& context, bool on_top);

}  // namespace ptc
