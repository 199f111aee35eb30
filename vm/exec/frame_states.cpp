#include "vm/exec/frame_states.h"

#include <algorithm>

namespace ptc {
namespace {

constexpr std::size_t kMaxCells = std::size_t{16} << 20;   // instructions times registers

// The effect of one instruction on the states. `why` stays empty while the code keeps the rules.
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
    switch (info.control) {
      case Control::Call: call(instruction); return;
      case Control::End: end(instruction); return;
      default: break;
    }
    switch (instruction.op) {
      case Op::MakeClosure: window(instruction.a, instruction.c); return;
      case Op::MakeVector:
      case Op::MakeSet: window(instruction.a, instruction.b); return;
      case Op::MakeMap: window(instruction.a, std::uint32_t{instruction.b} * 2); return;
      case Op::IterStart: iter_start(instruction); return;
      case Op::IterNext: return;   // branch_states
      case Op::TaskStart: return;  // branch_states
      case Op::TaskEnd:
        read(instruction.a, true);
        read(instruction.a + 1u, true);
        write(instruction.a, RegState::Owned);
        return;
      case Op::LoopStart: write(instruction.a, RegState::Counter); return;
      case Op::LoopJump:
        if (at(instruction.a) != RegState::Counter) why = "no loop counter";
        return;
      case Op::LoopJumpInc:
        if (at(instruction.a) != RegState::Counter) why = "no loop counter";
        read(instruction.b, true);
        write(instruction.b, RegState::Owned);
        return;
      case Op::LoopJumpIncLess:
        if (at(instruction.a) != RegState::Counter) why = "no loop counter";
        read(instruction.a + 1u, false);
        read(instruction.b, true);
        write(instruction.b, RegState::Owned);
        return;
      case Op::Drop:
        if (at(instruction.a) == RegState::Iterator) {
          set(instruction.a, RegState::Dead);
          set(instruction.a + 1u, RegState::Dead);
        } else {
          read(instruction.a, true);
        }
        return;
      case Op::JumpReduced:
        read(instruction.a, true);
        write(instruction.a, RegState::Owned);
        return;
      case Op::PathOpen:
        read(instruction.a, true);
        write(instruction.a, RegState::Owned);
        read(instruction.a + 1u, false);
        write(instruction.a + 2u, RegState::Owned);
        return;
      case Op::PathClose:
        read(instruction.a + 1u, true);
        read(instruction.a + 3u, true);
        read(instruction.a, true);
        write(instruction.a, RegState::Owned);
        return;
      case Op::Assoc:
      case Op::AssocIn:
        if (at(instruction.a) != RegState::Owned) why = "nothing to change";
        plain(instruction, info);
        return;
      case Op::VectorPush:
        if (at(instruction.a) != RegState::Owned) why = "no vector to push to";
        read(instruction.b, (instruction.flags & kTakeB) != 0);
        return;
      default: plain(instruction, info);
    }
  }

  // Branches whose two ways differ in more than the jump. taken: the jump is followed.
  void branch(const Instruction& instruction, bool taken) {
    if (instruction.op == Op::IterNext) {
      if (at(instruction.b) != RegState::Iterator || at(instruction.b + 1u) != RegState::Position) why = "no iterator";
      if (!taken) write(instruction.a, RegState::Owned);
    } else if (instruction.op == Op::TaskStart) {
      read(instruction.a + 1u, true);
      write(taken ? instruction.a : instruction.a + 1u, RegState::Owned);
      if (!taken && is_owned(at(instruction.a))) why = "task window is in use";
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
  void window(std::uint32_t a, std::uint32_t count) {
    for (std::uint32_t i = 1; i <= count; ++i) read(a + i, true);
    write(a, RegState::Owned);
  }
  void call(const Instruction& instruction) {
    std::uint32_t count = 1;
    switch (instruction.op) {
      case Op::Call:
        count = instruction.b;
        read(instruction.a, true);
        break;
      case Op::CallTool: break;
      case Op::CallLocal:
        count = instruction.c;
        read(instruction.b, false);
        if (instruction.b >= instruction.a) why = "the called register does not outlive the call";
        break;
      default: count = instruction.c;
    }
    for (std::uint32_t i = 1; i <= count; ++i) read(instruction.a + i, true);
    for (std::uint32_t reg = instruction.a; reg < count_; ++reg) {
      if (is_owned(states_[reg])) why = "owned register inside or above a call window";
      states_[reg] = RegState::Dead;
    }
    set(instruction.a, RegState::Owned);
  }
  void end(const Instruction& instruction) {
    if ((instruction.flags & kTakeA) == 0) why = "result must be taken";
    read(instruction.a, true);
    if (instruction.op != Op::Return) return;
    for (std::uint32_t reg = 0; reg < count_; ++reg) {
      if (is_owned(states_[reg])) why = "owned register at return";
    }
  }
  void iter_start(const Instruction& instruction) {
    read(instruction.a, true);
    set(instruction.a, RegState::Iterator);
    write(instruction.a + 1u, RegState::Position);
  }
  void plain(const Instruction& instruction, const OpInfo& info) {
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
    if (info.operands[0] == Operand::Dst) write(instruction.a, result_state(instruction.op));
  }
  static RegState result_state(Op op) {
    switch (op) {
      case Op::LoadInt:
      case Op::LoadNumber:
      case Op::LoadNil:
      case Op::LoadTrue:
      case Op::LoadFalse:
      case Op::LoadBuiltin:
      case Op::LoadTool:
      case Op::Less:
      case Op::LessEq:
      case Op::Greater:
      case Op::GreaterEq:
      case Op::Equal:
      case Op::Not:
      case Op::IsNil:
      case Op::IsEven:
      case Op::IsOdd:
      case Op::IsZero:
      case Op::IsPos:
      case Op::IsNeg:
      case Op::Count: return RegState::Immediate;
      default: return RegState::Owned;
    }
  }

  RegState* states_;
  std::uint32_t count_;
};

// Merges what arrives at an instruction. False: the two contradict each other.
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
    if (control == Control::End) continue;
    if (control == Control::Branch || control == Control::Jump || control == Control::Loop) {
      std::vector<RegState> jumped = states;
      Transfer taken(jumped.data(), register_count);
      taken.branch(instruction, true);
      if (!taken.why.empty()) return Failure{pc, taken.why};
      const std::int64_t target = std::int64_t{pc} + 1 + static_cast<std::int16_t>(instruction.c);
      if (!arrive(static_cast<std::uint32_t>(target), jumped)) return Failure{pc, "registers differ where paths meet"};
    }
    const bool goes_on = instruction.op == Op::LoopJumpIncLess;
    if (control == Control::Jump || (control == Control::Loop && !goes_on)) continue;
    Transfer through(states.data(), register_count);
    through.branch(instruction, false);
    if (!through.why.empty()) return Failure{pc, through.why};
    if (!arrive(pc + 1, states)) return Failure{pc, "registers differ where paths meet"};
  }
  return std::nullopt;
}

}  // namespace ptc
