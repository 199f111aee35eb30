#include "vm/snapshot/state_values.h"

namespace ptc {

// The builtins of steppers have numbers, too, as builtins in values have.
void StateValues::write() {
  for_each_value(state, [this](Value& value) { stream.put(value); });
  for (const auto& [key, value] : host.cached_answers) stream.put(value);
  for (const FiberState& fiber : state.fibers) {
    for (const FrameState& frame : fiber.frames) {
      if (frame.kind == Frame::Kind::Stepper) stream.builtin_index(frame.builtin);
    }
  }
}

}  // namespace ptc
