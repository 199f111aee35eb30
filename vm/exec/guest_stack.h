// The calls that a program was in: functions, builtins, tools, tasks and branches, as people read them.
//
// A stack is made when a fault is raised and costs nothing before. It is bounded: a deep stack keeps its innermost and
// its outermost frames, and a row between them counts the others. A branch that failed keeps its stack as text until
// the whole form fails, so that a snapshot in between loses nothing.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "schema/source_span.h"

namespace ptc {

struct Fiber;
class Program;

struct GuestFrame {
  enum class Kind : std::uint8_t {
    Function,   // name: the name of the function, "fn", or "program" for the top level
    Builtin,    // name: the builtin that the program called; the span is where it was called
    Task,       // name: the id of the task around the frames before this row
    Branch,     // name: the number of the branch, from 0
    Omitted,    // name: how many frames were left out here
    Tool,       // name: the tool that the program waited for; the span is where it was called
  };
  static constexpr std::uint32_t kNoLink = UINT32_MAX;

  Kind kind{};
  std::string name;
  std::uint32_t link = kNoLink;   // the program of the span, as a number of Link::index
  SourceSpan span;                // where the frame was; line 0 without a place
  std::string source_name = {};   // the name of that program; filled in when the run is over
};

using GuestStack = std::vector<GuestFrame>;   // innermost first

inline constexpr std::size_t kInnerGuestFrames = 20, kOuterGuestFrames = 5;
inline constexpr std::size_t kMostGuestNameBytes = 80;

// Returns function, builtin, task, branch, omitted or tool.
std::string_view guest_frame_kind_name(GuestFrame::Kind kind);

// Returns the position that a person should look at, in the innermost frame whose program has a source of the user's.
SourceSpan user_span(const Fiber& fiber, std::shared_ptr<const Program>* program);

// Returns `inner`, then the frames of the fiber, bounded. The tool for which the fiber waits is a frame of it. Fibers
// around the fiber do not count.
GuestStack guest_stack(const Fiber& fiber, GuestStack inner);
// Returns `inner`, then the frames of a branch and of the branches around it, each closed by a row for the branch, but
// without the frames of the main fiber. For the main fiber that is `inner`.
GuestStack branch_stack(const Fiber& fiber, GuestStack inner);

// Writes a line for each frame, and reads such lines; what is no such line, or names a link from `link_count` on, has
// no place in the stack that is read. Hostile text therefore gives at most a wrong stack of the bounded size.
std::string guest_stack_text(const GuestStack& stack);
GuestStack read_guest_stack(std::string_view text, std::size_t link_count);

}  // namespace ptc
