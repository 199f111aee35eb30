// Says what the frames of a captured fiber hold and where they are in the source, from their code alone.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "schema/source_span.h"
#include "vm/snapshot/run_state.h"

namespace ptc {

// Returns how many values a frame has, or nullopt when its program counter makes no sense.
std::optional<std::uint32_t> frame_value_count(const RunState& state, const FiberState& fiber, std::size_t index);

// Returns the names of the values of a bytecode frame, in order; "" for values without a name. When a name hides
// another of the same text, only the inner value gets the name. The value count of the frame must make sense.
std::vector<std::string_view> frame_value_names(const RunState& state, const FiberState& fiber, std::size_t index);

struct FramePosition {
  std::uint32_t link = 0;
  SourceSpan span;           // line 0 means unknown
};

// Returns where a person should look, for each frame: the frame itself, or the nearest caller with source of the user.
// `around` is the position of the frame whose branch the fiber is.
std::vector<FramePosition> frame_positions(const RunState& state, const FiberState& fiber, FramePosition around);

}  // namespace ptc
