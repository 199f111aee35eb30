#include "vm/exec/guest_stack.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "vm/exec/fiber.h"
#include "vm/exec/link.h"

namespace ptc {
namespace {

constexpr std::array<std::string_view, 6> kKindNames = {"function", "builtin", "task", "branch", "omitted", "tool"};

const Link& link_of(const Frame& frame) { return *static_cast<const Link*>(frame.closure->link); }

const Prototype& prototype_of(const Frame& frame) {
  return *static_cast<const Prototype*>(frame.closure->function);
}

// The pc of a frame that waits for a call is past the call.
SourceSpan span_of(const Frame& frame, bool is_inside_call) {
  const Prototype& prototype = prototype_of(frame);
  std::uint32_t pc = static_cast<std::uint32_t>(frame.pc - prototype.code.data());
  if (is_inside_call && pc > 0) --pc;
  return prototype.span_at(pc);
}

std::string shortened(std::string_view name) {
  if (name.size() <= kMostGuestNameBytes) return std::string(name);
  std::size_t end = kMostGuestNameBytes;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;
  return std::string(name.substr(0, end)) + "…";
}

std::string function_name(const Frame& frame) {
  const Prototype& prototype = prototype_of(frame);
  if (&prototype == &prototype.program->entry()) return "program";
  return prototype.name.empty() ? "fn" : shortened(prototype.name);
}

// Returns the calls that were compiled in place around a place in a function, innermost first. Only calls of literals
// that the function has within count: what a literal has within may be a function with frames of its own.
std::vector<const InlinedCall*> inlined_around(const Prototype& prototype, const SourceSpan& at) {
  constexpr std::size_t kMost = kInnerGuestFrames + kOuterGuestFrames;
  std::vector<const InlinedCall*> out;
  const bool is_part = prototype.source_begin < prototype.source_end;
  for (const InlinedCall& one : prototype.program->inlined) {
    const bool is_call = one.call.begin == at.begin && one.call.end == at.end && !one.builtin.empty();
    const bool is_around = one.function_begin < one.function_end && one.function_begin <= at.begin &&
                           at.end <= one.function_end;
    const bool is_within =
        !is_part || (prototype.source_begin <= one.function_begin && one.function_end <= prototype.source_end);
    if (at.line != 0 && out.size() < kMost && (is_call || (is_around && is_within))) out.push_back(&one);
  }
  std::stable_sort(out.begin(), out.end(), [](const InlinedCall* a, const InlinedCall* b) {
    return a->call.end - a->call.begin < b->call.end - b->call.begin;
  });
  return out;
}

// Frames in their order, of which only the first and the last stay.
class BoundedStack {
 public:
  void add(GuestFrame frame) {
    if (frame.kind == GuestFrame::Kind::Omitted) {
      std::uint64_t count = 0;
      std::from_chars(frame.name.data(), frame.name.data() + frame.name.size(), count);
      omit(count);
    } else if (omitted_ == 0 && inner_.size() < kInnerGuestFrames) {
      inner_.push_back(std::move(frame));
    } else {
      if (outer_.size() == kOuterGuestFrames) {
        outer_.erase(outer_.begin());
        ++omitted_;
      }
      outer_.push_back(std::move(frame));
    }
  }

  void omit(std::uint64_t count) {
    if (count == 0) return;
    omitted_ += count + outer_.size();      // what would have been the last is before the gap
    outer_.clear();
  }

  GuestStack take() {
    if (omitted_ != 0) inner_.push_back({GuestFrame::Kind::Omitted, std::to_string(omitted_), GuestFrame::kNoLink, {}});
    for (GuestFrame& frame : outer_) inner_.push_back(std::move(frame));
    return std::move(inner_);
  }

 private:
  GuestStack inner_, outer_;
  std::uint64_t omitted_ = 0;
};

// Walks down a fiber. Builtins wait for the function that called them, which knows where the call is.
class FiberWalk {
 public:
  FiberWalk(const Fiber& fiber, BoundedStack& out) : fiber_(fiber), out_(out), task_(fiber.open_tasks.size()) {}

  // A million frames take a tenth of a second to look at, so those in the middle are only counted.
  void run() {
    const std::size_t size = fiber_.frames.size();
    if (fiber_.state == Fiber::State::WaitsForTool && !fiber_.records.empty()) {
      waiting_.push_back({GuestFrame::Kind::Tool, shortened(fiber_.records.back().tool), GuestFrame::kNoLink, {}});
    }
    const std::size_t inner_end = size > kVisitedFrames ? size - kVisitedFrames : 0;
    const std::size_t outer_begin = std::min(inner_end, kVisitedFrames);
    for (std::size_t k = size; k-- > inner_end;) visit(k);
    flush(nullptr);
    out_.omit(inner_end - outer_begin);
    while (task_ > 0 && fiber_.open_tasks[task_ - 1].frame_count > outer_begin) --task_;
    for (std::size_t k = outer_begin; k-- > 0;) visit(k);
    flush(nullptr);
  }

 private:
  static constexpr std::size_t kVisitedFrames = 4 * (kInnerGuestFrames + kOuterGuestFrames);

  void visit(std::size_t k) {
    for (; task_ > 0 && fiber_.open_tasks[task_ - 1].frame_count > k; --task_) {
      waiting_.push_back({GuestFrame::Kind::Task, shortened(fiber_.open_tasks[task_ - 1].id), GuestFrame::kNoLink, {}});
    }
    frame(fiber_.frames[k], k + 1 == fiber_.frames.size());
  }

  void frame(const Frame& frame, bool is_top) {
    if (frame.kind == Frame::Kind::Stepper) {
      builtin(builtin_info(frame.builtin).name);
    } else if (link_of(frame).is_prelude) {      // a builtin that is written in the language: what it calls is its own
      std::erase_if(waiting_, [](const GuestFrame& one) { return one.kind == GuestFrame::Kind::Builtin; });
      builtin(prototype_of(frame).name);
    } else {
      function(frame, !is_top || fiber_.state == Fiber::State::WaitsForTool);
    }
  }

  // A function, behind the calls in it that were compiled in place.
  void function(const Frame& frame, bool is_inside_call) {
    const SourceSpan place = span_of(frame, is_inside_call);
    GuestFrame made{GuestFrame::Kind::Function, "fn", link_of(frame).index, place};
    flush(&made);
    for (const InlinedCall* call : inlined_around(prototype_of(frame), place)) {
      const bool is_in_literal = call->call.begin != place.begin || call->call.end != place.end;
      if (is_in_literal) out_.add(made);
      made.span = call->call;
      if (!call->builtin.empty()) {
        out_.add({GuestFrame::Kind::Builtin, shortened(call->builtin), made.link, call->call});
      }
    }
    made.name = function_name(frame);
    out_.add(made);
  }

  void builtin(std::string_view name) {
    if (!name.empty()) waiting_.push_back({GuestFrame::Kind::Builtin, shortened(name), GuestFrame::kNoLink, {}});
  }

  void flush(const GuestFrame* caller) {
    for (GuestFrame& one : waiting_) {
      if (caller != nullptr) {
        one.link = caller->link;
        one.span = caller->span;
      }
      out_.add(std::move(one));
    }
    waiting_.clear();
  }

  const Fiber& fiber_;
  BoundedStack& out_;
  std::size_t task_;       // the open tasks before it are around the frames to come
  GuestStack waiting_;
};

template <class Number>
bool take_number(std::string_view& line, Number& into) {
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), into);
  if (error != std::errc() || end == line.data() + line.size() || *end != ' ') return false;
  line.remove_prefix(static_cast<std::size_t>(end - line.data()) + 1);
  return true;
}

std::optional<GuestFrame> read_line(std::string_view line, std::size_t link_count) {
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const auto* const kind = std::find(kKindNames.begin(), kKindNames.end(), line.substr(0, space));
  if (kind == kKindNames.end()) return std::nullopt;
  line.remove_prefix(space + 1);
  GuestFrame out;
  out.kind = static_cast<GuestFrame::Kind>(kind - kKindNames.begin());
  if (!take_number(line, out.link) || !take_number(line, out.span.begin) || !take_number(line, out.span.end) ||
      !take_number(line, out.span.line) || !take_number(line, out.span.column)) {
    return std::nullopt;
  }
  if (out.link >= link_count) {
    out.link = GuestFrame::kNoLink;
    out.span = {};
  }
  out.name = shortened(line);
  return out;
}

}  // namespace

std::string_view guest_frame_kind_name(GuestFrame::Kind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }

SourceSpan user_span(const Fiber& fiber, std::shared_ptr<const Program>* program_out) {
  bool top = true;
  for (const Fiber* f = &fiber; f != nullptr; f = f->parent) {
    for (std::size_t k = f->frames.size(); k-- > 0;) {
      const Frame& frame = f->frames[k];
      const bool innermost = std::exchange(top, false);
      if (frame.kind == Frame::Kind::Stepper || link_of(frame).is_prelude) continue;
      if (program_out != nullptr) *program_out = link_of(frame).program;
      return span_of(frame, !innermost || f->state == Fiber::State::WaitsForTool);
    }
  }
  return {};
}

GuestStack guest_stack(const Fiber& fiber, GuestStack inner) {
  BoundedStack out;
  for (GuestFrame& frame : inner) out.add(std::move(frame));
  FiberWalk(fiber, out).run();
  return out.take();
}

GuestStack branch_stack(const Fiber& fiber, GuestStack inner) {
  for (const Fiber* branch = &fiber; branch->parent != nullptr; branch = branch->parent) {
    inner = guest_stack(*branch, std::move(inner));
    if (branch->parent->state == Fiber::State::WaitsForTask) continue;   // a probe of a task is no branch
    inner.push_back({GuestFrame::Kind::Branch, std::to_string(branch->branch_index), GuestFrame::kNoLink, {}});
  }
  return inner;
}

std::string guest_stack_text(const GuestStack& stack) {
  std::string out;
  for (const GuestFrame& frame : stack) {
    out.append(guest_frame_kind_name(frame.kind));
    for (const std::uint32_t number :
         {frame.link, frame.span.begin, frame.span.end, frame.span.line, frame.span.column}) {
      out.append(" ").append(std::to_string(number));
    }
    out.append(" ");
    std::transform(frame.name.begin(), frame.name.end(), std::back_inserter(out),
                   [](char c) { return c == '\n' ? ' ' : c; });
    out.append("\n");
  }
  return out;
}

GuestStack read_guest_stack(std::string_view text, std::size_t link_count) {
  BoundedStack out;
  for (std::size_t rows = 0; !text.empty() && rows <= kInnerGuestFrames + 1 + kOuterGuestFrames; ++rows) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (auto frame = read_line(text.substr(0, end), link_count)) out.add(std::move(*frame));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out.take();
}

}  // namespace ptc
