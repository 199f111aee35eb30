#include "vm/exec/verifier.h"

#include "schema/builtin_id.h"
#include "vm/exec/frame_states.h"

namespace ptc {
namespace {

// Registers that the analysis of a program may look at. Compiled functions take a few visits of each instruction.
constexpr std::uint64_t kLeastWork = 16u << 20;
constexpr std::uint64_t kWorkOfInstruction = 512;

class FunctionVerifier {
 public:
  FunctionVerifier(const Program& program, const Prototype& function) : program_(program), function_(function) {}

  std::string_view run(std::uint32_t* pc, std::uint64_t& work) {
    if (function_.code.empty()) return "function without code";
    if (function_.register_count >= kMaxRegisters) return "too many registers";
    if (function_.param_count > function_.register_count) return "more parameters than registers";
    const bool may_be_unary = function_.variadic && function_.required_count == 0;
    if (function_.unary_entry != 0 && (!may_be_unary || function_.unary_entry >= function_.code.size())) {
      return "an entry for one argument where there can be none";
    }
    for (*pc = 0; *pc < function_.code.size(); ++*pc) {
      const std::string_view why = instruction(*pc);
      if (!why.empty()) return why;
    }
    FrameStates states;
    const auto failure =
        FrameStates::analyze(function_.code, {function_.register_count, function_.param_count, function_.unary_entry},
                             work, states);
    if (failure) {
      *pc = failure->pc;
      return failure->reason;
    }
    return {};
  }

 private:
  std::string_view instruction(std::uint32_t pc) const {
    const Instruction& i = function_.code[pc];
    if (static_cast<std::size_t>(i.op) >= kOpCount) return "unknown opcode";
    const OpInfo& info = op_info(i.op);
    const std::uint16_t operands[3] = {i.a, i.b, i.c};
    std::uint8_t may_take = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      if (info.operands[k] == Operand::Src) may_take |= static_cast<std::uint8_t>(1u << k);
      const std::string_view why = operand(info.operands[k], operands[k], pc, info.control);
      if (!why.empty()) return why;
    }
    if ((i.flags & ~may_take) != 0) return "flags that mean nothing";
    const bool falls_through = i.op == Op::LoopJumpIncLess ||
                               (info.control != Control::End && info.control != Control::Jump &&
                                info.control != Control::Loop);
    if (falls_through && pc + 1 == function_.code.size()) return "code runs off the end";
    return special(i);
  }

  std::string_view operand(Operand kind, std::uint16_t value, std::uint32_t pc, Control control) const {
    switch (kind) {
      case Operand::None: return value == 0 ? "" : "operand that means nothing";
      case Operand::Dst:
      case Operand::Src:
      case Operand::Mod:
      case Operand::Win: return value < function_.register_count ? "" : "register out of range";
      case Operand::Imm:
      case Operand::Cnt: return "";
      case Operand::Const: return value < program_.constants.size() ? "" : "constant out of range";
      case Operand::Global: return value < program_.globals.size() ? "" : "global out of range";
      case Operand::Builtin: return value < program_.builtins.size() ? "" : "builtin out of range";
      case Operand::Tool: return value < program_.tools.size() ? "" : "tool out of range";
      case Operand::Func: return value < program_.functions.size() && value != 0 ? "" : "function out of range";
      case Operand::Up: return value < function_.upvalue_count ? "" : "captured value out of range";
      case Operand::Jump: {
        const std::int64_t offset = static_cast<std::int16_t>(value);
        const std::int64_t target = std::int64_t{pc} + 1 + offset;
        if (target < 0 || target >= static_cast<std::int64_t>(function_.code.size())) return "jump out of range";
        if ((control == Control::Loop) != (offset < 0)) return "only loop jumps go backward, and they must";
        return "";
      }
    }
    return "unknown operand kind";
  }

  bool is_number(std::uint16_t constant) const {
    const ProgramConstant::Kind kind = program_.constants[constant].kind;
    return kind == ProgramConstant::Kind::Int || kind == ProgramConstant::Kind::Float;
  }

  std::string_view special(const Instruction& i) const {
    switch (i.op) {
      case Op::Drop: return (i.flags & kTakeA) != 0 ? "" : "drop without its flag";
      case Op::LoadSelf: return function_.index != 0 ? "" : "the entry is no closure";
      case Op::MakeClosure:
        return program_.functions[i.b].upvalue_count == i.c ? "" : "wrong number of captured values";
      case Op::GetKeyword:
        return program_.constants[i.c].kind == ProgramConstant::Kind::Keyword ? "" : "constant is no keyword";
      case Op::LoadNumber: return is_number(i.b) ? "" : "constant is no number";
      case Op::AddConst: case Op::SubConst: case Op::MulConst: case Op::DivConst:
      case Op::ConstAdd: case Op::ConstSub: case Op::ConstMul: case Op::ConstDiv:
        return is_number(i.c) ? "" : "constant is no number";
      case Op::CallLocal: return i.flags == 0 ? "" : "the called register does not outlive the call";
      case Op::LoadData:
        return program_.constants[i.b].kind == ProgramConstant::Kind::String ? "" : "constant is no string";
      case Op::IterStart:
        return program_.constants[i.b].kind == ProgramConstant::Kind::String ? "" : "constant is no string";
      case Op::LoadHistory: return i.b >= 1 && i.b <= 3 ? "" : "history goes back three turns";
      case Op::Stop: return i.b <= 1 ? "" : "unknown way to stop";
      case Op::CallPlain:
      case Op::CallBuiltin: {
        const BuiltinInfo& info = builtin_info(static_cast<BuiltinId>(program_.builtins[i.b]));
        if (!accepts(info, i.c)) return "wrong number of arguments of a builtin";
        return i.op == Op::CallBuiltin || is_plain_call(info) ? "" : "a builtin that may go on calling";
      }
      default: return "";
    }
  }

  const Program& program_;
  const Prototype& function_;
};

std::string_view check_constants(const Program& program) {
  for (std::size_t i = 0; i < program.constants.size(); ++i) {
    const ProgramConstant& constant = program.constants[i];
    const bool has_items = constant.kind >= ProgramConstant::Kind::Vector;
    if (!has_items && !constant.items.empty()) return "constant with items it cannot have";
    if (constant.kind == ProgramConstant::Kind::Map && constant.items.size() % 2 != 0)
      return "map constant with odd items";
    for (const std::uint32_t item : constant.items) {
      if (item >= i) return "constant refers forward";
    }
  }
  return {};
}

}  // namespace

std::optional<ProgramError> verify(const Program& program) {
  if (program.functions.empty()) return ProgramError{"program without functions", 0, 0};
  const Prototype& entry = program.functions[0];
  if (entry.param_count != 0 || entry.upvalue_count != 0) {
    return ProgramError{"the entry takes no parameters and captures nothing", 0, 0};
  }
  if (const std::string_view why = check_constants(program); !why.empty()) return ProgramError{std::string(why), 0, 0};
  std::uint64_t work = kLeastWork;
  for (const Prototype& function : program.functions) work += function.code.size() * kWorkOfInstruction;
  for (const Prototype& function : program.functions) {
    std::uint32_t pc = 0;
    const std::string_view why = FunctionVerifier(program, function).run(&pc, work);
    if (!why.empty()) return ProgramError{std::string(why), function.index, pc};
  }
  return std::nullopt;
}

}  // namespace ptc
