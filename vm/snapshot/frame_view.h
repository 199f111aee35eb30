// What the frames of a captured fiber hold and where they are in the source: follows from their code.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "schema/source_span.h"
#include "vm/snapshot/run_state.h"

namespace ptc {

// How many values a frame has; nothing when its program counter makes no sense.
std::optional<std::uint32_t> frame_value_count(const RunState& state, const FiberState& fiber, std::size_t index);

// The names of a bytecode frame's values, in their order; "" for what the program has no name for. A name that hides
// another one of the same text has it alone. The frame's value count must make sense.
std::vector<std::string_view> frame_value_names(const RunState& state, const FiberState& fiber, std::size_t index);

struct FramePosition {
  std::uint32_t link = 0;
  SourceSpan span;           // line 0: unknown
};

// Where a person should look, for each frame: the frame itself, or the nearest caller that has source of the user's.
// around: of the frame that the fiber is a branch of.
std::vector<FramePosition> frame_positions(const RunState& state, const FiberState& fiber, FramePosition around);

}  // namespace ptc
