// Says what each register of a function holds at each instruction, derived from the code alone by a forward pass.
//
// This analysis is the verifier of ownership: it refuses code that could double or lose a reference, read a dead
// register, or fake an iterator. It also tells unwinding and snapshots which registers of a frame are alive.
//
// Rules: a destination must not be owned. A read needs a value. A taken read leaves the register dead. Where paths
// meet, owned and dead contradict each other, and immediate gives way to either. At a call, nothing above the window is
// owned. At a return, only the result is owned.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "vm/exec/program.h"

namespace ptc {

enum class RegState : std::uint8_t {
  Dead,       // the register holds nothing readable
  Immediate,  // the register holds a value that needs no release
  Owned,      // the register holds a value, maybe with a reference
  Iterator,   // the register owns the sequence of an iterator; the next register has its position
  Position,   // the position of an iterator
  Counter,    // the counter of a loop
};

constexpr bool is_owned(RegState s) { return s == RegState::Owned || s == RegState::Iterator; }
constexpr bool is_readable(RegState s) { return s == RegState::Owned || s == RegState::Immediate; }

class FrameStates {
 public:
  struct Failure {
    std::uint32_t pc;
    std::string_view reason;
  };
  struct Shape {
    std::uint32_t register_count, param_count, unary_entry;   // as in Prototype
  };
  // Analyzes code whose register operands are unscaled indices below register_count (already checked). `work` is the
  // remaining budget, in visited registers; crafted code can take far longer than its length suggests.
  static std::optional<Failure> analyze(const std::vector<Instruction>& code, const Shape& shape, std::uint64_t& work,
                                        FrameStates& out);

  // Returns the states before the instruction at pc, or an empty result for code that is never reached.
  const RegState* before(std::uint32_t pc) const {
    return reached_[pc] ? states_.data() + std::size_t{pc} * register_count_ : nullptr;
  }

 private:
  std::uint32_t register_count_ = 0;
  std::vector<RegState> states_;
  std::vector<bool> reached_;
};

}  // namespace ptc
