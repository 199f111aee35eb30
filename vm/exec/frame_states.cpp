#include "vm/exec/frame_states.h"

#include <algorithm>

#include "schema/opcode_rules.h"

// A word of a column without a case here does not compile: nothing that nobody thought about passes the verifier.
#pragma GCC diagnostic error "-Wswitch"
#pragma GCC diagnostic error "-Wswitch-enum"
#pragma GCC diagnostic error "-Wreturn-type"

namespace ptc {
namespace {

constexpr std::size_t kMaxCells = std::size_t{16} << 20;   // instructions times registers

// Returns what a register holds that an instruction with this result wrote.
RegState state_of(OpResult result) {
  switch (result) {
    case OpResult::None: break;
    case OpResult::Immediate: return RegState::Immediate;
    case OpResult::Owned: return RegState::Owned;
    case OpResult::Counter: return RegState::Counter;
    case OpResult::Iterator: return RegState::Iterator;
  }
  return RegState::Dead;
}

// Does to the states what the columns of opcodes.def say about one instruction. `why` stays empty while the code keeps
// the rules.
class Transfer {
 public:
  Transfer(RegState* states, std::uint32_t count) : states_(states), count_(count) {}
  std::string_view why;

  void apply(const Instruction& instruction) {
    const OpInfo& info = op_info(instruction.op);
    if (reads_what_it_changes(instruction, info)) {
      why = "reads what it changes";
      return;
    }
    const std::uint32_t a = instruction.a, b = instruction.b;
    const RegState result = state_of(info.result);
    switch (info.ownership) {
      case OpOwnership::Operands: operands(instruction, info); return;
      case OpOwnership::Change:
        if (at(a) != RegState::Owned) why = "nothing to change";
        operands(instruction, info);
        return;
      case OpOwnership::Replace: replace(a, result); return;
      case OpOwnership::Release: release(a); return;
      case OpOwnership::Gather:
        take_window(instruction, info.window);
        write(a, result);
        return;
      case OpOwnership::Call: call(instruction, info); return;
      case OpOwnership::CallWindow:
        read(a, true);
        call(instruction, info);
        return;
      case OpOwnership::CallBorrowed:
        read(b, false);
        if (b >= a) why = "the called register does not outlive the call";
        call(instruction, info);
        return;
      case OpOwnership::Iterate:
        read(a, true);
        set(a, result);
        write(a + 1, RegState::Position);
        return;
      case OpOwnership::Advance:
      case OpOwnership::BeginTask: return;   // branch()
      case OpOwnership::EndTask:
        read(a, true);
        read(a + 1, true);
        write(a, result);
        return;
      case OpOwnership::OpenPath:
        replace(a, RegState::Owned);
        read(a + 1, false);
        write(a + 2, result);
        return;
      case OpOwnership::ClosePath:
        read(a + 1, true);
        read(a + 3, true);
        replace(a, result);
        return;
      case OpOwnership::Counted: count_jump(a); return;
      case OpOwnership::CountedStep:
        count_jump(a);
        replace(b, result);
        return;
      case OpOwnership::CountedBound:
        count_jump(a);
        read(a + 1, false);
        replace(b, result);
        return;
      case OpOwnership::Return:
        end(instruction);
        nothing_is_owned();
        return;
      case OpOwnership::Stop: end(instruction); return;
    }
  }

  // Does what the two ways of a branch do differently. taken: the jump is followed.
  void branch(const Instruction& instruction, bool taken) {
    const OpInfo& info = op_info(instruction.op);
    const std::uint32_t a = instruction.a, b = instruction.b;
    switch (info.ownership) {
      case OpOwnership::Advance:
        if (at(b) != RegState::Iterator || at(b + 1) != RegState::Position) why = "no iterator";
        if (!taken) write(a, state_of(info.result));
        return;
      case OpOwnership::BeginTask:
        read(a + 1, true);
        write(taken ? a : a + 1, state_of(info.result));
        if (!taken && is_owned(at(a))) why = "task window is in use";
        return;
      case OpOwnership::Operands:
      case OpOwnership::Change:
      case OpOwnership::Replace:
      case OpOwnership::Release:
      case OpOwnership::Gather:
      case OpOwnership::Call:
      case OpOwnership::CallWindow:
      case OpOwnership::CallBorrowed:
      case OpOwnership::Iterate:
      case OpOwnership::EndTask:
      case OpOwnership::OpenPath:
      case OpOwnership::ClosePath:
      case OpOwnership::Counted:
      case OpOwnership::CountedStep:
      case OpOwnership::CountedBound:
      case OpOwnership::Return:
      case OpOwnership::Stop: return;
    }
  }

 private:
  // It would become a part of itself, or be gone before it is read.
  static bool reads_what_it_changes(const Instruction& instruction, const OpInfo& info) {
    const auto is_read = [&](std::size_t k, std::uint16_t reg) {
      return info.operands[k] == Operand::Src && reg == instruction.a;
    };
    return info.operands[0] == Operand::Mod && (is_read(1, instruction.b) || is_read(2, instruction.c));
  }
  RegState at(std::uint32_t reg) {
    if (reg < count_) return states_[reg];
    why = "register out of range";
    return RegState::Dead;
  }
  void set(std::uint32_t reg, RegState state) {
    if (reg < count_) {
      states_[reg] = state;
    } else {
      why = "register out of range";
    }
  }
  void read(std::uint32_t reg, bool take) {
    if (!is_readable(at(reg))) why = "reads a register that holds no value";
    if (take) set(reg, RegState::Dead);
  }
  void write(std::uint32_t reg, RegState state) {
    if (is_owned(at(reg))) why = "overwrites an owned register";
    set(reg, state);
  }
  void replace(std::uint32_t reg, RegState state) {
    read(reg, true);
    write(reg, state);
  }
  void release(std::uint32_t reg) {
    if (at(reg) == RegState::Iterator) {
      set(reg, RegState::Dead);
      set(reg + 1, RegState::Dead);
    } else {
      read(reg, true);
    }
  }
  void count_jump(std::uint32_t reg) {
    if (at(reg) != RegState::Counter) why = "no loop counter";
  }
  static std::uint32_t window_size(const Instruction& instruction, Window window) {
    switch (window) {
      case Window::None: break;
      case Window::One: return 1;
      case Window::CountB: return instruction.b;
      case Window::CountC: return instruction.c;
      case Window::PairsB: return std::uint32_t{instruction.b} * 2;
    }
    return 0;
  }
  void take_window(const Instruction& instruction, Window window) {
    const std::uint32_t size = window_size(instruction, window);
    for (std::uint32_t i = 1; i <= size; ++i) read(instruction.a + i, true);
  }
  void call(const Instruction& instruction, const OpInfo& info) {
    take_window(instruction, info.window);
    for (std::uint32_t reg = instruction.a; reg < count_; ++reg) {
      if (is_owned(states_[reg])) why = "owned register inside or above a call window";
      states_[reg] = RegState::Dead;
    }
    set(instruction.a, state_of(info.result));
  }
  void end(const Instruction& instruction) {
    if ((instruction.flags & kTakeA) == 0) why = "result must be taken";
    read(instruction.a, true);
  }
  void nothing_is_owned() {
    for (std::uint32_t reg = 0; reg < count_; ++reg) {
      if (is_owned(states_[reg])) why = "owned register at return";
    }
  }
  void operands(const Instruction& instruction, const OpInfo& info) {
    const std::uint16_t operands[3] = {instruction.a, instruction.b, instruction.c};
    for (std::size_t i = 0; i < 3; ++i) {
      if (info.operands[i] == Operand::Src) read(operands[i], false);
    }
    for (std::size_t i = 0; i < 3; ++i) {
      if (info.operands[i] != Operand::Src || (instruction.flags & (1u << i)) == 0) continue;
      for (std::size_t k = i + 1; k < 3; ++k) {
        const bool again = info.operands[k] == Operand::Src && operands[k] == operands[i];
        if (again) why = "takes a register before it reads it again";
      }
      set(operands[i], RegState::Dead);
    }
    if (info.operands[0] == Operand::Dst) write(instruction.a, state_of(info.result));
  }

  RegState* states_;
  std::uint32_t count_;
};

// Merges what arrives at an instruction. Returns false when the two contradict each other.
bool merge(RegState& into, RegState arriving, bool& changed) {
  if (into == arriving) return true;
  if (into == RegState::Dead && !is_owned(arriving)) return true;
  if (arriving == RegState::Dead && !is_owned(into)) {
    into = RegState::Dead;
    changed = true;
    return true;
  }
  if (into == RegState::Owned && arriving == RegState::Immediate) return true;
  if (into == RegState::Immediate && arriving == RegState::Owned) {
    into = RegState::Owned;
    changed = true;
    return true;
  }
  if (!is_owned(into) && !is_owned(arriving)) {
    into = RegState::Dead;
    changed = true;
    return true;
  }
  return false;
}

}  // namespace

std::optional<FrameStates::Failure> FrameStates::analyze(const std::vector<Instruction>& code, const Shape& shape,
                                                         std::uint64_t& work_left, FrameStates& out) {
  const std::uint32_t register_count = shape.register_count;
  if (code.size() * register_count > kMaxCells) return Failure{0, "function is too large"};
  out.register_count_ = register_count;
  out.states_.assign(code.size() * register_count, RegState::Dead);
  out.reached_.assign(code.size(), false);
  std::vector<std::uint32_t> work;
  const auto arrive = [&](std::uint32_t pc, const std::vector<RegState>& states) {
    RegState* known = out.states_.data() + std::size_t{pc} * register_count;
    if (!out.reached_[pc]) {
      out.reached_[pc] = true;
      std::copy(states.begin(), states.end(), known);
      work.push_back(pc);
      return true;
    }
    if (std::equal(states.begin(), states.end(), known)) return true;
    bool changed = false;
    for (std::uint32_t reg = 0; reg < register_count; ++reg) {
      if (!merge(known[reg], states[reg], changed)) return false;
    }
    if (changed) work.push_back(pc);
    return true;
  };

  std::vector<RegState> states(register_count, RegState::Dead);
  std::fill(states.begin(), states.begin() + shape.param_count, RegState::Owned);
  if (!arrive(0, states)) return Failure{0, "entry"};
  if (shape.unary_entry != 0 && !arrive(shape.unary_entry, states)) return Failure{shape.unary_entry, "entry"};
  while (!work.empty()) {
    const std::uint32_t pc = work.back();
    work.pop_back();
    if (work_left < register_count + 1u) return Failure{pc, "function takes too long to check"};
    work_left -= register_count + 1u;
    const Instruction& instruction = code[pc];
    const RegState* known = out.states_.data() + std::size_t{pc} * register_count;
    states.assign(known, known + register_count);
    Transfer transfer(states.data(), register_count);
    transfer.apply(instruction);
    if (!transfer.why.empty()) return Failure{pc, transfer.why};
    const Control control = op_info(instruction.op).control;
    if (has_jump(control)) {
      std::vector<RegState> jumped = states;
      Transfer taken(jumped.data(), register_count);
      taken.branch(instruction, true);
      if (!taken.why.empty()) return Failure{pc, taken.why};
      const std::int64_t target = std::int64_t{pc} + 1 + static_cast<std::int16_t>(instruction.c);
      if (!arrive(static_cast<std::uint32_t>(target), jumped)) return Failure{pc, "registers differ where paths meet"};
    }
    if (!falls_through(control)) continue;
    Transfer through(states.data(), register_count);
    through.branch(instruction, false);
    if (!through.why.empty()) return Failure{pc, through.why};
    if (!arrive(pc + 1, states)) return Failure{pc, "registers differ where paths meet"};
  }
  return std::nullopt;
}

}  // namespace ptc
