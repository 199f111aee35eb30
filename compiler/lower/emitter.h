// The instructions of one function while it is generated: registers in stack order, labels, spans, local names.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "schema/opcode.h"
#include "schema/source_span.h"

namespace ptc {

using Reg = std::uint16_t;

// A jump target. Jumps to it may be emitted before it is placed.
struct Label {
  std::int64_t position = -1;               // pc, once placed
  std::vector<std::uint32_t> waiting;       // pcs of jumps to patch
};

class Emitter {
 public:
  struct Span {
    std::uint32_t pc;
    SourceSpan span;
  };
  struct Name {
    std::string name;
    Reg reg;
    std::uint32_t from_pc, to_pc;
  };

  // Registers are a stack: the next free one is always the highest.
  Reg allocate(std::uint32_t count = 1) {
    const Reg first = static_cast<Reg>(next_);
    next_ += count;
    if (next_ > max_) max_ = next_;
    if (next_ >= kMaxRegisters) {
      overflow_ = true;
      next_ = first;
    }
    return first;
  }
  std::uint32_t mark() const { return next_; }
  void release_to(std::uint32_t mark) { next_ = mark; }
  bool is_top(Reg reg) const { return std::uint32_t{reg} + 1 == next_; }

  std::uint32_t pc() const { return static_cast<std::uint32_t>(code.size()); }
  std::uint32_t emit(Op op, std::uint8_t flags, std::uint32_t a, std::uint32_t b, std::uint32_t c, SourceSpan span) {
    if (spans.empty() || spans.back().span.begin != span.begin || spans.back().span.end != span.end) {
      if (!spans.empty() && spans.back().pc == pc()) {
        spans.back().span = span;
      } else {
        spans.push_back({pc(), span});
      }
    }
    code.push_back({op, flags, static_cast<std::uint16_t>(a), static_cast<std::uint16_t>(b),
                    static_cast<std::uint16_t>(c)});
    return pc() - 1;
  }
  void jump(Op op, std::uint8_t flags, std::uint32_t a, std::uint32_t b, Label& target, SourceSpan span) {
    const std::uint32_t at = emit(op, flags, a, b, 0, span);
    if (target.position >= 0) {
      patch(at, static_cast<std::uint32_t>(target.position));
    } else {
      target.waiting.push_back(at);
    }
  }
  void place(Label& label) {
    label.position = pc();
    for (const std::uint32_t at : label.waiting) patch(at, pc());
    label.waiting.clear();
  }

  bool too_large() const { return overflow_; }
  std::uint32_t register_count() const { return max_; }

  std::vector<Instruction> code;
  std::vector<Span> spans;
  std::vector<Name> names;

 private:
  void patch(std::uint32_t at, std::uint32_t target) {
    const std::int64_t offset = static_cast<std::int64_t>(target) - (static_cast<std::int64_t>(at) + 1);
    if (offset < INT16_MIN || offset > INT16_MAX) overflow_ = true;
    code[at].c = static_cast<std::uint16_t>(offset);
  }

  std::uint32_t next_ = 0, max_ = 0;
  bool overflow_ = false;
};

}  // namespace ptc
