// What each register of a function holds at each instruction: derived from the code alone by a forward pass.
//
// This one analysis is the verifier of ownership (it fails on code that could double or lose a reference, read a dead
// register, or fake an iterator), and it tells unwinding and snapshots which registers of a frame are alive.
//
// Rules: a destination must not be owned; a read needs a value; a taken read leaves the register dead; where paths
// meet, owned and dead contradict each other, immediate gives way to either; at a call nothing above the window is
// owned; at a return nothing but the result is.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "vm/exec/program.h"

namespace ptc {

enum class RegState : std::uint8_t {
  Dead,       // holds nothing that may be looked at
  Immediate,  // a value that needs no release
  Owned,      // a value, maybe with a reference
  Iterator,   // owned: the sequence of an iterator; its position is in the next register
  Position,   // of an iterator
  Counter,    // of a loop
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
  // The code's register operands are unscaled indices below register_count (already checked). work: what it may still
  // cost, in registers looked at; code can be written so that it takes far longer than its length.
  static std::optional<Failure> analyze(const std::vector<Instruction>& code, const Shape& shape, std::uint64_t& work,
                                        FrameStates& out);

  // States before the instruction at pc; empty for code that is never reached.
  const RegState* before(std::uint32_t pc) const {
    return reached_[pc] ? states_.data() + std::size_t{pc} * register_count_ : nullptr;
  }

 private:
  std::uint32_t register_count_ = 0;
  std::vector<RegState> states_;
  std::vector<bool> reached_;
};

}  // namespace ptc
